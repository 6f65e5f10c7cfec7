// Planted products whose orders hang on addresses and leading dimensions.
#include "reveal/capture/matrix_addresses.h"

#include <gtest/gtest.h>

#include <memory>

#include "reveal/refused.h"
#include "spec/surface.h"
#include "tests/reveal/capture/planted_captures.h"

namespace reprosum::reveal {
namespace {

using spec::AddressGuard;
using testing::factory_of;
using testing::MatrixFunction;
using testing::refusals;

// `odd` where the first one holds, else `plain`.
MatrixFunction choose(std::function<bool(const Call& call, std::int64_t i)> is_odd) {
  return [is_odd](const Call& call, std::int64_t i, std::int64_t, const double* a, const double* b,
                  double alpha, double beta, double c) {
    return is_odd(call, i) ? testing::two_lanes<double>(alpha, beta, c, call.k, a, b)
                           : testing::blocked<double>(alpha, beta, c, call.k, a, b, 1 << 20);
  };
}

std::int64_t leading(const Call& call) {
  return (call.trans_a == spec::Trans::no ? call.m : call.k) + call.pad_a;
}

// As kernels that handle a summand or a row alone to reach a 16-byte boundary.
MatrixFunction by_y() {
  return choose([](const Call& call, std::int64_t) { return call.align_c % 16 == 8; });
}
// The column of an output lies on a boundary or not: with an odd leading dimension every other one.
MatrixFunction by_column() {
  return choose([](const Call& call, std::int64_t i) {
    return call.trans_a == spec::Trans::yes && (call.align_a + 8 * i * leading(call)) % 16 == 8;
  });
}
// Only both together matter.
MatrixFunction by_a_and_x() {
  return choose([](const Call& call, std::int64_t) {
    return call.align_a % 32 == 8 && call.align_b % 16 == 8;
  });
}

std::vector<AddressGuard> classes_of(const MatrixFunction& function, spec::Trans trans) {
  FunctionTarget target(function);
  const Call call = call_without_sizes(spec::Routine::gemv, spec::Type::f64, trans);
  return address_classes(target, call, {96, 96, 200}, 1);
}

TEST(MatrixAddresses, AreFoundPerOperand) {
  using Classes = std::vector<AddressGuard>;
  EXPECT_EQ(classes_of(testing::rows_by_four(), spec::Trans::no), Classes{{}});
  const AddressGuard even{{1, 1, 16, 1, 1, 1}, {{0, 0, 0, 0}}},
      odd{{1, 1, 16, 1, 1, 1}, {{0, 0, 8, 0}}};
  EXPECT_EQ(classes_of(by_y(), spec::Trans::no), (Classes{even, odd}));
  EXPECT_EQ(classes_of(by_column(), spec::Trans::no), Classes{{}});
  const auto columns = classes_of(by_column(), spec::Trans::yes);
  ASSERT_EQ(columns.size(), 4u);
  for (const AddressGuard& guard : columns) {
    EXPECT_EQ(guard.moduli, (spec::Residues{16, 1, 1, 16, 1, 1}));
    EXPECT_EQ(guard.residues.size(), 1u);
  }
  const auto both = classes_of(by_a_and_x(), spec::Trans::no);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[1], (AddressGuard{{32, 16, 1, 1, 1, 1}, {{8, 8}}}));
  EXPECT_EQ(both[0].residues.size(), 7u);
}

TEST(MatrixAddresses, AlsoOfGemm) {
  FunctionTarget target(
      choose([](const Call& call, std::int64_t) { return (call.m + call.pad_c) % 4 == 3; }));
  const Call call = call_without_sizes(spec::Routine::gemm, spec::Type::f64);
  const auto classes = address_classes(target, call, {96, 96, 200}, 1);
  ASSERT_EQ(classes.size(), 2u);
  EXPECT_EQ(classes[1], (AddressGuard{{1, 1, 1, 1, 1, 32}, {{0, 0, 0, 0, 0, 24}}}));
}

// As a kernel that leaves out the columns whose factors are zero where they are not aligned: the
// order is the same, and finite data show nothing.
TEST(MatrixAddresses, InfinitiesBesideZerosMatterToo) {
  const auto by_lda = [](const Call& call, std::int64_t i, std::int64_t j, const double* a,
                         const double* b, double alpha, double beta, double c) {
    const bool skips = leading(call) % 4 != 0;
    return (skips ? testing::skips_zeros() : testing::rows_by_four())(call, i, j, a, b, alpha, beta,
                                                                      c);
  };
  const auto classes = classes_of(by_lda, spec::Trans::no);
  ASSERT_EQ(classes.size(), 2u);
  EXPECT_EQ(classes[0], (AddressGuard{{1, 1, 1, 32, 1, 1}, {{0, 0, 0, 0}}}));
  EXPECT_EQ(classes[1].residues.size(), 3u);
}

// A against y, where x and the leading dimension do not see to it: 512 combinations of residues.
TEST(MatrixAddresses, ManyAreExplained) {
  const auto apart = [](const Call& call, std::int64_t) {
    return call.align_a != call.align_c && call.align_b % 32 != 8 && leading(call) % 2 == 0;
  };
  const auto classes = classes_of(choose(apart), spec::Trans::no);
  ASSERT_EQ(classes.size(), 2u);
  EXPECT_EQ(classes[0].moduli, (spec::Residues{64, 32, 64, 16, 1, 1}));
  EXPECT_EQ(classes[0].residues.size() + classes[1].residues.size(), 512u);
}

TEST(MatrixAddresses, TooManyAreRefused) {
  const auto lines = [](const Call& call) {
    return (call.align_a / 8 * 7 + call.align_b / 8 * 3 + call.align_c / 8 + leading(call) % 8) %
               11 ==
           0;
  };
  EXPECT_THROW(classes_of(choose([&](const Call& call, std::int64_t) { return lines(call); }),
                          spec::Trans::no),
               Refused);
}

TEST(MatrixAddresses, PlacedCallsHaveTheirResidues) {
  const AddressGuard where{{32, 1, 16, 16, 1, 1}, {{24, 0, 8, 8, 0, 0}}};
  for (std::int64_t m = 1; m < 9; ++m)
    for (const std::int64_t pad : {0, 1, 2, 5}) {
      Call call;
      call.routine = spec::Routine::gemv;
      call.type = spec::Type::f64;
      call.m = m;
      call.k = 3;
      call.pad_a = pad;
      call.align_b = 40;
      const Call moved = placed(call, where, where.residues.front());
      EXPECT_EQ(moved.align_a, 24);
      EXPECT_EQ(moved.align_b, 40);
      EXPECT_EQ(moved.align_c, 8);
      EXPECT_EQ(8 * (m + moved.pad_a) % 16, 8);
      EXPECT_GE(moved.pad_a, pad);
      EXPECT_LE(moved.pad_a, pad + 1);
    }
}

CaptureOptions options_for_gemv() {
  return testing::small_options(spec::Routine::gemv, spec::Type::f64);
}

// Random calls with every alignment: each is covered by one entry, whose rule gives the bits.
TEST(MatrixAddresses, EveryCallFindsItsRule) {
  for (const MatrixFunction& function : {by_y(), by_column(), by_a_and_x()}) {
    const auto options = options_for_gemv();
    const spec::Spec spec = capture(factory_of(function), options);
    EXPECT_TRUE(spec.refusals.empty()) << refusals(spec);
    EXPECT_EQ(spec::to_json(spec::from_json(spec::to_json(spec))), spec::to_json(spec));
    EXPECT_TRUE(verify(spec, factory_of(function), options).holds);
    for (const spec::Trans trans : {spec::Trans::no, spec::Trans::yes})
      for (int a = 0; a < 64; a += 8)
        for (int x = 0; x < 64; x += 8)
          for (int y = 0; y < 64; y += 8)
            for (int lda = 0; lda < 64; lda += 8) {
              spec::Context context;
              context.routine = spec::Routine::gemv;
              context.type = spec::Type::f64;
              context.trans_a = trans;
              context.shape = {7, 1, 30};
              context.addresses = {a, x, y, lda, 0, 0};
              int admitting = 0;
              for (const spec::Entry& entry : spec.entries)
                admitting +=
                    entry.guard.trans_a == trans && entry.guard.addresses.admits(context.addresses);
              ASSERT_EQ(admitting, 1) << a << " " << x << " " << y << " " << lda;
              ASSERT_NE(spec::find(spec, context), nullptr);
            }
  }
}

TEST(MatrixAddresses, VerifyFindsAnotherBoundary) {
  const auto options = options_for_gemv();
  const spec::Spec spec = capture(factory_of(by_y()), options);
  const MatrixFunction other =
      choose([](const Call& call, std::int64_t) { return call.align_c % 32 == 8; });
  EXPECT_TRUE(verify(spec, factory_of(by_y()), options).holds);
  EXPECT_FALSE(verify(spec, factory_of(other), options).holds);
}

}  // namespace
}  // namespace reprosum::reveal
