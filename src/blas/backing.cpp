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
  if (handle == nullptr) return false;
  void* const address = dlsym(handle, "isamax_");
  if (address == nullptr || is_ours(address)) return false;
  const std::int64_t n = std::int64_t{3} - (std::int64_t{1} << 32), increment = 1;
  const float x[] = {1, 3, 2};
  using Isamax = int (*)(const std::int64_t*, const float*, const std::int64_t*);
  return reinterpret_cast<Isamax>(address)(&n, x, &increment) != 2;
}

// The other spelling of an ILP64 name: ddot_64_ and ddot_64, cblas_ddot_64 and cblas_ddot64_.
std::string respelled(std::string_view name) {
  const bool is_cblas = name.substr(0, 6) == "cblas_";
  const std::string_view first = is_cblas ? "_64" : "64_", second = is_cblas ? "64_" : "64";
  const auto with = [&](std::string_view end, std::string_view other) -> std::string {
    if (!name.ends_with(end)) return "";
    return std::string(name.substr(0, name.size() - end.size())) += other;
  };
  if (is_narrow(name) || name.substr(0, 6) == "scipy_") return "";
  const std::string found = with(first, second);
  return found.empty() ? with(second, first) : found;
}

// What the callers of this process would have under the name without this library, if anything of
// the global scope.
std::string narrow_names_refused() {
  void* const next = not_ours(dlsym(RTLD_NEXT, "isamax_"));
  if (next == nullptr) return "";
  const ObjectHandle object(next);
  if (object.get() == nullptr || !has_wide_integers(object.get())) return "";
  return std::string("the BLAS of this program, ") + map_of(next)->l_name +
         ", takes 64-bit integers under names without 64, which this library reads with 32 bits";
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

// A program's own function by the name of an extension is no BLAS's. What the program itself would
// call has its integers, others may have none of that name.
void* find_loaded(const char* name) {
  const bool only_blas = is_extra(name), narrow = is_narrow(name);
  const auto admitted = [only_blas](void* address) {
    void* const found = not_ours(address);
    return found != nullptr && only_blas && !is_in_blas(found) ? nullptr : found;
  };
  if (void* const next = admitted(dlsym(RTLD_NEXT, name))) return next;
  for (const std::string& library : loaded_libraries()) {
    void* const handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) continue;
    void* found = admitted(dlsym(handle, name));
    if (found != nullptr && narrow && has_wide_integers(ObjectHandle(found).get())) found = nullptr;
    dlclose(handle);
    if (found != nullptr) return found;
  }
  return nullptr;
}

}  // namespace

Found find_in_backing(const char* name, const char* twin) {
  const Chosen& backing = chosen();
  if (!backing.why.empty()) return {nullptr, backing.why};
  if (backing.name != nullptr && is_narrow(name) && !why_no_narrow_names().empty())
    return {nullptr, why_no_narrow_names()};
  const auto find = [&](const char* symbol) -> void* {
    if (symbol == nullptr || symbol[0] == '\0') return nullptr;
    if (backing.name == nullptr) return find_loaded(symbol);
    return not_ours(dlsym(backing.handle, symbol));
  };
  if (void* const address = find(name)) return {address, ""};
  if (void* const address = find(twin)) return {address, ""};
  const std::string third = twin == nullptr ? "" : respelled(twin);
  if (void* const address = find(third.c_str())) return {address, ""};
  std::string symbols = std::string("\"") + name + "\"";
  if (twin != nullptr && twin[0] != '\0') symbols += std::string(" or \"") + twin + "\"";
  if (backing.name != nullptr)
    return {nullptr, std::string("REPROSUM_BACKING = \"") + backing.name + "\" has no " + symbols};
  return {nullptr, "no other library in the process has " + symbols +
                       "; name a BLAS in REPROSUM_BACKING" + privileged_note()};
}

bool is_narrow(std::string_view symbol) {
  return !symbol.ends_with("64") && !symbol.ends_with("64_");
}

const std::string& why_no_narrow_names() {
  static std::atomic<const std::string*> found{nullptr};
  return base::made_once(found, [] {
    const base::NoFork no_fork;
    return narrow_names_refused();
  });
}

void* find_handler(const char* name, void* linked) {
  if (void* const address = not_ours(linked)) return address;
  if (void* const address = not_ours(dlsym(RTLD_DEFAULT, name))) return address;
  if (void* const address = find_in_backing(name, nullptr).address) return address;
  return find_loaded(name);
}

}  // namespace reprosum::blas
