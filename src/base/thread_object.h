// Objects that a thread keeps between calls and may be called for until the very end.
#pragma once

namespace reprosum::base {
namespace detail {

// What a thread keeps of one type. Has no destructor, and may be looked at when all else is gone.
struct Kept {
  void* object = nullptr;
  void (*destroy)(void*) = nullptr;
  Kept* next = nullptr;
};
constinit inline thread_local Kept* newest_kept = nullptr;
constinit inline thread_local bool all_are_gone = false;

struct EndOfThread {
  ~EndOfThread() {
    all_are_gone = true;
    while (newest_kept != nullptr) {
      Kept& one = *newest_kept;
      newest_kept = one.next;
      void* const object = one.object;
      one.object = nullptr;
      one.destroy(object);
    }
  }
};

// A function of its own: tests/tools/destructors_test.py knows it for the only one that has a
// thread_local with a destructor.
[[gnu::noinline]] inline void keep_until_thread_ends(Kept& one) {
  static thread_local EndOfThread end;
  static_cast<void>(end);
  one.next = newest_kept;
  newest_kept = &one;
}

}  // namespace detail

// The T of this thread; nullptr once the thread's objects are destroyed: the handlers of exit(),
// destructors that run after ours and those of pthread keys may still call, and a thread_local T
// would be dead for them.
template <class T>
T* kept_by_this_thread() {
  constinit static thread_local detail::Kept kept;
  if (kept.object == nullptr && !detail::all_are_gone) [[unlikely]] {
    kept.object = new T;
    kept.destroy = [](void* object) { delete static_cast<T*>(object); };
    detail::keep_until_thread_ends(kept);
  }
  return static_cast<T*>(kept.object);
}

// The same for what is small: a late caller gets a new one, which the thread's later ones share and
// nobody frees.
template <class T>
T& of_this_thread() {
  if (T* const kept = kept_by_this_thread<T>()) [[likely]]
    return *kept;
  constinit static thread_local T* late = nullptr;
  if (late == nullptr) late = new T;
  return *late;
}

}  // namespace reprosum::base
