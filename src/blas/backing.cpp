#include "src/blas/backing.h"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <vector>

#include "src/base/environment.h"
#include "src/base/fork_gate.h"
#include "src/base/read_file.h"
#include "src/blas/objects.h"
#include "src/blas/own_names.h"
#include "src/blas/settings.h"
#include "src/blas/start_directory.h"

namespace reprosum::blas {
namespace {

void* not_ours(void* address) {
  return address != nullptr && !is_ours(address) ? address : nullptr;
}

// Whether the plain names take 64-bit integers (Debian's libblas64.so.3), as libblastrampoline
// asks: this n is 3 in 32 bits and negative in 64. A library without isamax_ is taken for a usual
// one.
bool has_wide_integers(void* handle) {
  void* const address = dlsym(handle, "isamax_");
  if (address == nullptr || is_ours(address)) return false;
  const std::int64_t n = std::int64_t{3} - (std::int64_t{1} << 32), increment = 1;
  const float x[] = {1, 3, 2};
  using Isamax = int (*)(const std::int64_t*, const float*, const std::int64_t*);
  return reinterpret_cast<Isamax>(address)(&n, x, &increment) != 2;
}

struct Chosen {
  const char* name = nullptr;  // null: REPROSUM_BACKING is not set
  void* handle = nullptr;      // null though there is a name: `why` says why
  std::string why;
};

Chosen open_chosen() {
  Chosen chosen;
  const char* const name = base::variable("REPROSUM_BACKING");
  if (name == nullptr || name[0] == '\0') return chosen;
  chosen.name = name;
  const bool is_path = std::strchr(name, '/') != nullptr;
  const std::string file = is_path ? from_start(name) : name;
  if (const std::string kind = base::irregular_library(file); !kind.empty()) {
    chosen.why = std::string("REPROSUM_BACKING = \"") + name + "\" is " + kind;
    return chosen;
  }
  const int deep = settings().deep_bind ? RTLD_DEEPBIND : 0;
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | deep);
  if (handle == nullptr) {
    const char* const error = dlerror();
    chosen.why = std::string("REPROSUM_BACKING: ") + (error == nullptr ? name : error);
    return chosen;
  }
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) map = nullptr;
  if (map == our_map() || needs_libreprosum(handle)) {
    chosen.why = std::string("REPROSUM_BACKING = \"") + name +
                 "\" is this library, or needs it; name the file of another BLAS";
    dlclose(handle);
    return chosen;
  }
  if (has_wide_integers(handle)) {
    chosen.why = std::string("REPROSUM_BACKING = \"") + name +
                 "\" takes 64-bit integers under the names of 32-bit ones";
    dlclose(handle);
    return chosen;
  }
  chosen.handle = handle;
  return chosen;
}

const Chosen& chosen() {
  static std::atomic<const Chosen*> opened{nullptr};
  return base::made_once(opened, [] {
    const base::NoFork no_fork;  // the loader has locks
    return open_chosen();
  });
}

// The loaded libraries, in load order. dlopen must not be called while they are counted.
std::vector<std::string> loaded_libraries() {
  std::vector<std::string> names;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* list) {
        if (info->dlpi_name != nullptr && info->dlpi_name[0] != '\0')
          static_cast<std::vector<std::string>*>(list)->push_back(info->dlpi_name);
        return 0;
      },
      &names);
  return names;
}

// A program's own function by the name of an extension is no BLAS's.
void* find_loaded(const char* name) {
  const bool only_blas = is_extra(name);
  const auto admitted = [only_blas](void* address) {
    void* const found = not_ours(address);
    return found != nullptr && only_blas && !is_in_blas(found) ? nullptr : found;
  };
  if (void* const next = admitted(dlsym(RTLD_NEXT, name))) return next;
  for (const std::string& library : loaded_libraries()) {
    void* const handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) continue;
    void* const found = admitted(dlsym(handle, name));
    dlclose(handle);
    if (found != nullptr) return found;
  }
  return nullptr;
}

}  // namespace

Found find_in_backing(const char* name, const char* twin) {
  const Chosen& backing = chosen();
  if (!backing.why.empty()) return {nullptr, backing.why};
  const auto find = [&](const char* symbol) -> void* {
    if (symbol == nullptr || symbol[0] == '\0') return nullptr;
    if (backing.name == nullptr) return find_loaded(symbol);
    return not_ours(dlsym(backing.handle, symbol));
  };
  if (void* const address = find(name)) return {address, ""};
  if (void* const address = find(twin)) return {address, ""};
  std::string symbols = std::string("\"") + name + "\"";
  if (twin != nullptr && twin[0] != '\0') symbols += std::string(" or \"") + twin + "\"";
  if (backing.name != nullptr)
    return {nullptr, std::string("REPROSUM_BACKING = \"") + backing.name + "\" has no " + symbols};
  return {nullptr, "no other library in the process has " + symbols +
                       "; name a BLAS in REPROSUM_BACKING" + privileged_note()};
}

void* find_handler(const char* name, void* linked) {
  if (void* const address = not_ours(linked)) return address;
  if (void* const address = not_ours(dlsym(RTLD_DEFAULT, name))) return address;
  if (void* const address = find_in_backing(name, nullptr).address) return address;
  return find_loaded(name);
}

}  // namespace reprosum::blas
