// Classes that exist for a few k only: every k has a tree of its own and few outputs to tell it by.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "reveal/matrix/class_order.h"
#include "spec/surface.h"
#include "tests/reveal/matrix/planted_product.h"
#include "tests/reveal/matrix/update_by_hand.h"

namespace reprosum::reveal {
namespace {

using test::Element;

CellsAt between(std::int64_t lo, std::int64_t hi, std::int64_t outputs) {
  const CellsAt all = test::diagonal(spec::Routine::gemv, spec::Type::f32, outputs);
  return [=](std::int64_t k) { return lo <= k && k <= hi ? all(k) : std::nullopt; };
}

ClassOptions options_up_to(std::int64_t k_max, std::uint64_t seed) {
  ClassOptions options;
  options.k_max = k_max;
  options.seed = seed;
  return options;
}

float c_of(const Element& e) { return e.beta == 0 ? 0.0F : float(e.beta) * float(e.c); }

// The later product is rounded and the earlier one fused with it, or the other way round.
double pairs(const Element& e, bool is_later_rounded) {
  if (e.alpha == 0) return c_of(e);
  std::vector<float> x(e.x, e.x + e.k()), y(e.y, e.y + e.k());
  for (float& value : y) value *= float(e.alpha);
  if (e.k() == 1) return c_of(e) + x[0] * y[0];
  const float sum = is_later_rounded ? std::fma(x[0], y[0], float(x[1] * y[1]))
                                     : std::fma(x[1], y[1], float(x[0] * y[0]));
  return c_of(e) + sum;
}

// A chain that starts with a product, or with +0.
double chain(const Element& e, bool starts_at_zero) {
  if (e.alpha == 0) return c_of(e);
  float sum =
      starts_at_zero ? std::fma(float(e.x[0]), float(e.y[0]), 0.0F) : float(e.x[0]) * float(e.y[0]);
  for (std::int64_t p = 1; p < e.k(); ++p) sum = std::fma(float(e.x[p]), float(e.y[p]), sum);
  return std::fma(float(e.alpha), sum, c_of(e));
}

// One product, fused with a +0 or rounded before one: where it underflows, the first is a -0.
double product_beside_zero(const Element& e, bool is_rounded) {
  if (e.alpha == 0) return c_of(e);
  const float x = float(e.x[0]), y = float(e.y[0]);
  const float product = is_rounded ? 0.0F + float(x * y) : std::fma(x, y, 0.0F);
  return std::fma(float(e.alpha), product, c_of(e));
}

// The order of `known` is not taken for that of `planted`; its own is found.
void expect_told_apart(const test::ElementFunction& planted, const test::ElementFunction& known,
                       const CellsAt& cells, std::int64_t k_max) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ClassOptions options = options_up_to(k_max, seed);
    test::PlantedProduct other(known), target(planted);
    const ClassOrder wrong = reveal_class(other, cells, options);
    options.known = {{wrong.order, wrong.beta_zero, wrong.alpha_zero, wrong.k_max}};
    const ClassOrder found = reveal_class(target, cells, options);
    EXPECT_FALSE(found.known.has_value()) << spec::print(found.order);
    EXPECT_NE(found.order, wrong.order) << spec::print(found.order);
  }
}

TEST(FewSummands, TellWhichProductIsRounded) {
  expect_told_apart([](const Element& e) { return pairs(e, true); },
                    [](const Element& e) { return pairs(e, false); }, between(1, 2, 15), 2);
}

TEST(FewSummands, TellChainsThatStartAtZero) {
  expect_told_apart([](const Element& e) { return chain(e, false); },
                    [](const Element& e) { return chain(e, true); }, between(5, 7, 15), 7);
}

// Only the sign of a product that underflows tells these apart, and only where beta * C is a -0.
TEST(FewSummands, TellOneProductsSignsOfZero) {
  const auto rounded = [](const Element& e) { return product_beside_zero(e, true); };
  const auto fused = [](const Element& e) { return product_beside_zero(e, false); };
  expect_told_apart(rounded, fused, between(1, 1, 3), 1);
  expect_told_apart(fused, rounded, between(1, 1, 3), 1);
}

// A class that begins where others have many summands has no small sizes, where zeros are frequent.
TEST(FewSummands, TellAZeroBesideManySummands) {
  const auto onto_c = [](const Element& e) -> double {
    float sum = c_of(e);
    if (e.alpha == 0) return sum;
    for (std::int64_t p = 0; p < e.k(); ++p)
      sum += float(float(e.alpha) * float(e.x[p])) * float(e.y[p]);
    return sum;
  };
  const auto beside_zero = [&](const Element& e) -> double {
    return e.alpha == 0 ? c_of(e) : 0.0F + float(onto_c(e));
  };
  expect_told_apart(onto_c, beside_zero, between(48, 64, 8), 64);
}

// From 60 summands on there are two lanes, and few sizes to see that the second starts at +0.
TEST(FewSummands, TellALaneThatStartsAtZeroFromSomeSizeOn) {
  const auto lanes = [](bool is_from_zero) {
    return [=](const Element& e) -> double {
      float sum = c_of(e);
      if (e.alpha == 0) return sum;
      const auto product = [&](std::int64_t p) {
        return float(float(e.alpha) * float(e.x[p])) * float(e.y[p]);
      };
      if (e.k() < 60) {
        for (std::int64_t p = 0; p < e.k(); ++p) sum += product(p);
        return sum;
      }
      float second = is_from_zero ? 0.0F + product(1) : product(1);
      for (std::int64_t p = 0; p < e.k(); p += 2) sum += product(p);
      for (std::int64_t p = 3; p < e.k(); p += 2) second += product(p);
      return sum + second;
    };
  };
  expect_told_apart(lanes(true), lanes(false), between(1, 64, 30), 64);
}

// Lanes from +0 whose sum alpha scales, and products with alpha in a factor: the +0 belongs to the
// lanes alone, which only a negative alpha shows.
TEST(FewSummands, ShowWhereTheZeroIsThatAlphaScales) {
  const auto planted = [](const Element& e) -> double {
    if (e.alpha == 0) return c_of(e);
    const auto lane = [&](std::int64_t p) { return 0.0F + float(e.x[p]) * float(e.y[p]); };
    const float group = (lane(0) + lane(1)) + (lane(2) + lane(3));
    const float sum = c_of(e) + float(e.alpha) * group;
    const auto scaled = [&](std::int64_t p) { return float(e.alpha) * float(e.y[p]); };
    if (e.k() == 5) return std::fma(float(e.x[4]), scaled(4), sum);
    float tail = std::fma(float(e.x[4]), scaled(4), float(e.x[5]) * scaled(5));
    if (e.k() > 6) tail = std::fma(float(e.x[6]), scaled(6), tail);
    return sum + tail;
  };
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::PlantedProduct target(planted);
    const ClassOrder found = reveal_class(target, between(5, 7, 12), options_up_to(7, seed));
    EXPECT_FALSE(found.alpha_one_only) << spec::print(found.order);
    EXPECT_EQ(found.k_max, 7);
  }
}

}  // namespace
}  // namespace reprosum::reveal
