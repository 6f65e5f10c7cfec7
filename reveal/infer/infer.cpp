// infer(): the search on the whole routine, and what it may claim.
#include "reveal/infer.h"

#include <algorithm>

#include "reveal/infer/engine.h"
#include "reveal/infer/source.h"
#include "reveal/refused.h"
#include "spec/error.h"
#include "spec/expand.h"

namespace reprosum::reveal {

Inference infer(Oracle& oracle, const InferOptions& options) {
  if (options.n_max < 1) throw UserError("infer: n_max must be positive");
  InferOptions bounded = options;
  // A prediction is an explicit tree; sizes beyond its limit cannot be tested here.
  bounded.n_max = std::min(options.n_max, spec::kMaxExplicitLeaves);
  generalize::Session session(oracle, bounded);
  generalize::Source source(session);
  const std::int64_t before = oracle.calls();
  generalize::Found found = generalize::Engine(source, 1, bounded.n_max).run();
  Inference inference;
  inference.order = std::move(found.order);
  inference.reached = spec::covered_to(inference.order);
  inference.stopped = std::move(found.stopped);
  inference.stopped_reason = std::move(found.stopped_reason);
  if (inference.reached < options.n_max && inference.stopped.empty())
    inference.stopped = "sizes above " + std::to_string(inference.reached) + " were not tested";
  inference.revealed.assign(session.revealed.begin(), session.revealed.end());
  std::set_difference(session.probed.begin(), session.probed.end(), session.revealed.begin(),
                      session.revealed.end(), std::back_inserter(inference.probed));
  inference.calls = oracle.calls() - before;
  if (inference.reached > 0) spec::validate(inference.order);
  return inference;
}

Inference infer_of_rounded(Oracle& oracle, const InferOptions& options) {
  try {
    return infer(oracle, options);
  } catch (const Refused& refused) {
    if (refused.reason != "exact") throw;
    throw Refused("compensated",
                  "small summands survive beside cancelling large ones although the result is not "
                  "the exact sum: the additions carry a correction term, which no tree does");
  }
}

}  // namespace reprosum::reveal
