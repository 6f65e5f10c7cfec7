// find(): the entry that covers a call, or the first thing that is not covered.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "sample_regions.h"
#include "spec/spec.h"

namespace reprosum::spec {
namespace {

Entry entry(Routine routine, Type type) {
  Entry entry;
  entry.routine = routine;
  entry.type = type;
  entry.guard.increments = {{1, 1}};
  entry.guard.threads = {1, 2};
  entry.m_max = 2048;
  entry.n_max = routine == Routine::gemv ? 1 : 512;
  MatrixRegime regime;
  regime.rows = regime.columns = {{1, 4096, 1, 1, {}, {{{{1, 0}, {{0, {1, 1}}}}}}}};
  regime.table = {{0}};
  regime.classes = {{}};
  regime.k_max = 100;
  Atom atom;
  atom.use_m = atom.use_n = true;
  atom.limit = 100'000;
  regime.guard = {atom};
  entry.regimes = {regime};
  return entry;
}

class FindMatrix : public ::testing::Test {
 protected:
  FindMatrix() {
    spec.entries = {entry(Routine::gemm, Type::f32), entry(Routine::gemm, Type::f32),
                    entry(Routine::gemv, Type::f64)};
    spec.entries[1].guard.trans_b = Trans::yes;
    spec.entries[1].guard.row_major = true;
    spec.entries[1].guard.alignment = 16;
    context.routine = Routine::gemm;
    context.type = Type::f32;
    context.shape = {10, 20, 30};
  }
  // The index of the entry, or -1; the reason goes to `why`.
  std::ptrdiff_t found() {
    why.clear();
    const Entry* entry = find(spec, context, &why);
    return entry == nullptr ? -1 : entry - spec.entries.data();
  }
  void refused(const std::string& reason) {
    EXPECT_EQ(found(), -1);
    EXPECT_EQ(why, reason);
  }

  Spec spec;
  Context context;
  std::string why;
};

TEST_F(FindMatrix, PrefersRulesWithFewestLimits) {
  spec.entries.push_back(spec.entries[0]);
  spec.entries[0].guard.alpha_one = spec.entries[0].guard.finite_only = true;
  spec.entries[3].guard.alpha_one = true;
  EXPECT_EQ(found(), 3);
  spec.entries[3].m_max = 9;  // does not cover the shape
  EXPECT_EQ(found(), 0);
  spec.entries.push_back(entry(Routine::gemm, Type::f32));
  EXPECT_EQ(found(), 4);
}

// Entries that do not admit the known data are passed over; zeros are more common than infinities.
TEST_F(FindMatrix, PassesOverRulesThatDoNotAdmitTheData) {
  spec.entries.push_back(spec.entries[0]);
  spec.entries[0].guard.nonzero_only = true;
  spec.entries[3].guard.finite_only = true;
  EXPECT_EQ(found(), 3);
  context.has_special = true;
  EXPECT_EQ(found(), 0);
  context.has_zero = true;
  refused("with a zero factor in A or B the captured library follows no order");
  spec.entries[0].m_max = 9;
  refused("with an Inf or NaN the captured library follows no order");
  context.has_special = false;
  EXPECT_EQ(found(), 3);
  spec.entries.push_back(entry(Routine::gemm, Type::f32));
  context.has_special = true;
  EXPECT_EQ(found(), 4);
}

// Entries differ in what they demand of data, alpha and beta. One that admits the call is found,
// with the fewest limits, or none if none does.
TEST_F(FindMatrix, FindsAnEntryWhereverOneAdmitsTheCall) {
  std::vector<Guard> guards;
  for (unsigned bits = 0; bits < 24; ++bits) {
    Guard& guard = guards.emplace_back(spec.entries[0].guard);
    guard.alpha_one = bits & 1;
    guard.finite_only = bits & 2;
    guard.nonzero_only = bits & 4;
    guard.beta = static_cast<Beta>(bits / 8);
  }
  const auto admits = [&](const Guard& guard) {
    return !(guard.finite_only && context.has_special) &&
           !(guard.nonzero_only && context.has_zero) &&
           (guard.beta == Beta::any || guard.beta == context.beta);
  };
  // Nobody has said what alpha is.
  const auto limits = [](const Guard& guard) {
    return std::tuple(guard.alpha_one, guard.nonzero_only, guard.finite_only);
  };
  for (std::size_t one = 0; one < guards.size(); ++one)
    for (std::size_t other = 0; other < guards.size(); ++other)
      for (unsigned bits = 0; bits < 8; ++bits) {
        spec.entries.resize(2);
        spec.entries[1] = spec.entries[0];
        spec.entries[0].guard = guards[one];
        spec.entries[1].guard = guards[other];
        context.has_special = bits & 1;
        context.has_zero = bits & 2;
        context.beta = bits & 4 ? Beta::one : Beta::other;
        std::optional<std::tuple<bool, bool, bool>> least;
        for (const Entry& entry : spec.entries)
          if (admits(entry.guard) && (!least || limits(entry.guard) < *least))
            least = limits(entry.guard);
        const std::ptrdiff_t index = found();
        ASSERT_EQ(index >= 0, least.has_value())
            << one << " " << other << " " << bits << ": " << why;
        if (index < 0) continue;
        const Guard& guard = spec.entries[static_cast<std::size_t>(index)].guard;
        EXPECT_TRUE(admits(guard)) << one << " " << other << " " << bits;
        EXPECT_EQ(limits(guard), *least) << one << " " << other << " " << bits;
      }
}

TEST_F(FindMatrix, CoversWhatWasCaptured) {
  EXPECT_EQ(found(), 0);
  context.trans_b = Trans::yes;
  EXPECT_EQ(found(), 1);
  context.from_row_major = true;
  context.addresses.fill(16);
  EXPECT_EQ(found(), 1);
  context = {};
  context.routine = Routine::gemv;
  context.type = Type::f64;
  context.shape = {2048, 1, 100};
  EXPECT_EQ(found(), 2);
  EXPECT_EQ(find(spec, context), &spec.entries[2]);
}

TEST_F(FindMatrix, SaysWhatIsNotCovered) {
  context.trans_a = Trans::yes;
  refused("sgemm TN was not captured");
  context.trans_a = Trans::no;
  context.trans_b = Trans::yes;
  context.threads = 3;
  refused("sgemm NT with threads = 3 was not captured");
  context.threads = 2;
  context.addresses.fill(8);
  refused(
      "sgemm NT was captured for addresses and leading dimensions that are multiples of 16 bytes, "
      "not of 8");
  context.trans_b = Trans::no;
  context.from_row_major = true;
  refused("row-major calls of sgemm NN were not captured");
  context.from_row_major = false;
  context.type = Type::f64;
  refused("dgemm was not captured");
  context.routine = Routine::gemv;
  context.incx = 2;
  refused("dgemv N with incx = 2, incy = 1 was not captured");
  context.incx = 1;
  context.trans_a = Trans::yes;
  refused("dgemv T was not captured");
}

TEST_F(FindMatrix, AddressesOfSingleOperandsDecide) {
  // gemv: y on a 16-byte boundary, or beside it with an odd leading dimension.
  spec.entries[2].guard.addresses = {{1, 1, 16, 16, 1, 1}, {{0, 0, 0, 0}, {0, 0, 8, 8}}};
  context = {};
  context.routine = Routine::gemv;
  context.type = Type::f64;
  context.shape = {10, 1, 10};
  context.addresses = {8, 40, 32, 48, 0, 0};
  EXPECT_EQ(found(), 2);
  context.addresses = {0, 0, 24, 8, 0, 0};
  EXPECT_EQ(found(), 2);
  context.addresses = {0, 0, 24, 16, 0, 0};
  refused("dgemv N was not captured for (y mod 16, lda mod 16) = (8, 0) bytes");
  spec.entries[2].guard.addresses = {{1, 1, 16, 1, 1, 1}, {{0, 0, 0, 0}}};
  refused("dgemv N was not captured for y = 8 mod 16 bytes");
  // Another entry for the other addresses.
  spec.entries.push_back(spec.entries[2]);
  spec.entries[3].guard.addresses.residues = {{0, 0, 8, 0}};
  EXPECT_EQ(found(), 3);
}

TEST_F(FindMatrix, GapsOfEachMatrixDecide) {
  spec.entries[0].guard.leading = {Leading::any, Leading::tight, Leading::padded};
  refused(
      "sgemm NN was captured only for a leading dimension of C that is greater than the least "
      "one");
  context.tight = {true, true, false};
  EXPECT_EQ(found(), 0);
  context.tight = {false, true, false};
  EXPECT_EQ(found(), 0);
  context.tight = {true, false, false};
  refused("sgemm NN was captured only for a leading dimension of B that is the least one");
  EXPECT_EQ(describe(spec.entries[0].guard.leading), "B without gaps, C with gaps");
  // Another entry for the other gaps.
  spec.entries.push_back(spec.entries[0]);
  spec.entries[3].guard.leading = {Leading::any, Leading::padded, Leading::any};
  EXPECT_EQ(found(), 3);
}

TEST_F(FindMatrix, BetaDecides) {
  spec.entries = {entry(Routine::gemm, Type::f32), entry(Routine::gemm, Type::f32)};
  spec.entries[0].guard.beta = Beta::one;
  spec.entries[1].guard.beta = Beta::other;
  EXPECT_EQ(found(), 0);  // of an unknown beta
  context.beta = Beta::one;
  EXPECT_EQ(found(), 0);
  context.beta = Beta::other;
  EXPECT_EQ(found(), 1);
  spec.entries.pop_back();
  refused("sgemm NN was captured only for beta = 1");
}

TEST_F(FindMatrix, SaysWhichSizeIsNotCovered) {
  context.shape.m = 4000;
  refused("m = 4000 is beyond the captured 2048");
  context.shape.m = 10;
  context.shape.n = 513;
  refused("n = 513 is beyond the captured 512");
  context.shape = {2000, 500, 30};
  refused("no regime covers m = 2000, n = 500, k = 30");
  context.shape = {20, 50, 101};
  refused("k = 101 is beyond the captured 100");
}

TEST(FindAny, SumsAndProductsStandInOneList) {
  const Spec spec = samples::all_routines();
  ASSERT_EQ(spec.entries.size(), 4u);
  std::string why;
  const auto found = [&](const Context& call) {
    why.clear();
    const Entry* entry = find(spec, call, &why);
    return entry == nullptr ? -1 : entry - spec.entries.data();
  };
  // As the routines are numbered.
  Context sum = vector_call(Routine::sum, Type::f64, 100'000),
          dot = vector_call(Routine::dot, Type::f64, 100'000, 1, 1, 2), gemv, gemm;
  gemv.routine = Routine::gemv;
  gemv.type = Type::f32;
  gemv.shape = {2048, 1, 2048};
  gemm.routine = Routine::gemm;
  gemm.trans_b = Trans::yes;
  gemm.shape = {2048, 2048, 48};
  EXPECT_EQ(found(sum), 0);
  EXPECT_EQ(found(dot), 1);
  EXPECT_EQ(found(gemv), 2);
  EXPECT_EQ(found(gemm), 3);
  for (std::size_t k = 0; k < spec.entries.size(); ++k)
    EXPECT_EQ(static_cast<std::size_t>(spec.entries[k].routine), k);
  // Each is refused in its own words, whatever the others cover.
  ++sum.shape.k;
  ++dot.shape.k;
  ++gemv.shape.k;
  ++gemm.shape.k;
  EXPECT_EQ(found(sum), -1);
  EXPECT_EQ(why, "n = 100001 is beyond the captured 100000");
  EXPECT_EQ(found(dot), -1);
  EXPECT_EQ(why, "n = 100001 is beyond the captured 100000");
  EXPECT_EQ(found(gemv), -1);
  EXPECT_EQ(why, "k = 2049 is beyond the captured 2048");
  EXPECT_EQ(found(gemm), -1);
  EXPECT_EQ(why, "no regime covers m = 2048, n = 2048, k = 49");
  gemm.trans_b = Trans::no;
  EXPECT_EQ(found(gemm), -1);
  EXPECT_EQ(why, "dgemm NN was not captured");
  dot.threads = 3;
  EXPECT_EQ(found(dot), -1);
  EXPECT_EQ(why, "ddot with threads = 3 was not captured");
  dot.type = Type::f32;
  EXPECT_EQ(found(dot), -1);
  EXPECT_EQ(why, "sdot was not captured");
}

TEST(Entries, OfOneOutputHaveOneOrder) {
  const Guard guard = vector_guard({{1, 2}}, {1, 4});
  const Entry entry = entry_of_one_output(Routine::sum, Type::f32, guard, 7, 1000);
  EXPECT_EQ(entry.routine, Routine::sum);
  EXPECT_EQ(entry.type, Type::f32);
  EXPECT_EQ(entry.guard, guard);
  ASSERT_EQ(entry.regimes.size(), 1u);
  EXPECT_TRUE(is_of_one_output(entry.regimes[0]));
  EXPECT_EQ(order_of(entry), 7u);
  EXPECT_EQ(most_summands(entry), 1000);
  EXPECT_EQ(entry.m_max, 1);
  EXPECT_EQ(entry.n_max, 1);
  EXPECT_EQ(entry.certificate, Certificate{});
}

TEST(Entries, MostSummandsAreThoseOfAnyRegime) {
  EXPECT_EQ(most_summands(samples::skylakex_sgemv().entries[0]), 2048);  // of the second one
  Entry entry = samples::skylakex_dgemm().entries[0];
  entry.regimes[0].k_max = 9000;
  EXPECT_EQ(most_summands(entry), 9000);
  entry.regimes.clear();
  EXPECT_EQ(most_summands(entry), 0);
}

}  // namespace
}  // namespace reprosum::spec
