#include "kernels/plan/chain_pieces.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

#include "kernels/plan/loop_form.h"
#include "spec/expand_schema.h"
#include "spec/linear.h"

namespace reprosum::kernels {
namespace {

using spec::Chain;
using spec::is_constant;
using spec::Item;
using spec::Leaf;
using spec::Linear;

// The most lanes of one program: 32 vectors of eight doubles, which stay in the first cache where
// registers do not hold them.
constexpr std::int64_t kMostLanes = 256;

// What the lanes of a chain are, counted from its own place.
struct Lanes {
  bool is_clear = false;
  std::int64_t count = 0, last = 0;
  bool has_zero = false;
};

class Finder {
 public:
  Finder(const spec::Schema& schema, std::int64_t block) : schema_(schema), block_(block) {}

  std::vector<ChainPiece> run() {
    std::vector<ChainPiece> found;
    for (std::size_t k = 0; k < schema_.chains.size(); ++k) {
      known_.push_back(lanes_of(schema_.chains[k]));
      const Lanes& lanes = known_.back();
      // Dense: lanes are named once each, so as many as there are places.
      if (!lanes.is_clear || lanes.count != lanes.last + 1 || lanes.count > kMostLanes) continue;
      if (lanes.count >= block_) continue;
      const ChainPiece piece{static_cast<std::int32_t>(k), lanes.count, block_, lanes.has_zero};
      if (found.empty() && lanes.count == 1) found.push_back(piece);
      if (!found.empty() && lanes.count > found.back().lanes) {
        if (found.size() > 1) found.pop_back();
        found.push_back(piece);
      }
    }
    return found;
  }

 private:
  Lanes lanes_of(const Chain& chain) const {
    Lanes all{true, 0, -1, false};
    if (chain.fused.terms > 0) return {};
    for (const Item& item : chain.items) {
      if (!take(item, all)) return {};
      if (all.count > kMostLanes) return {};
    }
    return all;
  }

  bool take(const Item& item, Lanes& all) const {
    const bool is_leaf = item.shape.is_leaf();
    if (item.shape.is_sub() || item.times2 != Linear{0, 0, 1}) return false;
    if (is_leaf && item.shape.leaf == Leaf::zero) {
      all.has_zero = true;
      return is_constant(item.times) && item.times.c == 1;
    }
    if (is_leaf) {
      const bool is_lane = item.times == Linear{1, 0, 0} && item.step == Linear{0, 0, block_};
      return spec::is_summand(item.shape.leaf) && is_lane && add(item.at, {true, 1, 0, false}, all);
    }
    if (!is_constant(item.times) || item.times.c < 1 || item.times.c > kMostLanes) return false;
    if (item.times.c > 1 && !is_constant(item.step)) return false;
    const Lanes& one = known_[static_cast<std::size_t>(item.shape.chain)];
    for (std::int64_t t = 0; t < item.times.c; ++t)
      if (!add(item.at + t * item.step, one, all)) return false;
    return true;
  }

  static bool add(const Linear& at, const Lanes& one, Lanes& all) {
    if (!one.is_clear || !is_constant(at) || at.c < 0 || at.c > kMostLanes) return false;
    all.count += one.count;
    all.last = std::max(all.last, at.c + one.last);
    all.has_zero = all.has_zero || one.has_zero;
    return true;
  }

  const spec::Schema& schema_;
  const std::int64_t block_;
  std::vector<Lanes> known_;
};

// The schema of a padded loop counts padded blocks, which are the rows; code counts whole ones.
Linear rows(Linear v) { return {v.q, 0, spec::checked_sum(v.c, v.q)}; }

}  // namespace

std::vector<ChainPiece> chain_pieces(const spec::Regime& regime) {
  const auto* loop = std::get_if<spec::Loop>(&regime.rule);
  if (loop == nullptr || !loop->pad || loop->block <= kMostLanes) return {};
  std::vector<ChainPiece> found = Finder(loop->cases[0].schema, loop->block).run();
  if (!found.empty() && unpad_loop(regime)) found.clear();
  return found;
}

spec::Regime regime_of_chain(const spec::Regime& regime, const ChainPiece& piece) {
  const auto& padded = std::get<spec::Loop>(regime.rule);
  spec::Schema schema;
  for (std::int32_t k = 0; k <= piece.chain; ++k) {
    Chain chain = padded.cases[0].schema.chains[static_cast<std::size_t>(k)];
    for (Item& item : chain.items)
      for (Linear* v : {&item.at, &item.step, &item.times, &item.step2, &item.times2})
        *v = rows(*v);
    schema.chains.push_back(std::move(chain));
  }
  spec::Loop loop;
  loop.block = padded.block;
  loop.cases = {{piece.lanes, piece.lanes, std::move(schema)}};
  return {0, regime.hi, std::move(loop)};
}

}  // namespace reprosum::kernels
