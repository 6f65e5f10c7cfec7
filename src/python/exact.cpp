// Exact sums, dot products, norms and products, and the superaccumulator.
#include "reprosum/exact.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "src/python/call.h"
#include "src/python/faults.h"
#include "src/python/module.h"
#include "src/python/operands.h"

namespace reprosum::python {
namespace {

namespace nb = nanobind;

void check_exact(reprosum_status status) { check(status, reprosum_last_error(nullptr)); }

// A routine of one vector in both types.
using Reduce32 = reprosum_status (*)(std::int64_t, const float*, std::int64_t, float*);
using Reduce64 = reprosum_status (*)(std::int64_t, const double*, std::int64_t, double*);

template <Reduce32 f32, Reduce64 f64>
double reduced(nb::handle object) {
  Array array(object, "x", Copies::allowed);
  const Vector x = all_elements(array);
  double out = 0;
  float out32 = 0;
  check_exact(without_lock(x.n, [&] {
    return array.is_f64() ? f64(x.n, x.as<double>(), x.increment, &out)
                          : f32(x.n, x.as<float>(), x.increment, &out32);
  }));
  return array.is_f64() ? out : out32;
}

void require_length(bool is_right, std::int64_t a, std::int64_t b) {
  if (is_right) return;
  throw nb::value_error(
      ("the shapes do not fit: " + std::to_string(a) + " beside " + std::to_string(b) + " elements")
          .c_str());
}

double dot(nb::handle object_x, nb::handle object_y) {
  Array all_x(object_x, "x", Copies::allowed), all_y(object_y, "y", Copies::allowed);
  require_alike(all_x, all_y);
  const Vector x = vector_of(all_x, Copies::allowed), y = vector_of(all_y, Copies::allowed);
  require_length(x.n == y.n, x.n, y.n);
  double out = 0;
  float out32 = 0;
  check_exact(without_lock(x.n, [&] {
    return all_x.is_f64() ? reprosum_exact_ddot(x.n, x.as<double>(), x.increment, y.as<double>(),
                                                y.increment, &out)
                          : reprosum_exact_sdot(x.n, x.as<float>(), x.increment, y.as<float>(),
                                                y.increment, &out32);
  }));
  return all_x.is_f64() ? out : out32;
}

reprosum_transpose transpose_of(const Matrix& matrix) {
  return matrix.is_transposed ? REPROSUM_TRANS : REPROSUM_NO_TRANS;
}

// out := a @ b of two matrices; `out` is a new array by rows.
void matmul(nb::handle object_a, nb::handle object_b, nb::handle object_out) {
  Array all_a(object_a, "a", Copies::allowed), all_b(object_b, "b", Copies::allowed),
      all_out(object_out, "out", Copies::refused);
  require_alike(all_a, all_b);
  const Matrix a = matrix_of(all_a, Copies::allowed), b = matrix_of(all_b, Copies::allowed),
               out = matrix_of(all_out, Copies::refused);
  require_length(a.columns == b.rows, a.columns, b.rows);
  const auto run = [&](auto gemm, auto one, auto* c) {
    using T = decltype(one);
    return gemm(REPROSUM_ROW_MAJOR, transpose_of(a), transpose_of(b), a.rows, b.columns, a.columns,
                one, a.as<T>(), a.leading, b.as<T>(), b.leading, T(0), c, out.leading);
  };
  void* const to = const_cast<void*>(out.data);
  check_exact(without_lock(kWorthUnlocking, [&] {
    return all_a.is_f64() ? run(reprosum_exact_dgemm, 1.0, static_cast<double*>(to))
                          : run(reprosum_exact_sgemm, 1.0f, static_cast<float*>(to));
  }));
}

struct Destroy {
  void operator()(reprosum_accumulator* state) const { reprosum_accumulator_destroy(state); }
};

// Python threads may share one: calls wait for each other, and never while they hold Python's lock.
class Accumulator {
 public:
  explicit Accumulator(const std::string& type) {
    if (type != "float64" && type != "float32")
      throw nb::value_error("the type of an accumulator is 'float64' or 'float32'");
    reprosum_accumulator* made = nullptr;
    check_exact(
        reprosum_accumulator_create(type == "float64" ? REPROSUM_F64 : REPROSUM_F32, &made));
    state_.reset(made);
  }

  static std::unique_ptr<Accumulator> load(const nb::bytes& bytes) {
    reprosum_accumulator* made = nullptr;
    check_exact(reprosum_accumulator_load(bytes.c_str(), bytes.size(), &made));
    return std::unique_ptr<Accumulator>(new Accumulator(made));
  }

  void add(nb::handle object, bool is_negated) {
    if (PyFloat_Check(object.ptr()) || PyLong_Check(object.ptr())) {
      const double x = number(object);
      return add_number(is_negated ? -x : x);
    }
    Array array(object, "x", Copies::allowed);
    const Vector x = all_elements(array);
    run_signed(is_negated, x.n, [&] {
      return array.is_f64() ? reprosum_accumulator_dadd(get(), x.n, x.as<double>(), x.increment)
                            : reprosum_accumulator_sadd(get(), x.n, x.as<float>(), x.increment);
    });
  }

  void add_products(nb::handle object_x, nb::handle object_y, bool is_negated) {
    Array all_x(object_x, "x", Copies::allowed), all_y(object_y, "y", Copies::allowed);
    require_alike(all_x, all_y);
    const Vector x = vector_of(all_x, Copies::allowed), y = vector_of(all_y, Copies::allowed);
    require_length(x.n == y.n, x.n, y.n);
    run_signed(is_negated, x.n, [&] {
      return all_x.is_f64()
                 ? reprosum_accumulator_dadd_products(get(), x.n, x.as<double>(), x.increment,
                                                      y.as<double>(), y.increment)
                 : reprosum_accumulator_sadd_products(get(), x.n, x.as<float>(), x.increment,
                                                      y.as<float>(), y.increment);
    });
  }

  // By way of saved bytes, so that two that are merged into each other wait for nobody.
  void merge(const Accumulator& other) { merge_bytes(other.save()); }
  void merge_bytes(const nb::bytes& bytes) {
    const auto other = load(bytes);
    run(0, [&] { return reprosum_accumulator_merge(get(), other->get()); });
  }
  void negate() {
    run(0, [&] { return reprosum_accumulator_negate(get()); });
  }
  void clear() {
    run(0, [&] { return reprosum_accumulator_clear(get()); });
  }

  double round(const std::string& mode, const std::string& type) const {
    const char* const modes[] = {"nearest", "zero", "up", "down"};
    int at = 0;
    while (at < 4 && mode != modes[at]) ++at;
    if (at == 4) throw nb::value_error("the mode is 'nearest', 'zero', 'up' or 'down'");
    if (type != "float64" && type != "float32")
      throw nb::value_error("the type is 'float64' or 'float32'");
    const auto rounding = static_cast<reprosum_rounding>(at);
    double out = 0;
    float out32 = 0;
    run(0, [&] {
      return type == "float64" ? reprosum_accumulator_dround(get(), rounding, &out)
                               : reprosum_accumulator_sround(get(), rounding, &out32);
    });
    return type == "float64" ? out : out32;
  }

  nb::bytes save() const {
    std::size_t size = 0;
    check_exact(reprosum_accumulator_size(get(), &size));
    std::string bytes(size, '\0');
    run(0, [&] { return reprosum_accumulator_save(get(), bytes.data(), size); });
    return nb::bytes(bytes.data(), bytes.size());
  }

  bool is_f64() const {
    reprosum_type type = REPROSUM_F64;
    check_exact(reprosum_accumulator_type(get(), &type));
    return type == REPROSUM_F64;
  }

 private:
  explicit Accumulator(reprosum_accumulator* state) : state_(state) {}

  reprosum_accumulator* get() const { return state_.get(); }

  static double number(nb::handle object) {
    const double x = PyFloat_AsDouble(object.ptr());
    if (PyErr_Occurred() != nullptr) nb::raise_python_error();
    if (!PyLong_Check(object.ptr())) return x;
    const nb::object back = nb::steal(PyLong_FromDouble(x));
    if (!back.is_valid()) nb::raise_python_error();
    if (!back.equal(object))
      throw nb::value_error("the integer is no float64: it would have to be rounded");
    return x;
  }

  // A float fits an accumulator of floats; the library refuses what does not.
  void add_number(double x) {
    const auto narrow = static_cast<float>(x);
    const bool is_narrow = static_cast<double>(narrow) == x || std::isnan(x);
    run(0, [&] {
      return !is_f64() && is_narrow ? reprosum_accumulator_sadd(get(), 1, &narrow, 1)
                                    : reprosum_accumulator_dadd(get(), 1, &x, 1);
    });
  }

  // Terms are subtracted by adding them to the negated sum. A call that fails adds nothing.
  template <class Call>
  void run_signed(bool is_negated, std::int64_t elements, Call&& call) {
    run(elements, [&] {
      if (is_negated) reprosum_accumulator_negate(get());
      const reprosum_status status = call();
      if (is_negated) reprosum_accumulator_negate(get());
      return status;
    });
  }

  template <class Call>
  void run(std::int64_t elements, Call&& call) const {
    reprosum_status status = REPROSUM_OK;
    std::string why;
    const auto make = [&] {
      status = call();
      if (status != REPROSUM_OK) why = reprosum_last_error(nullptr);
    };
    if (elements < kWorthUnlocking && one_at_a_time_.try_lock()) {
      const std::lock_guard lock(one_at_a_time_, std::adopt_lock);
      make();
    } else {
      const nb::gil_scoped_release unlocked;
      const std::lock_guard lock(one_at_a_time_);
      make();
    }
    check(status, why.c_str());
  }

  std::unique_ptr<reprosum_accumulator, Destroy> state_;
  mutable std::mutex one_at_a_time_;
};

void add_accumulator(nb::module_& module) {
  nb::class_<Accumulator>(module, "Accumulator",
                          "An exact sum of any float32 and float64 numbers and products of two.")
      .def(nb::init<const std::string&>(), nb::arg("dtype") = "float64")
      .def(
          "add", [](Accumulator& self, nb::handle x) { self.add(x, false); }, nb::arg("x").none(),
          "Add a number, or every element of an array.")
      .def(
          "subtract", [](Accumulator& self, nb::handle x) { self.add(x, true); },
          nb::arg("x").none(), "Subtract a number, or every element of an array.")
      .def(
          "add_products",
          [](Accumulator& self, nb::handle x, nb::handle y) { self.add_products(x, y, false); },
          nb::arg("x").none(), nb::arg("y").none(), "Add the exact products of two vectors.")
      .def(
          "subtract_products",
          [](Accumulator& self, nb::handle x, nb::handle y) { self.add_products(x, y, true); },
          nb::arg("x").none(), nb::arg("y").none(), "Subtract the exact products of two vectors.")
      .def("merge", &Accumulator::merge, nb::arg("other"),
           "Add the terms of another accumulator, which is left as it is.")
      .def("merge_bytes", &Accumulator::merge_bytes, nb::arg("data"),
           "Add the terms of a saved accumulator.")
      .def("negate", &Accumulator::negate, "Turn the sign of every term.")
      .def("clear", &Accumulator::clear, "Forget all terms.")
      .def("round", &Accumulator::round, nb::arg("mode") = "nearest", nb::arg("dtype") = "float64",
           "The sum rounded once: mode is 'nearest' (ties to even), 'zero', 'up' or 'down'.")
      .def("save", &Accumulator::save,
           "The state as bytes, the same for equal terms in any order and on any machine.")
      .def_static("load", &Accumulator::load, nb::arg("data"),
                  "A new accumulator from saved bytes.")
      .def_prop_ro(
          "dtype", [](const Accumulator& self) { return self.is_f64() ? "float64" : "float32"; },
          "'float64' or 'float32'.")
      .def("__float__", [](const Accumulator& self) { return self.round("nearest", "float64"); });
}

}  // namespace

void add_exact(nb::module_& module) {
  module.def("exact_sum", &reduced<reprosum_exact_ssum, reprosum_exact_dsum>, nb::arg("x").none());
  module.def("exact_asum", &reduced<reprosum_exact_sasum, reprosum_exact_dasum>,
             nb::arg("x").none());
  module.def("exact_norm", &reduced<reprosum_exact_snrm2, reprosum_exact_dnrm2>,
             nb::arg("x").none());
  module.def("exact_dot", &dot, nb::arg("x").none(), nb::arg("y").none());
  module.def("exact_matmul", &matmul, nb::arg("a").none(), nb::arg("b").none(), nb::arg("out"));
  module.def(
      "set_workers", [](int workers) { check_exact(reprosum_exact_set_workers(workers)); },
      nb::arg("workers"));
  add_accumulator(module);
}

}  // namespace reprosum::python
