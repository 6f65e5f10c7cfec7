#include "src/cli/installed_blas.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "src/base/read_file.h"
#include "src/cli/in_child.h"
#include "src/report/probed_libraries.h"

namespace reprosum::cli {
namespace {

namespace fs = std::filesystem;

void say(int fd, const std::string& text) {
  if (write(fd, text.data(), text.size()) < 0) _exit(1);
}

// Loads the library and fills path and symbols; false if it cannot be loaded.
bool inspect(const std::string& name, InstalledBlas& out) {
  const std::string answer = in_child([&](int fd) {
    if (!base::irregular_library(name).empty()) return;
    void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    std::string routines;
    for (const std::string routine : {"dot", "sum", "gemv", "gemm"})
      if (dlsym(library, ("d" + routine + "_").c_str()) != nullptr ||
          dlsym(library, ("cblas_d" + routine).c_str()) != nullptr)
        routines += (routines.empty() ? "" : ", ") + routine;
    link_map* map = nullptr;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return;
    say(fd, routines + "\n" + map->l_name);
  });
  const std::size_t line = answer.find('\n');
  if (line == std::string::npos) return false;
  out.target = "blas:" + name;
  out.routines = answer.substr(0, line);
  std::error_code error;
  const fs::path real = fs::canonical(answer.substr(line + 1), error);
  out.path = error ? answer.substr(line + 1) : real.string();
  return true;
}

// A BLAS in a directory of its own under the library directories, as distributions keep
// alternatives to be chosen from.
std::vector<std::string> alternatives() {
  std::vector<std::string> out;
  for (const std::string root : {"/usr/lib/" REPROSUM_LIBRARY_ARCHITECTURE, "/usr/lib64"}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(root, error)) {
      if (!entry.is_directory(error)) continue;
      for (const char* name : {"libopenblas.so.0", "libblas.so.3", "libblis.so.4"})
        if (fs::exists(entry.path() / name, error)) out.push_back((entry.path() / name).string());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

std::vector<InstalledBlas> installed_blas() {
  std::vector<std::string> names = report::usual_library_names();
  const auto more = alternatives();
  names.insert(names.end(), more.begin(), more.end());
  std::vector<InstalledBlas> out;
  std::set<std::string> seen;
  for (const std::string& name : names) {
    InstalledBlas found;
    if (inspect(name, found) && !found.routines.empty() && seen.insert(found.path).second)
      out.push_back(std::move(found));
  }
  return out;
}

bool can_be_backing(const std::string& name) {
  InstalledBlas found;
  return inspect(name, found) && !found.routines.empty();
}

}  // namespace reprosum::cli
