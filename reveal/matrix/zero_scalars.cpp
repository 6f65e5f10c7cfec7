#include "reveal/matrix/zero_scalars.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "reveal/matrix/update_data.h"
#include "reveal/refused.h"

namespace reprosum::reveal {
namespace {

using spec::MatrixClass;

constexpr MatrixClass::BetaZero kBetaRules[] = {
    MatrixClass::BetaZero::store, MatrixClass::BetaZero::drop, MatrixClass::BetaZero::drop_zeros,
    MatrixClass::BetaZero::store_beta, MatrixClass::BetaZero::multiply};
constexpr MatrixClass::AlphaZero kAlphaRules[] = {MatrixClass::AlphaZero::skip,
                                                  MatrixClass::AlphaZero::compute};
constexpr std::int64_t kRowsPerCall = 24;
constexpr int kRepetitions = 6;  // of data that tell rules apart only now and then
// Up to here each number of summands may have code of its own.
constexpr std::int64_t kFewSummands = 64;

// One of the rules that are left, the first ones being preferred.
template <class Rule, std::size_t N>
Rule first_of(const Rule (&rules)[N], unsigned left) {
  return rules[static_cast<std::size_t>(std::countr_zero(left))];
}

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

  void decide_beta(std::int64_t k_min, bool is_thorough) {
    known_.beta_zero_up_to.clear();
    const std::set<std::int64_t> looked_at = sizes(k_min);
    std::set<std::int64_t> all = looked_at;
    for (std::int64_t k = k_min; k <= kFewSummands; ++k) all.insert(k);
    const auto look = [&](std::int64_t k) {
      return rules_for_beta(k, is_thorough && (looked_at.contains(k) || k > kFewSummands));
    };
    unsigned rules = kAllBetaRules;
    std::int64_t explained = 0;  // the last size that `rules` explain
    for (const std::int64_t k : all) {
      if (!is_seen(k, k_min)) continue;
      unsigned here = look(k);
      if (here == 0) refuse("beta = 0", k);
      if ((here & rules) != 0) {
        rules &= here;
        explained = k;
        continue;
      }
      for (std::int64_t above = k; above - explained > 1;) {
        const std::int64_t middle = explained + (above - explained) / 2;
        const unsigned there = cells_.has_shape(middle) ? look(middle) : kAllBetaRules;
        if ((there & rules) != 0) {
          rules &= there;
          explained = middle;
        } else if ((there & here) != 0) {
          here &= there;
          above = middle;
        } else {
          refuse("beta = 0", middle);  // several changes, or none that is known
        }
      }
      known_.beta_zero_up_to.emplace_back(explained, first_of(kBetaRules, rules));
      rules = here;
      explained = k;
    }
    known_.beta_zero = first_of(kBetaRules, rules);
  }

  // @pre beta = 0 is settled.
  void decide_alpha(std::int64_t k_min) {
    if (known_.alpha_one_only) return;
    unsigned rules = kAllAlphaRules;
    std::int64_t explained = 0;
    for (const std::int64_t k : sizes(k_min)) {
      if (!is_seen(k, k_min)) continue;
      const unsigned here = rules_for_alpha(k);
      if ((here & rules) != 0) {
        rules &= here;
        explained = k;
        continue;
      }
      if (explained == 0 || here == 0) refuse("alpha = 0", k);
      const std::string evidence = unexplained_;
      for (std::int64_t above = k; above - explained > 1;) {
        const std::int64_t middle = explained + (above - explained) / 2;
        if (!cells_.has_shape(middle) || (rules_for_alpha(middle) & rules) != 0)
          explained = middle;
        else
          above = middle;
      }
      throw KBorder("unknown_arithmetic",
                    evidence +
                        "; no known rule for alpha = 0 gives the bits, while another one "
                        "does from there on",
                    explained);
    }
    known_.alpha_zero = first_of(kAlphaRules, rules);
  }

 private:
  static constexpr unsigned kAllBetaRules = (1U << std::size(kBetaRules)) - 1;
  static constexpr unsigned kAllAlphaRules = (1U << std::size(kAlphaRules)) - 1;

  std::set<std::int64_t> sizes(std::int64_t k_min) const {
    std::set<std::int64_t> all{100, 257, 600, 1500, known_.k_max};
    for (const std::int64_t step : {0, 1, 2, 3, 6, 7, 12, 39}) all.insert(k_min + step);
    return all;
  }
  bool is_seen(std::int64_t k, std::int64_t k_min) {
    return k_min <= k && k <= known_.k_max && cells_.has_shape(k);
  }
  std::int64_t rows(std::int64_t k) {
    return std::min(cells_.best_packing(k).second, kRowsPerCall);
  }

  void add(std::vector<UpdateRows>& to, std::int64_t k, Data kind, Scalar alpha, Scalar beta) {
    const double factor = draw(alpha, type_, random_);
    to.push_back(random_update(cells_, type_, k, rows(k), kind, factor, draw(beta, type_, random_),
                               random_));
  }

  unsigned rules_for_beta(std::int64_t k, bool is_thorough) {
    const Scalar negative = known_.alpha_one_only ? Scalar::one : Scalar::minus_one;
    std::vector<UpdateRows> data;
    // What is never -0 has a +0 in it, of C or of a lane. With a negative alpha a sum of +0 becomes
    // a -0 that only a dropped C leaves as it is.
    data.push_back(zero_update(cells_, k, rows(k), -0.0, 1, 0));
    if (negative != Scalar::one) data.push_back(zero_update(cells_, k, rows(k), 0.0, -1, 0));
    // A zero is stored as +0, or with the sign of beta.
    data.push_back(zero_update(cells_, k, rows(k), -0.0, 1, -0.0));
    if (negative != Scalar::one) data.push_back(zero_update(cells_, k, rows(k), 0.0, -1, -0.0));
    for (int again = 0; again < (is_thorough ? kRepetitions : 1); ++again) {
      add(data, k, Data::zeros, alpha_, Scalar::zero);
      if (is_thorough) add(data, k, Data::zeros, negative, Scalar::zero);
    }
    if (is_thorough) {
      add(data, k, Data::ordinary, alpha_, Scalar::zero);
      add(data, k, Data::tiny, Scalar::one, Scalar::zero);
    }
    const std::vector<Observation> seen = observe(cells_, std::move(data));
    unsigned left = 0;
    for (std::size_t rule = 0; rule < std::size(kBetaRules); ++rule)
      if (explains(seen, kBetaRules[rule], MatrixClass::AlphaZero::skip)) left |= 1U << rule;
    return std::popcount(left) > 1 && !known_.alpha_one_only ? told_apart(k, left) : left;
  }

  // Where a chain starts at +0, what is stored shows with alpha = 0 alone, if that skips the chain.
  unsigned told_apart(std::int64_t k, unsigned rules) {
    std::vector<UpdateRows> data;
    data.push_back(zero_update(cells_, k, rows(k), 1.0, 0, -0.0));
    const std::vector<Observation> seen = observe(cells_, std::move(data));
    unsigned left = 0;
    for (std::size_t rule = 0; rule < std::size(kBetaRules); ++rule)
      for (const MatrixClass::AlphaZero alpha : kAlphaRules)
        if ((rules >> rule & 1U) != 0 && explains(seen, kBetaRules[rule], alpha))
          left |= 1U << rule;
    return left != 0 ? left : rules;
  }

  unsigned rules_for_alpha(std::int64_t k) {
    std::vector<UpdateRows> data;
    for (int again = 0; again < kRepetitions; ++again) {
      add(data, k, Data::special, Scalar::zero, Scalar::random);
      add(data, k, Data::special, Scalar::zero, Scalar::zero);
      add(data, k, Data::zeros, Scalar::zero, Scalar::zero);
    }
    add(data, k, Data::ordinary, Scalar::zero, Scalar::one);
    add(data, k, Data::special, Scalar::zero, Scalar::one);
    add(data, k, Data::zeros, Scalar::zero, Scalar::one);
    const std::vector<Observation> seen = observe(cells_, std::move(data));
    unsigned left = 0;
    for (std::size_t rule = 0; rule < std::size(kAlphaRules); ++rule)
      if (explains(seen, known_.beta_zero_at(k), kAlphaRules[rule])) left |= 1U << rule;
    return left;
  }

  // Whether the order gives all of it with these rules; sets unexplained_ where it does not.
  bool explains(const std::vector<Observation>& seen, MatrixClass::BetaZero beta,
                MatrixClass::AlphaZero alpha) {
    return std::all_of(seen.begin(), seen.end(), [&](const Observation& one) {
      const std::int64_t row = first_difference(one, known_.order, type_, beta, alpha);
      if (row >= 0) unexplained_ = about(cells_, single(one, row));
      return row < 0;
    });
  }

  [[noreturn]] void refuse(const char* what, std::int64_t k) const {
    throw RefusedAt(
        "unknown_arithmetic",
        unexplained_ + "; no known rule for " + what + " gives the bits (other signs of zero?)", k);
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

void decide_beta_zero(CellTarget& cells, spec::Type type, KnownClassOrder& known,
                      std::int64_t k_min, const ClassOptions& options) {
  ZeroScalars(cells, type, known, options).decide_beta(k_min, false);
}

void decide_zero_scalars(CellTarget& cells, spec::Type type, KnownClassOrder& known,
                         std::int64_t k_min, const ClassOptions& options) {
  ZeroScalars zeros(cells, type, known, options);
  zeros.decide_beta(k_min, true);
  zeros.decide_alpha(k_min);
}

}  // namespace reprosum::reveal
