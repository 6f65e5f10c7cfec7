// The machinery for dot, at the price that products of matrices have.
#include "reveal/matrix/plain_order.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "reveal/all_nodes.h"
#include "reveal/annotate.h"
#include "reveal/check/classify.h"
#include "reveal/check/random_data.h"
#include "reveal/infer.h"
#include "reveal/matrix/skipped_factors.h"
#include "reveal/matrix/unpad.h"
#include "reveal/refused.h"
#include "reveal/target_oracle.h"
#include "spec/expand.h"
#include "spec/surface.h"

namespace reprosum::reveal {
namespace {

constexpr int kRepetitions = 20;  // a wrong node survives with at most (3/4)^19 < 0.5 %
// Probes of one node check, and summands added by all of them: a probe of a class with one cell is
// a whole product.
constexpr std::int64_t kProbesPerSize = 2400;
constexpr std::int64_t kNodeWork = 12'000'000;
constexpr int kRandomSizes = 8;

// Behind the first whole blocks from k_min on, and behind the last ones, each length at which a
// rule of a block that goes on begins or ends.
void add_block_sizes(const spec::Order& block, std::int64_t m, std::int64_t from, std::int64_t to,
                     std::int64_t residues, std::set<std::int64_t>& sizes) {
  const std::vector<std::int64_t> lengths = telling_sizes(block, m, residues);
  const std::int64_t first = (from - 1) / m;
  for (const std::int64_t q : {first, first + 1, first + 2, (to - 1) / m})
    for (const std::int64_t r : lengths)
      if (const std::int64_t n = q * m + r; from <= n && n <= to) sizes.insert(n);
}

void add_rule_sizes(const spec::Order& order, std::int64_t k_min, std::int64_t k_max,
                    std::int64_t residues, std::set<std::int64_t>& sizes) {
  const auto around = [&](std::int64_t n) {
    for (std::int64_t d = -1; d <= 1; ++d) sizes.insert(n + d);
  };
  for (const spec::Regime& regime : order.regimes) {
    around(regime.lo);
    around(regime.hi);
    if (const auto* listed = std::get_if<spec::Explicit>(&regime.rule)) {
      for (const auto& entry : listed->entries) sizes.insert(entry.n);
    } else if (const auto* loop = std::get_if<spec::Loop>(&regime.rule)) {
      const std::int64_t first = regime.lo / loop->block + 1;
      const std::int64_t step = std::max<std::int64_t>(1, loop->block / residues);
      for (std::int64_t r = 0; r < loop->block; r += step)
        for (const std::int64_t q : {first, first + 2}) sizes.insert(q * loop->block + r);
    } else {
      const auto* split = std::get_if<spec::Split>(&regime.rule);
      const std::int64_t m = split != nullptr ? split->m : std::get<spec::Parts>(regime.rule).m;
      if (split != nullptr && split->through)
        add_block_sizes(order.subs[static_cast<std::size_t>(split->right.index)], m,
                        std::max(k_min, regime.lo), std::min(k_max, regime.hi), residues, sizes);
      for (std::int64_t k = 1; k <= 3; ++k) {
        around(k * m);
        sizes.insert(k * m + m / 2);
      }
    }
  }
  for (const spec::Order& sub : order.subs) add_rule_sizes(sub, k_min, k_max, residues, sizes);
}

}  // namespace

std::vector<std::int64_t> telling_sizes(const spec::Order& order, std::int64_t k_max,
                                        std::int64_t residues, std::int64_t k_min) {
  std::set<std::int64_t> sizes{1, 2, 3, k_max};
  add_rule_sizes(order, k_min, k_max, residues, sizes);
  std::erase_if(sizes, [&](std::int64_t n) {
    return n < 1 || n > k_max || n > spec::kMaxExplicitLeaves || !spec::covers(order, n);
  });
  return {sizes.begin(), sizes.end()};
}

PlainOrder reveal_plain_order(CellTarget& cells, spec::Type type, std::int64_t k_max,
                              const ClassOptions& options, const std::vector<spec::Skip>& skips) {
  const Call context = call_without_sizes(spec::Routine::dot, type);
  const spec::Flush flush =
      check_box(cells, context, options.seed, std::min<std::int64_t>(k_max, 4000));
  if (flush != spec::Flush::none)
    throw Refused("flushes_subnormals",
                  spec::describe(flush) + "; that is replayed of sums and dot products alone");
  auto oracle = make_target_oracle(cells, context, options.seed);
  if (!skips.empty()) oracle = with_skips(std::move(oracle), cells, type, skips, options.seed);
  InferOptions infer_options;
  infer_options.lanes = false;
  infer_options.blocks_go_on = false;
  infer_options.n_max = k_max;
  infer_options.seed = options.seed;
  infer_options.time_limit_s = options.time_limit_s;
  infer_options.log = options.log;
  const Inference inference = infer_of_rounded(*oracle, infer_options);
  if (inference.reached < 1)
    throw Refused("unknown_rule", cells.describe(1) + ": " + inference.stopped);
  PlainOrder plain;
  plain.k_max = inference.reached;
  plain.stopped = inference.stopped;
  plain.revealed = inference.revealed;
  if (options.log) options.log("inferred\n" + spec::print(inference.order));
  const auto matters = [&](std::int64_t k) { return cells.has_shape(k); };
  try {
    plain.order = place_zero_leaves(cells, context, inference.order, options.seed, matters);
  } catch (const Refused&) {
    const spec::Order order = unpadded(inference.order);
    if (order == inference.order) throw;
    plain.order = place_zero_leaves(cells, context, order, options.seed, matters);
  }
  return plain;
}

std::vector<std::int64_t> check_plain_nodes(CellTarget& cells, spec::Type type,
                                            const spec::Order& order, std::int64_t k_min,
                                            std::int64_t k_max, std::uint64_t seed) {
  std::vector<std::int64_t> sizes = telling_sizes(order, k_max, 12);
  FastRandom random(seed * 31 + 7);
  const double least = std::log(static_cast<double>(k_min));
  const double top = std::log(static_cast<double>(k_max));
  for (int s = 0; s < kRandomSizes; ++s)
    sizes.push_back(static_cast<std::int64_t>(std::exp(least + random.unit() * (top - least))));
  for (std::size_t s = sizes.size(); s > 1; --s)  // the budget must not always meet the same ones
    std::swap(sizes[s - 1], sizes[static_cast<std::size_t>(random.below(std::int64_t(s)))]);
  std::int64_t work = kNodeWork;
  std::set<std::int64_t> done;
  for (const std::int64_t n : sizes) {
    if (n < std::max<std::int64_t>(2, k_min) || done.contains(n) || !spec::covers(order, n))
      continue;
    const std::int64_t probes = std::min({kProbesPerSize, work / n});
    if (probes < 64) continue;
    const Call call = call_of_vectors(spec::Routine::dot, type, n);
    const spec::Tree tree = spec::expand(order, n);
    const AllNodesResult result = check_some_nodes(cells, call, tree, kRepetitions, probes, ++seed);
    if (!result.right)
      throw Refused("unknown_rule",
                    cells.describe(n) + ": the rule's tree is wrong at node " + result.first_wrong);
    if (result.nodes == n - 1) done.insert(n);
    work -= std::min(work, n * std::min(probes, result.nodes * kRepetitions));
  }
  return {done.begin(), done.end()};
}

}  // namespace reprosum::reveal
