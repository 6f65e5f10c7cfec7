// Region rules: words against a brute-force expansion, guards, and what validate() refuses.
#include "spec/region.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "random_region.h"
#include "spec/canonical_region.h"
#include "spec/describe_matrix.h"
#include "spec/error.h"

namespace reprosum::spec {
namespace {

TypeRun run(std::int32_t type, std::int64_t c, std::int64_t q = 0) { return {type, {c, q}}; }
WordItem once(TypeRun r) { return {{1, 0}, {r}}; }

// Rows or columns of one type, every size.
Axis uniform() { return {{1, 1000, 1, 1, {}, {{once(run(0, 1, 1))}}}}; }

MatrixRegime one_class() {
  MatrixRegime regime;
  regime.rows = regime.columns = uniform();
  regime.table = {{0}};
  regime.classes = {{}};
  regime.k_max = 1000;
  return regime;
}

// The word as a list of types, by the definition in region.h.
std::vector<std::int32_t> types_of(const Segment& segment, std::int64_t size) {
  const bool listed = size < segment.base;
  const std::int64_t above = size - segment.base;
  const std::int64_t q = listed ? 0 : above / segment.period;
  const Word& word = listed ? segment.words[std::size_t(size - segment.from)]
                            : segment.schemas[std::size_t(above % segment.period)];
  std::vector<std::int32_t> types;
  for (const WordItem& item : word)
    for (std::int64_t t = 0; t < item.times.c + item.times.q * q; ++t)
      for (const TypeRun& r : item.runs)
        for (std::int64_t k = 0; k < r.length.c + r.length.q * q; ++k) types.push_back(r.type);
  return types;
}

TEST(Region, WordsAreTheirDefinition) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    MatrixRegime regime = one_class();
    regime.rows = RandomRegions(seed).axis();
    regime.table = {{0}, {0}, {0}};
    ASSERT_NO_THROW(validate(regime));
    for (std::int64_t size = 0; size <= regime.rows.back().to + 2; ++size) {
      const Segment* holds = nullptr;
      for (const Segment& segment : regime.rows)
        if (segment.from <= size && size <= segment.to) holds = &segment;
      const auto found = stretches(regime.rows, size);
      ASSERT_EQ(found.has_value(), holds != nullptr);
      if (holds == nullptr) continue;
      std::vector<std::int32_t> types;
      for (std::size_t k = 0; k < found->size(); ++k) {
        const Stretch& stretch = (*found)[k];
        ASSERT_EQ(stretch.first, std::ssize(types));
        ASSERT_GT(stretch.count, 0);
        if (k > 0) {
          ASSERT_NE(stretch.type, (*found)[k - 1].type);
        }
        types.insert(types.end(), std::size_t(stretch.count), stretch.type);
      }
      ASSERT_EQ(types, types_of(*holds, size)) << "size " << size;
      ASSERT_EQ(std::ssize(types), size);
    }
  }
}

TEST(Region, AClassIsThatOfItsTypes) {
  MatrixRegime regime = one_class();
  // Rows: the last one apart; columns: pairs and a single.
  regime.rows = {{1, 9, 2, 1, {{once(run(1, 1))}}, {{once(run(0, 1, 1)), once(run(1, 1))}}}};
  regime.columns = {
      {1, 9, 1, 2, {}, {{once(run(0, 0, 2)), once(run(1, 1))}, {once(run(0, 2, 2))}}}};
  regime.table = {{0, 1}, {1, 2}};
  regime.classes.resize(3);
  ASSERT_NO_THROW(validate(regime));
  const std::vector<MatrixRegime> regimes{regime};
  const auto map = regions(regimes, {3, 5, 7});
  ASSERT_TRUE(map);
  for (std::int64_t i = 0; i < 3; ++i)
    for (std::int64_t j = 0; j < 5; ++j) EXPECT_EQ(map->class_at(i, j), (i == 2) + (j == 4));
}

TEST(Region, AtomsHoldAtAnySize) {
  Atom atom;
  atom.use_m = atom.use_n = atom.use_k = true;
  atom.limit = 1'000'000;
  EXPECT_TRUE(atom.holds({100, 100, 100}));
  EXPECT_FALSE(atom.holds({100, 100, 101}));
  const std::int64_t huge = std::int64_t{1} << 40;
  EXPECT_FALSE(atom.holds({huge, huge, huge}));
  atom.kind = Atom::Kind::above;
  EXPECT_TRUE(atom.holds({huge, huge, huge}));
  EXPECT_FALSE(atom.holds({100, 100, 100}));
  atom = {};
  atom.use_k = true;
  atom.limit = 48;
  EXPECT_TRUE(atom.holds({999, 999, 48}));
  EXPECT_FALSE(atom.holds({1, 1, 49}));
  atom = {};
  atom.kind = Atom::Kind::taller;
  atom.a = 16;
  atom.b = 6;
  EXPECT_TRUE(atom.holds({32, 8, 1}));
  EXPECT_FALSE(atom.holds({31, 8, 1}));
  atom.kind = Atom::Kind::not_taller;
  EXPECT_FALSE(atom.holds({32, 8, 1}));
  EXPECT_TRUE(atom.holds({31, 8, 1}));
  atom.kind = Atom::Kind::wider;
  EXPECT_FALSE(atom.holds({31, 8, 1}));
  EXPECT_TRUE(atom.holds({31, 12, 1}));
  atom.kind = Atom::Kind::not_wider;
  EXPECT_TRUE(atom.holds({31, 8, 1}));
  EXPECT_FALSE(atom.holds({31, 12, 1}));
}

TEST(Region, SizesInUseAreEqual) {
  const std::vector<Shape3> shapes{{5, 5, 7}, {5, 7, 5}, {7, 5, 5}, {5, 5, 5}, {5, 6, 7}};
  const std::map<std::string, std::vector<bool>> holds{
      {"m = n", {true, false, false, true, false}},
      {"m = k", {false, true, false, true, false}},
      {"n = k", {false, false, true, true, false}},
      {"m = n = k", {false, false, false, true, false}}};
  for (const auto& [use_m, use_n, use_k] : {std::tuple(true, true, false),
                                            {true, false, true},
                                            {false, true, true},
                                            {true, true, true}}) {
    Atom atom{Atom::Kind::equal, use_m, use_n, use_k, 0, 1, 1};
    const std::string text = describe(std::vector<Atom>{atom});
    ASSERT_TRUE(holds.contains(text)) << text;
    for (std::size_t k = 0; k < shapes.size(); ++k) {
      atom.kind = Atom::Kind::equal;
      EXPECT_EQ(atom.holds(shapes[k]), holds.at(text)[k]) << text << k;
      atom.kind = Atom::Kind::unequal;
      EXPECT_NE(atom.holds(shapes[k]), holds.at(text)[k]) << text << k;
    }
    MatrixRegime regime = one_class();
    regime.guard = {atom};
    EXPECT_NO_THROW(validate(regime));
    regime.guard[0].limit = 1;
    EXPECT_THROW(validate(regime), UserError);
    regime.guard[0] = {Atom::Kind::equal, use_m, false, !use_m, 0, 1, 1};
    EXPECT_THROW(validate(regime), UserError);
  }
}

TEST(Region, TheFirstRegimeDecidesAndTheReasonIsSaid) {
  MatrixRegime small = one_class(), large = one_class();
  Atom atom;
  atom.use_m = true;
  atom.limit = 8;
  small.guard = {atom};
  small.k_max = 5;
  atom.limit = 100;
  large.guard = {atom};
  large.rows[0].from = 9;
  large.rows[0].base = 9;
  large.rows[0].schemas[0][0].runs[0].length.c = 9;
  large.table = {{-1}};
  large.rows.push_back({50'000, 50'000, 50'001, 1, {{once(run(0, 50'000))}}, {}});
  large.rows[0].to = 60;
  ASSERT_NO_THROW(validate(large));
  const std::vector<MatrixRegime> regimes{small, large};
  std::string why;
  EXPECT_EQ(regions(regimes, {8, 1, 5}, &why)->regime, regimes.data());
  EXPECT_FALSE(regions(regimes, {8, 1, 6}, &why));
  EXPECT_EQ(why, "k = 6 is beyond the captured 5");
  EXPECT_FALSE(regions(regimes, {9, 1, 6}, &why));
  EXPECT_EQ(why, "outputs of row type 0 and column type 0 were never seen");
  EXPECT_FALSE(regions(regimes, {61, 1, 6}, &why));
  EXPECT_EQ(why, "m = 61 lies in no segment of the regime");
  EXPECT_FALSE(regions(regimes, {8, 1001, 5}, &why));
  EXPECT_EQ(why, "n = 1001 lies in no segment of the regime");
  EXPECT_FALSE(regions(regimes, {101, 2, 6}, &why));
  EXPECT_EQ(why, "no regime covers m = 101, n = 2, k = 6");
  EXPECT_FALSE(regions(regimes, {1, 0, 6}, &why));
}

TEST(Region, OfOneOutputIsARuleAsAnyOther) {
  const MatrixRegime regime = regime_of_one_output(3, 500);
  ASSERT_NO_THROW(validate(regime));
  MatrixRegime canonical = regime;
  canonicalize(canonical);
  EXPECT_EQ(canonical, regime);
  EXPECT_EQ(regime.classes, std::vector<MatrixClass>{{3}});
  const std::vector<MatrixRegime> regimes{regime};
  const auto map = regions(regimes, {1, 1, 500});
  ASSERT_TRUE(map);
  EXPECT_EQ(map->class_at(0, 0), 0);
  std::string why;
  EXPECT_FALSE(regions(regimes, {1, 1, 501}, &why));
  EXPECT_EQ(why, "k = 501 is beyond the captured 500");
  EXPECT_FALSE(regions(regimes, {2, 1, 5}, &why));
  EXPECT_EQ(why, "m = 2 lies in no segment of the regime");
  EXPECT_FALSE(regions(regimes, {1, 2, 5}, &why));
  EXPECT_EQ(why, "n = 2 lies in no segment of the regime");
}

TEST(Region, OfOneOutputIsToldFromOthers) {
  const MatrixRegime regime = regime_of_one_output(3, 500);
  EXPECT_TRUE(is_of_one_output(regime));
  EXPECT_FALSE(is_of_one_output(one_class()));  // many outputs
  EXPECT_FALSE(is_of_one_output({}));
  const auto changed = [&](auto change) {
    MatrixRegime other = regime;
    change(other);
    return other;
  };
  for (const MatrixRegime& other :
       {changed([](MatrixRegime& r) { r.guard.emplace_back(); }),
        changed([](MatrixRegime& r) { r.rows[0].to = 2; }),
        changed([](MatrixRegime& r) { r.table = {{-1}}; }),
        changed([](MatrixRegime& r) { r.classes.push_back({4}); }),
        changed([](MatrixRegime& r) { r.classes.clear(); }),
        changed([](MatrixRegime& r) { r.classes[0].beta_zero = MatrixClass::BetaZero::drop; }),
        changed(
            [](MatrixRegime& r) { r.classes[0].alpha_zero = MatrixClass::AlphaZero::compute; })})
    EXPECT_FALSE(is_of_one_output(other));
  EXPECT_TRUE(is_of_one_output(changed([](MatrixRegime& r) { r.classes[0].order = 9; })));
  EXPECT_TRUE(is_of_one_output(changed([](MatrixRegime& r) { r.k_max = 1; })));
}

// Such regimes bound what was captured; their words of rows and columns mean nothing.
TEST(Region, ARegimeWithoutClassesNamesItsGuard) {
  MatrixRegime none = one_class(), rest = one_class();
  Atom atom;
  atom.kind = Atom::Kind::above;
  atom.use_n = true;
  atom.limit = 100;
  none.guard = {atom};
  none.classes.clear();
  none.table = {{-1}};
  std::string why;
  EXPECT_FALSE(regions({none, rest}, {8, 101, 5}, &why));
  EXPECT_EQ(why, "nothing was captured where n > 100");
  EXPECT_TRUE(regions({none, rest}, {8, 100, 5}, &why));
}

TEST(Region, AWordWithTooManyRunsIsRefusedNotExpanded) {
  MatrixRegime regime = one_class();
  const std::int64_t most = std::int64_t{1} << 40;
  regime.rows = {{1, most, 1, 1, {}, {{{{1, 1}, {run(0, 1), run(1, 0)}}}}}};
  regime.table = {{0}, {0}};
  ASSERT_NO_THROW(validate(regime));
  EXPECT_EQ(stretches(regime.rows, 1000)->size(), 1u);
  EXPECT_THROW(stretches(regime.rows, most), UserError);
  std::string why;
  EXPECT_FALSE(regions({regime}, {most, 1, 1}, &why));
  EXPECT_NE(why.find("2^22 runs"), std::string::npos);
}

TEST(Region, ValidateNamesTheFirstBrokenInvariant) {
  const auto refused = [](const std::function<void(MatrixRegime&)>& change) -> std::string {
    MatrixRegime regime = one_class();
    change(regime);
    try {
      validate(regime);
    } catch (const UserError& error) {
      return error.what();
    }
    return "accepted";
  };
  const std::int64_t huge = std::int64_t{1} << 40;
  EXPECT_EQ(refused([](MatrixRegime&) {}), "accepted");
  const std::vector<std::pair<std::function<void(MatrixRegime&)>, const char*>> cases{
      {[](MatrixRegime& r) { r.rows.clear(); }, "rows: has no segment"},
      {[](MatrixRegime& r) { r.rows.push_back(r.rows[0]); }, "rows, segment 1: range"},
      {[](MatrixRegime& r) { r.rows[0].from = 0; }, "range"},
      {[](MatrixRegime& r) { r.rows[0].base = 2; }, "lists 0 words where 1 sizes"},
      {[](MatrixRegime& r) { r.rows[0].base = 1002; }, "the base must be in 1..1001"},
      {[](MatrixRegime& r) { r.rows[0].period = 2; }, "has 1 schemas where 2"},
      {[](MatrixRegime& r) { r.rows[0].period = 0; }, "the period"},
      {[](MatrixRegime& r) { r.columns[0].schemas[0][0].runs[0].length.c = 2; },
       "the length 2 + 1 Q + 0 Q^2 is not the size 1 + 1 Q"},
      {[](MatrixRegime& r) { r.columns[0].schemas[0][0].times.q = 1; }, "+ 2 Q + 1 Q^2"},
      {[](MatrixRegime& r) {
         r.columns[0].schemas[0].push_back(once(run(0, -1)));
         r.columns[0].schemas[0].push_back(once(run(0, 1)));
       },
       "negative"},
      {[&](MatrixRegime& r) {
         r.columns[0].schemas[0][0].times = {huge, huge};
       },
       "the length"},
      {[&](MatrixRegime& r) {
         r.columns[0].schemas[0][0].times = {huge + 1, 0};
       },
       "exceeds 2^40"},
      {[](MatrixRegime& r) { r.columns[0].schemas[0][0].runs[0].type = 1; }, "type 1 is not"},
      {[](MatrixRegime& r) { r.columns[0].schemas[0][0].runs.clear(); }, "an item has no run"},
      {[](MatrixRegime& r) { r.table = {}; }, "the table is empty"},
      {[](MatrixRegime& r) {
         r.table = {{0}, {0, 0}};
       },
       "has 2 entries where row 0 has 1"},
      {[](MatrixRegime& r) { r.table = {{1}}; }, "class 1 does not exist"},
      {[](MatrixRegime& r) { r.table = {{-2}}; }, "class -2 does not exist"},
      {[](MatrixRegime& r) { r.guard.resize(1); }, "atom 0: a bound needs m, n or k"},
      {[](MatrixRegime& r) { r.guard.resize(65); }, "more than 64 atoms"},
      {[](MatrixRegime& r) { r.k_max = 0; }, "k_max"}};
  for (const auto& [change, message] : cases) {
    const std::string said = refused(change);
    EXPECT_NE(said.find(message), std::string::npos) << said << " where " << message;
  }
}

}  // namespace
}  // namespace reprosum::spec
