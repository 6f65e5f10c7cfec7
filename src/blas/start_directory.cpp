#include "src/blas/start_directory.h"

#include <unistd.h>

#include <cstring>

#include "src/base/environment.h"

namespace reprosum::blas {
namespace {

// Never freed. Null: nothing relative is named, or the directory could not be told.
char* directory = nullptr;

bool is_relative(const char* path) { return path != nullptr && path[0] != '\0' && path[0] != '/'; }

// A name without a slash is looked for where libraries are.
bool is_relative_library(const char* name) {
  return is_relative(name) && std::strchr(name, '/') != nullptr;
}

__attribute__((constructor)) void remember() {
  if (is_relative(base::variable("REPROSUM_SPEC")) ||
      is_relative_library(base::variable("REPROSUM_BACKING")))
    directory = ::getcwd(nullptr, 0);
}

}  // namespace

std::string from_start(const char* path) {
  if (directory == nullptr || !is_relative(path)) return path;
  return std::string(directory) + "/" + path;
}

}  // namespace reprosum::blas
