#include "src/base/cuda_driver.h"

#include <algorithm>
#include <atomic>
#include <filesystem>

#include "src/base/environment.h"
#include "src/base/fork_gate.h"
#include "src/base/shared_library.h"

namespace reprosum::base {
namespace {

namespace fs = std::filesystem;

constinit std::atomic<const CudaDriver*> found_driver{nullptr};
constinit std::atomic<const Nvrtc*> found_nvrtc{nullptr};

const std::vector<std::string>& nvrtc_names() {
  static const auto& names =
      *new const std::vector<std::string>{"libnvrtc.so.13", "libnvrtc.so.12"};
  return names;
}

template <class Type>
bool find(const SharedLibrary& library, const char* symbol, Type& to, std::string* why) {
  to = reinterpret_cast<Type>(library.find(symbol));
  if (to == nullptr) *why = library.name() + " has no " + symbol;
  return to != nullptr;
}

// Sorted from the last, so that a newer Python comes first. Nothing where `directory` cannot be
// read.
std::vector<fs::path> inside(const fs::path& directory, const std::string& prefix) {
  std::vector<fs::path> out;
  std::error_code error;
  fs::directory_iterator entry(directory, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error))
    if (entry->path().filename().string().starts_with(prefix)) out.push_back(entry->path());
  std::sort(out.rbegin(), out.rend());
  return out;
}

void add_library(const std::vector<std::string>& names, const fs::path& directory,
                 std::vector<std::string>& out) {
  for (const std::string& name : names) {
    const fs::path file = directory / name;
    std::error_code error;
    if (fs::exists(file, error)) out.push_back(file.string());
  }
}

// The libraries of Python packages such as nvidia-cuda-nvrtc, which lie in nvidia/cu13/lib or
// nvidia/cuda_nvrtc/lib.
void add_python(const std::vector<std::string>& names, const fs::path& prefix,
                std::vector<std::string>& out) {
  for (const fs::path& python : inside(prefix, "python"))
    for (const char* const packages : {"site-packages", "dist-packages"})
      for (const fs::path& part : inside(python / packages / "nvidia", ""))
        add_library(names, part / "lib", out);
}

}  // namespace

const CudaDriver* cuda_driver(std::string* why) {
  if (const CudaDriver* const there = found_driver.load(std::memory_order_acquire))
    return is_lost_by_fork(there->library, there->generation, why) ? nullptr : there;
  const NoFork whole;
  const SharedLibrary library = SharedLibrary::open({"libcuda.so.1"}, why);
  if (!library.is_open()) return nullptr;
  CudaDriver driver;
  driver.library = library.name();
  driver.generation = generation();
#define REPROSUM_FIND(name, symbol, type) \
  if (!find(library, symbol, driver.name, why)) return nullptr;
  REPROSUM_CUDA_FUNCTIONS(REPROSUM_FIND)
#undef REPROSUM_FIND
  std::string ignored;
#define REPROSUM_FIND(name, symbol, type) find(library, symbol, driver.name, &ignored);
  REPROSUM_CUDA_NEW_FUNCTIONS(REPROSUM_FIND)
#undef REPROSUM_FIND
  return &made_once(found_driver, [&] { return driver; });
}

std::vector<std::string> cuda_library_candidates(const std::vector<std::string>& names) {
  std::vector<std::string> out = names;
  for (const char* const name : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* const home = variable(name); home != nullptr && *home == '/')
      add_library(names, fs::path(home) / "lib64", out);
  add_library(names, "/usr/local/cuda/lib64", out);
  if (const char* const own = variable("VIRTUAL_ENV"); own != nullptr && *own == '/')
    add_python(names, fs::path(own) / "lib", out);
  if (const char* const home = variable("HOME"); home != nullptr && *home == '/')
    add_python(names, fs::path(home) / ".local/lib", out);
  add_python(names, "/usr/local/lib", out);
  add_python(names, "/usr/lib", out);
  return out;
}

std::vector<std::string> nvrtc_candidates() {
  std::vector<std::string> out;
  if (const char* const named = variable("REPROSUM_NVRTC"); named != nullptr && *named != '\0') {
    std::error_code error;
    if (fs::is_directory(named, error))
      add_library(nvrtc_names(), named, out);
    else
      out.emplace_back(named);
  }
  const std::vector<std::string> usual = cuda_library_candidates(nvrtc_names());
  out.insert(out.end(), usual.begin(), usual.end());
  return out;
}

const Nvrtc* nvrtc(std::string* why) {
  if (const Nvrtc* const there = found_nvrtc.load(std::memory_order_acquire)) return there;
  const NoFork whole;
  const SharedLibrary library = SharedLibrary::open(nvrtc_candidates(), why);
  if (!library.is_open()) return nullptr;
  Nvrtc nvrtc;
  nvrtc.library = library.name();
#define REPROSUM_FIND(name, symbol, type) \
  if (!find(library, symbol, nvrtc.name, why)) return nullptr;
  REPROSUM_NVRTC_FUNCTIONS(REPROSUM_FIND)
#undef REPROSUM_FIND
  return &made_once(found_nvrtc, [&] { return nvrtc; });
}

}  // namespace reprosum::base
