// Calls of random sizes and hostile data for launches, and what the interpreter says they give.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kernels/launch/matrix_launches.h"
#include "kernels/launch/sum_launches.h"
#include "spec/error.h"
#include "spec/evaluate/evaluate.h"
#include "spec/surface.h"
#include "tests/kernels/launch_runner.h"
#include "tests/kernels/orders.h"

namespace reprosum::kernels::test {

template <class T>
Memory memory_of(std::vector<T>& data) {
  return {data.data(), data.size() * sizeof(T)};
}

// Rows of n summands with gaps between them, read with increments of any sign.
template <class T>
struct Rows {
  launch::RowsCall call;
  std::vector<T> x, y;

  Rows(std::mt19937_64& random, std::int64_t n, std::int64_t rows, std::int64_t incx,
       std::int64_t incy, bool special) {
    call.n = n;
    call.rows = rows;
    x = side(random, special, incx, call.x_at, call.incx, call.ldx);
    y = side(random, special, incy, call.y_at, call.incy, call.ldy);
  }
  std::vector<T> side(std::mt19937_64& random, bool special, std::int64_t inc, std::int64_t& at,
                      std::int64_t& step, std::int64_t& ld) const {
    const std::int64_t length = (call.n - 1) * std::abs(inc) + 1;
    step = inc;
    ld = length + 3;
    at = 2 + (inc < 0 ? length - 1 : 0);
    return hostile_data<T>(random, ld * call.rows + 2, special);
  }
  // By the interpreter.
  T value(const spec::Order& order, std::int64_t row, bool has_y) const {
    return spec::evaluate<T>(order, call.n, x.data() + call.x_at + row * call.ldx, call.incx,
                             has_y ? y.data() + call.y_at + row * call.ldy : nullptr, call.incy);
  }
};

// A plain dot product of 299 floats whose lanes meet in the group's memory.
inline std::unique_ptr<launch::SumLaunches> lanes_that_meet() {
  for (const NamedOrder& named : library_orders())
    if (named.name == "Haswell sdot")
      return std::make_unique<launch::SumLaunches>(spec::parse_order(named.text), named.routine,
                                                   named.type);
  throw InternalError("no such order");
}
// The launches with the last barrier of the first text left out: a fault to be found.
inline launch::Launches without_barrier(launch::Launches launches) {
  auto text = std::make_shared<text::DeviceText>(*launches.texts.at(0));
  const std::string barrier = "BARRIER();";
  const std::size_t at = text->text.rfind(barrier);
  if (at == std::string::npos) throw InternalError("a text without a barrier");
  text->text.erase(at, barrier.size());
  launches.texts[0] = std::move(text);
  return launches;
}

inline launch::MatrixCall random_shape(std::mt19937_64& random, std::int64_t most,
                                       std::int64_t most_k) {
  const auto below = [&](std::int64_t limit) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
  };
  launch::MatrixCall shape;
  shape.m = 1 + below(below(3) == 0 ? 6 : most);
  shape.n = 1 + below(below(3) == 0 ? 6 : most);
  shape.k = 1 + below(below(3) == 0 ? 20 : most_k);
  shape.trans_a = static_cast<spec::Trans>(below(2));
  shape.trans_b = static_cast<spec::Trans>(below(2));
  if (below(4) != 0) return shape;
  shape.routine = spec::Routine::gemv;
  shape.n = 1;
  shape.trans_b = spec::Trans::no;
  return shape;
}

// A call whose operands have gaps, and something before their first element.
template <class T>
struct Product {
  launch::MatrixCall call;
  std::vector<T> a, b, c;

  // The shape is the call's routine, transposes, m, n and k; everything else is drawn.
  Product(std::mt19937_64& random, const launch::MatrixCall& shape) : call(shape) {
    const auto below = [&](std::int64_t limit) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
    };
    constexpr T infinity = std::numeric_limits<T>::infinity();
    const T scalars[] = {T(0),  T(-0.0),  T(1),
                         T(-1), T(0.7),   T(-1.3),
                         T(3),  infinity, std::numeric_limits<T>::denorm_min()};
    call.alpha = static_cast<double>(scalars[below(std::ssize(scalars))]);
    call.beta = static_cast<double>(scalars[below(std::ssize(scalars))]);
    const bool gemv = call.routine == spec::Routine::gemv;
    if (gemv) {
      const std::int64_t increments[] = {1, 1, 2, -1, -3};
      call.incb = increments[below(5)];
      call.incc = increments[below(5)];
    }
    const bool ta = call.trans_a == spec::Trans::yes, tb = call.trans_b == spec::Trans::yes;
    call.lda = (ta ? call.k : call.m) + below(3);
    call.ldb = (tb ? call.n : call.k) + below(3);
    call.ldc = call.m + below(3);
    const auto extent = [](std::int64_t rows, std::int64_t columns, std::int64_t ld) {
      return rows + (columns - 1) * ld;
    };
    const std::int64_t b_size = gemv ? extent(1, call.k, std::abs(call.incb))
                                     : extent(tb ? call.n : call.k, tb ? call.k : call.n, call.ldb);
    const std::int64_t c_size =
        gemv ? extent(1, call.m, std::abs(call.incc)) : extent(call.m, call.n, call.ldc);
    const std::int64_t a_size = extent(ta ? call.k : call.m, ta ? call.m : call.k, call.lda);
    const bool special = below(3) == 0;
    call.a_at = below(3), call.b_at = below(3), call.c_at = below(3);
    a = hostile_data<T>(random, a_size + call.a_at, special);
    b = hostile_data<T>(random, b_size + call.b_at, special);
    c = hostile_data<T>(random, c_size + call.c_at, true);
    if (call.incb < 0) call.b_at += (1 - call.k) * call.incb;
    if (call.incc < 0) call.c_at += (1 - call.m) * call.incc;
  }

  spec::MatrixArguments<T> arguments() {
    spec::MatrixArguments<T> all;
    all.routine = call.routine;
    all.trans_a = call.trans_a;
    all.trans_b = call.trans_b;
    all.m = call.m, all.n = call.n, all.k = call.k;
    all.alpha = static_cast<T>(call.alpha), all.beta = static_cast<T>(call.beta);
    all.a = a.data() + call.a_at, all.lda = call.lda;
    all.b = b.data() + call.b_at, all.ldb = call.ldb, all.incb = call.incb;
    all.c = c.data() + call.c_at, all.ldc = call.ldc, all.incc = call.incc;
    return all;
  }
};

}  // namespace reprosum::kernels::test
