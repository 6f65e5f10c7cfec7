#include "src/runtime/cache_directory.h"

#include <filesystem>

#include "src/base/environment.h"

namespace reprosum::runtime {

std::string cache_directory() {
  if (const char* own = base::variable("REPROSUM_CACHE_DIR")) {
    if (own[0] == '\0' || own[0] == '/') return own;
    std::error_code failed;
    return std::filesystem::absolute(own, failed).string();  // "" if it fails
  }
  // The XDG rules: a path that is not absolute is to be ignored.
  if (const char* shared = base::variable("XDG_CACHE_HOME"); shared != nullptr && shared[0] == '/')
    return std::string(shared) + "/reprosum";
  if (const char* home = base::variable("HOME"); home != nullptr && home[0] == '/')
    return std::string(home) + "/.cache/reprosum";
  return "";
}

}  // namespace reprosum::runtime
