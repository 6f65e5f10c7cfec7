// doctor: programs that bring BLAS with them, and whether they would use this library.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "src/base/environment.h"
#include "src/cli/finding.h"
#include "src/cli/in_child.h"

namespace reprosum::cli {
namespace {

namespace fs = std::filesystem;

// "NumPy 1.26.4 with /usr/lib/..."; empty if python3 is absent or has no NumPy.
std::string numpy_blas() {
  constexpr const char* kScript =
      "import numpy\n"
      "maps = {l.split()[-1] for l in open('/proc/self/maps') if '/' in l}\n"
      "blas = sorted(m for m in maps if any(w in m.rsplit('/', 1)[1] for w in "
      "('blas', 'blis', 'mkl_rt', 'atlas')))\n"
      "print('NumPy', numpy.__version__, 'with', ' '.join(blas) or 'no BLAS of its own', end='')\n";
  return in_child([&](int fd) {
    dup2(fd, STDOUT_FILENO);
    // The system's own Python first: PATH may lead to one without NumPy.
    if (access("/usr/bin/python3", X_OK) == 0)
      execl("/usr/bin/python3", "python3", "-c", kScript, nullptr);
    if (!base::is_privileged()) execlp("python3", "python3", "-c", kScript, nullptr);
  });
}

// "R 4.2.2 with /usr/lib/..."; empty if R is absent.
std::string r_blas() {
  constexpr const char* kScript =
      "m <- grep('/[^/]*(blas|blis|mkl_rt|atlas)[^/]*$', readLines('/proc/self/maps'), value = "
      "TRUE)\n"
      "cat('R', paste(R.version$major, R.version$minor, sep = '.'), 'with', "
      "sort(unique(sub('^[^/]*', '', m))))\n";
  return in_child([&](int fd) {
    dup2(fd, STDOUT_FILENO);
    if (!base::is_privileged()) execlp("R", "R", "--vanilla", "-s", "-e", kScript, nullptr);
  });
}

bool is_ours(const std::string& file) { return file.find("reprosum") != std::string::npos; }

// Whether a variable of the loader leads to this library: LD_PRELOAD names it, or LD_LIBRARY_PATH a
// directory whose libblas.so.3 it is.
bool is_asked_for() {
  const char* const preload = base::variable("LD_PRELOAD");
  if (preload != nullptr && is_ours(preload)) return true;
  const char* const path = base::variable("LD_LIBRARY_PATH");
  std::string rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const fs::path library = fs::path(rest.substr(0, end)) / "libblas.so.3";
    std::error_code error;
    const fs::path real = fs::canonical(library, error);
    if (!error && is_ours(real.string())) return true;
    rest.erase(0, end + 1);
  }
  return false;
}

}  // namespace

std::vector<Finding> find_programs() {
  std::vector<Finding> out;
  const bool asked = is_asked_for();
  const auto add = [&](const char* what, const std::string& found, const char* advice) {
    if (!found.empty()) out.push_back({what, found, asked && !is_ours(found) ? advice : ""});
  };
  add("numpy", numpy_blas(),
      "It does not load libreprosum_blas: a wheel brings a BLAS of its own. Set LD_PRELOAD.");
  add("r", r_blas(),
      "It does not load libreprosum_blas: R puts its own directories before LD_LIBRARY_PATH. Set "
      "LD_PRELOAD, or R_LD_LIBRARY_PATH; see src/blas/README.md.");
  return out;
}

}  // namespace reprosum::cli
