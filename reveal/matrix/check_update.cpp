#include "reveal/matrix/check_update.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "reveal/matrix/plain_order.h"
#include "reveal/matrix/skipped_factors.h"
#include "reveal/refused.h"
#include "spec/expand.h"

namespace reprosum::reveal {
namespace {

constexpr std::int64_t kRowsPerCall = 24;
constexpr std::int64_t kDearSize = 3000;  // above, one call per size
constexpr std::int64_t kSmallSizes = 24;  // so many from the first on are always checked
constexpr int kRandomSizes = 24;
// A class of no more than so many may have code of its own for each number of them.
constexpr std::int64_t kFewSummands = 64;
constexpr std::int64_t kLeastOutputs = 39;  // of a small size: trees there may be listed singly
constexpr std::int64_t kLeastCalls = 3 * kDataKinds;  // of it: one call has one kind of data
// Signs of zero alone tell orders of one summand apart, and few calls show them: so many more for
// all small sizes together, where a class has few.
constexpr std::int64_t kCallsWithZeros = 160;
// And from some size on lanes may start at +0: so many calls for as many sizes of each rule of the
// order, which are all pairs of scalars.
constexpr std::int64_t kZerosOfRule = 3, kSizesOfRule = 6;
// Which products an order leaves out shows where infinities meet zeros, and in few of many: so many
// calls for each size of an order that leaves any out.
constexpr std::int64_t kCallsThatVanish = 4;
// Whether alpha is fused with a +0 shows where the product underflows, by its sign: so many calls
// for each size with an alpha that makes it so.
constexpr std::int64_t kCallsWithLeastAlpha = 2;

// What alpha is fused with shows in the digits that are lost where its products are subnormal: so
// many calls for each size.
constexpr std::int64_t kCallsNearUnderflow = 2;

struct Scalars {
  Scalar alpha, beta;
};
constexpr Scalars kScalars[] = {
    {Scalar::random, Scalar::random},    {Scalar::one, Scalar::one},
    {Scalar::random, Scalar::zero},      {Scalar::one, Scalar::zero},
    {Scalar::random, Scalar::one},       {Scalar::minus_one, Scalar::random},
    {Scalar::one, Scalar::minus_one},    {Scalar::minus_one, Scalar::zero},
    {Scalar::one, Scalar::random},       {Scalar::zero, Scalar::random},
    {Scalar::random, Scalar::minus_one}, {Scalar::zero, Scalar::zero},
    {Scalar::zero, Scalar::one},
};

bool has_special(const UpdateRows& data, std::int64_t row) {
  const auto finite = [](double value) { return std::isfinite(value); };
  const double *x = data.x_row(row), *y = data.y_row(row);
  return !std::all_of(x, x + data.k, finite) || !std::all_of(y, y + data.k, finite) ||
         (data.beta != 0 && !finite(data.c[static_cast<std::size_t>(row)]));
}

// Sums of ordinary size that alpha makes subnormal, onto a C as small, or a zero.
UpdateRows update_near_underflow(CellTarget& cells, spec::Type type, std::int64_t k,
                                 std::int64_t rows, FastRandom& random) {
  static constexpr double kBetas[] = {0, 1, -1, 0.5};
  UpdateRows data = random_update(cells, type, k, rows, Data::ordinary,
                                  near_underflow(type, random), kBetas[random.below(4)], random);
  const bool is_zero = random.below(4) == 0;
  for (double& c : data.c) {
    c = near_underflow(type, random);
    if (is_zero) c = random.bits() % 2 == 0 ? 0.0 : -0.0;
  }
  return data;
}

}  // namespace

std::vector<std::int64_t> update_sizes(const spec::Order& order, std::int64_t k_min,
                                       std::int64_t k_max, std::uint64_t salt) {
  FastRandom random(salt);
  std::set<std::int64_t> sizes;
  for (const std::int64_t n : telling_sizes(order, k_max, 16, k_min)) sizes.insert(n);
  const std::int64_t last = k_max <= kFewSummands ? k_max : k_min + kSmallSizes - 1;
  for (std::int64_t n = k_min; n <= std::min(k_max, last); ++n) sizes.insert(n);
  const double top = std::log(static_cast<double>(k_max));
  for (int s = 0; s < kRandomSizes; ++s)
    sizes.insert(static_cast<std::int64_t>(std::exp(random.unit() * top)));
  sizes.insert(k_max);
  return {sizes.begin(), sizes.end()};
}

UpdateCheck check_update(CellTarget& cells, spec::Type type, const KnownClassOrder& known,
                         std::span<const std::int64_t> sizes, std::int64_t outputs,
                         std::uint64_t seed) {
  UpdateCheck check;
  FastRandom random(seed);
  std::size_t turn = 0, scalars_turn = 0;
  std::int64_t first = 0;  // size that the class has
  std::map<const spec::Regime*, std::int64_t> sizes_of_rule;
  const auto count = static_cast<std::int64_t>(std::max<std::size_t>(1, sizes.size()));
  const bool leaves_out =
      spec::leaves_products_out(known.order) && !known.finite_only && !known.alpha_one_only;
  for (const std::int64_t k : sizes) {
    if (!cells.has_shape(k)) continue;
    if (first == 0) first = k;
    const std::int64_t width = std::min(cells.best_packing(k).second, kRowsPerCall);
    std::int64_t calls = std::clamp<std::int64_t>(outputs / count / width + 1, 1, 8);
    std::int64_t with_zeros = 0;
    if (k < first + kSmallSizes) {
      calls = std::max({calls, kLeastOutputs / width, kLeastCalls});
      with_zeros = kCallsWithZeros / count;
    }
    if (sizes_of_rule[spec::regime_of(known.order, k)]++ < kSizesOfRule)
      with_zeros = std::max(with_zeros, kZerosOfRule);
    if (k > kDearSize) calls = 1, with_zeros = 0;
    std::vector<UpdateRows> data;
    // Updates of few summands meet all scalars, with data that tell every place of the scalars
    // apart.
    const auto with_all = known.k_max <= kFewSummands ? std::ssize(kScalars) : 0;
    for (std::int64_t call = 0; call < calls + with_zeros + with_all; ++call) {
      // Counted apart: each kind of data meets all scalars in turn.
      std::size_t& own_turn = call < calls + with_zeros ? turn : scalars_turn;
      const Scalars scalars = kScalars[own_turn % std::size(kScalars)];
      const auto kind = call < calls                ? static_cast<Data>(own_turn % kDataKinds)
                        : call < calls + with_zeros ? Data::zeros
                                                    : Data::ordinary;
      ++own_turn;
      if (kind == Data::special && (known.finite_only || check.special_differs)) continue;
      const double alpha = draw(known.alpha_one_only ? Scalar::one : scalars.alpha, type, random);
      const double beta = draw(scalars.beta, type, random);
      data.push_back(random_update(cells, type, k, width, kind, alpha, beta, random));
    }
    const bool underflow = !known.alpha_one_only && k <= kDearSize;
    for (std::int64_t call = 0; underflow && call < kCallsWithLeastAlpha; ++call)
      data.push_back(underflowing_update(cells, type, k, width, random));
    for (std::int64_t call = 0; !known.alpha_one_only && call < kCallsNearUnderflow; ++call)
      data.push_back(update_near_underflow(cells, type, k, width, random));
    const bool vanish = leaves_out && k <= kDearSize && !check.special_differs;
    for (std::int64_t call = 0; vanish && call < kCallsThatVanish; ++call)
      data.push_back(vanishing_update(cells, type, k, width, random));
    for (const Observation& seen : observe(cells, std::move(data))) {
      check.outputs += width;
      const std::int64_t row =
          first_difference(seen, known.order, type, known.beta_zero_at(k), known.alpha_zero);
      if (row < 0) continue;
      if (has_special(seen.data, row)) {
        check.special_differs = true;
        check.outputs -= width;
        continue;
      }
      check.wrong = single(seen, row);
      check.what = about(cells, *check.wrong) + ", seed " + std::to_string(seed);
      return check;
    }
  }
  return check;
}

}  // namespace reprosum::reveal
