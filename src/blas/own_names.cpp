#include "src/blas/own_names.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "src/blas/objects.h"

namespace reprosum::blas {
namespace {

// Sorted by the compiler: a table made at run time takes stack that a small thread has not.
constexpr auto kExtras = [] {
  std::array names{
#define EXTRA(name) std::string_view(#name),
#include REPROSUM_BLAS_EXTRAS
#undef EXTRA
  };
  std::sort(names.begin(), names.end());
  return names;
}();

// Answers for callers, which are asked for in each of their calls; none is ever changed.
struct Known {
  const char* name;
  const void* caller;
  void* address;
};
constexpr std::size_t kPlaces = 256;
constinit std::array<std::atomic<const Known*>, kPlaces> known{};

std::atomic<const Known*>& place_of(const char* name, const void* caller) {
  const auto mixed =
      (reinterpret_cast<std::uintptr_t>(name) + reinterpret_cast<std::uintptr_t>(caller)) *
      0x9E3779B97F4A7C15;
  return known[(mixed >> 32) % kPlaces];
}

// A BLAS's extension is not the program's own; its driver of LAPACK is what the caller means.
void* unless_blas(const char* name, void* address) {
  if (address == nullptr || is_ours(address)) return nullptr;
  return is_extra(name) && is_in_blas(address) ? nullptr : address;
}

// The program's own definitions precede this library's, so a caller in the program has none left.
void* of_object(const char* name, const void* caller) {
  const ObjectHandle object(caller);
  return object.get() == nullptr ? nullptr : unless_blas(name, dlsym(object.get(), name));
}

}  // namespace

bool is_extra(const char* name) {
  return std::binary_search(kExtras.begin(), kExtras.end(), std::string_view(name));
}

OwnName own_name(const char* name, const void* caller) {
  std::atomic<const Known*>& place = place_of(name, caller);
  if (const Known* const one = place.load(std::memory_order_acquire))
    if (one->name == name && one->caller == caller) return {one->address, false};
  void* const next = dlsym(RTLD_NEXT, name);
  if (next != nullptr && !is_ours(next)) return {unless_blas(name, next), true};
  void* const address = of_object(name, caller);
  pin(address);
  pin(caller);  // nobody else's code will lie there
  const Known* none = nullptr;
  const auto* const one = new Known{name, caller, address};
  // Where the place is taken, the caller is asked about each time.
  if (!place.compare_exchange_strong(none, one, std::memory_order_acq_rel)) delete one;
  return {address, false};
}

}  // namespace reprosum::blas
