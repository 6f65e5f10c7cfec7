// Products of one row or one column that have other bits where a matrix has gaps.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "tests/reveal/capture/planted_captures.h"

namespace reprosum::reveal {
namespace {

using spec::Tightness;
using testing::refusals;

CaptureOptions small_options() {
  return testing::small_options(spec::Routine::gemm, spec::Type::f64);
}

// Thin products of which `differs` says so follow another order than all others.
TargetFactory thin_ones_differ(std::function<bool(const Call&)> differs) {
  const auto plain = testing::rows_by_four();
  const auto function = [=](const Call& call, std::int64_t i, std::int64_t j, const double* a,
                            const double* b, double alpha, double beta, double c) {
    Call by_columns = call;  // a call by rows is the transposed problem
    if (call.row_major) {
      std::swap(by_columns.m, by_columns.n);
      std::swap(by_columns.pad_a, by_columns.pad_b);
    }
    if (differs(by_columns)) return testing::blocked<double>(alpha, beta, c, call.k, a, b, 7);
    return plain(call, i, j, a, b, alpha, beta, c);
  };
  return testing::factory_of(function);
}

// Every product has an entry, whatever the gaps, and the spec holds on new data.
void expect_all_covered(const TargetFactory& target) {
  const spec::Spec spec = capture(target, small_options());
  spec::Context context;
  context.routine = spec::Routine::gemm;
  context.type = spec::Type::f64;
  for (int gaps = 0; gaps < 8; ++gaps)
    for (const std::int64_t m : {1, 2, 4, 7, 40, 61})
      for (const std::int64_t n : {1, 2, 33})
        for (const std::int64_t k : {1, 30, 150}) {
          context.shape = {m, n, k};
          context.tight = {(gaps & 1) == 0, (gaps & 2) == 0, (gaps & 4) == 0};
          std::string why;
          EXPECT_NE(spec::find(spec, context, &why), nullptr)
              << m << " x " << n << " x " << k << " gaps " << gaps << ": " << why << "\n"
              << refusals(spec);
        }
  EXPECT_TRUE(verify(spec, target, small_options()).holds);
}

TEST(ThinProducts, OneColumnWithGapsInB) {
  expect_all_covered(
      thin_ones_differ([](const Call& call) { return call.n == 1 && call.pad_b > 0; }));
}

TEST(ThinProducts, OneOutputWithGapsInB) {
  expect_all_covered(thin_ones_differ(
      [](const Call& call) { return call.m == 1 && call.n == 1 && call.pad_b > 0; }));
}

// A gemv whose vectors are a row of A and one of C: gaps in either are an increment.
TEST(ThinProducts, OneRowWithGapsInAOrC) {
  expect_all_covered(thin_ones_differ(
      [](const Call& call) { return call.m == 1 && (call.pad_a > 0 || call.pad_c > 0); }));
}

}  // namespace
}  // namespace reprosum::reveal
