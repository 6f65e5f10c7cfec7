// Opened specs: calls of sum, dot, gemv and gemm in a captured order.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <memory>
#include <string>

#include "reprosum/reprosum.h"
#include "src/python/call.h"
#include "src/python/faults.h"
#include "src/python/module.h"
#include "src/python/operands.h"

namespace reprosum::python {
namespace {

namespace nb = nanobind;

[[noreturn]] void refuse(const std::string& text) { throw nb::value_error(text.c_str()); }

class Replay {
 public:
  explicit Replay(const nb::bytes& document) {
    reprosum_handle* opened = nullptr;
    const std::size_t size = document.size();
    const void* const text = document.c_str();
    const reprosum_status status =
        without_lock(kWorthUnlocking, [&] { return reprosum_open_memory(text, size, &opened); });
    check(status, reprosum_last_error(nullptr));
    handle_.reset(opened);
  }

  double sum(nb::handle object) const {
    Array array(object, "x", Copies::refused);
    const Vector x = vector_of(array, Copies::refused);
    double out = 0;
    float out32 = 0;
    checked(without_lock(x.n, [&] {
      return array.is_f64() ? reprosum_dsum(get(), x.n, x.as<double>(), x.increment, &out)
                            : reprosum_ssum(get(), x.n, x.as<float>(), x.increment, &out32);
    }));
    return array.is_f64() ? out : out32;
  }

  double dot(nb::handle object_x, nb::handle object_y) const {
    Array all_x(object_x, "x", Copies::refused), all_y(object_y, "y", Copies::refused);
    require_alike(all_x, all_y);
    const Vector x = vector_of(all_x, Copies::refused), y = vector_of(all_y, Copies::refused);
    if (x.n != y.n)
      refuse("x has " + std::to_string(x.n) + " elements and y " + std::to_string(y.n));
    double out = 0;
    float out32 = 0;
    checked(without_lock(x.n, [&] {
      return all_x.is_f64() ? reprosum_ddot(get(), x.n, x.as<double>(), x.increment, y.as<double>(),
                                            y.increment, &out)
                            : reprosum_sdot(get(), x.n, x.as<float>(), x.increment, y.as<float>(),
                                            y.increment, &out32);
    }));
    return all_x.is_f64() ? out : out32;
  }

  // out := a @ x, or x @ a where is_left; `out` is a new vector.
  void gemv(nb::handle object_a, nb::handle object_x, nb::handle object_out, bool is_left) const {
    Array all_a(object_a, "a", Copies::refused), all_x(object_x, "x", Copies::refused),
        all_out(object_out, "out", Copies::refused);
    require_alike(all_a, all_x);
    const Matrix a = matrix_of(all_a, Copies::refused);
    const Vector x = vector_of(all_x, Copies::refused), y = vector_of(all_out, Copies::refused);
    if (x.n != (is_left ? a.rows : a.columns)) refuse("the shapes of the matrix and x do not fit");
    const std::int64_t rows = a.is_transposed ? a.columns : a.rows;
    const std::int64_t columns = a.is_transposed ? a.rows : a.columns;
    const auto trans = a.is_transposed != is_left ? REPROSUM_TRANS : REPROSUM_NO_TRANS;
    const auto run = [&](auto call, auto one) {
      using T = decltype(one);
      T* const to = static_cast<T*>(const_cast<void*>(y.data));
      return call(get(), REPROSUM_ROW_MAJOR, trans, rows, columns, one, a.as<T>(), a.leading,
                  x.as<T>(), x.increment, T(0), to, y.increment);
    };
    checked(without_lock(rows * columns, [&] {
      return all_a.is_f64() ? run(reprosum_dgemv, 1.0) : run(reprosum_sgemv, 1.0f);
    }));
  }

  // out := a @ b; `out` is a new matrix by rows.
  void gemm(nb::handle object_a, nb::handle object_b, nb::handle object_out) const {
    Array all_a(object_a, "a", Copies::refused), all_b(object_b, "b", Copies::refused),
        all_out(object_out, "out", Copies::refused);
    require_alike(all_a, all_b);
    const Matrix a = matrix_of(all_a, Copies::refused), b = matrix_of(all_b, Copies::refused),
                 c = matrix_of(all_out, Copies::refused);
    if (a.columns != b.rows) refuse("the shapes of a and b do not fit");
    const auto trans = [](const Matrix& m) {
      return m.is_transposed ? REPROSUM_TRANS : REPROSUM_NO_TRANS;
    };
    const auto run = [&](auto call, auto one) {
      using T = decltype(one);
      T* const to = static_cast<T*>(const_cast<void*>(c.data));
      return call(get(), REPROSUM_ROW_MAJOR, trans(a), trans(b), a.rows, b.columns, a.columns, one,
                  a.as<T>(), a.leading, b.as<T>(), b.leading, T(0), to, c.leading);
    };
    checked(without_lock(kWorthUnlocking, [&] {
      return all_a.is_f64() ? run(reprosum_dgemm, 1.0) : run(reprosum_sgemm, 1.0f);
    }));
  }

  std::string hash() const {
    char text[65] = {};
    checked(reprosum_spec_hash(get(), text));
    return text;
  }
  int threads() const {
    int threads = 0;
    checked(reprosum_get_threads(get(), &threads));
    return threads;
  }
  void set_threads(int threads) { checked(reprosum_set_threads(get(), threads)); }
  void set_isa(const std::string& isa) { checked(reprosum_set_isa(get(), isa.c_str())); }

  // An empty text: covered. Else the first thing that is not.
  std::string not_covered(nb::handle object_x, nb::handle object_y) const {
    Array all_x(object_x, "x", Copies::refused);
    const Vector x = vector_of(all_x, Copies::refused);
    reprosum_reduction call = of(all_x, x, REPROSUM_SUM);
    if (!object_y.is_none()) {
      Array all_y(object_y, "y", Copies::refused);
      require_alike(all_x, all_y);
      const Vector y = vector_of(all_y, Copies::refused);
      call.routine = REPROSUM_DOT;
      call.incy = y.increment;
      call.align_y = residue(y.data);
    }
    int covered = 0;
    checked(reprosum_covers(get(), &call, &covered));
    return covered != 0 ? "" : reprosum_last_error(get());
  }

 private:
  struct Close {
    void operator()(reprosum_handle* handle) const { reprosum_close(handle); }
  };
  reprosum_handle* get() const { return handle_.get(); }
  void checked(reprosum_status status) const { check(status, reprosum_last_error(get())); }

  static int residue(const void* data) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(data) % 64);
  }
  reprosum_reduction of(const Array& array, const Vector& x, reprosum_routine routine) const {
    return {routine,
            array.is_f64() ? REPROSUM_F64 : REPROSUM_F32,
            x.n,
            x.increment,
            1,
            0,
            residue(x.data),
            0};
  }

  std::unique_ptr<reprosum_handle, Close> handle_;
};

}  // namespace

void add_replay(nb::module_& module) {
  nb::class_<Replay>(module, "Replay", "A spec that was opened for calls.")
      .def(nb::init<const nb::bytes&>(), nb::arg("document"))
      .def("sum", &Replay::sum, nb::arg("x").none())
      .def("dot", &Replay::dot, nb::arg("x").none(), nb::arg("y").none())
      .def("gemv", &Replay::gemv, nb::arg("a").none(), nb::arg("x").none(), nb::arg("out"),
           nb::arg("is_left"))
      .def("gemm", &Replay::gemm, nb::arg("a").none(), nb::arg("b").none(), nb::arg("out"))
      .def("hash", &Replay::hash)
      .def("not_covered", &Replay::not_covered, nb::arg("x").none(), nb::arg("y").none())
      .def_prop_rw("threads", &Replay::threads, &Replay::set_threads)
      .def("set_isa", &Replay::set_isa, nb::arg("isa"));
}

}  // namespace reprosum::python
