// The tight loop over rows of lanes.
#include "spec/evaluate/lane_rows.h"

#include <algorithm>
#include <cmath>

namespace reprosum::spec {
namespace {

// W lanes in registers. kind: 0 a sum, 1 rounded products, 2 fused ones.
template <class T, int W, int Kind>
[[gnu::always_inline]] inline void add_block(T* sums, const LaneOperands<T>& data, std::int64_t k,
                                             std::int64_t step, std::int64_t count) {
  T all[W];
  for (int l = 0; l < W; ++l) all[l] = sums[l];
  for (std::int64_t i = 0; i < count; ++i) {
    const T* x = data.x + (k + i * step) * data.x_step;
    if constexpr (Kind == 0) {
      for (int l = 0; l < W; ++l) all[l] += x[l];
    } else {
      const T* y = data.y + (k + i * step) * data.y_step;
      for (int l = 0; l < W; ++l)
        all[l] = Kind == 2 ? std::fma(x[l], y[l], all[l]) : all[l] + x[l] * y[l];
    }
  }
  for (int l = 0; l < W; ++l) sums[l] = all[l];
}

template <class T, int W>
[[gnu::always_inline]] inline int add_blocks(T* sums, int from, Leaf leaf,
                                             const LaneOperands<T>& data, std::int64_t k,
                                             std::int64_t step, std::int64_t count) {
  int l = from;
  for (; l + W <= data.lanes; l += W) {
    LaneOperands<T> part = data;
    part.x += l;
    if (part.y == nullptr) {
      add_block<T, W, 0>(sums + l, part, k, step, count);
      continue;
    }
    part.y += l;
    if (leaf == Leaf::fused)
      add_block<T, W, 2>(sums + l, part, k, step, count);
    else
      add_block<T, W, 1>(sums + l, part, k, step, count);
  }
  return l;
}

template <class T>
[[gnu::always_inline]] inline void add_all(T* sums, Leaf leaf, const LaneOperands<T>& data,
                                           std::int64_t k, std::int64_t step, std::int64_t count) {
  int l = add_blocks<T, 32>(sums, 0, leaf, data, k, step, count);
  l = add_blocks<T, 8>(sums, l, leaf, data, k, step, count);
  add_blocks<T, 1>(sums, l, leaf, data, k, step, count);
}

#if defined(__x86_64__) && defined(__GNUC__)
template <class T>
[[gnu::target("fma,avx2")]] void add_with_fma(T* sums, Leaf leaf, const LaneOperands<T>& data,
                                              std::int64_t k, std::int64_t step,
                                              std::int64_t count) {
  add_all(sums, leaf, data, k, step, count);
}
const bool kHostHasFma = __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
#endif

}  // namespace

template <class T>
void add_rows(T* sums, bool started, Leaf leaf, const LaneOperands<T>& data, std::int64_t k,
              std::int64_t step, std::int64_t count) {
  if (!started) {
    const T* x = data.x + k * data.x_step;
    const T* y = data.y == nullptr ? nullptr : data.y + k * data.y_step;
    for (int l = 0; l < data.lanes; ++l) sums[l] = y == nullptr ? x[l] : x[l] * y[l];
    k += step;
    --count;
  }
  if (count < 1) return;
#if defined(__x86_64__) && defined(__GNUC__)
  if (kHostHasFma) return add_with_fma(sums, leaf, data, k, step, count);
#endif
  add_all(sums, leaf, data, k, step, count);
}

template void add_rows(float*, bool, Leaf, const LaneOperands<float>&, std::int64_t, std::int64_t,
                       std::int64_t);
template void add_rows(double*, bool, Leaf, const LaneOperands<double>&, std::int64_t, std::int64_t,
                       std::int64_t);

}  // namespace reprosum::spec
