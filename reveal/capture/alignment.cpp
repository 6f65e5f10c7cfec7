#include "reveal/capture/alignment.h"

#include <algorithm>
#include <bit>
#include <map>

#include "reveal/check/replay_check.h"

namespace reprosum::reveal {
namespace {

constexpr int kLine = 64;
using Signature = std::vector<std::uint64_t>;

struct Sample {
  Call call;
  Vectors data;
  std::int64_t rows = 0;
};

// Sizes below and above the usual block lengths, so that a peeled head, the main part and a tail
// each decide some result.
std::vector<Sample> samples(const Call& context, std::uint64_t seed) {
  FastRandom random(seed);
  std::vector<Sample> result;
  for (const std::int64_t n : {3, 17, 40, 129, 700, 1533}) {
    Sample sample;
    sample.call = context;
    sample.call.k = n;
    sample.rows = n < 20 ? 12 : 6;
    sample.data = random_vectors(sample.call, sample.rows, Data::wide, random);
    result.push_back(std::move(sample));
  }
  return result;
}

Signature signature(Target& target, std::vector<Sample>& samples, int x, int y) {
  Signature result;
  for (Sample& sample : samples) {
    sample.call.align_a = x;
    sample.call.align_b = y;
    for (const double value : run(target, sample.call, sample.data, sample.rows))
      result.push_back(std::bit_cast<std::uint64_t>(value));
  }
  return result;
}

// Classes by residues modulo m, or empty if equal residues fall into different classes.
std::vector<std::vector<std::pair<int, int>>> fold(
    const std::map<std::pair<int, int>, int>& class_of, int classes, int m) {
  std::map<std::pair<int, int>, int> folded;
  for (const auto& [pair, k] : class_of) {
    const auto [it, added] = folded.try_emplace({pair.first % m, pair.second % m}, k);
    if (!added && it->second != k) return {};
  }
  std::vector<std::vector<std::pair<int, int>>> result(static_cast<std::size_t>(classes));
  for (const auto& [pair, k] : folded) result[static_cast<std::size_t>(k)].push_back(pair);
  return result;
}

}  // namespace

AlignmentClasses alignment_classes(Target& target, const Call& context, bool thorough,
                                   std::uint64_t seed) {
  const bool dot = context.routine == spec::Routine::dot;
  const int step = spec::bytes(context.type);
  auto data = samples(context, seed);
  std::map<std::pair<int, int>, int> class_of;
  std::map<Signature, int> known;
  const auto visit = [&](int x, int y) {
    if (class_of.contains({x, y})) return;
    const auto [it, added] =
        known.try_emplace(signature(target, data, x, y), static_cast<int>(known.size()));
    class_of[{x, y}] = it->second;
  };
  visit(0, 0);
  for (int r = step; r < kLine; r += step) {
    visit(r, 0);
    if (dot) visit(0, r);
    if (dot) visit(r, r);
  }
  if (known.size() == 1 && !thorough) return {1, {{{0, 0}}}};
  for (int x = 0; x < kLine; x += step)
    for (int y = 0; dot && y < kLine; y += step) visit(x, y);
  if (known.size() == 1) return {1, {{{0, 0}}}};
  for (int m = 1; m <= kLine; m *= 2) {
    auto classes = fold(class_of, static_cast<int>(known.size()), m);
    if (!classes.empty()) return {m, std::move(classes)};
  }
  throw InternalError("alignment_classes: residues modulo 64 do not decide the class");
}

bool places_vectors(Target& target, const Call& context, std::int64_t n) {
  Call call = context;
  call.k = n;
  call.align_a = spec::bytes(context.type);
  const std::vector<double> ones(static_cast<std::size_t>(n), 1);
  const bool dot = context.routine == spec::Routine::dot;
  try {
    run(target, call, {ones, dot ? ones : std::vector<double>()}, 1);
  } catch (const TargetError& error) {
    if (error.reason != "declined") throw;
    return false;
  }
  return true;
}

}  // namespace reprosum::reveal
