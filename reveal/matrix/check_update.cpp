#include "reveal/matrix/check_update.h"

#include <algorithm>
#include <bit>
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
constexpr std::int64_t kSmallSizes = 24;  // so many from the first on are always checked
constexpr int kRandomSizes = 24;
constexpr std::int64_t kLeastOutputs = 39;  // of a small size: trees there may be listed singly
constexpr std::int64_t kLeastCalls = 3 * kDataKinds;  // of it: one call has one kind of data
// Signs of zero alone tell orders of one summand apart, and few calls show them: so many more for
// all small sizes together, where a class has few.
constexpr std::int64_t kCallsWithZeros = 160;
constexpr int kRepetitions = 6;  // of data that tell rules for zero scalars apart only now and then

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

// Which of the six combinations of rules explain what is seen at one k, and where that changes.
class ZeroScalars {
 public:
  ZeroScalars(CellTarget& cells, spec::Type type, KnownClassOrder& known,
              const ClassOptions& options)
      : cells_(cells),
        type_(type),
        known_(known),
        options_(options),
        alpha_(known.alpha_one_only ? Scalar::one : Scalar::random),
        random_(options.seed * 31 + 17) {}

  void decide_beta(std::int64_t k_min) {
    const unsigned rules = decide(k_min, "beta = 0", kAllRules, [&](std::int64_t k) {
      std::vector<UpdateRows> seen;
      // Both signs of alpha: a sum of +0 becomes a -0 that only a dropped C leaves as it is.
      for (int again = 0; again < kRepetitions; ++again) {
        add(seen, k, Data::zeros, alpha_, Scalar::zero);
        add(seen, k, Data::zeros, known_.alpha_one_only ? Scalar::one : Scalar::minus_one,
            Scalar::zero);
      }
      add(seen, k, Data::ordinary, alpha_, Scalar::zero);
      add(seen, k, Data::tiny, Scalar::one, Scalar::zero);
      return observe(cells_, std::move(seen));
    });
    known_.beta_zero = beta_rule(std::countr_zero(rules));
  }

  // @pre beta = 0 is settled.
  void decide_alpha(std::int64_t k_min) {
    if (known_.alpha_one_only) return;
    unsigned allowed = 0;
    for (int rule = 0; rule < kRules; ++rule)
      if (beta_rule(rule) == known_.beta_zero) allowed |= 1U << rule;
    const unsigned rules = decide(k_min, "alpha = 0", allowed, [&](std::int64_t k) {
      std::vector<UpdateRows> seen;
      for (int again = 0; again < kRepetitions; ++again) {
        add(seen, k, Data::special, Scalar::zero, Scalar::random);
        add(seen, k, Data::special, Scalar::zero, Scalar::zero);
        add(seen, k, Data::zeros, Scalar::zero, Scalar::zero);
      }
      add(seen, k, Data::ordinary, Scalar::zero, Scalar::one);
      return observe(cells_, std::move(seen));
    });
    known_.alpha_zero = alpha_rule(std::countr_zero(rules));
  }

 private:
  static constexpr MatrixClass::BetaZero kBetaRules[] = {
      MatrixClass::BetaZero::store, MatrixClass::BetaZero::drop, MatrixClass::BetaZero::drop_zeros};
  static constexpr MatrixClass::AlphaZero kAlphaRules[] = {MatrixClass::AlphaZero::skip,
                                                           MatrixClass::AlphaZero::compute};
  static constexpr int kRules = 6;
  static constexpr unsigned kAllRules = (1U << kRules) - 1;
  static MatrixClass::BetaZero beta_rule(int rule) { return kBetaRules[rule % 3]; }
  static MatrixClass::AlphaZero alpha_rule(int rule) { return kAlphaRules[rule / 3]; }

  void add(std::vector<UpdateRows>& to, std::int64_t k, Data kind, Scalar alpha, Scalar beta) {
    const std::int64_t rows = std::min(cells_.best_packing(k).second, kRowsPerCall);
    const double factor = draw(alpha, type_, random_);
    to.push_back(
        random_update(cells_, type_, k, rows, kind, factor, draw(beta, type_, random_), random_));
  }

  // The rules among `allowed` that explain all of it; sets unexplained_ where one does not.
  unsigned explaining(const std::vector<Observation>& seen, unsigned allowed) {
    unsigned left = 0;
    for (int rule = 0; rule < kRules; ++rule) {
      if ((allowed >> rule & 1U) == 0) continue;
      const auto wrong = std::find_if(seen.begin(), seen.end(), [&](const Observation& one) {
        const std::int64_t row = first_difference(one, known_.order, type_, options_.replay,
                                                  beta_rule(rule), alpha_rule(rule));
        if (row >= 0) unexplained_ = about(cells_, single(one, row));
        return row >= 0;
      });
      if (wrong == seen.end()) left |= 1U << rule;
    }
    return left;
  }

  template <class Look>
  unsigned decide(std::int64_t k_min, const char* what, unsigned allowed, Look look) {
    std::set<std::int64_t> sizes{100, 257};
    for (const std::int64_t step : {0, 1, 2, 3, 6, 7, 12, 39}) sizes.insert(k_min + step);
    unsigned rules = allowed;
    std::int64_t explained = 0;  // the last size that `rules` explain
    for (const std::int64_t k : sizes) {
      if (k < k_min || k > known_.k_max || !cells_.has_shape(k)) continue;
      const auto seen = look(k);
      if (const unsigned left = explaining(seen, rules); left != 0) {
        rules = left;
        explained = k;
        continue;
      }
      const std::string evidence = unexplained_ + "; no known rule for " + what +
                                   " gives the bits (C read although beta is zero? other signs of "
                                   "zero?)";
      if (explained == 0 || explaining(seen, allowed) == 0)
        throw RefusedAt("unknown_arithmetic", evidence, k);
      std::int64_t above = k;
      while (above - explained > 1) {
        const std::int64_t middle = explained + (above - explained) / 2;
        if (!cells_.has_shape(middle) || explaining(look(middle), rules) != 0)
          explained = middle;
        else
          above = middle;
      }
      throw KBorder("unknown_arithmetic", evidence + ", while another one does from there on",
                    explained);
    }
    return rules;
  }

  CellTarget& cells_;
  const spec::Type type_;
  KnownClassOrder& known_;
  const ClassOptions& options_;
  const Scalar alpha_;
  FastRandom random_;
  std::string unexplained_;
};

}  // namespace

void decide_zero_scalars(CellTarget& cells, spec::Type type, KnownClassOrder& known,
                         std::int64_t k_min, const ClassOptions& options) {
  ZeroScalars zeros(cells, type, known, options);
  zeros.decide_beta(k_min);
  zeros.decide_alpha(k_min);
}

std::vector<std::int64_t> update_sizes(const spec::Order& order, std::int64_t k_min,
                                       std::int64_t k_max, std::uint64_t salt) {
  FastRandom random(salt);
  std::set<std::int64_t> sizes;
  for (const std::int64_t n : telling_sizes(order, k_max, 16)) sizes.insert(n);
  for (std::int64_t n = k_min; n <= std::min(k_max, k_min + kSmallSizes - 1); ++n) sizes.insert(n);
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
    std::int64_t with_zeros = 0;
    if (k < sizes.front() + kSmallSizes) {
      calls = std::max({calls, kLeastOutputs / width, kLeastCalls});
      with_zeros = kCallsWithZeros / count;
    }
    if (k > kDearSize) calls = 1, with_zeros = 0;
    std::vector<UpdateRows> data;
    for (std::int64_t call = 0; call < calls + with_zeros; ++call, ++turn) {
      const Scalars scalars = kScalars[turn % std::size(kScalars)];
      const auto kind = call < calls ? static_cast<Data>(turn % kDataKinds) : Data::zeros;
      if (kind == Data::special && (known.finite_only || check.special_differs)) continue;
      const double alpha = draw(known.alpha_one_only ? Scalar::one : scalars.alpha, type, random);
      const double beta = draw(scalars.beta, type, random);
      data.push_back(random_update(cells, type, k, width, kind, alpha, beta, random));
    }
    for (const Observation& seen : observe(cells, std::move(data))) {
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
