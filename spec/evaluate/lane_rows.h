// Neighbouring lanes at once: sums of rows, each lane with the same order.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "spec/evaluate/leaf_run.h"
#include "spec/order.h"

namespace reprosum::spec {

// Summand t of lane l is x[l + t*x_step] (times y[l + t*y_step]), l < lanes.
template <class T>
struct LaneOperands {
  const T* x = nullptr;
  std::int64_t x_step = 0;
  const T* y = nullptr;  // nullptr: a sum
  std::int64_t y_step = 0;
  int lanes = 0;
};
inline constexpr int kMaxLanes = 64;

// sums[l] += summands k, k + step, ... (count of them, from the left; count >= 1), in the narrow
// format; without `started` the first of them is the sum.
template <class T>
void add_rows(T* sums, bool started, Leaf leaf, const LaneOperands<T>& data, std::int64_t k,
              std::int64_t step, std::int64_t count);

// The runs of one piece that a sub-order adds, evaluated as blocks of neighbours and kept: lanes
// are asked for one after the other. Their values are those of one lane alone, bit for bit.
template <class T>
class LaneBlocks {
 public:
  // Runs lie in summands from..to-1 of `data`; data.lanes > 1 where the piece is itself a block.
  LaneBlocks(const Order& order, const LaneOperands<T>& data, std::int64_t from, std::int64_t to)
      : order_(order), data_(data), from_(from), to_(to) {}

  // data.lanes values of the run k, k + step, ...; nullptr where it has to be walked lane by lane.
  const T* values(std::int32_t sub, std::int64_t k, std::int64_t step, std::int64_t count);

 private:
  struct Block {
    std::int32_t sub = 0;
    std::int64_t first = 0, runs = 1, step = 0, count = 0;  // of the runs first, first + 1, ...
    std::array<T, kMaxLanes> values{};
  };
  const Order& order_;
  const LaneOperands<T> data_;
  const std::int64_t from_, to_;
  std::vector<Block> blocks_;
};

}  // namespace reprosum::spec
