// What a check by rows shows: another layout, or rules that are also wrong by columns.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <tuple>

#include "tests/reveal/capture/planted_captures.h"

namespace reprosum::reveal {
namespace {

using spec::Shape3;
using testing::MatrixFunction;
using testing::refusals;

CaptureOptions options_for_test() {
  CaptureOptions options = testing::small_options(spec::Routine::gemm, spec::Type::f64);
  options.time_limit_s = 60;
  options.largest = {40, 40, 150};
  options.matrix_work = 1e6;
  return options;
}

// The column-major call that has the same memory.
Call by_columns(Call call) {
  if (!call.row_major) return call;
  std::swap(call.m, call.n);
  std::tie(call.trans_a, call.trans_b) = std::pair(call.trans_b, call.trans_a);
  call.row_major = false;
  return call;
}

Shape3 shape_of(const Call& call) { return {call.m, call.n, call.k}; }

using Odd = std::map<spec::Trans, Shape3>;  // for each transpose of A

// The shapes of the fewest summands, no size being 1, that a capture of the plain products asks for
// by rows alone, with scalars and data that let another bit be seen.
Odd seen_by_rows_alone() {
  struct Asked {
    std::mutex mutex;
    std::map<spec::Trans, std::set<Shape3>> by_rows, by_columns;
  };
  const auto asked = std::make_shared<Asked>();
  const MatrixFunction watched = [asked, plain = testing::rows_by_four()](
                                     const Call& call, std::int64_t i, std::int64_t j,
                                     const double* a, const double* b, double alpha, double beta,
                                     double c) {
    const Call seen = by_columns(call);
    const double out = plain(call, i, j, a, b, alpha, beta, c);
    // An output that is no number hides the planted bit.
    if (i == 0 && j == 0 && seen.trans_b == spec::Trans::no &&
        (std::isfinite(out) || !call.row_major)) {
      const std::scoped_lock lock(asked->mutex);
      (call.row_major ? asked->by_rows : asked->by_columns)[seen.trans_a].insert(shape_of(seen));
    }
    return out;
  };
  (void)capture(testing::factory_of(watched), options_for_test());
  Odd odd;
  for (const auto& [trans, shapes] : asked->by_rows)
    for (const Shape3& shape : shapes)
      if (!asked->by_columns[trans].contains(shape) && std::min({shape.m, shape.n, shape.k}) > 1 &&
          (!odd.contains(trans) || shape.k < odd[trans].k))
        odd[trans] = shape;
  return odd;
}

MatrixFunction off_by_a_bit_where(const std::function<bool(const Call&)>& is_odd) {
  return [is_odd, plain = testing::rows_by_four()](const Call& call, std::int64_t i, std::int64_t j,
                                                   const double* a, const double* b, double alpha,
                                                   double beta, double c) {
    const double out = plain(call, i, j, a, b, alpha, beta, c);
    return is_odd(call) && std::isfinite(out) ? std::nextafter(out, 1e300) : out;
  };
}

bool is_covered(const spec::Spec& spec, spec::Trans trans_a, const Shape3& shape, bool by_rows) {
  spec::Context context;
  context.routine = spec::Routine::gemm;
  context.type = spec::Type::f64;
  context.trans_a = trans_a;
  context.shape = shape;
  context.from_row_major = by_rows;
  return spec::find(spec, context) != nullptr;
}

// One shape of one context has other bits, and no check by columns meets it: NN, whose rules the
// other contexts take over, or TN, which takes them over from NN.
TEST(MatrixLayouts, WhatIsWrongByColumnsTooIsNotCovered) {
  const Odd odd = seen_by_rows_alone();
  ASSERT_EQ(odd.size(), 2u);
  for (const auto& [trans, shape] : odd) {
    ASSERT_LT(shape.k, 100);
    const auto planted =
        testing::factory_of(off_by_a_bit_where([of = trans, at = shape](const Call& call) {
          const Call seen = by_columns(call);
          return seen.trans_a == of && seen.trans_b == spec::Trans::no && shape_of(seen) == at;
        }));
    spec::Spec spec = capture(planted, options_for_test());
    spec::canonicalize(spec);
    for (const spec::Entry& entry : spec.entries) EXPECT_TRUE(entry.guard.row_major);
    for (const bool by_rows : {false, true}) {
      SCOPED_TRACE(by_rows ? "by rows" : "by columns");
      EXPECT_FALSE(is_covered(spec, trans, shape, by_rows)) << refusals(spec);
      EXPECT_TRUE(is_covered(spec, trans, {shape.m, shape.n, 130}, by_rows)) << refusals(spec);
      EXPECT_EQ(is_covered(spec, spec::Trans::no, shape, by_rows), trans == spec::Trans::yes);
    }
  }
}

TEST(MatrixLayouts, WhatIsWrongByRowsAloneIsCoveredByColumns) {
  const auto planted = testing::factory_of(
      off_by_a_bit_where([](const Call& call) { return call.row_major && call.k == 7; }));
  spec::Spec spec = capture(planted, options_for_test());
  spec::canonicalize(spec);
  for (const auto trans : {spec::Trans::no, spec::Trans::yes})
    for (const std::int64_t k : {7, 8}) {
      EXPECT_TRUE(is_covered(spec, trans, {9, 5, k}, false)) << refusals(spec);
      EXPECT_FALSE(is_covered(spec, trans, {9, 5, k}, true));
    }
}

}  // namespace
}  // namespace reprosum::reveal
