// Specs of gemv and gemm: real region rules as documents, canonical form, and the hash.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "random_order.h"
#include "random_region.h"
#include "sample_orders.h"
#include "sample_regions.h"
#include "spec/canonical_region.h"
#include "spec/error.h"
#include "spec/expand.h"
#include "spec/surface.h"

namespace reprosum::spec {
namespace {

TEST(MatrixJson, RealRegionRulesComeBack) {
  for (const Spec& spec : samples::all_regions()) {
    for (const MatrixRegime& regime : spec.entries[0].regimes) validate(regime);
    for (const Order& order : spec.orders) EXPECT_TRUE(is_update(order));
    const std::string json = to_json(spec);
    const Spec back = from_json(json);
    EXPECT_EQ(to_json(back), json);
    EXPECT_EQ(back.orders, spec.orders);
    ASSERT_EQ(back.entries.size(), 1u);
    EXPECT_EQ(back.entries[0].regimes, spec.entries[0].regimes);
    EXPECT_EQ(back.entries[0].guard, spec.entries[0].guard);
  }
}

TEST(MatrixJson, RealRegionRulesDecide) {
  const Spec spec = samples::skylakex_dgemm();
  const auto& regimes = spec.entries[0].regimes;
  const auto small = regions(regimes, {30, 40, 100}), medium = regions(regimes, {40, 40, 100}),
             large = regions(regimes, {201, 201, 100});
  ASSERT_TRUE(small && medium && large);
  EXPECT_EQ(small->regime, &regimes[0]);
  EXPECT_EQ(medium->regime, &regimes[1]);
  EXPECT_EQ(large->regime, &regimes[2]);
  EXPECT_EQ(large->class_at(200, 200), 1);
  EXPECT_EQ(large->class_at(0, 200), 0);
  const Spec sgemm = samples::haswell_sgemm();
  const auto map = regions(sgemm.entries[0].regimes, {75, 47, 100});
  ASSERT_TRUE(map);
  const std::vector<Stretch> rows{{0, 8, 0}, {8, 56, 1}, {64, 8, 2}, {72, 3, 3}};
  const std::vector<Stretch> columns{{0, 6, 0},  {6, 6, 1},  {12, 6, 0}, {18, 6, 1},
                                     {24, 6, 0}, {30, 6, 1}, {36, 11, 4}};
  EXPECT_EQ(map->rows, rows);
  EXPECT_EQ(map->columns, columns);
}

TEST(MatrixJson, TheCanonicalFormHasTheSameMaps) {
  std::vector<Order> orders{parse_order(samples::kSequential), parse_order(samples::kHaswellDdot)};
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const MatrixRegime regime = RandomRegions(seed).regime(orders);
    MatrixRegime canonical = regime;
    canonicalize(canonical);
    ASSERT_NO_THROW(validate(regime));
    ASSERT_NO_THROW(validate(canonical));
    MatrixRegime again = canonical;
    canonicalize(again);
    EXPECT_EQ(again, canonical);
    for (std::int64_t size = 1; size <= regime.rows.back().to; ++size)
      EXPECT_EQ(stretches(canonical.rows, size), stretches(regime.rows, size));
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b) {
        const std::int32_t was = regime.table[a][b], is = canonical.table[a][b];
        ASSERT_EQ(was < 0, is < 0);
        if (was >= 0) {
          const MatrixClass &x = regime.classes[std::size_t(was)],
                            &y = canonical.classes[std::size_t(is)];
          EXPECT_EQ(std::tie(x.order, x.alpha_zero), std::tie(y.order, y.alpha_zero));
          for (std::int64_t k = 1; k <= regime.k_max; ++k)
            ASSERT_EQ(x.beta_zero_at(k), y.beta_zero_at(k)) << k;
        }
      }
  }
}

TEST(MatrixJson, TheHashCoversTheRegionsAndNotTheirEvidence) {
  const Spec spec = samples::haswell_sgemm();
  const std::string hash = meaning_hash(spec);
  Spec same = spec;
  same.entries[0].certificate.calls = 5;
  // Another way to write the same rule.
  same.orders.insert(same.orders.begin(), parse_order(samples::kColumnByColumn));
  auto& regime = same.entries[0].regimes[0];
  regime.classes = {{2, {}, {}}, {1, {}, {}}, {0, {}, {}}};
  for (auto& row : regime.table)
    for (auto& entry : row)
      entry = spec.entries[0].regimes[0].classes[std::size_t(entry)].order == 0 ? 1 : 0;
  EXPECT_EQ(meaning_hash(same), hash);
  const auto changed = [&](auto change) {
    Spec other = spec;
    change(other.entries[0]);
    return meaning_hash(other) != hash;
  };
  EXPECT_TRUE(changed([](Entry& e) { e.m_max = 7; }));
  EXPECT_TRUE(changed([](Entry& e) { e.type = Type::f64; }));
  EXPECT_TRUE(changed([](Entry& e) { e.guard.trans_a = Trans::yes; }));
  EXPECT_TRUE(changed([](Entry& e) { e.guard.finite_only = true; }));
  EXPECT_TRUE(changed([](Entry& e) { e.guard.nonzero_only = true; }));
  EXPECT_TRUE(changed([](Entry& e) { e.guard.alpha_one = true; }));
  EXPECT_TRUE(changed([](Entry& e) { e.guard.beta = Beta::other; }));
  for (std::size_t k = 0; k < kLeadingPlaces; ++k)
    EXPECT_TRUE(changed([&](Entry& e) { e.guard.leading[k] = Leading::tight; }));
  EXPECT_TRUE(changed([](Entry& e) {
    e.guard.addresses = {{1, 1, 16, 1, 1, 1}, {{0, 0, 8, 0, 0, 0}}};
  }));
  // Every address is a multiple of 4 bytes: this limits nothing.
  EXPECT_FALSE(changed([](Entry& e) {
    e.guard.addresses = {{1, 1, 8, 1, 1, 1}, {{0, 0, 0, 0, 0, 0}, {0, 0, 4, 0, 0, 0}}};
  }));
  EXPECT_TRUE(changed([](Entry& e) { e.regimes[0].k_max = 7; }));
  EXPECT_TRUE(changed([](Entry& e) { e.regimes[0].table[5][4] = 1; }));
  EXPECT_TRUE(
      changed([](Entry& e) { e.regimes[0].classes[0].beta_zero = MatrixClass::BetaZero::drop; }));
  const auto with_rules = [&](const MatrixClass::BetaZeroUpTo& rules) {
    return changed([&](Entry& e) { e.regimes[0].classes[0].beta_zero_up_to = rules; });
  };
  using enum MatrixClass::BetaZero;
  EXPECT_TRUE(with_rules({{4, drop_zeros}}));
  EXPECT_TRUE(with_rules({{4, store}, {5, drop}, {9, store}}));
  EXPECT_FALSE(with_rules({{4, store}}));  // as beyond
  EXPECT_FALSE(with_rules({{3, store}, {7, store}}));
}

// The number is that of a document: what is added to the language must not change it.
TEST(MatrixJson, ASpecWithoutProductsKeepsItsBytesAndItsHash) {
  Spec spec;
  spec.orders = {parse_order("1: trees { 1: [.@0]; }")};
  spec.entries = {entry_of_one_output(Routine::dot, Type::f64, vector_guard({{1, 1}}, {1}), 0, 1)};
  EXPECT_EQ(
      to_json(spec, 0),
      R"({"entries":[{"certificate":{"calls":0,"largest":[0,0,0],"not_checked":[],)"
      R"("outputs_checked":0,"seed":0,"shapes_checked":0},"guard":{"increments":[[1,1]],)"
      R"("modulus":1,"residues":[],"threads":[1]},"regimes":[{"classes":[{"order":0}],"k_max":1}],)"
      R"("routine":"dot","type":"f64"}],"format":"reprosum-spec/2","orders":[{"regimes":[{"hi":1,)"
      R"("lo":1,"rule":{"entries":[{"chains":[["narrow",["."]]],"n":1}],"kind":"trees"}}],)"
      R"("subs":[],"zero_start":0}],"provenance":{},"refusals":[],)"
      R"("sha256":"478312fac9562bbecd1183e159928e2b3daca38546947ef366bdb4f70ca22702"})");
  EXPECT_EQ(meaning_hash(spec), "478312fac9562bbecd1183e159928e2b3daca38546947ef366bdb4f70ca22702");
}

TEST(MatrixJson, OrdersAreSharedBetweenSumsAndProducts) {
  Spec spec = samples::haswell_sgemm();
  spec.orders.push_back(parse_order(samples::kSequential));
  spec.orders.push_back(parse_order(samples::kTwoAccumulators));
  spec.entries[0].regimes[0].classes[0].order = 3;
  spec.entries.push_back(
      entry_of_one_output(Routine::dot, Type::f64, vector_guard({{1, 1}}, {1}), 2, 9));
  canonicalize(spec);
  EXPECT_EQ(spec.orders.size(), 3u);
  const auto text_of = [&](std::size_t order) { return print(spec.orders[order]); };
  EXPECT_EQ(text_of(order_of(spec.entries[0])), print(parse_order(samples::kSequential)));
  const auto& regime = spec.entries[1].regimes[0];
  const auto first = std::size_t(regime.table[0][0]);
  EXPECT_EQ(text_of(regime.classes[first].order), print(parse_order(samples::kTwoAccumulators)));
}

TEST(MatrixJson, DamagedDocumentsAreRefusedOrValid) {
  Spec spec = samples::all_routines();
  Entry& gemv = spec.entries[2];
  gemv.regimes[1].rows[0].schemas.resize(16);
  gemv.guard.addresses = {{1, 1, 16, 8, 1, 1}, {{0, 0, 8, 4}, {0, 0, 12, 0}}};
  const std::string json = to_json(spec, 0);
  for (std::size_t at = 0; at < json.size(); at += 2)
    for (const char c : {'0', '9', '-', '"', ']', '\0'}) {
      std::string damaged = json;
      damaged[at] = c;
      try {
        from_json(damaged);
      } catch (const ParseError& error) {
        EXPECT_TRUE(error.where.rfind("byte ", 0) == 0 || error.where.rfind("/", 0) == 0)
            << error.what();
      }
    }
}

}  // namespace
}  // namespace reprosum::spec
