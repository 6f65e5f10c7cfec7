// Orders in any formats against MPFR: random trees, with and without fused nodes.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "mpfr_format.h"
#include "spec/error.h"
#include "spec/evaluate/evaluate_type.h"
#include "spec/expand.h"
#include "spec/surface.h"

namespace reprosum::spec {
namespace {

constexpr int kExactBits = 5000;  // of every sum of products of doubles

class Number {
 public:
  Number() { mpfr_init2(value_, kExactBits), mpfr_set_zero(value_, 1); }
  explicit Number(double value) : Number() { mpfr_set_d(value_, value, MPFR_RNDN); }
  Number(const Number& other) : Number() { mpfr_set(value_, other.value_, MPFR_RNDN); }
  Number& operator=(const Number& other) {
    mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~Number() { mpfr_clear(value_); }
  Number plus(const Number& right) const {
    Number sum;
    EXPECT_EQ(mpfr_add(sum.value_, value_, right.value_, MPFR_RNDN), 0);
    return sum;
  }
  Number times(const Number& right) const {
    Number product;
    EXPECT_EQ(mpfr_mul(product.value_, value_, right.value_, MPFR_RNDN), 0);
    return product;
  }
  Number in(const Format& format) const { return Number(test::rounded_by_mpfr(format, value_)); }
  double value() const { return mpfr_get_d(value_, MPFR_RNDN); }

 private:
  mpfr_t value_;
};

// A value, or one that its node takes without rounding it first.
struct Slot {
  Number number;
  bool is_raw = false;
};

double by_mpfr(const Type& type, const Tree& tree, const double* x, const double* y) {
  std::vector<Slot> stack;
  for (const TreeOp& op : tree.ops) {
    if (op.kind == TreeOp::Kind::leaf) {
      if (op.leaf == Leaf::zero) {
        stack.push_back({Number(0.0), false});
      } else if (y == nullptr) {
        stack.push_back({Number(x[op.index]), false});
      } else {
        const Number product = Number(x[op.index]).times(Number(y[op.index]));
        const bool is_raw =
            op.leaf == Leaf::fused || (op.leaf == Leaf::rounded && is_exact(type.product));
        const Format& format = op.leaf == Leaf::exact ? Format::f64 : type.product;
        stack.push_back({is_raw ? product : product.in(format), is_raw});
      }
      continue;
    }
    const Slot right = stack.back();
    stack.pop_back();
    const Slot left = stack.back();
    const Format& format = op.format == NodeFormat::wide ? Format::f64 : type.accumulator;
    const auto operand = [&](const Slot& slot) {
      return slot.is_raw ? slot.number : slot.number.in(format);
    };
    const Number sum = operand(left).plus(operand(right));
    stack.back() = {op.format == NodeFormat::exact ? sum : sum.in(format),
                    op.format == NodeFormat::exact};
    if (op.stored) stack.back().number = stack.back().number.in(type.accumulator);
  }
  return stack.back().number.in(type.accumulator).in(type.output).value();
}

// Random trees of n summands in the language: chains in chains, some of which fuse their terms.
class RandomTrees {
 public:
  explicit RandomTrees(std::mt19937_64& random) : random_(random) {}

  Order order(std::int64_t n, bool may_wide) {
    may_wide_ = may_wide;
    schema_ = {};
    std::vector<std::int64_t> places(static_cast<std::size_t>(n));
    std::iota(places.begin(), places.end(), 0);
    std::shuffle(places.begin(), places.end(), random_);
    chain(places, 0);
    Order order;
    order.zero_start = below(4) == 0;
    order.regimes = {{1, n, Explicit{{{n, schema_}}}}};
    return order;
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }

  std::int32_t chain(const std::vector<std::int64_t>& places, int depth) {
    Chain made;
    made.format = may_wide_ && below(5) == 0 ? NodeFormat::wide : NodeFormat::narrow;
    if (made.format == NodeFormat::narrow && below(2) == 0) made.fused.terms = 2 + below(5);
    for (std::size_t k = 0; k < places.size();) {
      Item item;
      const std::size_t rest = places.size() - k;
      if (below(12) == 0) {
        item.shape.leaf = Leaf::zero;
      } else if (depth < 4 && rest > 1 && below(3) == 0) {
        const std::size_t taken = 1 + static_cast<std::size_t>(below(static_cast<int>(rest)));
        const auto from = places.begin() + static_cast<std::ptrdiff_t>(k);
        item.shape.chain = chain({from, from + static_cast<std::ptrdiff_t>(taken)}, depth + 1);
        k += taken;
      } else {
        item.shape.leaf = below(3) == 0 ? Leaf::rounded : Leaf::fused;
        if (made.format == NodeFormat::wide && below(2) == 0) item.shape.leaf = Leaf::exact;
        item.at.c = places[k++];
      }
      made.items.push_back(item);
    }
    schema_.chains.push_back(made);
    return static_cast<std::int32_t>(schema_.chains.size() - 1);
  }

  std::mt19937_64& random_;
  Schema schema_;
  bool may_wide_ = false;
};

std::vector<double> numbers(const Format& format, std::size_t n, std::mt19937_64& random) {
  std::vector<double> out;
  const int way = static_cast<int>(random() % 4);  // small, anything, near underflow, special
  const int low = least_subnormal_exponent(format), high = greatest_exponent(format);
  while (out.size() < n) {
    int exponent = static_cast<int>(random() % 12) - 6;
    if (way == 1) exponent = low + static_cast<int>(random() % static_cast<unsigned>(high - low));
    if (way == 2) exponent = low / 2 - 6 + static_cast<int>(random() % 14);
    double value = rounded(format, std::ldexp(static_cast<double>(random() >> 11), exponent - 52));
    if (random() % 2 == 0) value = -value;
    if (random() % 9 == 0) value = std::copysign(0.0, value);
    if (way == 3 && random() % 12 == 0)
      value = random() % 3 == 0 ? std::nan("") : value * std::numeric_limits<double>::infinity();
    if (!out.empty() && random() % 6 == 0) value = -out[random() % out.size()];
    out.push_back(value);
  }
  return out;
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

TEST(EvaluateType, IsWhatMpfrComputes) {
  const Type types[] = {Type::f16,
                        Type::bf16,
                        Type::f32,
                        Type::f64,
                        Type(Format::f16, Format::exact, Format::f32, Format::f16),
                        Type(Format::bf16, Format::exact, Format::f32, Format::bf16),
                        Type(Format::bf16, Format::f32, Format::f32, Format::f32),
                        Type(Format::e5m2, Format::exact, Format::f16, Format::f16),
                        Type(Format::tf32, Format::exact, Format::f32, Format::f32),
                        Type(Format::f64, Format::f32, Format::f16, Format::bf16)};
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  RandomTrees trees(random);
  int fused = 0;
  for (int i = 0; i < 150; ++i)
    for (const Type& type : types) {
      const std::int64_t n = 1 + static_cast<std::int64_t>(random() % 40);
      const bool may_wide = type.accumulator != Format::f64 && type.input != Format::f64;
      Order order = trees.order(n, may_wide);
      if (n > 1) order.regimes[0].lo = n;  // its only tree; the order as a whole starts at 1
      const Tree tree = expand(order, n);
      fused += has_fused_nodes(tree) ? 1 : 0;
      ASSERT_LE(has_fused_nodes(tree), has_fused_nodes(order));
      const auto x = numbers(type.input, std::size_t(n), random),
                 y = numbers(type.input, std::size_t(n), random);
      const double* const second = i % 5 == 0 ? nullptr : y.data();
      const double got = evaluate_in(type, order, n, x.data(), second);
      ASSERT_TRUE(same(got, by_mpfr(type, tree, x.data(), second)))
          << name(type) << " n = " << n << ": " << std::hexfloat << got << "\n"
          << print(order);
    }
  EXPECT_GT(fused, 300);
}

TEST(EvaluateType, RefusesWhatItDoesNotKnowInWords) {
  const double x[] = {1, 2}, y[] = {3, 4};
  const auto says = [&](const char* text, const Type& type, const char* words) {
    try {
      evaluate_in(type, parse_order(text), 2, x, y);
      ADD_FAILURE() << text;
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  says("flush both 1..9: loop 1 { 0: [f@0 +1 x q]; }", Type::f16, "f16");
  says("1..9: loop 1 { 0: wide [.@0 +1 x q]; }", Type::f64, "wider than f64");
  says("1..9: loop 1 { 0: [out .@0 +1 x q]; }", Type::bf16, "output");
}

}  // namespace
}  // namespace reprosum::spec
