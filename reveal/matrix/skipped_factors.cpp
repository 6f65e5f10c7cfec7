#include "reveal/matrix/skipped_factors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <variant>

namespace reprosum::reveal {
namespace {

using spec::Scale;
using spec::Skip;

constexpr std::int64_t kFew = 512;  // summands that are looked at one by one
constexpr std::int64_t kEnds = 32, kBetween = 32;
constexpr std::int64_t kRowsAtOnce = 256;
constexpr std::int64_t kFarthestShape = 64;
constexpr std::int64_t kLastOnes = 16;  // of a large tree that is tested and not revealed

// f(schema) for every schema of the order.
template <class AnOrder, class F>
void for_schemas(AnOrder& order, F&& f) {
  for (auto& regime : order.regimes) {
    if (auto* listed = std::get_if<spec::Explicit>(&regime.rule))
      for (auto& entry : listed->entries) f(entry.tree);
    if (auto* loop = std::get_if<spec::Loop>(&regime.rule))
      for (auto& one : loop->cases) f(one.schema);
  }
  for (auto& sub : order.subs) for_schemas(sub, f);
}

class SkippingOracle final : public Oracle {
 public:
  SkippingOracle(std::unique_ptr<Oracle> trees, CellTarget& cells, spec::Type type,
                 std::vector<Skip> factors, std::uint64_t seed)
      : trees_(std::move(trees)),
        skipped_(cells, type),
        factors_(std::move(factors)),
        random_(seed) {}

  std::int64_t pair(std::int64_t n, std::int64_t i, std::int64_t j, std::int64_t lo,
                    std::int64_t hi) override {
    return trees_->pair(n, i, j, lo, hi);
  }
  std::vector<std::int64_t> pairs(std::int64_t n, std::int64_t i, std::span<const std::int64_t> js,
                                  std::int64_t lo, std::int64_t hi) override {
    return trees_->pairs(n, i, js, lo, hi);
  }
  spec::Tree reveal(std::int64_t n, std::int64_t lo, std::int64_t hi) override {
    spec::Tree tree = trees_->reveal(n, lo, hi);
    for (const Skip factor : factors_) {
      const std::vector<bool> left_out = skipped_.left_out(n, factor, lo, lo + tree.n);
      for (spec::TreeOp& op : tree.ops)
        if (op.kind == spec::TreeOp::Kind::leaf && left_out[op.index]) op.skip = factor;
    }
    return tree;
  }
  // Masks do not see skips: some leaves are looked at besides.
  bool verify(std::int64_t n, const spec::Tree& predicted, int probes, std::int64_t lo,
              std::int64_t hi) override {
    if (!trees_->verify(n, predicted, probes, lo, hi)) return false;
    std::set<std::int64_t> chosen;
    for (std::int64_t k = 0; k < kLastOnes; ++k) {
      if (k < predicted.n) chosen.insert(lo + predicted.n - 1 - k);
      chosen.insert(lo + random_.below(predicted.n));
    }
    const std::vector<std::int64_t> summands(chosen.begin(), chosen.end());
    std::vector<Skip> expected(static_cast<std::size_t>(predicted.n));
    for (const spec::TreeOp& op : predicted.ops)
      if (op.kind == spec::TreeOp::Kind::leaf) expected[op.index] = op.skip;
    for (const Skip factor : factors_) {
      const std::vector<bool> left_out = skipped_.left_out(n, factor, summands);
      for (std::size_t k = 0; k < summands.size(); ++k)
        if (left_out[k] != (expected[static_cast<std::size_t>(summands[k] - lo)] == factor))
          return false;
    }
    return true;
  }
  std::int64_t calls() const override { return trees_->calls(); }

 private:
  std::unique_ptr<Oracle> trees_;
  SkippedFactors skipped_;
  const std::vector<Skip> factors_;
  FastRandom random_;
};

}  // namespace

std::vector<Skip> SkippedFactors::look(std::int64_t k_min, std::int64_t k_max) {
  std::vector<Skip> found;
  for (const Skip factor : {Skip::x, Skip::y})
    for (const std::int64_t beyond : {0, 1, 2, 4, 6, 8, 11, 14, 22, 30}) {
      const std::int64_t k = k_min + beyond;
      if (k > k_max || !cells_.has_shape(k)) continue;
      const std::vector<bool> out = left_out(k, factor, 0, k);
      if (std::find(out.begin(), out.end(), true) == out.end()) continue;
      found.push_back(factor);
      break;
    }
  return found;
}

std::vector<bool> SkippedFactors::left_out(std::int64_t k, Skip factor, std::int64_t lo,
                                           std::int64_t hi) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(hi - lo));
  std::iota(all.begin(), all.end(), lo);
  if (hi - lo <= kFew) return left_out(k, factor, all);
  const auto between = static_cast<std::size_t>(hi - lo - 2 * kEnds);
  std::vector<std::int64_t> some(all.begin(), all.begin() + kEnds);
  for (std::int64_t b = 0; b < kBetween; ++b)
    some.push_back(
        all[static_cast<std::size_t>(kEnds) + between * static_cast<std::size_t>(b) / kBetween]);
  some.insert(some.end(), all.end() - kEnds, all.end());
  const std::vector<bool> seen = left_out(k, factor, some);
  const auto middle = seen.begin() + kEnds;
  if (!std::all_of(middle, middle + kBetween, [&](bool out) { return out == *middle; }))
    return left_out(k, factor, all);
  std::vector<bool> result(seen.begin(), middle);
  result.insert(result.end(), between, *middle);
  result.insert(result.end(), seen.end() - kEnds, seen.end());
  return result;
}

std::vector<bool> SkippedFactors::left_out(std::int64_t k, Skip factor,
                                           const std::vector<std::int64_t>& summands) {
  // A k without a shape of its own is the first summands of a larger one.
  std::int64_t place = k;
  while (!cells_.has_shape(place) && place < k + kFarthestShape) ++place;
  if (!cells_.has_shape(place)) return std::vector<bool>(summands.size(), false);
  auto& known = known_[{place, factor}];
  std::vector<std::int64_t> unknown;
  for (const std::int64_t p : summands)
    if (!known.contains(p)) unknown.push_back(p);
  const std::vector<bool> answers = ask(place, factor, unknown);
  for (std::size_t i = 0; i < unknown.size(); ++i) known[unknown[i]] = answers[i];
  std::vector<bool> result;
  for (const std::int64_t p : summands) result.push_back(known.at(p));
  return result;
}

std::vector<bool> SkippedFactors::ask(std::int64_t k, Skip factor,
                                      const std::vector<std::int64_t>& summands) {
  std::vector<bool> result;
  std::vector<std::int64_t> unseen{-1};  // first of all, the sum of zeros alone
  for (const double output :
       outputs(k, factor, summands, 1, std::numeric_limits<double>::infinity()))
    result.push_back(!std::isnan(output));
  for (std::size_t i = 0; i < summands.size(); ++i)
    if (result[i]) unseen.push_back(summands[i]);
  if (unseen.size() == 1) return result;
  // What is kept may still be a zero that is not the product's. A sum that begins with +0 hides it.
  const std::vector<double> signs = outputs(k, factor, unseen, -1, 1);
  if (!std::signbit(signs[0])) return result;
  for (std::size_t i = 0, seen = 1; i < summands.size(); ++i)
    if (result[i]) result[i] = std::signbit(signs[seen++]);
  return result;
}

std::vector<double> SkippedFactors::outputs(std::int64_t k, Skip factor,
                                            const std::vector<std::int64_t>& summands, double usual,
                                            double odd) {
  std::vector<double> result;
  const auto length = static_cast<std::size_t>(k);
  for (std::size_t at = 0; at < summands.size(); at += kRowsAtOnce) {
    const std::size_t rows = std::min<std::size_t>(kRowsAtOnce, summands.size() - at);
    UpdateRows data;
    data.k = k;
    data.rows = static_cast<std::int64_t>(rows);
    data.packing = factor == Skip::y ? Packing::rows : Packing::columns;
    std::vector<double>& zeros = factor == Skip::y ? data.y : data.x;
    std::vector<double>& others = factor == Skip::y ? data.x : data.y;
    zeros.assign(length, 0.0);
    others.assign(rows * length, usual);
    for (std::size_t row = 0; row < rows; ++row)
      if (const std::int64_t p = summands[at + row]; p >= 0)
        others[row * length + static_cast<std::size_t>(p)] = odd;
    data.c.assign(rows, -0.0);
    const std::vector<double> part = cells_.update(data);
    result.insert(result.end(), part.begin(), part.end());
  }
  return result;
}

std::unique_ptr<Oracle> with_skips(std::unique_ptr<Oracle> trees, CellTarget& cells,
                                   spec::Type type, std::vector<Skip> factors, std::uint64_t seed) {
  return std::make_unique<SkippingOracle>(std::move(trees), cells, type, std::move(factors), seed);
}

spec::Schema with_scaled_skips(const spec::Schema& schema) {
  spec::Schema result = schema;
  for (spec::Chain& chain : result.chains)
    for (spec::Item& item : chain.items) {
      spec::Shape& shape = item.shape;
      if ((shape.skip == Skip::x && shape.scale == Scale::x) ||
          (shape.skip == Skip::y && shape.scale == Scale::y))
        shape.skip = Skip::scaled;
    }
  return result;
}

spec::Order with_scaled_skips(const spec::Order& order) {
  spec::Order result = order;
  for_schemas(result, [](spec::Schema& schema) { schema = with_scaled_skips(schema); });
  return result;
}

UpdateRows vanishing_update(CellTarget& cells, spec::Type type, std::int64_t k, std::int64_t rows,
                            FastRandom& random) {
  const double alpha = random.bits() % 2 == 0 ? 0.25 : -0.25;
  UpdateRows data = random_update(cells, type, k, rows, Data::ordinary, alpha,
                                  draw(Scalar::random, type, random), random);
  const double least = spec::is_f32(type)
                           ? static_cast<double>(std::numeric_limits<float>::denorm_min())
                           : std::numeric_limits<double>::denorm_min();
  const auto vanish = [&](std::vector<double>& values) {
    for (double& value : values) {
      const std::int64_t way = random.below(4);
      if (way < 3) value = std::copysign(way == 0 ? 0.0 : least, value);
    }
  };
  // The operand that the rows share vanishes; either one where they share none.
  const bool is_x =
      data.packing == Packing::columns || (data.packing == Packing::both && random.below(2) == 0);
  vanish(is_x ? data.x : data.y);
  std::vector<double>& others = is_x ? data.y : data.x;
  for (std::int64_t row = 0; row < rows; ++row) {
    if (random.below(2) == 0) continue;
    const std::int64_t reach = random.below(2) == 0 ? std::min<std::int64_t>(k, 8) : k;
    const std::int64_t p = k - 1 - random.below(reach);
    const double* const factors = is_x ? data.x_row(row) : data.y_row(row);
    if (std::abs(factors[p]) <= least)
      others[static_cast<std::size_t>(row * k + p)] = std::numeric_limits<double>::infinity();
  }
  return data;
}

}  // namespace reprosum::reveal
