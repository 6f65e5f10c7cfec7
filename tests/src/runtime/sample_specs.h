// Hand-written orders and specs for the tests of the runtime.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "reprosum/reprosum.h"
#include "spec/order.h"
#include "spec/spec.h"
#include "spec/surface.h"

namespace reprosum::samples {

inline spec::Item item(spec::Shape shape, spec::Linear at, spec::Linear step, spec::Linear times) {
  spec::Item made;
  made.shape = shape;
  made.at = at;
  made.step = step;
  made.times = times;
  return made;
}

inline spec::Order one_loop(std::int64_t block, const spec::Schema& schema, std::int64_t n_max) {
  spec::Loop loop;
  loop.block = block;
  loop.cases.push_back({0, block - 1, schema});
  spec::Order order;
  order.regimes.push_back({1, n_max, loop});
  return order;
}

// ((x0 + x1) + x2) + ... ; the BLAS definition, from left to right.
inline spec::Order sequential(std::int64_t n_max, spec::Leaf leaf = spec::Leaf::rounded) {
  spec::Chain chain;
  chain.items.push_back(item({-1, leaf}, {}, {0, 0, 1}, {1, 0, 0}));
  return one_loop(1, {{chain}}, n_max);
}

// `width` accumulators, folded from the left, then the tail one by one.
inline spec::Order lanes(std::int64_t width, std::int64_t n_max,
                         spec::Leaf leaf = spec::Leaf::rounded) {
  spec::Schema schema;
  spec::Chain root;
  for (std::int64_t lane = 0; lane < width; ++lane) {
    spec::Chain chain;
    chain.items.push_back(item({-1, leaf}, {}, {0, 0, width}, {1, 0, 0}));
    schema.chains.push_back(chain);
    const auto index = static_cast<std::int32_t>(lane);
    root.items.push_back(item({index, spec::Leaf::rounded}, {0, 0, lane}, {}, {0, 0, 1}));
  }
  root.items.push_back(item({-1, leaf}, {width, 0, 0}, {0, 0, 1}, {0, 1, 0}));
  schema.chains.push_back(root);
  return one_loop(width, schema, n_max);
}

inline void add(spec::Spec& spec, spec::Routine routine, spec::Type type, const spec::Guard& guard,
                const spec::Order& order, std::int64_t n_max) {
  spec.entries.push_back(
      spec::entry_of_one_output(routine, type, guard, spec.orders.size(), n_max));
  spec.orders.push_back(order);
}

inline constexpr std::int64_t kLargest = 5000;

// Every routine and type with unit increments, 8 lanes, one thread, any address. Without summands a
// sum is -0 and a dot product +0; for a negative number of them only dot has a rule.
inline spec::Spec plain_spec() {
  spec::Spec spec;
  for (const spec::Type type : {spec::Type::f32, spec::Type::f64}) {
    add(spec, spec::Routine::sum, type, spec::vector_guard({{1, 0}}, {1}), lanes(8, kLargest),
        kLargest);
    add(spec, spec::Routine::dot, type, spec::vector_guard({{1, 1}}, {1}),
        lanes(8, kLargest, spec::Leaf::fused), kLargest);
    spec::EmptyRule rule;
    rule.type = type;
    rule.threads = {1};
    rule.routine = spec::Routine::sum;
    rule.result = spec::EmptyRule::Result::minus_zero;
    spec.empty_rules.push_back(rule);
    rule.routine = spec::Routine::dot;
    rule.result = spec::EmptyRule::Result::plus_zero;
    rule.below_zero = spec::EmptyRule::Result::minus_zero;
    spec.empty_rules.push_back(rule);
  }
  spec::canonicalize(spec);
  return spec;
}

// Every pair of increments in -3..3, sequential; unit increments in 8 lanes.
inline spec::Spec strided_spec() {
  spec::Spec spec = plain_spec();
  spec::Guard dot = spec::vector_guard({}, {1}), sum = dot;
  for (std::int64_t incx = -3; incx <= 3; ++incx) {
    if (incx != 1) sum.increments.push_back({incx, 0});
    for (std::int64_t incy = -3; incy <= 3; ++incy)
      if (incx != 1 || incy != 1) dot.increments.push_back({incx, incy});
  }
  for (const spec::Type type : {spec::Type::f32, spec::Type::f64}) {
    add(spec, spec::Routine::sum, type, sum, sequential(kLargest), kLargest);
    add(spec, spec::Routine::dot, type, dot, sequential(kLargest), kLargest);
  }
  return spec;
}

inline reprosum_handle* open(spec::Spec spec) {
  spec::canonicalize(spec);
  const std::string text = spec::to_json(spec);
  reprosum_handle* handle = nullptr;
  if (reprosum_open_memory(text.data(), text.size(), &handle) != REPROSUM_OK) return nullptr;
  return handle;
}

// Wide exponents and both signs: another order gives other bits.
template <class T>
std::vector<T> random_data(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> mantissa(-2, 2);
  std::uniform_int_distribution<int> exponent(-12, 12);
  std::vector<T> data(count);
  for (T& value : data) value = static_cast<T>(std::ldexp(mantissa(engine), exponent(engine)));
  return data;
}

}  // namespace reprosum::samples
