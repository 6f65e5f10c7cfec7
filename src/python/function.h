// A Python function as a target, run by the thread that captures it.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <exception>
#include <string>

#include "reprosum/capture.h"
#include "src/python/waiting.h"

namespace reprosum::python {

// Memory that Python owns: a function may keep an array of it, and finds other numbers there later.
class Arena {
 public:
  // An array of n elements like those at `from`, which is the lowest address: the same increment,
  // the same address modulo 64.
  template <class T>
  nanobind::object copy(const T* from, std::int64_t n, std::int64_t increment);

 private:
  nanobind::object owner_;
  unsigned char* memory_ = nullptr;
  std::size_t size_ = 0;
};

class Function {
 public:
  // sums and dots as in reprosum_function; facts are lines of NAME=VALUE.
  Function(nanobind::object function, std::string name, std::string facts, int sums, int dots,
           Waiting& waiting)
      : function_(std::move(function)),
        name_(std::move(name)),
        facts_(std::move(facts)),
        sums_(sums),
        dots_(dots),
        waiting_(waiting) {}

  // For the C API; it lasts as long as this object.
  reprosum_function described();

  // What the function raised, or the user's progress function, or KeyboardInterrupt. Comes out once
  // the run is over.
  void rethrow() const {
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  static int call(void* self, const reprosum_reduction* what, const void* x, const void* y,
                  void* out) noexcept;
  template <class T>
  void call_as(const reprosum_reduction& what, const void* x, const void* y, void* out);

  const nanobind::object function_;
  const std::string name_, facts_;
  const int sums_, dots_;
  Waiting& waiting_;
  Arena x_, y_;
  std::exception_ptr raised_;
};

}  // namespace reprosum::python
