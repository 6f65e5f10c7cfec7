#include "src/runtime/cache_directory.h"

#include <cstdlib>

namespace reprosum::runtime {

std::string cache_directory() {
  if (const char* own = std::getenv("REPROSUM_CACHE_DIR")) return own;
  // The XDG rules: a path that is not absolute is to be ignored.
  if (const char* shared = std::getenv("XDG_CACHE_HOME"); shared != nullptr && shared[0] == '/')
    return std::string(shared) + "/reprosum";
  if (const char* home = std::getenv("HOME"); home != nullptr && home[0] == '/')
    return std::string(home) + "/.cache/reprosum";
  return "";
}

}  // namespace reprosum::runtime
