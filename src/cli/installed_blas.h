// Which BLAS libraries this machine has. Each is loaded in a process of its own: some start threads
// or print when loaded, and a broken one may crash.
#pragma once

#include <string>
#include <vector>

namespace reprosum::cli {

struct InstalledBlas {
  std::string target;    // what --target takes: "blas:libopenblas.so.0"
  std::string path;      // the file it is
  std::string routines;  // of those that can be captured: "dot, sum, gemv, gemm"
};

// The usual names that dlopen finds, then those in the directories of the system's alternatives.
// @post no file twice.
std::vector<InstalledBlas> installed_blas();

// Whether dlopen finds a BLAS by this name.
bool can_be_backing(const std::string& name);

}  // namespace reprosum::cli
