// New region rules and the orders of their classes.
#include <algorithm>
#include <utility>

#include "reveal/capture/matrix_cells.h"
#include "reveal/capture/matrix_routine.h"
#include "reveal/refused.h"
#include "reveal/target/matrix_layout.h"

namespace reprosum::reveal {
namespace {

void add_line(std::vector<std::string>& lines, std::string line) {
  if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
}

std::string where(const LearnedRegime::Witness& witness) {
  return " outputs like (" + std::to_string(witness.i) + ", " + std::to_string(witness.j) +
         ") of " + std::to_string(witness.shape.m) + " x " + std::to_string(witness.shape.n);
}

}  // namespace

MatrixPiece MatrixRoutineCapture::learn(Target& target, const MatrixCall& call,
                                        spec::Leading leading) {
  const std::string context = describe(call);
  report_(context + ": regions");
  RegionOptions region;
  region.is_gemv = routine_ == spec::Routine::gemv;
  region.largest = options_.largest;
  region.time_limit_s = options_.time_limit_s;
  region.seed = options_.seed;
  const auto source = make_signature_source(target, call, options_.seed);
  LearnedRegions learned = learn_regions(*source, region);
  if (learned.regimes.empty())
    throw Refused("unknown_region",
                  "no rule says which outputs share an order: " + learned.stopped);
  if (!learned.stopped.empty()) refuse(context, "unknown_region", learned.stopped);
  report_(context + ": orders");
  RuleSet set;
  set.not_checked = learned.not_checked;
  set.shapes_learned = learned.shapes;
  for (const LearnedRegime& regime : learned.regimes)
    set.regimes.push_back(with_orders(target, call, regime, set));
  rules_.push_back(std::move(set));
  MatrixPiece piece;
  piece.rules = rules_.size() - 1;
  piece.leading = leading;
  if (!certify(target, call, piece.rules, piece)) {
    rules_.pop_back();
    throw Refused("unknown_region", "no region rule holds on random matrices");
  }
  return piece;
}

spec::MatrixRegime MatrixRoutineCapture::with_orders(Target& target, const MatrixCall& call,
                                                     const LearnedRegime& regime, RuleSet& set) {
  spec::MatrixRegime rule = regime.rule;
  rule.k_max = options_.largest.k;
  std::vector<spec::MatrixClass> classes;
  std::vector<std::int32_t> renumbered(rule.classes.size(), -1);
  for (std::size_t c = 0; c < rule.classes.size(); ++c) {
    const ClassCells cells(call, regime, static_cast<std::int32_t>(c), options_.largest);
    try {
      const ClassOrder found = order_of(target, cells, c);
      const std::string context = describe(call) + where(regime.witnesses[c]);
      if (!found.stopped.empty())
        refuse(context, "unknown_rule",
               "an order is known only up to k = " + std::to_string(found.k_max) + ": " +
                   found.stopped);
      spec::MatrixClass output;
      output.order = found.known.value_or(spec_.orders.size());
      if (!found.known) {
        spec_.orders.push_back(found.order);
        known_.push_back({found.order, found.beta_zero, found.alpha_zero, found.k_max,
                          found.alpha_one_only, found.finite_only});
      }
      output.beta_zero = found.beta_zero;
      output.alpha_zero = found.alpha_zero;
      set.limits.finite_only |= found.finite_only;
      set.limits.alpha_one |= found.alpha_one_only;
      rule.k_max = std::min(rule.k_max, found.k_max);
      for (const std::string& line : found.not_checked) add_line(set.not_checked, line);
      // Classes that turn out to have one order are one.
      const auto same = std::find(classes.begin(), classes.end(), output);
      renumbered[c] = static_cast<std::int32_t>(same - classes.begin());
      if (same == classes.end()) classes.push_back(output);
    } catch (const Refused& refused) {
      refuse(describe(call) + where(regime.witnesses[c]), refused.reason, refused.what());
    }
  }
  for (auto& row : rule.table)
    for (std::int32_t& output : row)
      if (output >= 0) output = renumbered[static_cast<std::size_t>(output)];
  rule.classes = std::move(classes);
  if (rule.classes.empty()) cover_nothing(rule);
  return rule;
}

ClassOrder MatrixRoutineCapture::order_of(Target& target, const ClassCells& cells,
                                          std::size_t salt) {
  ClassOptions options;
  options.replay = options_.update_replay;
  options.known = known_;
  options.k_max = cells.k_max();
  options.seed = options_.seed + salt;
  options.time_limit_s = options_.time_limit_s;
  return reveal_class(
      target, [&](std::int64_t k) { return cells.at(k); }, options);
}

}  // namespace reprosum::reveal
