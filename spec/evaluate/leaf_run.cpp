#include "spec/evaluate/leaf_run.h"

#include "spec/evaluate/arithmetic.h"

namespace reprosum::spec {
namespace {

template <class T, NodeFormat F, Leaf L, bool HasY>
[[gnu::always_inline]] inline double loop(const Operands<T>& data, double accumulator,
                                          std::int64_t k, std::int64_t step, std::int64_t count) {
  using A = Arithmetic<T>;
  const T* x = data.x + k * data.incx;
  const T* y = HasY ? data.y + k * data.incy : nullptr;
  const std::int64_t dx = step * data.incx, dy = HasY ? step * data.incy : 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if constexpr (!HasY) {
      accumulator = A::add(F, accumulator, static_cast<double>(x[i * dx]));
    } else if constexpr (L == Leaf::fused) {
      accumulator = A::fused(F, accumulator, x[i * dx], y[i * dy]);
    } else if constexpr (L == Leaf::exact) {
      accumulator = A::add(F, accumulator, A::exact(x[i * dx], y[i * dy]));
    } else {
      accumulator = A::add(F, accumulator, A::rounded(x[i * dx], y[i * dy]));
    }
  }
  return accumulator;
}

// Where subnormal numbers are taken as zero.
template <class T>
double flushed_loop(const Operands<T>& data, Leaf leaf, double accumulator, std::int64_t k,
                    std::int64_t step, std::int64_t count) {
  const Flushed<T> arithmetic(data.flush);
  T sum = static_cast<T>(accumulator);
  for (std::int64_t i = 0; i < count; ++i, k += step) {
    const T x = data.x[k * data.incx];
    if (data.y == nullptr) {
      sum = arithmetic.add(sum, x);
      continue;
    }
    const T y = data.y[k * data.incy];
    sum = leaf == Leaf::fused ? arithmetic.fused(sum, x, y)
                              : arithmetic.add(sum, arithmetic.multiply(x, y));
  }
  return static_cast<double>(sum);
}

template <class T, NodeFormat F>
[[gnu::always_inline]] inline double choose(const Operands<T>& data, Leaf leaf, double accumulator,
                                            std::int64_t k, std::int64_t step, std::int64_t count) {
  if (data.y == nullptr) return loop<T, F, Leaf::rounded, false>(data, accumulator, k, step, count);
  switch (leaf) {
    case Leaf::fused:
      return loop<T, F, Leaf::fused, true>(data, accumulator, k, step, count);
    case Leaf::exact:
      return loop<T, F, Leaf::exact, true>(data, accumulator, k, step, count);
    default:
      return loop<T, F, Leaf::rounded, true>(data, accumulator, k, step, count);
  }
}

template <class T>
[[gnu::always_inline]] inline double run(const Operands<T>& data, NodeFormat format, Leaf leaf,
                                         double accumulator, std::int64_t k, std::int64_t step,
                                         std::int64_t count) {
  return format == NodeFormat::narrow
             ? choose<T, NodeFormat::narrow>(data, leaf, accumulator, k, step, count)
             : choose<T, NodeFormat::wide>(data, leaf, accumulator, k, step, count);
}

#if defined(__x86_64__) && defined(__GNUC__)
// The same loop where std::fma is one instruction: a call of fma() costs more than the rest.
template <class T>
[[gnu::target("fma,avx2")]] double run_with_fma(const Operands<T>& data, NodeFormat format,
                                                Leaf leaf, double accumulator, std::int64_t k,
                                                std::int64_t step, std::int64_t count) {
  return run(data, format, leaf, accumulator, k, step, count);
}
const bool kHostHasFma = __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
#endif

}  // namespace

template <class T>
double leaf_value(const Operands<T>& data, Leaf leaf, std::int64_t k) {
  if (leaf == Leaf::zero) return 0.0;
  const T x = data.x[k * data.incx];
  if (data.y == nullptr) return static_cast<double>(x);
  const T y = data.y[k * data.incy];
  return leaf == Leaf::exact ? Arithmetic<T>::exact(x, y)
                             : Arithmetic<T>::rounded(data.flush, x, y);
}

template <class T>
double add_leaves(const Operands<T>& data, NodeFormat format, Leaf leaf, double accumulator,
                  std::int64_t k, std::int64_t step, std::int64_t count) {
  if (data.flush != Flush::none) return flushed_loop(data, leaf, accumulator, k, step, count);
#if defined(__x86_64__) && defined(__GNUC__)
  if (kHostHasFma) return run_with_fma(data, format, leaf, accumulator, k, step, count);
#endif
  return run(data, format, leaf, accumulator, k, step, count);
}

template double leaf_value(const Operands<float>&, Leaf, std::int64_t);
template double leaf_value(const Operands<double>&, Leaf, std::int64_t);
template double add_leaves(const Operands<float>&, NodeFormat, Leaf, double, std::int64_t,
                           std::int64_t, std::int64_t);
template double add_leaves(const Operands<double>&, NodeFormat, Leaf, double, std::int64_t,
                           std::int64_t, std::int64_t);

}  // namespace reprosum::spec
