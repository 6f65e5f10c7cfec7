// Orders written as programs, independent of the order language: each builds its tree for any n.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "spec/tree.h"

namespace reprosum::reveal {

struct SyntheticOrder {
  std::string name;
  std::function<spec::Tree(std::int64_t n)> tree;  // canonical
};

// Bare trees: rounded leaves, narrow additions.
std::vector<SyntheticOrder> bare_orders();
// f32 dot orders with fused and exact leaves and wide nodes; in normal form.
std::vector<SyntheticOrder> annotated_orders();

spec::Tree sequential_tree(std::int64_t n);
spec::Tree reversed_tree(std::int64_t n);
spec::Tree pairwise_tree(std::int64_t n, std::int64_t multiple, std::int64_t limit);
spec::Tree lanes_tree(std::int64_t n, std::int64_t lanes, const std::vector<std::int64_t>& fold);
// np.sum's order: chunks of 8192, pairwise (8, 128), eight lanes.
spec::Tree chunked_pairwise_tree(std::int64_t n);
spec::Tree random_tree(std::int64_t n, std::uint64_t seed);

}  // namespace reprosum::reveal
