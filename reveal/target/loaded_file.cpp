#include "reveal/target/loaded_file.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>

namespace reprosum::reveal {
namespace {

std::string soname(const link_map& map) {
  std::uintptr_t strings = 0;
  std::uintptr_t offset = 0;
  bool present = false;
  for (const ElfW(Dyn)* entry = map.l_ld; entry && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) strings = entry->d_un.d_ptr;
    if (entry->d_tag == DT_SONAME) {
      offset = entry->d_un.d_val;
      present = true;
    }
  }
  if (!present || strings == 0) return "";
  if (strings < map.l_addr) strings += map.l_addr;  // some loaders leave it unrelocated
  return reinterpret_cast<const char*>(strings + offset);
}

}  // namespace

std::string real_path(const char* path) {
  std::error_code error;
  const auto real = std::filesystem::canonical(path, error);
  return error ? path : real.string();
}

std::vector<std::pair<std::string, std::string>> describe_file(void* handle) {
  std::vector<std::pair<std::string, std::string>> facts;
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return facts;
  facts.emplace_back("library.path", real_path(map->l_name));
  if (const std::string name = soname(*map); !name.empty())
    facts.emplace_back("library.soname", name);
  return facts;
}

std::string file_of(void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? real_path(info.dli_fname) : "";
}

std::vector<std::pair<std::string, std::string>> describe_others(
    const std::vector<std::string>& known) {
  std::vector<std::string> paths;
  const auto note = [](dl_phdr_info* info, std::size_t, void* to) {
    // Neither the program itself nor what the kernel maps has a path.
    if (info->dlpi_name != nullptr && info->dlpi_name[0] == '/')
      static_cast<std::vector<std::string>*>(to)->push_back(real_path(info->dlpi_name));
    return 0;
  };
  dl_iterate_phdr(note, &paths);
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  std::vector<std::pair<std::string, std::string>> facts;
  for (const std::string& path : paths)
    if (std::find(known.begin(), known.end(), path) == known.end())
      facts.emplace_back("mapped." + path.substr(path.rfind('/') + 1) + ".path", path);
  return facts;
}

}  // namespace reprosum::reveal
