#include "reveal/matrix/check_update.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "reveal/matrix/plain_order.h"
#include "reveal/refused.h"

namespace reprosum::reveal {
namespace {

using spec::MatrixClass;

constexpr std::int64_t kRowsPerCall = 24;
constexpr std::int64_t kDearSize = 3000;  // above, one call per size
constexpr std::int64_t kSmallSizes = 24;  // 1 .. this many are always checked
constexpr int kRandomSizes = 24;

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

std::string hex(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%a", value);
  return text;
}

bool has_special(const UpdateRows& data, std::int64_t row) {
  const auto finite = [](double value) { return std::isfinite(value); };
  const double *x = data.x_row(row), *y = data.y_row(row);
  return !std::all_of(x, x + data.k, finite) || !std::all_of(y, y + data.k, finite) ||
         (data.beta != 0 && !finite(data.c[static_cast<std::size_t>(row)]));
}

// The observation of one row.
Observation single(const Observation& seen, std::int64_t row) {
  const UpdateRows& data = seen.data;
  Observation one;
  one.data.k = data.k;
  one.data.rows = 1;
  one.data.alpha = data.alpha;
  one.data.beta = data.beta;
  one.data.x.assign(data.x_row(row), data.x_row(row) + data.k);
  one.data.y.assign(data.y_row(row), data.y_row(row) + data.k);
  one.data.c = {data.c[static_cast<std::size_t>(row)]};
  one.outputs = {seen.outputs[static_cast<std::size_t>(row)]};
  return one;
}

// What the target was asked and answered, in full where it is short.
std::string about(CellTarget& cells, const Observation& one) {
  const UpdateRows& data = one.data;
  std::string text = cells.describe(data.k) + " alpha=" + hex(data.alpha) +
                     " beta=" + hex(data.beta) + " c=" + hex(data.c[0]);
  for (std::int64_t p = 0; p < data.k && data.k <= 3; ++p)
    text += " x*y=" + hex(data.x[static_cast<std::size_t>(p)]) + "*" +
            hex(data.y[static_cast<std::size_t>(p)]);
  return text + " gave " + hex(one.outputs[0]);
}

}  // namespace

void decide_zero_scalars(CellTarget& cells, spec::Type type, KnownClassOrder& known,
                         const ClassOptions& options) {
  FastRandom random(options.seed * 31 + 17);
  std::set<std::int64_t> sizes{1, 2, 3, 4, 7, 8, 13, 40};
  std::vector<Observation> beta_zero, alpha_zero;
  const auto add = [&](std::vector<Observation>& to, std::int64_t k, Data kind, Scalar alpha,
                       Scalar beta) {
    const std::int64_t rows = std::min(cells.best_packing(k).second, kRowsPerCall);
    to.push_back(observe(cells, random_update(cells, type, k, rows, kind, draw(alpha, type, random),
                                              draw(beta, type, random), random)));
  };
  const Scalar alpha = known.alpha_one_only ? Scalar::one : Scalar::random;
  for (const std::int64_t k : sizes) {
    if (k > known.k_max || !cells.has_shape(k)) continue;
    for (int again = 0; again < 3; ++again) add(beta_zero, k, Data::zeros, alpha, Scalar::zero);
    add(beta_zero, k, Data::ordinary, alpha, Scalar::zero);
    add(beta_zero, k, Data::tiny, Scalar::one, Scalar::zero);
    if (known.alpha_one_only) continue;
    add(alpha_zero, k, Data::special, Scalar::zero, Scalar::random);
    add(alpha_zero, k, Data::special, Scalar::zero, Scalar::zero);
    add(alpha_zero, k, Data::zeros, Scalar::zero, Scalar::zero);
    add(alpha_zero, k, Data::ordinary, Scalar::zero, Scalar::one);
  }
  const auto decide = [&](const std::vector<Observation>& seen, const char* what) {
    std::string unexplained;
    for (const auto alpha_rule : {MatrixClass::AlphaZero::skip, MatrixClass::AlphaZero::compute})
      for (const auto beta_rule : {MatrixClass::BetaZero::store, MatrixClass::BetaZero::drop}) {
        // beta = 0 is settled first and then stays.
        if (what[0] == 'a' && beta_rule != known.beta_zero) continue;
        const auto wrong = std::find_if(seen.begin(), seen.end(), [&](const Observation& one) {
          return first_difference(one, known.order, type, options.replay, beta_rule, alpha_rule) >=
                 0;
        });
        if (wrong == seen.end()) {
          known.beta_zero = beta_rule;
          if (what[0] == 'a') known.alpha_zero = alpha_rule;
          return;
        }
        unexplained =
            about(cells, single(*wrong, first_difference(*wrong, known.order, type, options.replay,
                                                         beta_rule, alpha_rule)));
      }
    throw Refused("unknown_arithmetic",
                  unexplained + "; no known rule for " + what +
                      " gives the bits (C read although beta is zero? other signs of zero?)");
  };
  decide(beta_zero, "beta = 0");
  decide(alpha_zero, "alpha = 0");
}

std::vector<std::int64_t> update_sizes(const spec::Order& order, std::int64_t k_max,
                                       std::uint64_t salt) {
  FastRandom random(salt);
  std::set<std::int64_t> sizes;
  for (const std::int64_t n : telling_sizes(order, k_max, 16)) sizes.insert(n);
  for (std::int64_t n = 1; n <= std::min(k_max, kSmallSizes); ++n) sizes.insert(n);
  const double top = std::log(static_cast<double>(k_max));
  for (int s = 0; s < kRandomSizes; ++s)
    sizes.insert(static_cast<std::int64_t>(std::exp(random.unit() * top)));
  sizes.insert(k_max);
  return {sizes.begin(), sizes.end()};
}

UpdateCheck check_update(CellTarget& cells, spec::Type type, const KnownClassOrder& known,
                         std::span<const std::int64_t> sizes, std::int64_t outputs,
                         const ClassOptions& options, std::uint64_t seed) {
  UpdateCheck check;
  FastRandom random(seed);
  std::size_t turn = 0;
  const auto count = static_cast<std::int64_t>(std::max<std::size_t>(1, sizes.size()));
  for (const std::int64_t k : sizes) {
    if (!cells.has_shape(k)) continue;
    const std::int64_t width = std::min(cells.best_packing(k).second, kRowsPerCall);
    std::int64_t calls = std::clamp<std::int64_t>(outputs / count / width + 1, 1, 8);
    if (k > kDearSize) calls = 1;
    for (std::int64_t call = 0; call < calls; ++call, ++turn) {
      const Scalars scalars = kScalars[turn % std::size(kScalars)];
      const auto kind = static_cast<Data>(turn % kDataKinds);
      if (kind == Data::special && (known.finite_only || check.special_differs)) continue;
      const Scalar alpha = known.alpha_one_only ? Scalar::one : scalars.alpha;
      const Observation seen =
          observe(cells, random_update(cells, type, k, width, kind, draw(alpha, type, random),
                                       draw(scalars.beta, type, random), random));
      check.outputs += width;
      const std::int64_t row = first_difference(seen, known.order, type, options.replay,
                                                known.beta_zero, known.alpha_zero);
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
