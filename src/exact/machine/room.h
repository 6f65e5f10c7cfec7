// Arrays of a call that a small stack has no room for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace reprosum::exact {
namespace detail {

// Memory of the calling thread: the last taken is the first given back. nullptr if there is none.
// From the start of a cache line on.
void* take_room(std::size_t bytes);
void give_room_back(std::size_t bytes);

struct Room {
  explicit Room(std::size_t bytes) : bytes(bytes), first(take_room(bytes)) {}
  ~Room() {
    if (first != nullptr) give_room_back(bytes);
  }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  const std::size_t bytes;
  void* const first;
};

template <class T, std::int64_t kCount, class Body>
[[gnu::noinline]] decltype(auto) with_room_on_stack(Body& body) {
  alignas(64) std::byte room[static_cast<std::size_t>(kCount) * sizeof(T)];
  return body(reinterpret_cast<T*>(room));
}

}  // namespace detail

// What body(room) gives, where room has kCount elements, not initialised, for as long as that
// lasts. Threads may have stacks of 80 KiB, so what is larger than some KiB is the thread's own,
// kept from call to call. Calls that have begun to write must not fail: without memory, the stack
// has to do.
template <class T, std::int64_t kCount, class Body>
decltype(auto) with_room(Body&& body) {
  static_assert(std::is_trivial_v<T>);
  const detail::Room room(static_cast<std::size_t>(kCount) * sizeof(T));
  if (room.first != nullptr) [[likely]]
    return body(static_cast<T*>(room.first));
  return detail::with_room_on_stack<T, kCount>(body);
}

}  // namespace reprosum::exact
