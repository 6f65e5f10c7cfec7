// Calls of a spec's entries: operands of a kind of data, what the interpreter makes of them, and
// what a device does. T is the entry's type, float or double.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/launch/matrix_launches.h"
#include "kernels/launch/sum_launches.h"
#include "reveal/check/random_data.h"
#include "spec/spec.h"
#include "src/runtime/device_work.h"

namespace reprosum::cli {

// Rows of n summands each, one after the other.
template <class T>
struct Sums {
  std::int64_t n = 0, rows = 0;
  std::vector<T> x, y;  // y: of a dot product
};

// op(A) row by row, op(B) column by column, C column by column.
template <class T>
struct Product {
  spec::Routine routine = spec::Routine::gemm;
  spec::Shape3 shape;
  T alpha{1}, beta{0};
  std::vector<T> a, b, c;
};

// A row of each of the kinds.
template <class T>
Sums<T> draw_sums(const spec::Entry& entry, std::int64_t n, std::span<const reveal::Data> kinds,
                  reveal::FastRandom& random);
// With scalars that the entry covers. @pre the shape has m, n, k >= 1.
template <class T>
Product<T> draw_product(const spec::Entry& entry, const spec::Shape3& shape, reveal::Data kind,
                        reveal::FastRandom& random);

// The value of every row; C. Throw UserError where the order is not defined at that size.
template <class T>
std::vector<T> interpret(const spec::Order& order, const Sums<T>& sums);
template <class T>
std::vector<T> interpret(const spec::RegionMap& map, const std::vector<spec::Order>& orders,
                         const Product<T>& product);

// Throw UserError, in words, where devices have no kernels.
kernels::launch::Launches launches_of(const kernels::launch::SumLaunches& order, std::int64_t n,
                                      std::int64_t rows);
template <class T>
kernels::launch::Launches launches_of(const kernels::launch::MatrixLaunches& orders,
                                      const spec::RegionMap& map, const Product<T>& product);

// As interpret(), by the device.
template <class T>
std::vector<T> run(runtime::DeviceWork& work, const kernels::launch::Launches& launches,
                   const Sums<T>& sums);
template <class T>
std::vector<T> run(runtime::DeviceWork& work, const kernels::launch::Launches& launches,
                   const Product<T>& product);

}  // namespace reprosum::cli
