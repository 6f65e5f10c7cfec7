#include "reveal/target/clblast_library.h"

#include "reveal/target/device_library.h"

#if REPROSUM_HAS_OPENCL
#include <dlfcn.h>
#include <fmt/format.h>

#include "reveal/target/clblast_functions.h"
#include "reveal/target/loaded_file.h"
#include "reveal/target/opencl_queue.h"
#include "src/base/shared_library.h"

namespace reprosum::reveal {
namespace {

using spec::Routine;
using spec::Trans;
using spec::Type;

// "CLBlastSdot" of sdot.
std::string symbol_of(Routine routine, Type type) {
  std::string name = spec::blas_name(routine, type);
  name.front() = static_cast<char>(name.front() - 'a' + 'A');
  return "CLBlast" + name;
}

// Those codes that say that the call is none.
bool is_about_arguments(clblast::Status status) { return status >= -1022 && status <= -1007; }

void check(clblast::Status status) {
  if (status == 0) return;
  if (is_about_arguments(status))
    throw TargetError("declined", fmt::format("CLBlast takes no such arguments: {}", status));
  throw TargetError("failed", fmt::format("CLBlast reports error {}", status));
}

int trans_of(Trans trans) { return trans == Trans::no ? clblast::kNoTrans : clblast::kTrans; }

// CLBlast's increments are unsigned.
std::size_t positive(int increment) {
  if (increment > 0) return static_cast<std::size_t>(increment);
  throw TargetError("declined", fmt::format("CLBlast has no vectors of increment {}", increment));
}

std::size_t size_of(int size) {
  if (size > 0) return static_cast<std::size_t>(size);
  throw TargetError("declined", "CLBlast takes no call without summands or outputs");
}

class ClblastLibrary final : public DeviceLibrary {
 public:
  explicit ClblastLibrary(const DeviceLibraryName& name);
  std::vector<std::pair<std::string, std::string>> describe() const override;

 private:
  DeviceQueue& queue() override { return queue_; }
  void run(int routine, const BlasArguments& arguments, int x, int y, std::size_t at) override;
  void run(int routine, const MatrixArguments& arguments, int a, int b, int c) override;
  template <class T>
  void run_as(int routine, const MatrixArguments& arguments, int a, int b, int c);
  template <class Function>
  Function function(int routine) const {
    return reinterpret_cast<Function>(functions_[static_cast<std::size_t>(routine)]);
  }

  OpenClQueue queue_;
  void* handle_ = nullptr;
  std::array<void*, kRoutines.size()> functions_{};
};

ClblastLibrary::ClblastLibrary(const DeviceLibraryName& name) : queue_(name.device(), kBuffers) {
  std::string why;
  const auto library =
      base::SharedLibrary::open({name.library.empty() ? "libclblast.so.1" : name.library}, &why);
  if (!library.is_open()) throw TargetError("cannot_load", why);
  handle_ = library.handle();
  for (std::size_t i = 0; i < kRoutines.size(); ++i)
    functions_[i] = library.find(symbol_of(kRoutines[i].first, kRoutines[i].second).c_str());
}

std::vector<std::pair<std::string, std::string>> ClblastLibrary::describe() const {
  std::vector<std::pair<std::string, std::string>> facts = describe_file(handle_);
  const std::string path = facts.empty() ? "" : facts.front().second;
  // CLBlast tells its version to no one, but its file is called by it.
  if (const std::size_t at = path.rfind(".so."); at != std::string::npos)
    facts.emplace_back("library.version", path.substr(at + 4));
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    if (functions_[i] == nullptr) continue;
    const auto [routine, type] = kRoutines[i];
    const std::string base = spec::blas_name(routine, type);
    facts.emplace_back("symbol." + base, symbol_of(routine, type));
    if (routine == Routine::gemv || routine == Routine::gemm)
      facts.emplace_back("row_major." + base, symbol_of(routine, type));
  }
  facts.emplace_back(kAddresses, "each operand begins at the beginning of its buffer");
  for (const auto& more : {queue_.describe(), describe_others({path})})
    facts.insert(facts.end(), more.begin(), more.end());
  return facts;
}

void ClblastLibrary::run(int routine, const BlasArguments& arguments, int x, int y,
                         std::size_t at) {
  const std::size_t n = size_of(arguments.n), incx = positive(arguments.incx);
  const cl_mem results = queue_.memory(kResults);
  if (kRoutines[static_cast<std::size_t>(routine)].first == Routine::sum)
    return check(function<clblast::Sum>(routine)(n, results, at, queue_.memory(x), 0, incx,
                                                 queue_.handle(), nullptr));
  check(function<clblast::Dot>(routine)(n, results, at, queue_.memory(x), 0, incx, queue_.memory(y),
                                        0, positive(arguments.incy), queue_.handle(), nullptr));
}

template <class T>
void ClblastLibrary::run_as(int routine, const MatrixArguments& g, int a, int b, int c) {
  const int layout = g.row_major ? clblast::kRowMajor : clblast::kColumnMajor;
  const std::size_t m = size_of(g.m), k = size_of(g.k);
  const T alpha = static_cast<T>(g.alpha), beta = static_cast<T>(g.beta);
  const auto lda = static_cast<std::size_t>(g.lda);
  if (g.gemv) {  // its sizes are those of the stored matrix
    const bool turned = g.trans_a == Trans::yes;
    return check(function<clblast::Gemv<T>>(routine)(
        layout, trans_of(g.trans_a), turned ? k : m, turned ? m : k, alpha, queue_.memory(a), 0,
        lda, queue_.memory(b), 0, positive(g.ldb), beta, queue_.memory(c), 0, positive(g.ldc),
        queue_.handle(), nullptr));
  }
  check(function<clblast::Gemm<T>>(routine)(
      layout, trans_of(g.trans_a), trans_of(g.trans_b), m, size_of(g.n), k, alpha, queue_.memory(a),
      0, lda, queue_.memory(b), 0, static_cast<std::size_t>(g.ldb), beta, queue_.memory(c), 0,
      static_cast<std::size_t>(g.ldc), queue_.handle(), nullptr));
}

void ClblastLibrary::run(int routine, const MatrixArguments& arguments, int a, int b, int c) {
  spec::is_f32(kRoutines[static_cast<std::size_t>(routine)].second)
      ? run_as<float>(routine, arguments, a, b, c)
      : run_as<double>(routine, arguments, a, b, c);
}

}  // namespace

std::unique_ptr<ProbedLibrary> load_clblast(const std::string& name) {
  return std::make_unique<ClblastLibrary>(parse_device_library(name, kClblastSettings));
}

}  // namespace reprosum::reveal
#else
namespace reprosum::reveal {

std::unique_ptr<ProbedLibrary> load_clblast(const std::string&) {
  throw TargetError("cannot_load",
                    "reprosum was built without the headers of OpenCL (CL/cl.h): no clblast:");
}

}  // namespace reprosum::reveal
#endif
