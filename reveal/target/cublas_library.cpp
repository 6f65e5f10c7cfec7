#include "reveal/target/cublas_library.h"

#include <fmt/format.h>

#include <charconv>

#include "reveal/target/cublas_functions.h"
#include "reveal/target/cuda_queue.h"
#include "reveal/target/device_library.h"
#include "reveal/target/loaded_file.h"
#include "src/base/shared_library.h"

namespace reprosum::reveal {
namespace {

using spec::Routine;
using spec::Trans;
using spec::Type;

constexpr int kWorkspace = 4;  // a buffer behind those of every device library

// "cublasSdot_v2" of sdot. cuBLAS has no plain sum.
std::string symbol_of(Routine routine, Type type) {
  std::string name = spec::blas_name(routine, type);
  name.front() = static_cast<char>(name.front() - 'a' + 'A');
  return "cublas" + name + "_v2";
}

struct MathMode {
  const char* name;
  int mode;
};
// Those of TF32, BF16x9 and fixed point are there to be named: they have no order of their inputs.
constexpr MathMode kMathModes[] = {
    {"default", 0}, {"pedantic", 2}, {"tf32", 3}, {"bf16x9", 4}, {"fixed-point", 8}};

int math_mode(const std::string& name) {
  std::string known;
  for (const MathMode& mode : kMathModes) {
    if (name == mode.name) return mode.mode;
    known += known.empty() ? mode.name : fmt::format(", {}", mode.name);
  }
  throw TargetError("cannot_load", "math=" + name + " is none of " + known);
}

int trans_of(Trans trans) { return trans == Trans::no ? cublas::kNoTrans : cublas::kTrans; }

class CublasLibrary final : public DeviceLibrary {
 public:
  explicit CublasLibrary(const DeviceLibraryName& name);
  std::vector<std::pair<std::string, std::string>> describe() const override;

 private:
  static_assert(kBuffers == kWorkspace);
  DeviceQueue& queue() override { return queue_; }
  void run(int routine, const BlasArguments& arguments, int x, int y, std::size_t at) override;
  void run(int routine, const MatrixArguments& arguments, int a, int b, int c) override;
  template <class T>
  void run_as(int routine, const BlasArguments& arguments, int x, int y, std::size_t at);
  template <class T>
  void run_as(int routine, const MatrixArguments& arguments, int a, int b, int c);
  template <class Function>
  Function function(int routine) const {
    return reinterpret_cast<Function>(functions_[static_cast<std::size_t>(routine)]);
  }
  // Throws TargetError cannot_load where there is none.
  template <class Function>
  Function find(const char* symbol) const;
  void set_workspace(const std::string& bytes);

  CudaQueue queue_;
  base::SharedLibrary library_;
  std::string math_, workspace_, stream_;
  cublas::Handle handle_ = nullptr;
  int version_ = 0;
  std::array<void*, kRoutines.size()> functions_{};
};

void check(cublas::Status status) {
  if (status == 0) return;
  if (status == cublas::kInvalidValue)
    throw TargetError("declined", "cuBLAS takes no such arguments (CUBLAS_STATUS_INVALID_VALUE)");
  throw TargetError("failed", fmt::format("cuBLAS reports status {}", status));
}

void check_load(cublas::Status status, const std::string& what) {
  if (status != 0)
    throw TargetError("cannot_load", fmt::format("{}: cuBLAS reports status {}", what, status));
}

template <class Function>
Function CublasLibrary::find(const char* symbol) const {
  void* const address = library_.find(symbol);
  if (address == nullptr) throw TargetError("cannot_load", library_.name() + " has no " + symbol);
  return reinterpret_cast<Function>(address);
}

void CublasLibrary::set_workspace(const std::string& bytes) {
  if (bytes == "usual") return;
  std::size_t count = 0;
  const auto read = std::from_chars(bytes.data(), bytes.data() + bytes.size(), count);
  if (read.ec != std::errc() || read.ptr != bytes.data() + bytes.size())
    throw TargetError("cannot_load", "workspace=" + bytes + " is no number of bytes");
  if (count > 0) queue_.reserve(kWorkspace, count);
  check_load(find<cublas::SetWorkspace>("cublasSetWorkspace_v2")(
                 handle_, count > 0 ? queue_.memory(kWorkspace) : nullptr, count),
             "workspace=" + bytes);
}

CublasLibrary::CublasLibrary(const DeviceLibraryName& name)
    : queue_(name.device(), kBuffers + 1, name.setting("stream", "own") == "own"),
      math_(name.setting("math", "default")),
      workspace_(name.setting("workspace", "usual")),
      stream_(name.setting("stream", "own")) {
  const int mode = math_mode(math_);
  if (stream_ != "own" && stream_ != "default")
    throw TargetError("cannot_load", "stream=" + stream_ + " is neither own nor default");
  std::string why;
  library_ = base::SharedLibrary::open(
      name.library.empty() ? base::cuda_library_candidates({"libcublas.so.13", "libcublas.so.12"})
                           : std::vector<std::string>{name.library},
      &why);
  if (!library_.is_open()) throw TargetError("cannot_load", why);
  check_load(find<cublas::Create>("cublasCreate_v2")(&handle_), "a handle of " + library_.name());
  check_load(find<cublas::GetVersion>("cublasGetVersion_v2")(handle_, &version_), "its version");
  check_load(find<cublas::SetStream>("cublasSetStream_v2")(handle_, queue_.stream()), "the stream");
  check_load(find<cublas::SetMode>("cublasSetMathMode")(handle_, mode), "math=" + math_);
  set_workspace(workspace_);
  for (std::size_t i = 0; i < kRoutines.size(); ++i)
    functions_[i] = library_.find(symbol_of(kRoutines[i].first, kRoutines[i].second).c_str());
}

std::vector<std::pair<std::string, std::string>> CublasLibrary::describe() const {
  std::vector<std::pair<std::string, std::string>> facts = describe_file(library_.handle());
  const std::string path = facts.empty() ? "" : facts.front().second;
  facts.emplace_back("library.version", fmt::format("{}.{}.{}", version_ / 10000,
                                                    version_ / 100 % 100, version_ % 100));
  for (std::size_t i = 0; i < functions_.size(); ++i)
    if (functions_[i] != nullptr)
      facts.emplace_back("symbol." + spec::blas_name(kRoutines[i].first, kRoutines[i].second),
                         symbol_of(kRoutines[i].first, kRoutines[i].second));
  facts.emplace_back(kAddresses, "each operand begins at the beginning of its memory");
  facts.emplace_back("setting.math", math_);
  facts.emplace_back("setting.workspace", workspace_);
  facts.emplace_back("setting.stream", stream_);
  for (const auto& more : {queue_.describe(), describe_others({path})})
    facts.insert(facts.end(), more.begin(), more.end());
  return facts;
}

template <class T>
void CublasLibrary::run_as(int routine, const BlasArguments& arguments, int x, int y,
                           std::size_t at) {
  const auto set_pointers = find<cublas::SetMode>("cublasSetPointerMode_v2");
  check(set_pointers(handle_, cublas::kPointersOfDevice));
  const cublas::Status status = function<cublas::Dot<T>>(routine)(
      handle_, arguments.n, static_cast<const T*>(queue_.memory(x)), arguments.incx,
      static_cast<const T*>(queue_.memory(y)), arguments.incy,
      static_cast<T*>(queue_.memory(kResults)) + at);
  check(set_pointers(handle_, 0));
  check(status);
}

template <class T>
void CublasLibrary::run_as(int routine, const MatrixArguments& g, int a, int b, int c) {
  const T alpha = static_cast<T>(g.alpha), beta = static_cast<T>(g.beta);
  const T* const of_a = static_cast<const T*>(queue_.memory(a));
  const T* const of_b = static_cast<const T*>(queue_.memory(b));
  T* const of_c = static_cast<T*>(queue_.memory(c));
  if (g.gemv) {  // its sizes are those of the stored matrix
    const bool turned = g.trans_a == Trans::yes;
    return check(function<cublas::Gemv<T>>(routine)(handle_, trans_of(g.trans_a),
                                                    turned ? g.k : g.m, turned ? g.m : g.k, &alpha,
                                                    of_a, g.lda, of_b, g.ldb, &beta, of_c, g.ldc));
  }
  check(function<cublas::Gemm<T>>(routine)(handle_, trans_of(g.trans_a), trans_of(g.trans_b), g.m,
                                           g.n, g.k, &alpha, of_a, g.lda, of_b, g.ldb, &beta, of_c,
                                           g.ldc));
}

void CublasLibrary::run(int routine, const BlasArguments& arguments, int x, int y, std::size_t at) {
  spec::is_f32(kRoutines[static_cast<std::size_t>(routine)].second)
      ? run_as<float>(routine, arguments, x, y, at)
      : run_as<double>(routine, arguments, x, y, at);
}

void CublasLibrary::run(int routine, const MatrixArguments& arguments, int a, int b, int c) {
  spec::is_f32(kRoutines[static_cast<std::size_t>(routine)].second)
      ? run_as<float>(routine, arguments, a, b, c)
      : run_as<double>(routine, arguments, a, b, c);
}

}  // namespace

std::unique_ptr<ProbedLibrary> load_cublas(const std::string& name) {
  return std::make_unique<CublasLibrary>(parse_device_library(name, kCublasSettings));
}

}  // namespace reprosum::reveal
