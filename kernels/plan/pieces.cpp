#include "kernels/plan/pieces.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "kernels/plan/loop_form.h"
#include "spec/expand.h"

namespace reprosum::kernels {
namespace {

// Budgets of an order: beyond them pieces are left to the interpreter. Never in seconds, for the
// host's load must not choose kernels. OpenBLAS needs a twentieth of them.
constexpr std::size_t kMaxPieces = 256;
constexpr std::size_t kMaxRegimes = 4096;  // of an order of which pieces are made

void collect(const spec::Order& order, bool is_update, std::vector<Piece>& pieces) {
  if (order.regimes.size() > kMaxRegimes) return;
  for (const spec::Regime& regime : order.regimes) {
    if (pieces.size() >= kMaxPieces) return;
    if (!is_update) {
      const std::vector<ChainPiece> chains = chain_pieces(regime);
      for (const ChainPiece& chain : chains) pieces.push_back({&order, &regime, chain});
      if (!chains.empty()) continue;
    }
    if (std::holds_alternative<spec::Loop>(regime.rule) ||
        std::holds_alternative<spec::Explicit>(regime.rule) || fold_split(order, regime))
      pieces.push_back({&order, &regime});
  }
  for (const spec::Order& sub : order.subs) collect(sub, is_update, pieces);
}

bool has_wide(const spec::Schema& schema) {
  for (const spec::Chain& chain : schema.chains) {
    if (chain.format == spec::NodeFormat::wide) return true;
    for (const spec::Item& item : chain.items)
      if (item.shape.is_leaf() && item.shape.leaf == spec::Leaf::exact) return true;
  }
  return false;
}

bool has_wide(const spec::Rule& rule) {
  if (const auto* loop = std::get_if<spec::Loop>(&rule))
    return std::any_of(loop->cases.begin(), loop->cases.end(),
                       [](const auto& c) { return has_wide(c.schema); });
  if (const auto* trees = std::get_if<spec::Explicit>(&rule))
    return std::any_of(trees->entries.begin(), trees->entries.end(),
                       [](const auto& e) { return has_wide(e.tree); });
  if (const auto* split = std::get_if<spec::Split>(&rule))
    return split->format == spec::NodeFormat::wide;
  const auto* parts = std::get_if<spec::Parts>(&rule);
  return parts != nullptr && parts->format == spec::NodeFormat::wide;
}

// A split that cannot be planned as a loop is walked.
bool plan_regime(const Piece& piece, const spec::Regime& regime, RulePlan& plan, std::string& why) {
  if (plan_rule(regime, plan, why)) return true;
  const bool is_walked = std::holds_alternative<spec::Split>(piece.regime->rule);
  why = is_walked ? "" : range_of(regime) + why;
  return false;
}

}  // namespace

std::vector<Piece> pieces_of(const spec::Order& order) {
  std::vector<Piece> pieces;
  collect(order, spec::is_update(order), pieces);
  return pieces;
}

spec::Regime planned_regime(const Piece& piece) {
  if (piece.chain) return regime_of_chain(*piece.regime, *piece.chain);
  spec::Regime regime = *piece.regime;
  if (!spec::is_update(*piece.order))
    if (const std::optional<spec::Loop> folded = fold_split(*piece.order, regime))
      regime.rule = *folded;
  if (const std::optional<spec::Loop> cut = unpad_loop(regime)) regime.rule = *cut;
  return regime;
}

bool plan_piece(const Piece& piece, spec::Type type, RulePlan& plan, std::string& why) {
  if (spec::is_update(*piece.order)) {
    why = "pieces go on from the sum before them";
    return false;
  }
  const spec::Regime regime = planned_regime(piece);
  if (spec::is_f64(type) && (has_wide(piece.regime->rule) || has_wide(regime.rule))) {
    why = "nothing is wider than f64";
    return false;
  }
  if (has_fused_nodes(regime.rule)) {
    why = "nodes that fuse several terms";
    return false;
  }
  return plan_regime(piece, regime, plan, why);
}

bool plan_update_piece(const Piece& piece, RulePlan& plan, std::string& why) {
  const spec::Regime regime = planned_regime(piece);
  if (std::holds_alternative<spec::Split>(regime.rule)) return false;  // walked
  if (!plan_regime(piece, regime, plan, why)) return false;
  for (const auto* plans : {&plan.cold, &plan.hot})
    for (const Plan& one : *plans)
      if (!is_tile_plan(one, why)) return false;
  return true;
}

RulePlan plan_of_single() {
  RulePlan plan;
  PlanNode leaf;
  leaf.kind = PlanNode::Kind::leaf;
  Plan one;
  one.domain = {0, 0, 1, 1};
  one.last = {0, 1, -1};
  one.nodes = {leaf};
  plan.hot = {one};
  return plan;
}

std::string range_of(const spec::Regime& regime) {
  return "n = " + std::to_string(regime.lo) + ".." + std::to_string(regime.hi) + ": ";
}

}  // namespace reprosum::kernels
