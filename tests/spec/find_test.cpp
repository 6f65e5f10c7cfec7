// find() for gemv and gemm: the entry that covers a call, or the first thing that is not covered.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "spec/spec.h"

namespace reprosum::spec {
namespace {

MatrixEntry entry(Routine routine, Type type) {
  MatrixEntry entry;
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
    spec.matrices = {entry(Routine::gemm, Type::f32), entry(Routine::gemm, Type::f32),
                     entry(Routine::gemv, Type::f64)};
    spec.matrices[1].guard.trans_b = Trans::yes;
    spec.matrices[1].guard.row_major = true;
    spec.matrices[1].guard.alignment = 16;
    context.routine = Routine::gemm;
    context.type = Type::f32;
    context.shape = {10, 20, 30};
  }
  // The index of the entry, or -1; the reason goes to `why`.
  std::ptrdiff_t found() {
    why.clear();
    const MatrixEntry* entry = find_matrix(spec, context, &why);
    return entry == nullptr ? -1 : entry - spec.matrices.data();
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
  spec.matrices.push_back(spec.matrices[0]);
  spec.matrices[0].guard.alpha_one = spec.matrices[0].guard.finite_only = true;
  spec.matrices[3].guard.alpha_one = true;
  EXPECT_EQ(found(), 3);
  spec.matrices[3].m_max = 9;  // does not cover the shape
  EXPECT_EQ(found(), 0);
  spec.matrices.push_back(entry(Routine::gemm, Type::f32));
  EXPECT_EQ(found(), 4);
}

// What is known of the data passes over entries that do not admit it; zeros are more common than
// infinities.
TEST_F(FindMatrix, PassesOverRulesThatDoNotAdmitTheData) {
  spec.matrices.push_back(spec.matrices[0]);
  spec.matrices[0].guard.nonzero_only = true;
  spec.matrices[3].guard.finite_only = true;
  EXPECT_EQ(found(), 3);
  context.has_special = true;
  EXPECT_EQ(found(), 0);
  context.has_zero = true;
  refused("with a zero factor in A or B the captured library follows no order");
  spec.matrices[0].m_max = 9;
  refused("with an Inf or NaN the captured library follows no order");
  context.has_special = false;
  EXPECT_EQ(found(), 3);
  spec.matrices.push_back(entry(Routine::gemm, Type::f32));
  context.has_special = true;
  EXPECT_EQ(found(), 4);
}

// Of entries that differ in what they demand of data, alpha and beta: one that admits the call,
// with the fewest limits, or none if none does.
TEST_F(FindMatrix, FindsAnEntryWhereverOneAdmitsTheCall) {
  std::vector<Guard> guards;
  for (unsigned bits = 0; bits < 24; ++bits) {
    Guard& guard = guards.emplace_back(spec.matrices[0].guard);
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
        spec.matrices.resize(2);
        spec.matrices[1] = spec.matrices[0];
        spec.matrices[0].guard = guards[one];
        spec.matrices[1].guard = guards[other];
        context.has_special = bits & 1;
        context.has_zero = bits & 2;
        context.beta = bits & 4 ? Beta::one : Beta::other;
        std::optional<std::tuple<bool, bool, bool>> least;
        for (const MatrixEntry& entry : spec.matrices)
          if (admits(entry.guard) && (!least || limits(entry.guard) < *least))
            least = limits(entry.guard);
        const std::ptrdiff_t index = found();
        ASSERT_EQ(index >= 0, least.has_value())
            << one << " " << other << " " << bits << ": " << why;
        if (index < 0) continue;
        const Guard& guard = spec.matrices[static_cast<std::size_t>(index)].guard;
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
  EXPECT_EQ(find_matrix(spec, context), &spec.matrices[2]);
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
  spec.matrices[2].guard.addresses = {{1, 1, 16, 16, 1, 1}, {{0, 0, 0, 0}, {0, 0, 8, 8}}};
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
  spec.matrices[2].guard.addresses = {{1, 1, 16, 1, 1, 1}, {{0, 0, 0, 0}}};
  refused("dgemv N was not captured for y = 8 mod 16 bytes");
  // Another entry for the other addresses.
  spec.matrices.push_back(spec.matrices[2]);
  spec.matrices[3].guard.addresses.residues = {{0, 0, 8, 0}};
  EXPECT_EQ(found(), 3);
}

TEST_F(FindMatrix, GapsOfEachMatrixDecide) {
  spec.matrices[0].guard.leading = {Leading::any, Leading::tight, Leading::padded};
  refused(
      "sgemm NN was captured only for a leading dimension of C that is greater than the least "
      "one");
  context.tight = {true, true, false};
  EXPECT_EQ(found(), 0);
  context.tight = {false, true, false};
  EXPECT_EQ(found(), 0);
  context.tight = {true, false, false};
  refused("sgemm NN was captured only for a leading dimension of B that is the least one");
  EXPECT_EQ(describe(spec.matrices[0].guard.leading), "B without gaps, C with gaps");
  // Another entry for the other gaps.
  spec.matrices.push_back(spec.matrices[0]);
  spec.matrices[3].guard.leading = {Leading::any, Leading::padded, Leading::any};
  EXPECT_EQ(found(), 3);
}

TEST_F(FindMatrix, BetaDecides) {
  spec.matrices = {entry(Routine::gemm, Type::f32), entry(Routine::gemm, Type::f32)};
  spec.matrices[0].guard.beta = Beta::one;
  spec.matrices[1].guard.beta = Beta::other;
  EXPECT_EQ(found(), 0);  // of an unknown beta
  context.beta = Beta::one;
  EXPECT_EQ(found(), 0);
  context.beta = Beta::other;
  EXPECT_EQ(found(), 1);
  spec.matrices.pop_back();
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

}  // namespace
}  // namespace reprosum::spec
