// Objects that a thread keeps between calls and may be called for until the very end.
#pragma once

namespace reprosum::base {

// The T of this thread. A thread_local object would be dead for the handlers of exit() and for
// destructors that run after its own: they get a new one, which nobody frees.
template <class T>
T& of_this_thread() {
  constinit static thread_local T* object = nullptr;
  struct End {
    ~End() {
      delete object;
      object = nullptr;
    }
  };
  if (object == nullptr) {
    object = new T;
    static thread_local End end;  // begins and ends once in the life of a thread
    static_cast<void>(end);
  }
  return *object;
}

}  // namespace reprosum::base
