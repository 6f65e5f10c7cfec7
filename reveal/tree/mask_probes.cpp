// Prediction by ranges: no evaluation of the tree, a few LCA queries per probe.
#include "reveal/tree/mask_probes.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace reprosum::reveal {

PlacedWeights::PlacedWeights(const LinkedTree& tree, std::span<const double> weights)
    : before_(std::size_t(tree.n()) + 1, 0.0) {
  for (std::int32_t place = 0; place < tree.n(); ++place)
    before_[std::size_t(place) + 1] =
        before_[std::size_t(place)] + weights[std::size_t(tree.leaf_at(place))];
}

double predicted_output(const LinkedTree& tree, const PlacedWeights& weights,
                        std::span<const MaskedLeaf> masked) {
  std::vector<std::pair<std::int32_t, int>> places;
  for (const MaskedLeaf& mask : masked) places.emplace_back(tree.place_of(mask.leaf), mask.sign);
  std::sort(places.begin(), places.end());
  const auto net = [&](std::int32_t node) {
    int sum = 0;
    for (const auto& [place, sign] : places)
      if (tree.first_place(node) <= place && place < tree.end_place(node)) sum += sign;
    return sum;
  };
  // Masks can only meet at LCAs of neighbours in place order.
  std::vector<std::int32_t> cancelled;
  for (std::size_t k = 1; k < places.size(); ++k) {
    const std::int32_t node = tree.lowest_common_ancestor(tree.leaf_at(places[k - 1].first),
                                                          tree.leaf_at(places[k].first));
    if (net(node) == 0 && net(tree.left(node)) != 0) cancelled.push_back(node);
  }
  // Keep the outermost nodes; a node's descendants have smaller op indices.
  std::sort(cancelled.begin(), cancelled.end(), std::greater<>());
  double output = weights.total();
  std::vector<std::int32_t> kept;
  for (const std::int32_t node : cancelled) {
    const bool inside = std::any_of(kept.begin(), kept.end(), [&](std::int32_t outer) {
      return tree.first_place(outer) <= tree.first_place(node) &&
             tree.end_place(node) <= tree.end_place(outer);
    });
    if (inside) continue;
    kept.push_back(node);
    output -= weights.below(tree, node);
  }
  return output;
}

}  // namespace reprosum::reveal
