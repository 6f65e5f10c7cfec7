#include "kernels/device/nvrtc.h"

#include <algorithm>
#include <sstream>

#include "spec/error.h"
#include "src/base/cuda_driver.h"

namespace reprosum::kernels::device {
namespace {

constexpr std::size_t kMaxLog = 4000;

const base::Nvrtc& needed() {
  std::string why;
  const base::Nvrtc* const nvrtc = base::nvrtc(&why);
  if (nvrtc == nullptr)
    throw EnvironmentError("CUDA text cannot be compiled: " + why +
                           " (REPROSUM_NVRTC names the file or its directory, REPROSUM_PROGRAMS "
                           "a directory of programs that were packed elsewhere)");
  return *nvrtc;
}

void check(const base::Nvrtc& nvrtc, int status, const std::string& what) {
  if (status != 0) throw EnvironmentError(what + ": " + nvrtc.error_text(status));
}

class Source {
 public:
  Source(const base::Nvrtc& nvrtc, const std::string& text) : nvrtc_(nvrtc) {
    check(nvrtc, nvrtc.make_program(&program_, text.c_str(), "kernel.cu", 0, nullptr, nullptr),
          "a CUDA program");
  }
  ~Source() { nvrtc_.destroy_program(&program_); }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  void compile(const std::vector<std::string>& options) const {
    std::vector<const char*> pointers;
    std::string all;
    for (const std::string& option : options) {
      pointers.push_back(option.c_str());
      all += (all.empty() ? "" : " ") + option;
    }
    const int status = nvrtc_.compile(program_, static_cast<int>(pointers.size()), pointers.data());
    if (status == 0) return;
    const std::string said = log();
    throw EnvironmentError("a CUDA kernel was not compiled (options " + all +
                           "): " + nvrtc_.error_text(status) + (said.empty() ? "" : "\n" + said));
  }

  std::string machine_code() const { return bytes(nvrtc_.cubin_bytes, nvrtc_.cubin); }
  std::string ptx() const { return bytes(nvrtc_.ptx_bytes, nvrtc_.ptx); }

 private:
  std::string log() const {
    std::size_t size = 0;
    if (nvrtc_.log_bytes(program_, &size) != 0) return "";
    std::string text(size, '\0');
    if (nvrtc_.log(program_, text.data()) != 0) return "";
    while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
    return text.substr(0, kMaxLog);
  }

  std::string bytes(int (*size_of)(_nvrtcProgram*, std::size_t*),
                    int (*get)(_nvrtcProgram*, char*)) const {
    std::size_t size = 0;
    check(nvrtc_, size_of(program_, &size), "the size of a CUDA program");
    std::string out(size, '\0');
    check(nvrtc_, get(program_, out.data()), "the code of a CUDA program");
    return out;
  }

  const base::Nvrtc& nvrtc_;
  _nvrtcProgram* program_ = nullptr;
};

}  // namespace

std::string cuda_options() {
  return "--std=c++17 --fmad=false --ftz=false --prec-div=true --prec-sqrt=true";
}

std::string nvrtc_version(std::string* why) {
  const base::Nvrtc* const nvrtc = base::nvrtc(why);
  if (nvrtc == nullptr) return "";
  int major = 0, minor = 0;
  check(*nvrtc, nvrtc->version(&major, &minor), "the version of NVRTC");
  return "NVRTC " + std::to_string(major) + "." + std::to_string(minor);
}

std::vector<int> nvrtc_architectures() {
  const base::Nvrtc& nvrtc = needed();
  int count = 0;
  check(nvrtc, nvrtc.architecture_count(&count), "the architectures of NVRTC");
  std::vector<int> out(static_cast<std::size_t>(std::max(count, 0)));
  check(nvrtc, nvrtc.architectures(out.data()), "the architectures of NVRTC");
  std::sort(out.begin(), out.end());
  return out;
}

std::string compile_cuda(const std::string& text, int capability, const std::string& more) {
  const base::Nvrtc& nvrtc = needed();
  const std::vector<int> known = nvrtc_architectures();
  const auto above = std::upper_bound(known.begin(), known.end(), capability);
  if (above == known.begin())
    throw EnvironmentError("NVRTC makes no code for compute capability " +
                           std::to_string(capability / 10) + "." + std::to_string(capability % 10));
  const int nearest = *(above - 1);
  const bool is_exact = nearest == capability;
  std::vector<std::string> options{std::string("--gpu-architecture=") +
                                   (is_exact ? "sm_" : "compute_") + std::to_string(nearest)};
  std::istringstream words(cuda_options() + " " + more);
  for (std::string word; words >> word;) options.push_back(word);
  const Source source(nvrtc, text);
  source.compile(options);
  return is_exact ? source.machine_code() : source.ptx();
}

}  // namespace reprosum::kernels::device
