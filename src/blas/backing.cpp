#include "src/blas/backing.h"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <utility>
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

// What integers a library has under names without 64.
enum class Integers { usual, wide, unknown };

// The library that is being asked. Its isamax_ may call another name, which comes by here.
constinit thread_local void* asked = nullptr;

// As libblastrampoline asks: an n of 3 in 32 bits and negative in 64. A library without isamax_ is
// taken for a usual one. What does not find the largest of three either way only stands in for a
// BLAS, as libblastrampoline does that has none behind it.
Integers integers_of(void* handle) {
  void* const address = handle == nullptr ? nullptr : dlsym(handle, "isamax_");
  if (address == nullptr || is_ours(address)) return Integers::usual;
  const float x[] = {1, 3, 2};
  const std::int64_t increment = 1;
  const auto largest = [&](std::int64_t n) {
    using Isamax = int (*)(const std::int64_t*, const float*, const std::int64_t*);
    return reinterpret_cast<Isamax>(address)(&n, x, &increment);
  };
  void* const outer = std::exchange(asked, handle);
  const bool narrow = largest(3 - (std::int64_t{1} << 32)) == 2, any = narrow || largest(3) == 2;
  asked = outer;
  return narrow ? Integers::usual : any ? Integers::wide : Integers::unknown;
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
  if (integers_of(handle) == Integers::wide) {
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

// What the program would call under plain names, if that takes 64-bit integers.
std::string why_narrow_names_are_refused() {
  if (chosen().name != nullptr) return "";
  void* const next = not_ours(dlsym(RTLD_NEXT, "isamax_"));
  if (next == nullptr || integers_of(ObjectHandle(next).get()) != Integers::wide) return "";
  return std::string("the BLAS of this program, ") + map_of(next)->l_name +
         ", takes 64-bit integers under names without 64, which this library reads with 32 bits";
}

// A program's own function by the name of an extension is no BLAS's. What the program itself would
// call has its callers' integers, whatever these are.
Found find_loaded(const char* name) {
  const bool only_blas = is_extra(name), narrow = is_narrow(name);
  const auto admitted = [only_blas](void* address) {
    void* const found = not_ours(address);
    return found != nullptr && only_blas && !is_in_blas(found) ? nullptr : found;
  };
  if (void* const next = admitted(dlsym(RTLD_NEXT, name))) return {next, ""};
  Found found;
  void* stand_in = nullptr;
  for (const std::string& library : loaded_libraries()) {
    void* const handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) continue;
    if (void* const address = admitted(dlsym(handle, name))) {
      const Integers integers = narrow ? integers_of(ObjectHandle(address).get()) : Integers::usual;
      void*& first = integers == Integers::usual  ? found.address
                     : integers == Integers::wide ? found.wide
                                                  : stand_in;
      if (first == nullptr) first = address;
    }
    dlclose(handle);
    if (found.address != nullptr) return found;
  }
  found.address = stand_in;
  return found;
}

}  // namespace

Found find_in_backing(const char* name, const char* twin) {
  if (asked != nullptr)
    if (void* const address = not_ours(dlsym(asked, name))) return {address, "", false};
  const Chosen& backing = chosen();
  if (!backing.why.empty()) return {nullptr, backing.why};
  const std::string third = twin == nullptr ? "" : respelled(twin);
  void* wide = nullptr;
  for (const char* const symbol : {name, twin, third.c_str()}) {
    if (symbol == nullptr || symbol[0] == '\0') continue;
    Found found = backing.name == nullptr ? find_loaded(symbol)
                                          : Found{not_ours(dlsym(backing.handle, symbol)), ""};
    pin(found.address);
    pin(found.wide);
    if (wide == nullptr) wide = found.wide;
    found.wide = wide;
    if (found.address != nullptr) return found;
  }
  std::string symbols = std::string("\"") + name + "\"";
  if (twin != nullptr && twin[0] != '\0') symbols += std::string(" or \"") + twin + "\"";
  if (backing.name != nullptr)
    return {nullptr, std::string("REPROSUM_BACKING = \"") + backing.name + "\" has no " + symbols};
  const std::string passed_over = wide == nullptr ? ""
                                                  : std::string(" with 32-bit integers, but ") +
                                                        map_of(wide)->l_name + " has with 64";
  return {nullptr,
          "no other library in the process has " + symbols + passed_over +
              "; name a BLAS in REPROSUM_BACKING" + privileged_note(),
          true, wide};
}

bool is_narrow(std::string_view symbol) {
  for (const std::string_view one : {"xerbla_", "cblas_xerbla", "lsame_"})
    if (symbol == one) return false;
  return !symbol.ends_with("64") && !symbol.ends_with("64_") && !symbol.starts_with("scipy_");
}

const std::string& why_no_narrow_names() {
  static std::atomic<const std::string*> found{nullptr}, none{nullptr};
  if (const std::string* const there = found.load(std::memory_order_acquire)) [[likely]]
    return *there;
  if (asked != nullptr) return base::made_once(none, [] { return std::string(); });
  return base::made_once(found, [] {
    const base::NoFork no_fork;
    return why_narrow_names_are_refused();
  });
}

void* find_handler(const char* name, void* linked) {
  if (void* const address = not_ours(linked)) return address;
  if (void* const address = not_ours(dlsym(RTLD_DEFAULT, name))) return address;
  if (void* const address = find_in_backing(name, nullptr).address) return address;
  return find_loaded(name).address;
}

}  // namespace reprosum::blas
