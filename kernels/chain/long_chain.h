// Where a piece of an order is one long sequential sum, its value out of order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "kernels/chain/chain.h"
#include "kernels/plan/sequential.h"

namespace reprosum::kernels::chain {

// How the chains of this thread went, for tests and benchmarks.
struct Counts {
  std::int64_t chains = 0, summands = 0;
  std::int64_t one_by_one = 0;  // of the summands
};
inline constinit thread_local Counts counts_of_this_thread;
inline Counts& counts() { return counts_of_this_thread; }

template <class T>
class LongChain {
 public:
  LongChain() = default;  // of no n
  LongChain(const Sequential& order, Op op, Code<T> code)
      : code_(code), op_(op), from_zero_(order.from_zero) {
    if (code != nullptr) first_ = std::max(order.first, kLeast);
  }

  // The least n that it serves.
  std::int64_t first() const { return first_; }
  bool serves(std::int64_t n) const { return n >= first_; }

  // @pre serves(n); y is ignored by sum
  T value(const T* x, const T* y, std::int64_t n) const {
    State<T> state = start(x, y);
    const std::int64_t done = from_zero_ ? 0 : 1;
    code_(state, x + done, op_ == Op::sum ? x : y + done, n - done);
    return finish(state, n);
  }

  // The same of x[k * incx] and y[k * incy].
  T value(const T* x, std::int64_t incx, const T* y, std::int64_t incy, std::int64_t n) const {
    const bool has_y = op_ != Op::sum;
    if (incx == 1 && (!has_y || incy == 1)) return value(x, y, n);
    T near_x[kPacked], near_y[kPacked];
    State<T> state = start(x, y);
    for (std::int64_t done = from_zero_ ? 0 : 1; done < n;) {
      const std::int64_t count = std::min(n - done, kPacked);
      const T* const from_x = near(x + done * incx, incx, count, near_x);
      const T* const from_y = has_y ? near(y + done * incy, incy, count, near_y) : from_x;
      code_(state, from_x, from_y, count);
      done += count;
    }
    return finish(state, n);
  }

 private:
  static constexpr std::int64_t kPacked = 4096 / sizeof(T);  // a page of any stack for each

  static const T* near(const T* from, std::int64_t step, std::int64_t count, T* to) {
    if (step == 1) return from;
    for (std::int64_t k = 0; k < count; ++k) to[k] = from[k * step];
    return to;
  }

  State<T> start(const T* x, const T* y) const {
    State<T> state;
    if (!from_zero_) state.sum = op_ == Op::sum ? *x : *x * *y;
    return state;
  }

  static T finish(const State<T>& state, std::int64_t n) {
    ++counts().chains;
    counts().summands += n;
    counts().one_by_one += state.one_by_one;
    return state.sum;
  }

  Code<T> code_ = nullptr;
  std::int64_t first_ = std::numeric_limits<std::int64_t>::max();
  Op op_ = Op::sum;
  bool from_zero_ = false;
};

}  // namespace reprosum::kernels::chain
