#include "kernels/matrix/class_code.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "spec/error.h"

namespace reprosum::kernels {
namespace {

using spec::Scale;

Ending ending(const FoldStep& step, bool first) {
  if (!first && !step.goes_on)
    return step.scale == Scale::none    ? Ending::add
           : step.scale == Scale::fused ? Ending::fuse_scaled
                                        : Ending::add_scaled;
  if (step.scale == Scale::none) return step.fuses_output ? Ending::fuse_output : Ending::store;
  return step.fuses_output ? Ending::scaled_fuse : Ending::scaled;
}

bool reads_output(const Plan& plan) {
  return std::any_of(plan.nodes.begin(), plan.nodes.end(), [](const PlanNode& node) {
    return node.kind == PlanNode::Kind::out || node.kind == PlanNode::Kind::fuse_out;
  });
}

// Equal constant pieces that are added one after the other are one run of them: a call for every
// four columns of a gemv would take longer than the columns.
std::vector<ClassCode::Step> joined(const OrderTiles& tiles,
                                    const std::vector<ClassCode::Step>& steps) {
  const auto follows = [&](const ClassCode::Step& a, const ClassCode::Step& b) {
    return b.kind == FoldStep::Kind::piece && b.n == a.n && b.at == a.at + a.n &&
           b.ending == a.ending && b.goes_on == a.goes_on && b.piece == a.piece;
  };
  std::vector<ClassCode::Step> result;
  for (std::size_t k = 0, end = 0; k < steps.size(); k = end) {
    const ClassCode::Step& first = steps[k];
    end = k + 1;
    const bool is_added = first.ending == Ending::add || first.ending == Ending::add_scaled ||
                          first.ending == Ending::fuse_scaled;
    if (first.kind == FoldStep::Kind::piece && is_added)
      while (end < steps.size() && follows(steps[end - 1], steps[end])) ++end;
    result.push_back(first);
    ClassCode::Step& run = result.back();
    const auto count = static_cast<std::int64_t>(end - k);
    if (count < 2) continue;
    if (!tiles.repeat(first.ending, count, run.piece)) {
      result.insert(result.end(), steps.begin() + std::ptrdiff_t(k) + 1,
                    steps.begin() + std::ptrdiff_t(end));
      continue;
    }
    run.n = count * first.n;
    run.ending = Ending::store;
    run.goes_on = run.reads_output = true;
    run.rows = tiles.rows_at_once(run.piece);
  }
  return result;
}

// The steps with the plans of their pieces, or as far as there are such plans; then `why` says so.
std::vector<ClassCode::Step> planned(const OrderTiles& tiles, const std::vector<FoldStep>& fold,
                                     std::string& why) {
  std::vector<ClassCode::Step> steps;
  for (std::size_t s = 0; s < fold.size() && why.empty(); ++s) {
    ClassCode::Step step;
    step.kind = fold[s].kind;
    step.n = fold[s].n;
    step.at = fold[s].at;
    step.goes_on = fold[s].goes_on;
    step.ending = ending(fold[s], s == 0);
    if (step.kind == FoldStep::Kind::sum) step.steps = planned(tiles, fold[s].steps, why);
    if (step.kind == FoldStep::Kind::piece) {
      if (!tiles.plan_of(*fold[s].rule, step.n, step.piece, why)) break;
      step.reads_output = (step.ending != Ending::store && step.ending != Ending::scaled) ||
                          reads_output(tiles.plan(step.piece));
      step.rows = tiles.rows_at_once(step.piece);
    }
    steps.push_back(std::move(step));
  }
  return joined(tiles, steps);
}

}  // namespace

ClassCode class_code(std::shared_ptr<const OrderTiles> tiles, std::int64_t k, OutputMode mode) {
  ClassCode code;
  std::vector<FoldStep> fold;
  if (fold_of(tiles->order(), k, mode, *tiles, fold, code.why))
    code.steps = planned(*tiles, fold, code.why);
  code.tiles = std::move(tiles);
  return code;
}

template <class T>
OutputMode output_mode(spec::MatrixClass::BetaZero rule, T beta) {
  using BetaZero = spec::MatrixClass::BetaZero;
  if (beta != 0) return OutputMode::value;
  switch (rule) {
    case BetaZero::store:
      return OutputMode::zero;
    case BetaZero::store_beta:
      return std::signbit(beta) ? OutputMode::value : OutputMode::zero;
    case BetaZero::drop:
      return OutputMode::dropped;
    case BetaZero::drop_zeros:
      return OutputMode::dropped_zeros;
    case BetaZero::multiply:
      return OutputMode::value;
  }
  throw InternalError("output_mode: unknown rule for beta = 0");
}

template OutputMode output_mode(spec::MatrixClass::BetaZero, float);
template OutputMode output_mode(spec::MatrixClass::BetaZero, double);

}  // namespace reprosum::kernels
