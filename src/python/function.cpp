#include "src/python/function.h"

#include <nanobind/ndarray.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace reprosum::python {
namespace {

namespace nb = nanobind;

constexpr std::size_t kLine = 64;

std::size_t span_of(std::int64_t n, std::int64_t increment) {
  return static_cast<std::size_t>((n - 1) * std::abs(increment) + 1);
}

}  // namespace

template <class T>
nb::object Arena::copy(const T* from, std::int64_t n, std::int64_t increment) {
  const std::size_t span = span_of(n, increment), needed = span * sizeof(T) + 2 * kLine;
  if (needed > size_) {
    auto* const memory = static_cast<unsigned char*>(std::malloc(2 * needed));
    if (memory == nullptr) throw std::bad_alloc();
    owner_ = nb::capsule(memory, [](void* all) noexcept { std::free(all); });
    memory_ = memory;
    size_ = 2 * needed;
  }
  auto address = reinterpret_cast<std::uintptr_t>(memory_);
  address += (kLine - address % kLine) % kLine + reinterpret_cast<std::uintptr_t>(from) % kLine;
  T* const lowest = reinterpret_cast<T*>(address);
  std::memcpy(lowest, from, span * sizeof(T));
  const std::size_t shape[] = {static_cast<std::size_t>(n)};
  const std::int64_t strides[] = {increment};
  T* const first = increment < 0 ? lowest + (span - 1) : lowest;
  return nb::cast(nb::ndarray<nb::numpy, T>(first, 1, shape, owner_, strides),
                  nb::rv_policy::reference);
}

template <class T>
void Function::call_as(const reprosum_reduction& what, const void* x, const void* y, void* out) {
  const nb::object left = x_.copy(static_cast<const T*>(x), what.n, what.incx);
  const nb::object result =
      y == nullptr ? function_(left)
                   : function_(left, y_.copy(static_cast<const T*>(y), what.n, what.incy));
  const double value = PyFloat_AsDouble(result.ptr());
  if (PyErr_Occurred() != nullptr) nb::raise_python_error();
  const T narrow = static_cast<T>(value);
  if (static_cast<double>(narrow) != value && !std::isnan(value))
    throw nb::value_error((name_ +
                           " of float32 arrays gave a number that is no float32: capture it with "
                           "dtypes='float64', or let it return float32")
                              .c_str());
  *static_cast<T*>(out) = narrow;
}

int Function::call(void* self, const reprosum_reduction* what, const void* x, const void* y,
                   void* out) noexcept {
  auto& function = *static_cast<Function*>(self);
  const nb::gil_scoped_acquire locked;
  if (function.raised_) return 2;  // until the run notices
  try {
    if (what->type == REPROSUM_F64)
      function.call_as<double>(*what, x, y, out);
    else
      function.call_as<float>(*what, x, y, out);
    function.waiting_.look();
    return 0;
  } catch (...) {
    function.raised_ = std::current_exception();
    function.waiting_.cancel();
    return 2;
  }
}

reprosum_function Function::described() {
  return {name_.c_str(), facts_.c_str(), sums_, dots_, this, &Function::call};
}

}  // namespace reprosum::python
