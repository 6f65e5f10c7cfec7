#include "reveal/matrix/unpad.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "reveal/infer/schema_fit.h"
#include "reveal/infer/tree_store.h"
#include "reveal/tree/zero_placements.h"
#include "spec/error.h"
#include "spec/expand.h"

namespace reprosum::reveal {
namespace {

constexpr std::int64_t kLargestBlock = 64;
constexpr std::int64_t kSamples = 4;  // trees of one residue that one schema must give

std::optional<spec::Loop> by_residue(const spec::Regime& regime) {
  const auto& padded = std::get<spec::Loop>(regime.rule);
  const spec::Order alone{false, {regime}, {}};
  spec::Loop result{padded.block, false, {}};
  for (std::int64_t r = 0; r < padded.block; ++r) {
    const std::int64_t first = (regime.lo + padded.block - 1 - r) / padded.block;
    const std::int64_t last = (regime.hi - r) / padded.block;
    generalize::TreeStore store;
    std::vector<generalize::Sample> samples;
    for (std::int64_t q = std::max<std::int64_t>(first, r == 0 ? 1 : 0);
         q <= std::min(last, first + kSamples); ++q)
      samples.push_back({q, r, store.add(spec::expand(alone, q * padded.block + r))});
    if (samples.empty()) return std::nullopt;
    const auto schema = generalize::fit_schema(store, samples);
    if (!schema) return std::nullopt;
    result.cases.push_back({r, r, *schema});
  }
  return result;
}

}  // namespace

spec::Order unpadded(const spec::Order& order) {
  spec::Order result = order;
  for (std::size_t k = 0; k < result.regimes.size(); ++k) {
    const auto* loop = std::get_if<spec::Loop>(&result.regimes[k].rule);
    if (loop == nullptr || !loop->pad || loop->block > kLargestBlock) continue;
    // Below two blocks some lanes have no summand, so that other schemas would be needed.
    const std::int64_t border = 2 * loop->block - 1;
    spec::Order trial = cut_at(result, k, border);
    const std::size_t at = trial == result ? k : k + 1;
    const spec::Order alone{false, {trial.regimes[at]}, {}};
    const auto cases = by_residue(trial.regimes[at]);
    if (!cases) continue;
    trial.regimes[at].rule = *cases;
    const spec::Order written{false, {trial.regimes[at]}, {}};
    const std::int64_t lo = alone.regimes[0].lo, hi = alone.regimes[0].hi;
    bool same = true;
    try {
      for (std::int64_t n = lo; same && n <= std::min(hi, lo + 9 * cases->block); ++n)
        same = spec::expand(written, n) == spec::expand(alone, n);
    } catch (const UserError&) {
      same = false;
    }
    if (!same) continue;
    result = std::move(trial);
    k = at;
  }
  return result;
}

}  // namespace reprosum::reveal
