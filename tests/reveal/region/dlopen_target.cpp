#include "dlopen_target.h"

#include <dlfcn.h>

#include <bit>
#include <cmath>
#include <new>

namespace reprosum::reveal::region_testing {
namespace {

template <class T>
using Gemm = void (*)(const char*, const char*, const int*, const int*, const int*, const T*,
                      const T*, const int*, const T*, const int*, const T*, T*, const int*);
template <class T>
using Gemv = void (*)(const char*, const int*, const int*, const T*, const T*, const int*, const T*,
                      const int*, const T*, T*, const int*);

template <class Function>
Function symbol(void* library, const std::string& name) {
  void* address = dlsym(library, name.c_str());
  if (address == nullptr) throw TargetError("missing_symbol", name + " is not there");
  return std::bit_cast<Function>(address);
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

constexpr std::align_val_t cache_line{64};

// Some libraries (ATLAS's gemv) choose an order by the addresses of the operands, which malloc
// would make a matter of chance: each begins with a cache line, as in a capture.
template <class T>
struct CacheLines {
  using value_type = T;
  CacheLines() = default;
  template <class U>
  CacheLines(const CacheLines<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), cache_line)); }
  void deallocate(T* at, std::size_t) { ::operator delete(at, cache_line); }
  bool operator==(const CacheLines&) const = default;
};
template <class T>
using Operand = std::vector<T, CacheLines<T>>;

template <class T>
std::uint64_t bits(T value) {
  if (std::isnan(value)) return 1;
  if constexpr (sizeof(T) == 4) {
    return std::bit_cast<std::uint32_t>(value);
  } else {
    return std::bit_cast<std::uint64_t>(value);
  }
}

}  // namespace

DlopenTarget::DlopenTarget(const std::string& path)
    : library_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (library_ == nullptr) throw TargetError("cannot_load", dlerror());
}

const char* DlopenTarget::core() const {
  void* address = dlsym(library_, "openblas_get_corename");
  return address == nullptr ? "" : std::bit_cast<const char* (*)()>(address)();
}

void DlopenTarget::set_threads(int threads) {
  symbol<void (*)(int)>(library_, "openblas_set_num_threads")(threads);
}

std::vector<double> DlopenTarget::run(const Batch&) {
  throw TargetError("declined", "only signatures are asked for here");
}

bool DlopenTarget::has(spec::Routine, spec::Type) { return true; }

template <class T>
void DlopenTarget::add_probe(const Call& call, const UniformProbe& probe,
                             std::vector<std::uint64_t>& hashes) {
  const bool is_gemv = call.routine == spec::Routine::gemv;
  const char type = sizeof(T) == 4 ? 's' : 'd';
  const std::int64_t m = call.m, n = is_gemv ? 1 : call.n, k = call.k;
  const bool a_turned = call.trans_a == spec::Trans::yes;
  const bool b_turned = call.trans_b == spec::Trans::yes;
  // Each row of op(A) is probe.a and each column of op(B) is probe.b: filled in the order of
  // memory.
  const auto fill = [k](Operand<T>& matrix, const std::vector<double>& values, std::int64_t repeats,
                        bool is_contiguous) {
    matrix.clear();
    for (std::int64_t r = 0; is_contiguous && r < repeats; ++r)
      for (const double value : values) matrix.push_back(static_cast<T>(value));
    for (std::int64_t p = 0; !is_contiguous && p < k; ++p)
      matrix.insert(matrix.end(), static_cast<std::size_t>(repeats), static_cast<T>(values[p]));
  };
  thread_local Operand<T> a, b, c;  // kept: fresh pages cost more than most calls
  fill(a, probe.a, m, a_turned);
  fill(b, probe.b, n, !b_turned);
  c.assign(static_cast<std::size_t>(m * n), static_cast<T>(probe.c));
  const T alpha = static_cast<T>(probe.alpha), beta = static_cast<T>(probe.beta);
  const int im = static_cast<int>(m), in = static_cast<int>(n), ik = static_cast<int>(k);
  const int one = 1, lda = a_turned ? ik : im, ldb = b_turned ? in : ik;
  const char ta = a_turned ? 'T' : 'N', tb = b_turned ? 'T' : 'N';
  if (is_gemv) {
    const auto gemv = symbol<Gemv<T>>(library_, std::string(1, type) + "gemv_");
    const int rows = a_turned ? ik : im, columns = a_turned ? im : ik;
    gemv(&ta, &rows, &columns, &alpha, a.data(), &rows, b.data(), &one, &beta, c.data(), &one);
  } else {
    const auto gemm = symbol<Gemm<T>>(library_, std::string(1, type) + "gemm_");
    gemm(&ta, &tb, &im, &in, &ik, &alpha, a.data(), &lda, b.data(), &ldb, &beta, c.data(), &im);
  }
  ++calls_;
  for (std::size_t i = 0; i < hashes.size(); ++i) hashes[i] = mix(hashes[i], bits(c[i]));
}

std::vector<std::uint64_t> DlopenTarget::signatures(const Call& call,
                                                    std::span<const UniformProbe> probes) {
  const std::int64_t n = call.routine == spec::Routine::gemv ? 1 : call.n;
  std::vector<std::uint64_t> hashes(call.m * n, 1);
  for (const UniformProbe& probe : probes) {
    if (spec::is_f32(call.type)) {
      add_probe<float>(call, probe, hashes);
    } else {
      add_probe<double>(call, probe, hashes);
    }
  }
  return hashes;
}

}  // namespace reprosum::reveal::region_testing
