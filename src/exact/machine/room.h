// Arrays of a call that a small stack has no room for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace reprosum::exact {
namespace detail {

// Memory of the calling thread, from the start of a cache line on: the last taken is the first
// given back. A call that comes after the thread's objects are destroyed has memory of its own.
class Room {
 public:
  explicit Room(std::size_t bytes);
  ~Room();
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  void* first() const { return first_; }  // nullptr: there is no memory

 private:
  void* first_ = nullptr;
  std::size_t* used_ = nullptr;  // of what the thread keeps; null: first_ is to be freed
  std::size_t bytes_;
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
  if (room.first() != nullptr) [[likely]]
    return body(static_cast<T*>(room.first()));
  return detail::with_room_on_stack<T, kCount>(body);
}

}  // namespace reprosum::exact
