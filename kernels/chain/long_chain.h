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

  // The n summands at x[k * incx] and y[k * incy], which is ignored by sum. @pre serves(n)
  T value(const T* x, std::int64_t incx, const T* y, std::int64_t incy, std::int64_t n) const {
    State<T> state;
    const std::int64_t done = from_zero_ ? 0 : 1;
    const bool is_sum = op_ == Op::sum;
    if (!from_zero_) state.sum = is_sum ? *x : *x * *y;
    code_(state, x + done * incx, incx, is_sum ? x : y + done * incy, is_sum ? 1 : incy, n - done);
    ++counts().chains;
    counts().summands += n;
    counts().one_by_one += state.one_by_one;
    return state.sum;
  }

 private:
  Code<T> code_ = nullptr;
  std::int64_t first_ = std::numeric_limits<std::int64_t>::max();
  Op op_ = Op::sum;
  bool from_zero_ = false;
};

}  // namespace reprosum::kernels::chain
