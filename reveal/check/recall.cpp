#include "reveal/check/recall.h"

#include <algorithm>
#include <utility>

namespace reprosum::reveal {
namespace {

std::optional<std::string> difference(const Call& call, const std::vector<double>& first,
                                      const std::vector<double>& now, std::int64_t calls) {
  for (std::size_t at = 0; at < now.size(); ++at)
    if (!same_bits(now[at], first[at]))
      return describe(call) + ": gave " + hex(first[at]) + " at first and " + hex(now[at]) +
             " after " + std::to_string(calls) + " other calls: the order changes in time";
  return std::nullopt;
}

}  // namespace

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
    if (auto what = difference(made.call, made.outputs, now, target.calls() - calls_)) return what;
  }
  return std::nullopt;
}

ProductRecall::ProductRecall(Target& target, const Call& context, const spec::Shape3& largest,
                             std::uint64_t seed) {
  FastRandom random(seed ^ 0x27d4eb2fu);
  for (const spec::Shape3& shape : {spec::Shape3{23, 18, 41}, spec::Shape3{70, 66, 150}}) {
    Made made{context, {}};
    made.call.m = std::min(shape.m, largest.m);
    made.call.n = context.routine == spec::Routine::gemv ? 1 : std::min(shape.n, largest.n);
    made.call.k = std::min(shape.k, largest.k);
    made.data.fill(made.call, Data::wide, random);
    made.outputs = made.run(target);
    made_.push_back(std::move(made));
  }
  calls_ = target.calls();
}

std::vector<double> ProductRecall::Made::run(Target& target) const {
  return target.run_matrix(
      {.call = call, .alpha = 1, .beta = 1, .a = data.a, .b = data.b, .c = data.c});
}

std::optional<std::string> ProductRecall::changed(Target& target) const {
  for (const Made& made : made_) {
    const std::vector<double> now = made.run(target);
    if (auto what = difference(made.call, made.outputs, now, target.calls() - calls_)) return what;
  }
  return std::nullopt;
}

}  // namespace reprosum::reveal
