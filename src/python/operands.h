// Python's arrays as the operands of BLAS calls.
//
// Anything with the buffer protocol is taken (NumPy, array.array, memoryview), and anything on the
// processor with DLPack (PyTorch, JAX): float32 or float64, read-only or not. A call sees the
// caller's own memory wherever a pointer and an increment describe it. Other layouts are copied
// where the caller says that this cannot matter (Copies::allowed), and refused otherwise: the
// address and the increment of an operand may select the order that a library adds in.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace reprosum::python {

enum class Copies { allowed, refused };

// One dimension of an array: how many, and how many bytes apart.
struct Axis {
  std::int64_t size = 0, stride = 0;
};

// The memory of an array, held as long as the object lives.
class Array {
 public:
  // @throws nanobind::type_error: `object` is no array; its text names `name`.
  // @throws nanobind::value_error: neither float32 nor float64, not on the processor, or in the
  // other byte order where copies are refused.
  Array(nanobind::handle object, const char* name, Copies copies);
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array();

  bool is_f64() const { return is_f64_; }
  const std::vector<Axis>& axes() const { return axes_; }
  const void* data() const { return data_; }
  const char* name() const { return name_; }
  std::int64_t item() const { return is_f64_ ? 8 : 4; }
  // How many elements there are in all.
  std::int64_t size() const;

  // Makes the elements lie one after the other, the last axis fastest. Nothing if they do.
  void make_contiguous();

 private:
  void read_buffer(Copies copies);
  void read_dlpack(nanobind::handle object);
  void swap_bytes();
  bool is_contiguous() const;

  const char* const name_;
  Py_buffer buffer_{};
  nanobind::ndarray<nanobind::ro> tensor_;
  std::vector<double> copy_;
  bool is_f64_ = true;
  const void* data_ = nullptr;
  std::vector<Axis> axes_;
};

// @throws nanobind::value_error: one is float32, the other float64.
void require_alike(const Array& a, const Array& b);

// A BLAS vector: element k of n is at data[k * increment], and data is the lowest address.
struct Vector {
  const void* data = nullptr;
  std::int64_t n = 0, increment = 1;
  template <class T>
  const T* as() const {
    return static_cast<const T*>(data);
  }
};

// All elements of an array in any order that lies well: of exact sums.
Vector all_elements(Array& array);
// @throws nanobind::value_error: not of one dimension, or (copies refused) no increment of whole
// elements leads from one to the next.
Vector vector_of(Array& array, Copies copies);

// A stored matrix: by rows with `leading` elements from one row to the next, of which the array is
// the transpose if is_transposed.
struct Matrix {
  const void* data = nullptr;
  std::int64_t rows = 0, columns = 0, leading = 1;  // rows and columns are those of the array
  bool is_transposed = false;
  template <class T>
  const T* as() const {
    return static_cast<const T*>(data);
  }
};
Matrix matrix_of(Array& array, Copies copies);

}  // namespace reprosum::python
