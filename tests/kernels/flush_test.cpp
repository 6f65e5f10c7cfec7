// Orders that take subnormal numbers as zero: the evaluators against one another, against a
// processor that is set so, and against bits written out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kernels/kernel.h"
#include "spec/evaluate/evaluate.h"
#include "spec/expand.h"
#include "spec/surface.h"
#include "tests/kernels/flush_data.h"
#include "tests/kernels/orders.h"
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace reprosum::kernels {
namespace {

using spec::Flush;
using test::fill_near_underflow;
using test::kLeast;
using test::NamedOrder;

constexpr Flush kFlushing[] = {Flush::inputs, Flush::results, Flush::both};

#if defined(__SSE2__)
// The tree on this processor, set to flush.
template <class T>
[[gnu::noinline, gnu::target("fma")]] T run_here(const spec::Tree& tree, const T* x, const T* y,
                                                 std::vector<T>& stack) {
  stack.clear();
  std::vector<std::uint32_t> waiting;  // of the fused operand on top
  for (const spec::TreeOp& op : tree.ops) {
    if (op.kind == spec::TreeOp::Kind::leaf) {
      const bool fused = op.leaf == spec::Leaf::fused && y != nullptr;
      if (fused) {
        waiting.push_back(op.index);
      } else if (op.leaf == spec::Leaf::zero) {
        stack.push_back(0);
      } else {
        stack.push_back(y == nullptr ? x[op.index] : x[op.index] * y[op.index]);
      }
      continue;
    }
    if (!waiting.empty()) {
      stack.back() = std::fma(x[waiting.back()], y[waiting.back()], stack.back());
      waiting.pop_back();
      continue;
    }
    const T right = stack.back();
    stack.pop_back();
    stack.back() += right;
  }
  return stack.back();
}

template <class T>
T by_processor(const spec::Tree& tree, const T* x, const T* y) {
  std::vector<T> stack;
  stack.reserve(tree.ops.size());
  const unsigned saved = _mm_getcsr();
  _mm_setcsr(saved | (spec::flushes_inputs(tree.flush) ? 0x0040u : 0u) |
             (spec::flushes_results(tree.flush) ? 0x8000u : 0u));
  const T value = run_here(tree, x, y, stack);
  _mm_setcsr(saved);
  return value;
}
const bool kHasReference = __builtin_cpu_supports("fma");
#else
template <class T>
T by_processor(const spec::Tree&, const T*, const T*) {
  return 0;
}
constexpr bool kHasReference = false;
#endif

struct Seen {
  int values = 0, flushed = 0;  // those that IEEE 754 would give other bits
};

template <class T>
void compare(const NamedOrder& named, spec::Order order, std::int64_t n, std::mt19937_64& random,
             Seen& seen) {
  std::vector<T> x(static_cast<std::size_t>(n)), y(x.size());
  const bool dot = named.routine == spec::Routine::dot;
  fill_near_underflow(random, x, y, dot);
  const T* second = dot ? y.data() : nullptr;
  const T kept = spec::evaluate<T>(order, n, x.data(), 1, second, 1);
  for (const Flush flush : kFlushing) {
    order.flush = flush;
    const spec::Tree tree = spec::expand(order, n);
    ASSERT_EQ(tree.flush, flush);
    const T streamed = spec::evaluate<T>(order, n, x.data(), 1, second, 1);
    const T by_tree = spec::evaluate<T>(tree, x.data(), 1, second, 1);
    ASSERT_TRUE(test::same(by_tree, streamed))
        << "n = " << n << ": " << by_tree << ", " << streamed;
    if (kHasReference) {
      const T wanted = by_processor(tree, x.data(), second);
      ASSERT_TRUE(test::same(wanted, streamed))
          << spec::describe(flush) << ", n = " << n << ": " << wanted << ", " << streamed;
    }
    ++seen.values;
    seen.flushed += test::same(streamed, kept) ? 0 : 1;
  }
}

void compare_all(const NamedOrder& named, std::mt19937_64& random, Seen& seen) {
  SCOPED_TRACE(named.name + ": " + named.text);
  const spec::Order order = spec::parse_order(named.text);
  if (spec::has_wide(order)) return;
  std::vector<std::int64_t> sizes{1, 2, 3, 4, 5, 7};
  for (int k = 0; k < 12; ++k) sizes.push_back(1 + static_cast<std::int64_t>(random() % 600));
  for (const std::int64_t n : sizes) {
    if (n > named.n_max) continue;
    spec::is_f32(named.type) ? compare<float>(named, order, n, random, seen)
                             : compare<double>(named, order, n, random, seen);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Flush, EvaluatorsAndProcessorAgree) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  Seen seen;
  for (const auto& orders : {test::library_orders(), test::synthetic_orders(), test::lane_orders()})
    for (const NamedOrder& named : orders) {
      compare_all(named, random, seen);
      if (HasFatalFailure()) return;
    }
  for (int k = 0; k < 200; ++k) {
    compare_all(test::random_order(random), random, seen);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(seen.flushed, seen.values / 4) << "of " << seen.values;
}

// What is generated against the interpreter: single calls, with increments, and batches.
template <class T>
void compare_kernels(const NamedOrder& named, Flush flush, std::mt19937_64& random,
                     int& generated) {
  spec::Order order = spec::parse_order(named.text);
  if (spec::has_wide(order)) return;
  order.flush = flush;
  const bool dot = named.routine == spec::Routine::dot;
  for (const Isa isa : host_isas()) {
    std::string why;
    const auto kernel = compile<T>(order, named.routine, {isa, ""}, &why);
    SCOPED_TRACE(kernel->name() + " " + why);
    generated += kernel->isa() == Isa::interpreter ? 0 : 1;
    std::vector<std::int64_t> sizes{1, 2, 3, 4, 5, 7, 8, 16, 33};
    for (int k = 0; k < 6; ++k) sizes.push_back(1 + static_cast<std::int64_t>(random() % 700));
    for (const std::int64_t n : sizes) {
      if (n > named.n_max) continue;
      constexpr std::int64_t kRows = 11;
      std::vector<T> x(static_cast<std::size_t>(n * kRows)), y(x.size());
      fill_near_underflow(random, x, y, dot);
      const T* second = dot ? y.data() : nullptr;
      T wanted[kRows], got[kRows], strided = 0;
      for (std::int64_t row = 0; row < kRows; ++row)
        wanted[row] =
            spec::evaluate<T>(order, n, x.data() + row * n, 1, dot ? second + row * n : nullptr, 1);
      kernel->batch(n, kRows, x.data(), n, second, n, got);
      for (std::int64_t row = 0; row < kRows; ++row) {
        const T alone = kernel->call(n, x.data() + row * n, dot ? second + row * n : nullptr);
        ASSERT_TRUE(test::same(wanted[row], alone))
            << "n = " << n << ": " << wanted[row] << ", " << alone;
        ASSERT_TRUE(test::same(wanted[row], got[row])) << "row " << row << " of n = " << n;
      }
      if (!kernel->call_strided(n, x.data() + n - 1, -1, dot ? second + 2 * n : nullptr, 2,
                                &strided))
        continue;
      const T interpreted =
          spec::evaluate<T>(order, n, x.data() + n - 1, -1, dot ? second + 2 * n : nullptr, 2);
      ASSERT_TRUE(test::same(interpreted, strided)) << "strided, n = " << n;
    }
  }
}

TEST(Flush, KernelsDoAsTheInterpreter) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::vector<NamedOrder> orders = test::library_orders();
  for (const NamedOrder& named : test::synthetic_orders()) orders.push_back(named);
  for (int k = 0; k < 20; ++k) orders.push_back(test::random_order(random));
#if defined(__SSE2__)
  const unsigned mode = _mm_getcsr();
#endif
  int generated = 0;
  for (const NamedOrder& named : orders) {
    SCOPED_TRACE(named.name + ": " + named.text);
    if (random() % 2 == 0) continue;  // making code takes time: other seeds take the others
    const Flush flush = kFlushing[random() % 3];
    spec::is_f32(named.type) ? compare_kernels<float>(named, flush, random, generated)
                             : compare_kernels<double>(named, flush, random, generated);
    if (HasFatalFailure()) return;
  }
#if defined(__SSE2__)
  EXPECT_EQ(_mm_getcsr() & 0xffc0, mode & 0xffc0);  // without the flags
#endif
  EXPECT_GT(generated, host_isas().size() > 1 ? 10 : -1);
}

template <class T>
T value(const char* text, std::vector<T> x, std::vector<T> y) {
  const spec::Order order = spec::parse_order(text);
  return spec::evaluate<T>(order, static_cast<std::int64_t>(x.size()), x.data(), 1,
                           y.empty() ? nullptr : y.data(), 1);
}

template <class T>
void check_bits() {
  const std::string sum = " 1..9: loop 1 { 0: [.@0 +1 x q]; }";
  const std::string fused = " 1..9: loop 1 { 0: [f@0 +1 x q]; }";
  const T least = kLeast<T>, ulp = std::numeric_limits<T>::epsilon();
  const auto sum_of = [&](const char* flush, std::vector<T> x, std::vector<T> y = {}) {
    return value<T>((flush + sum).c_str(), std::move(x), std::move(y));
  };
  const auto is_zero = [](T v, bool negative) { return v == 0 && std::signbit(v) == negative; };
  // One summand alone is no operation; a product is one.
  EXPECT_EQ(sum_of("flush both", {least / 2}), least / 2);
  EXPECT_TRUE(is_zero(sum_of("flush both", {least / 2}, {-1}), true));
  EXPECT_TRUE(is_zero(sum_of("flush inputs", {least / 2}, {-1}), true));
  // Operands and results apart, a sum that is an operand next.
  EXPECT_EQ(sum_of("flush inputs", {least, least / 2}), least);
  EXPECT_EQ(sum_of("flush results", {least, least / 2}), least + least / 2);
  EXPECT_EQ(sum_of("flush inputs", {least + least / 2, -least}), least / 2);
  EXPECT_TRUE(is_zero(sum_of("flush results", {-least - least / 2, least}), true));
  EXPECT_EQ(sum_of("flush inputs", {least + least / 2, -least, least}), least);
  // The product is tiny where it is still below the least normal number after it is rounded as if
  // there were none: (1 - u/2) * least is; (1 - u^2) * least rounds to the least normal number.
  EXPECT_EQ((1 - ulp / 2) * least, least);
  EXPECT_TRUE(is_zero(sum_of("flush results", {1 - ulp / 2}, {least}), false));
  EXPECT_EQ(sum_of("flush inputs", {1 - ulp / 2}, {least}), least);
  const T d = std::ldexp(T(1), -std::numeric_limits<T>::digits / 2 - 1);
  EXPECT_EQ(sum_of("flush results", {1 + d}, {(1 - d) * least}), least);
  // Fused: the product is no result of its own.
  const std::vector<T> x{least, least / 4}, y{1, 2};
  EXPECT_EQ(value<T>(("flush results" + fused).c_str(), x, y), least + least / 2);
  EXPECT_EQ(sum_of("flush results", x, y), least);
  // Nothing else: Inf, NaN and zeros pass.
  const T inf = std::numeric_limits<T>::infinity();
  EXPECT_EQ(sum_of("flush both", {inf, least / 2}), inf);
  EXPECT_TRUE(std::isnan(sum_of("flush both", {inf, -inf})));
  EXPECT_TRUE(is_zero(sum_of("flush both", {T(-0.0), T(-0.0)}), true));
}

TEST(Flush, BitsOfFloats) { check_bits<float>(); }
TEST(Flush, BitsOfDoubles) { check_bits<double>(); }

}  // namespace
}  // namespace reprosum::kernels
