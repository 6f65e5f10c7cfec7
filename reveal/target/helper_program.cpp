#include "reveal/target/helper_program.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <vector>

#include "spec/error.h"

namespace reprosum::reveal {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "reprosum-target";

// The folder of the shared library that this code is linked into, or of the program.
fs::path own_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  Dl_info here;
  link_map* object = nullptr;
  // The loader has no name for the program itself, and dladdr gives argv[0], which whoever started
  // the program chose.
  if (dladdr1(reinterpret_cast<void*>(&own_folder), &here, reinterpret_cast<void**>(&object),
              RTLD_DL_LINKMAP) == 0 ||
      object->l_name == nullptr || object->l_name[0] == '\0')
    return program.parent_path();
  const fs::path file = fs::canonical(object->l_name, error);
  return error ? program.parent_path() : file.parent_path();
}

}  // namespace

std::string helper_program() {
  const fs::path folder = own_folder();
  const fs::path installed = fs::path("libexec") / "reprosum" / kName;
  const std::vector<fs::path> places{folder / kName, folder / ".." / installed,
                                     folder / ".." / ".." / installed, REPROSUM_TARGET_INSTALLED,
                                     REPROSUM_TARGET_BUILT};
  for (const fs::path& place : places)
    if (::access(place.c_str(), X_OK) == 0) return place.string();
  throw EnvironmentError("the program " + std::string(kName) +
                         " is not there, in which targets are "
                         "probed; it belongs in " REPROSUM_TARGET_INSTALLED);
}

}  // namespace reprosum::reveal
