// Random mask probes against a prediction.
#include "reveal/tree/verify.h"

#include <algorithm>
#include <vector>

#include "reveal/tree/mask_probes.h"
#include "reveal/tree/masks.h"
#include "reveal/tree/pair_counts.h"
#include "reveal/tree/random.h"

namespace reprosum::reveal {
namespace {

constexpr int kBatch = 8;
constexpr int kManyPairs = 5;  // every fifth probe

class Chooser {
 public:
  Chooser(const LinkedTree& tree, Random& random) : tree_(tree), random_(random) {}

  // @pre the tree has at least two leaves.
  Pair pair() {
    switch (below(random_, 4)) {
      case 0:
        return uniform();
      case 1:
        return near();
      case 2:
        return across(tree_.parent(tree_.node_at(std::int32_t(below(random_, tree_.n())))));
      default:
        return across(node_of_size(log_uniform(random_, tree_.n())));
    }
  }

 private:
  Pair uniform() {
    const std::int64_t i = below(random_, tree_.n());
    std::int64_t j = below(random_, tree_.n() - 1);
    if (j >= i) ++j;
    return {i, j};
  }
  Pair near() {
    const std::int64_t distance = log_uniform(random_, tree_.n() - 1);
    const std::int64_t i = below(random_, tree_.n() - distance);
    return (random_() & 1) != 0 ? Pair{i, i + distance} : Pair{i + distance, i};
  }
  std::int64_t leaf_below(std::int32_t node) {
    return tree_.leaf_at(tree_.first_place(node) + std::int32_t(below(random_, tree_.size(node))));
  }
  Pair across(std::int32_t node) {
    if (tree_.size(tree_.left(node)) == 0 || tree_.size(tree_.right(node)) == 0) return uniform();
    const Pair pair{leaf_below(tree_.left(node)), leaf_below(tree_.right(node))};
    return (random_() & 1) != 0 ? pair : Pair{pair.j, pair.i};
  }
  // From a random leaf upwards to the first node of at least `size` leaves.
  std::int32_t node_of_size(std::int64_t size) {
    const std::int64_t i = below(random_, tree_.n());
    const std::int32_t place = tree_.place_of(i);
    const auto reach = static_cast<std::int32_t>(
        std::min<std::int64_t>(tree_.n() - 1, place + std::max<std::int64_t>(1, size - 1)));
    if (reach == place) return tree_.parent(tree_.node_at(place));
    return tree_.lowest_common_ancestor(i, tree_.leaf_at(reach));
  }

  const LinkedTree& tree_;
  Random& random_;
};

// Distinct leaves, each pair cancelling.
std::vector<MaskedLeaf> choose_masks(Chooser& chooser, int pairs) {
  std::vector<MaskedLeaf> masked;
  for (int tries = 0; tries < 3 * pairs && int(masked.size()) < 2 * pairs; ++tries) {
    const Pair pair = chooser.pair();
    const bool taken = std::any_of(masked.begin(), masked.end(), [&](const MaskedLeaf& mask) {
      return mask.leaf == pair.i || mask.leaf == pair.j;
    });
    if (taken) continue;
    masked.push_back({pair.i, 1});
    masked.push_back({pair.j, -1});
  }
  return masked;
}

}  // namespace

bool agrees(Prober& prober, const LinkedTree& tree, std::int64_t lo, int probes,
            std::uint64_t seed) {
  Random random(seed);
  Chooser chooser(tree, random);
  const Masks mask = masks(prober.call().type);
  const auto n = static_cast<std::size_t>(tree.n());
  std::vector<double> base(std::size_t(prober.n()), 0.0);
  const std::span<double> weights = std::span(base).subspan(std::size_t(lo), n);
  for (int done = 0; done < probes;) {
    for (double& weight : weights) weight = static_cast<double>(random() & 1);
    const PlacedWeights placed(tree, weights);
    std::vector<Probe> batch;
    std::vector<double> expected;
    for (int k = 0; k < kBatch && done < probes; ++k, ++done) {
      Probe probe;
      std::vector<MaskedLeaf> masked;
      if (n >= 2) {
        const bool many = done % kManyPairs == kManyPairs - 1 && n >= 8;
        masked = choose_masks(chooser, many ? 2 + int(below(random, 3)) : 1);
      }
      const double size = masked.size() > 2 ? mask.together : mask.alone;
      for (const MaskedLeaf& leaf : masked) probe.x.push_back({lo + leaf.leaf, leaf.sign * size});
      expected.push_back(predicted_output(tree, placed, masked));
      batch.push_back(std::move(probe));
    }
    if (prober.run(base, batch, 1, fresh_base_id()) != expected) return false;
  }
  return true;
}

}  // namespace reprosum::reveal
