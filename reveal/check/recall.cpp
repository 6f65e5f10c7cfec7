#include "reveal/check/recall.h"

#include <utility>

namespace reprosum::reveal {

Recall::Recall(Target& target, const Call& context, std::uint64_t seed) {
  FastRandom random(seed ^ 0x27d4eb2fu);
  for (const std::int64_t n : {9, 67, 700, 1533}) {
    Made made{context, {}, 4};
    made.call.k = n;
    made.data = random_vectors(made.call, made.rows, Data::wide, random);
    made.outputs = run(target, made.call, made.data, made.rows);
    made_.push_back(std::move(made));
  }
  calls_ = target.calls();
}

std::optional<std::string> Recall::changed(Target& target) const {
  for (const Made& made : made_) {
    const std::vector<double> now = run(target, made.call, made.data, made.rows);
    for (std::size_t row = 0; row < now.size(); ++row)
      if (!same_bits(now[row], made.outputs[row]))
        return describe(made.call) + ": gave " + hex(made.outputs[row]) + " at first and " +
               hex(now[row]) + " after " + std::to_string(target.calls() - calls_) +
               " other calls: the order changes in time";
  }
  return std::nullopt;
}

}  // namespace reprosum::reveal
