#include "reveal/check/classify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "reveal/all_nodes.h"
#include "reveal/check/exact_sum.h"
#include "reveal/check/factors.h"
#include "reveal/check/replay_check.h"
#include "reveal/check/rounding.h"
#include "spec/expand.h"

namespace reprosum::reveal {
namespace {

// Enough summands that a tree hides a permutation with negligible chance.
constexpr std::int64_t kSummands = 61;
constexpr int kTrials = 24;
constexpr int kNodeRepetitions = 8;
constexpr std::int64_t kNodeCalls = 3000;
// Summands that show whether a sum is corrected, and up to where a border of that is looked for.
constexpr std::int64_t kCorrectedSizes[] = {400, 80}, kCorrectedTo = 20'000;

void check_sum(Target& target, Call call, std::int64_t n_max) {
  call.k = std::min(kSummands, n_max);
  const bool dot = call.routine == spec::Routine::dot;
  // With a shared x (increment 0) the data is in y.
  const bool in_y = call.incx == 0;
  Vectors data;
  const auto n = static_cast<std::size_t>(call.k);
  const std::size_t rows = n + 2;
  std::vector<double> varied(rows * n, 0.0);
  std::vector<double> expected(rows);
  for (std::size_t row = 0; row < n; ++row) {
    varied[row * n + row] = static_cast<double>(row + 3);
    expected[row] = static_cast<double>(row + 3);
  }
  for (std::size_t k = 0; k < n; ++k) {
    varied[n * n + k] = 1;
    varied[(n + 1) * n + k] = static_cast<double>(k * k);
    expected[n + 1] += static_cast<double>(k * k);
  }
  expected[n] = static_cast<double>(n);
  const std::vector<double> ones(rows * n, 1.0);
  data.x = in_y ? ones : varied;
  if (dot) data.y = in_y ? varied : ones;
  const std::vector<double> got = run(target, call, data, static_cast<std::int64_t>(rows));
  for (std::size_t row = 0; row < rows; ++row)
    if (got[row] != expected[row])
      throw Refused("not_a_sum", fmt::format("{}: small integers that sum to {} gave {}",
                                             describe(call), expected[row], got[row]));
}

// The result of one vector, given by some of its summands.
double one_sum(Target& target, const Call& call, const std::vector<Edit>& summands) {
  Vectors data;
  std::vector<double> varied(static_cast<std::size_t>(call.k), 0.0);
  const std::vector<double> ones(varied.size(), 1.0);
  for (const Edit& one : summands) varied[static_cast<std::size_t>(one.index)] = one.value;
  const bool in_y = call.incx == 0;
  data.x = in_y ? ones : varied;
  if (call.routine == spec::Routine::dot) data.y = in_y ? varied : ones;
  return run(target, call, data, 1)[0];
}

// Whether subnormal inputs or results become zero; normal numbers are never touched. Of two
// summands the second is not added to zero, and what is added is no input again: so they tell
// which.
spec::Flush find_flush(Target& target, Call call, std::int64_t n_max) {
  const double least = spec::least_normal(call.type.input);  // normal
  call.k = std::min(kSummands, n_max);
  if (call.k < 8) return spec::Flush::none;
  const std::int64_t i = call.k / 3, j = call.k / 2;
  if (one_sum(target, call, {{i, 0.5 * least}, {j, least}}) != least &&
      one_sum(target, call, {{i, 1.5 * least}, {j, -least}}) != 0)
    return spec::Flush::none;
  call.k = 2;
  const bool inputs = one_sum(target, call, {{0, 0.5 * least}, {1, least}}) == least &&
                      one_sum(target, call, {{0, least}, {1, 0.5 * least}}) == least;
  const bool results = one_sum(target, call, {{0, 1.5 * least}, {1, -least}}) == 0;
  return inputs == results ? spec::Flush::both
         : inputs          ? spec::Flush::inputs
                           : spec::Flush::results;
}

void check_determinism(Target& target, Call call, std::uint64_t seed, std::int64_t n_max) {
  FastRandom random(seed);
  for (const std::int64_t n :
       {std::int64_t{7}, std::int64_t{61}, std::int64_t{1000}, std::int64_t{20011}}) {
    if (n > n_max) break;
    call.k = n;
    const std::int64_t rows = n < 10000 ? 16 : 4;
    const Vectors data = random_vectors(call, rows, Data::wide, random);
    const std::vector<double> first = run(target, call, data, rows);
    const Vectors other = random_vectors(call, rows, Data::ordinary, random);
    run(target, call, other, rows);
    for (int again = 0; again < 3; ++again) {
      const std::vector<double> second = run(target, call, data, rows);
      for (std::size_t row = 0; row < first.size(); ++row)
        if (!same_bits(first[row], second[row]))
          throw Refused("not_deterministic",
                        describe(call) + ": the same vectors gave different bits when repeated");
    }
  }
}

// Data whose large summands cancel in pairs and leave small ones: only an exact sum, or one that
// sorts, gives the same bits for every permutation of it. (A sum that carries one correction term
// does not.)
Vectors cancelling_pairs(const Call& call, FastRandom& random) {
  Vectors data = random_vectors(call, 1, Data::wide, random);
  auto& varied = call.incx == 0 ? data.y : data.x;
  const int spread = spec::is_f32(call.type) ? 40 : 200;
  const bool shared = call.incx == 0 || call.incy == 0;
  for (std::size_t k = 0; k + 1 < varied.size(); k += 2) {
    const int exponent = static_cast<int>(random.below(spread));
    if (k % 6 == 4) {  // stays
      varied[k] = std::ldexp(varied[k], -exponent / 4);
      continue;
    }
    varied[k] = std::ldexp(varied[k], exponent);
    varied[k + 1] = -varied[k];
    if (!shared && !data.y.empty()) data.y[k + 1] = data.y[k];
  }
  return data;
}

// Does a permutation ever change the result, and is it always the exact one?
void check_order_matters(Target& target, Call call, std::uint64_t seed, std::int64_t n_max) {
  FastRandom random(seed ^ 0x5bd1e995u);
  call.k = std::min(kSummands, n_max);
  if (call.k < 16) return;  // so few summands have few orders
  const auto n = static_cast<std::size_t>(call.k);
  bool exact = true, moved = false;
  for (int trial = 0; trial < kTrials && !moved; ++trial) {
    const Vectors base = cancelling_pairs(call, random);
    Vectors data;
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::int64_t rows = 8;
    for (std::int64_t row = 0; row < rows; ++row) {
      for (const std::size_t k : order) {
        data.x.push_back(base.x[k]);
        if (!base.y.empty()) data.y.push_back(base.y[k]);
      }
      for (std::size_t k = n - 1; k > 0; --k)
        std::swap(order[k],
                  order[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(k) + 1))]);
    }
    const std::vector<double> got = run(target, call, data, rows);
    for (const double value : got) {
      moved = moved || !same_bits(value, got[0]);
      exact = exact && value == exact_result(call.type, base.x, base.y);
    }
  }
  if (moved) return;
  if (exact)
    throw Refused("exact", describe(call) +
                               ": every result is the correctly rounded exact sum; there is no "
                               "accumulation order to replay");
  throw Refused("input_dependent",
                describe(call) +
                    ": permuting the summands never changes the bits although they are "
                    "not the exact sum; the order depends on the values (sorting?)");
}

// Of ones, each row has a NaN at one place in one of the vectors.
struct OneNan {
  Vectors data;
  std::vector<std::size_t> places;
};

OneNan ones_with_nan(const Call& call) {
  const auto n = static_cast<std::size_t>(call.k);
  const bool dot = call.routine == spec::Routine::dot;
  OneNan all;
  for (const bool in_y : {false, true}) {
    if (in_y ? !dot || call.incy == 0 : call.incx == 0) continue;
    for (const std::size_t place : {std::size_t{0}, n / 3, n - 1}) {
      all.places.push_back(place);
      for (std::vector<double>* const v : {&all.data.x, &all.data.y})
        if (dot || v == &all.data.x) v->resize(v->size() + n, 1.0);
      auto& varied = in_y ? all.data.y : all.data.x;
      varied[varied.size() - n + place] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  return all;
}

}  // namespace

void check_nan(Target& target, const Call& context, std::int64_t n_max) {
  Call call = context;
  call.k = std::min(kSummands, n_max);
  const OneNan all = ones_with_nan(call);
  const std::vector<double> got = run(target, call, all.data, std::ssize(all.places));
  const auto is_nan = [](double value) { return std::isnan(value); };
  if (std::all_of(got.begin(), got.end(), is_nan)) return;
  const auto others = static_cast<double>(call.k - 1);
  const auto at =
      static_cast<std::size_t>(std::find_if_not(got.begin(), got.end(), is_nan) - got.begin());
  const std::string evidence = fmt::format("{}: of {} ones and a NaN as number {} the sum is {:g}",
                                           describe(call), call.k - 1, all.places[at] + 1, got[at]);
  if (std::all_of(got.begin(), got.end(), [&](double value) { return value == others; }))
    throw Refused("skips_nan", evidence +
                                   ", that of the others: a NaN is left out, as numpy.nansum and "
                                   "pandas do; an order is of all data, NaN too; capture the "
                                   "function that does not look for NaN (numpy.sum, skipna=False)");
  throw Refused("input_dependent", evidence + " and not NaN: the library looks at the values");
}

spec::Flush check_box(Target& target, const Call& context, std::uint64_t seed, std::int64_t n_max) {
  check_factor_width(target, context);
  check_sum(target, context, n_max);
  check_rounding(target, context, seed);
  check_products(target, context, seed);
  const spec::Flush flush = find_flush(target, context, n_max);
  check_determinism(target, context, seed, n_max);
  check_order_matters(target, context, seed, n_max);
  return flush;
}

bool tree_is_right(Target& target, const Call& context, const spec::Order& order, std::int64_t n,
                   std::uint64_t seed) {
  if (n < 2 || n > spec::kMaxExplicitLeaves || !spec::covers(order, n)) return true;
  Call call = context;
  call.k = n;
  return check_some_nodes(target, call, spec::expand(order, n), kNodeRepetitions, kNodeCalls, seed)
      .right;
}

std::optional<std::string> is_corrected(Target& target, const Call& context,
                                        const spec::Order& order, std::int64_t n,
                                        std::uint64_t seed) {
  FastRandom random(seed ^ 0xc2b2ae35u);
  Call call = context;
  call.k = n;
  const double ulp = spec::is_f32(call.type) ? 0x1p-23 : 0x1p-52;
  // Positive data, so that one unit in the last place bounds what a compensated sum may lose,
  // while the tree, if it is one, loses what the interpreter says.
  int tree_far = 0;
  constexpr int trials = 100;
  for (int trial = 0; trial < trials; ++trial) {
    Vectors data = random_vectors(call, 1, Data::ordinary, random);
    auto& varied = call.incx == 0 ? data.y : data.x;
    auto& fixed = call.incx == 0 ? data.x : data.y;
    std::fill(fixed.begin(), fixed.end(), 1.0);
    for (double& value : varied) value = std::abs(value);
    const double exact = exact_result(call.type, data.x, data.y);
    const double got = run(target, call, data, 1)[0];
    if (std::abs(got - exact) > exact * ulp) return std::nullopt;
    tree_far += std::abs(replayed(order, call, data, 0) - exact) > exact * ulp ? 1 : 0;
  }
  if (tree_far <= trials / 4) return std::nullopt;
  return fmt::format(
      "sums of {} positive numbers are right to the last place where the tree that the masks show "
      "would be wrong ({} of {}), so the additions carry a correction term, or more bits than the "
      "type has, which no tree does",
      n, tree_far, trials);
}

namespace {

// The largest size that is corrected, if one up to kCorrectedTo is not; 0 otherwise.
std::int64_t corrected_to(Target& target, const Call& context, const spec::Order& order,
                          std::int64_t corrected, std::uint64_t seed) {
  const std::int64_t top = std::min(kCorrectedTo, spec::covered_to(order));
  if (top <= corrected || is_corrected(target, context, order, top, seed)) return 0;
  std::int64_t other = top;
  while (other - corrected > 1) {
    const std::int64_t middle = corrected + (other - corrected) / 2;
    (is_corrected(target, context, order, middle, seed) ? corrected : other) = middle;
  }
  return corrected;
}

}  // namespace

RefusedAt explain_mismatch(Target& target, const Call& context, const spec::Order& order,
                           const std::string& evidence, std::int64_t n, std::uint64_t seed) {
  for (const std::int64_t wanted : kCorrectedSizes) {
    const std::int64_t size = std::min(wanted, spec::covered_to(order));
    const auto corrected = is_corrected(target, context, order, size, seed);
    if (!corrected) continue;
    std::string what = evidence + "; " + *corrected;
    if (const std::int64_t last = corrected_to(target, context, order, size, seed); last > 0)
      what += fmt::format("; up to n = {} alone: from n = {} on they do not", last, last + 1);
    return {"compensated", what, n};
  }
  if (!tree_is_right(target, context, order, n, seed))
    return {"unknown_rule",
            evidence + "; masks show another tree at n = " + std::to_string(n) +
                " than the rule of the sizes that were looked at",
            n};
  return {"unknown_arithmetic",
          evidence + "; masks show this very tree at n = " + std::to_string(n) +
              ", but its bits are not the target's",
          n};
}

}  // namespace reprosum::reveal
