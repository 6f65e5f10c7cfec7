#include <dlfcn.h>
#include <fmt/format.h>
#include <ucontext.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <vector>

#include "spec/error.h"
#include "tests/kernels/launch_runner.h"

namespace reprosum::kernels::test {
namespace {

namespace fs = std::filesystem;

// What CUDA C++ has and C++ has not, and how a launch runs.
constexpr const char* kBefore = R"(
#define __global__
#define __device__
#define __shared__ static
#define __constant__ const
#define __launch_bounds__(items)
#define __align__(bytes) __attribute__((aligned(bytes)))
extern "C" { struct Index { int x; } thread_index, block_index; void (*barrier)(); }
#define threadIdx thread_index
#define blockIdx block_index
#define __syncthreads() barrier()
static float __fadd_rn(float a, float b) { return a + b; }
static float __fmul_rn(float a, float b) { return a * b; }
static float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static double __dadd_rn(double a, double b) { return a + b; }
static double __dmul_rn(double a, double b) { return a * b; }
static double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
static float __double2float_rn(double a) { return (float)a; }
)";

// An entry is called with pointers to its arguments.
constexpr const char* kBehind = R"(
template <int... I> struct Sequence {};
template <class... A, int... I>
static void call(void (*entry)(A...), void **a, Sequence<I...>) { entry(*(A *)a[I]...); }
template <class... A>
static void call(void (*entry)(A...), void **a) {
  call(entry, a, Sequence<__integer_pack(sizeof...(A))...>());
}
)";

// Work-items of one group at a time, each with a stack of its own.
class Fibres {
 public:
  using Item = void (*)(void**);
  struct Library {
    void* handle = nullptr;
    int *item = nullptr, *group = nullptr;
    bool has_barrier = false;
  };

  // False where some work-items end while others wait for them.
  bool run(const Library& library, Item function, void** arguments, std::int64_t groups, int items,
           bool reverse) {
    function_ = function;
    arguments_ = arguments;
    for (std::int64_t g = 0; g < groups; ++g) {
      *library.group = static_cast<int>(g);
      if (library.has_barrier ? !run_group(library, items, reverse) : false) return false;
      for (int k = 0; !library.has_barrier && k < items; ++k) {
        *library.item = reverse ? items - 1 - k : k;
        function(arguments);
      }
    }
    return true;
  }
  static void barrier() {
    Fibres& self = only();
    self.waiting_++;
    swapcontext(&self.fibres_[self.current_], &self.scheduler_);
  }
  static Fibres& only() {
    static Fibres one;
    return one;
  }

 private:
  static void start() { only().function_(only().arguments_); }

  bool run_group(const Library& library, int items, bool reverse) {
    const auto size = static_cast<std::size_t>(items);
    fibres_.resize(size);
    while (stacks_.size() < size) stacks_.emplace_back(kStack);
    for (std::size_t k = 0; k < size; ++k) {
      getcontext(&fibres_[k]);
      fibres_[k].uc_stack.ss_sp = stacks_[k].data();
      fibres_[k].uc_stack.ss_size = kStack;
      fibres_[k].uc_link = &scheduler_;
      makecontext(&fibres_[k], &Fibres::start, 0);
    }
    do {
      waiting_ = 0;
      for (std::size_t k = 0; k < size; ++k) {
        current_ = reverse ? size - 1 - k : k;
        *library.item = static_cast<int>(current_);
        swapcontext(&scheduler_, &fibres_[current_]);
      }
      if (waiting_ != 0 && waiting_ != items) return false;
    } while (waiting_ > 0);
    return true;
  }

  static constexpr std::size_t kStack = 256 << 10;
  Item function_ = nullptr;
  void** arguments_ = nullptr;
  ucontext_t scheduler_{};
  std::vector<ucontext_t> fibres_;
  std::vector<std::vector<char>> stacks_;
  std::size_t current_ = 0;
  int waiting_ = 0;
};

class FibreRunner : public LaunchRunner {
 public:
  FibreRunner() {
    std::string folder = (fs::temp_directory_path() / "reprosum-fibres-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) throw EnvironmentError("no temporary folder");
    folder_ = folder;
  }
  ~FibreRunner() override {
    for (const auto& [text, library] : libraries_)
      if (library.handle != nullptr) dlclose(library.handle);
    fs::remove_all(folder_);
  }

  const char* name() const override { return "fibres"; }

  void run(const launch::Launches& launches, const std::vector<Memory>& operands) override {
    std::vector<std::string> copies;
    std::vector<Memory> others;
    for (const Memory& operand : operands)
      copies.emplace_back(static_cast<const char*>(operand.data), operand.bytes);
    for (std::string& copy : copies) others.push_back({copy.data(), copy.size()});
    run(launches, operands, false);
    run(launches, others, true);
    for (std::size_t k = 0; k < operands.size(); ++k)
      if (std::memcmp(operands[k].data, others[k].data, operands[k].bytes) != 0)
        throw InternalError(launches.texts.at(0)->entries.at(0).name +
                            ": what work-items give depends on which is first");
  }

 private:
  void run(const launch::Launches& launches, const std::vector<Memory>& operands, bool reverse) {
    std::vector<void*> buffers;
    std::vector<std::vector<std::int64_t>> scratch;
    for (const Memory& operand : operands) buffers.push_back(operand.data);
    for (const launch::Scratch& one : launches.scratch) {
      scratch.emplace_back(one.bytes / sizeof(std::int64_t) + 1);
      if (one.content != nullptr)
        std::copy(one.content->begin(), one.content->end(), scratch.back().begin());
      buffers.push_back(scratch.back().data());
    }
    for (const launch::Launch& one : launches.launches) launch(launches, one, buffers, reverse);
  }

  void launch(const launch::Launches& launches, const launch::Launch& one,
              std::vector<void*>& buffers, bool reverse) {
    std::vector<launch::Argument> values = one.arguments;
    std::vector<void*> arguments;
    for (launch::Argument& value : values)
      arguments.push_back(std::visit(
          [&](auto& v) -> void* {
            if constexpr (std::is_same_v<std::decay_t<decltype(v)>, launch::BufferNumber>)
              return static_cast<void*>(&buffers.at(v.number));
            else
              return static_cast<void*>(&v);
          },
          value));
    const auto& text = launches.texts.at(one.text);
    Fibres::Library& library = libraries_[text->text];
    if (library.handle == nullptr) library = compile(*text);
    const text::DeviceEntry& entry = text->entries.at(one.entry);
    const auto item =
        reinterpret_cast<Fibres::Item>(dlsym(library.handle, ("items_" + entry.name).c_str()));
    if (item == nullptr) throw InternalError("no entry " + entry.name);
    if (!Fibres::only().run(library, item, arguments.data(), one.groups,
                            static_cast<int>(entry.group), reverse))
      throw InternalError(entry.name + ": not every work-item comes to the barrier");
  }

  Fibres::Library compile(const text::DeviceText& text) {
    const fs::path base = folder_ / std::to_string(libraries_.size());
    const std::string source = base.string() + ".cpp", library = base.string() + ".so";
    std::string all = kBefore + text.text + kBehind;
    for (const text::DeviceEntry& entry : text.entries)
      all += fmt::format("extern \"C\" void items_{0}(void **a) {{ call({0}, a); }}\n", entry.name);
    std::ofstream(source) << all;
    const std::string command =
        "g++ -std=c++17 -O0 -mfma -ffp-contract=off -w -shared -fPIC -o " + library + " " + source;
    if (std::system(command.c_str()) != 0) throw InternalError(command + "\n" + text.text);
    void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) throw EnvironmentError(dlerror());
    *static_cast<void (**)()>(dlsym(handle, "barrier")) = &Fibres::barrier;
    return {handle, static_cast<int*>(dlsym(handle, "thread_index")),
            static_cast<int*>(dlsym(handle, "block_index")),
            text.text.find("BARRIER();") != std::string::npos};
  }

  fs::path folder_;
  std::map<std::string, Fibres::Library> libraries_;
};

}  // namespace

std::unique_ptr<LaunchRunner> fibre_runner() { return std::make_unique<FibreRunner>(); }

}  // namespace reprosum::kernels::test
