#include "kernels/backends.h"

#include <algorithm>
#include <iterator>

#include "kernels/device/devices.h"
#include "kernels/linked_code.h"
#include "spec/error.h"

#if REPROSUM_LLVM
#include "kernels/llvm/llvm_backend.h"
#endif
#if defined(__aarch64__) && defined(__linux__)
#include <sys/prctl.h>
#endif

namespace reprosum::kernels {
namespace {

bool always() { return true; }

// A host without FMA gets the interpreter: generated code would call fma(), which is right but
// slow.
#if defined(__x86_64__) && defined(__GNUC__)
bool has_avx2() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}
bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
#else
bool has_avx2() { return false; }
bool has_avx512() { return false; }
#endif

#if defined(__aarch64__) && defined(__linux__)
bool has_neon() { return true; }
// The length of SVE vectors. Code for vectors of fewer bits is right on longer ones as well.
int sve_bits() {
  const int bytes = ::prctl(PR_SVE_GET_VL);
  return bytes < 0 ? 0 : 8 * (bytes & PR_SVE_VL_LEN_MASK);
}
#else
bool has_neon() { return false; }
int sve_bits() { return 0; }
#endif
bool has_sve() { return sve_bits() >= 128; }
bool has_sve256() { return sve_bits() >= 256; }
bool has_sve512() { return sve_bits() >= 512; }

constexpr Backend by_llvm(const char* name, const char* other_name, const CodeTarget& target,
                          bool (*runs_here)()) {
#if REPROSUM_LLVM
  return {name,        other_name,   target,      runs_here, print_by_llvm, compile_by_llvm,
          load_object, llvm_archive, llvm_version};
#else
  return {name, other_name, target, runs_here};
#endif
}

template <device::Dialect dialect>
bool has_device() {
  try {
    std::string why;
    return !device::devices(dialect, &why).empty();
  } catch (const EnvironmentError&) {
    return false;  // a driver that is there and fails
  }
}

constexpr Backend on_device(const char* name, bool (*runs_here)()) {
  return {.name = name, .target = {}, .runs_here = runs_here, .on_device = true};
}

constexpr const char* kX86 = "x86_64-pc-linux-gnu";
constexpr const char* kArm = "aarch64-unknown-linux-gnu";

constexpr Backend kRows[] = {
    {"interpreter", "", {}, always},
    by_llvm("neon", "aarch64", {kArm, "generic", "", 128}, has_neon),
    by_llvm("sve", "", {kArm, "generic", "+sve", 128, 1}, has_sve),
    by_llvm("sve256", "", {kArm, "generic", "+sve", 256, 2}, has_sve256),
    by_llvm("sve512", "", {kArm, "generic", "+sve", 512, 4}, has_sve512),
    by_llvm("avx2", "x86-64-v3", {kX86, "haswell", "", 256}, has_avx2),
    by_llvm("avx512", "x86-64-v4", {kX86, "skylake-avx512", "", 512}, has_avx512),
    on_device("opencl", has_device<device::Dialect::opencl>),
    on_device("cuda", has_device<device::Dialect::cuda>),
    // A place is an Isa: new rows stand here, at the end.
};
static_assert(std::size(kRows) < kMaxBackends);
// Those that were added at run time.
constinit Backend added[kMaxBackends - std::size(kRows)];
constinit std::size_t row_count = std::size(kRows);

}  // namespace

const Backend& backend(Isa isa) {
  if (isa.index() >= row_count) throw InternalError("there is no such backend");
  return isa.index() < std::size(kRows) ? kRows[isa.index()]
                                        : added[isa.index() - std::size(kRows)];
}

std::vector<Isa> all_isas() {
  std::vector<Isa> all;
  for (std::size_t k = 0; k < row_count; ++k) all.emplace_back(k);
  return all;
}

bool can_run(Isa isa) {
  const Backend& row = backend(isa);
  return !row.on_device && row.runs_here() &&
         (isa == Isa::interpreter || row.load != nullptr || has_linked_code(isa));
}

std::string why_not(Isa isa) {
  const std::string row = name(isa);
  if (!backend(isa).on_device) return "this host cannot run " + row;
  return row +
         " runs on operands in a device's memory: it runs calls of reprosum/gpu.h, calls that "
         "REPROSUM_ISA=" +
         row + " sends there, and `reprosum verify --backend " + row + "`";
}

std::vector<Isa> host_isas() {
  std::vector<Isa> isas = all_isas();
  std::erase_if(isas, [](Isa isa) { return !can_run(isa); });
  return isas;
}

std::optional<Isa> find_isa(const std::string& name) {
  if (name.empty()) return std::nullopt;
  for (const Isa isa : all_isas())
    if (name == backend(isa).name || name == backend(isa).other_name) return isa;
  return std::nullopt;
}

std::string isa_names() {
  std::string names;
  for (const Isa isa : all_isas()) names += (names.empty() ? "" : ", ") + std::string(name(isa));
  return names;
}

Isa add_backend(const Backend& row) {
  if (row_count == kMaxBackends) throw InternalError("the table of backends is full");
  if (row.runs_here == nullptr || find_isa(row.name))
    throw InternalError("a backend needs a name of its own and runs_here");
  added[row_count - std::size(kRows)] = row;
  return Isa(row_count++);
}

}  // namespace reprosum::kernels
