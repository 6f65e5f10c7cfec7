#include "src/python/operands.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>

namespace reprosum::python {
namespace {

namespace nb = nanobind;

[[noreturn]] void refuse(const std::string& text) { throw nb::value_error(text.c_str()); }

std::string class_name(nb::handle object) {
  return nb::cast<std::string>(nb::handle(object.type()).attr("__name__"));
}

// 'f' or 'd', and whether its bytes are in this machine's order. Anything else is refused.
struct Element {
  bool is_f64 = true, is_swapped = false;
};
Element element_of(const char* format, const char* name) {
  const char* const whole = format == nullptr ? "B" : format;
  const char* at = whole;
  bool is_swapped = false;
  if (*at == '@' || *at == '=' || *at == '<' || *at == '>' || *at == '!') {
    const bool is_big = *at == '>' || *at == '!';
    is_swapped = *at != '@' && *at != '=' && is_big != (std::endian::native == std::endian::big);
    ++at;
  }
  constexpr std::string_view kLetters = "fd";  // of float32 and float64
  const std::size_t found = kLetters.find(*at);
  if (*at == 0 || found == kLetters.npos || at[1] != 0)
    refuse(std::string(name) + " has elements of format '" + whole +
           "'; float32 ('f') or float64 ('d') is wanted: convert it, say with astype");
  return {found == 1, is_swapped};
}

bool is_aligned(const void* data, std::int64_t item) {
  return reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(item) == 0;
}

}  // namespace

Array::Array(nb::handle object, const char* name, Copies copies) : name_(name) {
  if (PyObject_CheckBuffer(object.ptr())) {
    if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_STRIDED_RO | PyBUF_FORMAT) != 0)
      nb::raise_python_error();
    try {
      read_buffer(copies);
    } catch (...) {
      PyBuffer_Release(&buffer_);
      throw;
    }
    return;
  }
  if (!nb::hasattr(object, "__dlpack__"))
    throw nb::type_error((std::string(name) + " is a " + class_name(object) +
                          ", which has neither the buffer protocol nor DLPack: an array of "
                          "float32 or float64 is wanted, such as NumPy's")
                             .c_str());
  read_dlpack(object);
}

Array::~Array() {
  if (buffer_.obj != nullptr) PyBuffer_Release(&buffer_);
}

void Array::read_buffer(Copies copies) {
  const Element element = element_of(buffer_.format, name_);
  is_f64_ = element.is_f64;
  data_ = buffer_.buf;
  axes_.reserve(static_cast<std::size_t>(buffer_.ndim));
  for (int k = 0; k < buffer_.ndim; ++k) axes_.push_back({buffer_.shape[k], buffer_.strides[k]});
  if (!element.is_swapped) return;
  if (copies == Copies::refused)
    refuse(std::string(name_) +
           " is in the other byte order than this machine's, and a copy may "
           "be added in another order: convert it, say with astype(x.dtype.newbyteorder('='))");
  swap_bytes();
}

void Array::read_dlpack(nb::handle object) {
  tensor_ = nb::cast<nb::ndarray<nb::ro>>(nb::borrow(object));
  const bool is_f32 = tensor_.dtype() == nb::dtype<float>();
  if (!is_f32 && tensor_.dtype() != nb::dtype<double>())
    refuse(std::string(name_) + " is neither float32 nor float64: convert it");
  if (tensor_.device_type() != nb::device::cpu::value)
    refuse(std::string(name_) + " is on a device: copy it to the processor, say with .cpu()");
  is_f64_ = !is_f32;
  data_ = tensor_.data();
  for (std::size_t k = 0; k < tensor_.ndim(); ++k)
    axes_.push_back({static_cast<std::int64_t>(tensor_.shape(k)), tensor_.stride(k) * item()});
}

std::int64_t Array::size() const {
  std::int64_t all = 1;
  for (const Axis& axis : axes_) all *= axis.size;
  return all;
}

bool Array::is_contiguous() const {
  std::int64_t stride = item();
  for (std::size_t k = axes_.size(); k-- > 0; stride *= axes_[k].size)
    if (axes_[k].size != 1 && axes_[k].stride != stride) return false;
  return true;
}

void Array::swap_bytes() {
  make_contiguous();
  if (copy_.empty()) {
    copy_.resize(static_cast<std::size_t>((size() * item() + 7) / 8));
    if (size() > 0) std::memcpy(copy_.data(), data_, static_cast<std::size_t>(size() * item()));
    data_ = copy_.data();
  }
  auto* const bytes = reinterpret_cast<unsigned char*>(copy_.data());
  for (std::int64_t k = 0; k < size(); ++k)
    std::reverse(bytes + k * item(), bytes + (k + 1) * item());
}

void Array::make_contiguous() {
  if (size() == 0 || (is_contiguous() && is_aligned(data_, item()))) return;
  std::vector<double> copy(static_cast<std::size_t>((size() * item() + 7) / 8));
  auto* to = reinterpret_cast<unsigned char*>(copy.data());
  std::vector<std::int64_t> at(axes_.size(), 0);
  const auto bytes = static_cast<std::size_t>(item());
  for (std::int64_t left = size(); left > 0; --left) {
    const auto* from = static_cast<const unsigned char*>(data_);
    for (std::size_t k = 0; k < axes_.size(); ++k) from += at[k] * axes_[k].stride;
    std::memcpy(to, from, bytes);
    to += bytes;
    for (std::size_t k = axes_.size(); k-- > 0;) {
      if (++at[k] < axes_[k].size) break;
      at[k] = 0;
    }
  }
  copy_ = std::move(copy);
  data_ = copy_.data();
  std::int64_t stride = item();
  for (std::size_t k = axes_.size(); k-- > 0; stride *= axes_[k].size) axes_[k].stride = stride;
}

void require_alike(const Array& a, const Array& b) {
  if (a.is_f64() != b.is_f64())
    refuse(std::string(a.name()) + " and " + b.name() +
           " have other types: one is float32, the other float64; convert one");
}

Vector all_elements(Array& array) {
  const auto& axes = array.axes();
  if (axes.size() == 1 && array.size() > 0) return vector_of(array, Copies::allowed);
  // By columns they lie as well; their sum is the same.
  bool is_by_columns = is_aligned(array.data(), array.item());
  std::int64_t stride = array.item();
  for (const Axis& axis : axes) {
    if (axis.size != 1 && axis.stride != stride) is_by_columns = false;
    stride *= axis.size;
  }
  if (!is_by_columns) array.make_contiguous();
  return {array.data(), array.size(), 1};
}

Vector vector_of(Array& array, Copies copies) {
  const auto& axes = array.axes();
  if (axes.size() != 1)
    refuse(std::string(array.name()) + " has " + std::to_string(axes.size()) +
           " dimensions; a vector of one is wanted");
  const std::int64_t n = axes[0].size;
  if (n == 0) return {array.data(), 0, 1};
  if ((n > 1 && axes[0].stride % array.item() != 0) || !is_aligned(array.data(), array.item())) {
    if (copies == Copies::refused)
      refuse(std::string(array.name()) +
             " is not aligned to its elements, and a copy may be added "
             "in another order: copy it yourself");
    array.make_contiguous();
  }
  const std::int64_t stride = n > 1 ? array.axes()[0].stride : array.item();
  const auto* lowest = static_cast<const unsigned char*>(array.data());
  if (stride < 0) lowest += (n - 1) * stride;
  return {lowest, n, stride / array.item()};
}

Matrix matrix_of(Array& array, Copies copies) {
  if (array.axes().size() != 2)
    refuse(std::string(array.name()) + " has " + std::to_string(array.axes().size()) +
           " dimensions; a matrix of two is wanted");
  const std::int64_t item = array.item();
  for (bool is_copied = false;; is_copied = true) {
    const Axis rows = array.axes()[0], columns = array.axes()[1];
    const bool fits = is_aligned(array.data(), item);
    const auto leads = [&](const Axis& across, const Axis& along) {
      return fits && (along.size <= 1 || along.stride == item) &&
             (across.size <= 1 || (across.stride % item == 0 &&
                                   across.stride / item >= std::max<std::int64_t>(1, along.size)));
    };
    const auto leading = [&](const Axis& across, const Axis& along) {
      return across.size <= 1 ? std::max<std::int64_t>(1, along.size) : across.stride / item;
    };
    if (array.size() == 0)
      return {array.data(), rows.size, columns.size, std::max<std::int64_t>(1, columns.size)};
    if (leads(rows, columns))
      return {array.data(), rows.size, columns.size, leading(rows, columns), false};
    if (leads(columns, rows))
      return {array.data(), rows.size, columns.size, leading(columns, rows), true};
    if (copies == Copies::refused || is_copied)
      refuse(std::string(array.name()) +
             " lies neither by rows nor by columns in memory, and a "
             "copy may be added in another order: copy it yourself, say with ascontiguousarray");
    array.make_contiguous();
  }
}

}  // namespace reprosum::python
