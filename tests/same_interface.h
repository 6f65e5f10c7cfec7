// Functions that are declared twice, here and in a header: is their binary interface the same?
#pragma once

#include <cstddef>
#include <type_traits>

namespace reprosum::testing {

template <class A, class B>
constexpr bool passed_alike() {
  constexpr bool both_pointers = std::is_pointer_v<A> && std::is_pointer_v<B>;
  constexpr bool both_floats = std::is_floating_point_v<A> && std::is_floating_point_v<B>;
  constexpr bool both_numbers =
      (std::is_integral_v<A> || std::is_enum_v<A>)&&(std::is_integral_v<B> || std::is_enum_v<B>);
  return sizeof(A) == sizeof(B) && (both_pointers || both_floats || both_numbers);
}

template <class Ours, class Theirs>
struct Alike : std::false_type {};
template <class R, class... A, class S, class... B>
struct Alike<R (*)(A...), S (*)(B...)> {
  static constexpr bool value = [] {
    if constexpr (sizeof...(A) != sizeof...(B))
      return false;
    else
      return passed_alike<R, S>() && (passed_alike<A, B>() && ...);
  }();
};

static_assert(Alike<int (*)(int*, int), unsigned (*)(long*, int)>::value);
static_assert(!Alike<int (*)(int*), int (*)(int*, int)>::value);
static_assert(!Alike<int (*)(unsigned), int (*)(std::size_t)>::value);
static_assert(!Alike<int (*)(void*), int (*)(std::size_t)>::value);
static_assert(!Alike<int (*)(float), int (*)(int)>::value);

}  // namespace reprosum::testing
