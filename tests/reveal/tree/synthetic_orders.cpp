// A little tree builder and some forty orders made with it.
#include "tests/reveal/tree/synthetic_orders.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "spec/expand.h"

namespace reprosum::reveal {
namespace {

using spec::Leaf;
using spec::NodeFormat;
using spec::Tree;
using spec::TreeOp;

// Nodes are indices; leaves first, then sums in order of creation.
class Builder {
 public:
  explicit Builder(std::int64_t n, Leaf kind = Leaf::rounded) : n_(n) {
    for (std::int64_t k = 0; k < n; ++k) {
      TreeOp op;
      op.leaf = kind;
      op.index = static_cast<std::uint32_t>(k);
      nodes_.push_back({op, -1, -1});
    }
  }
  std::int64_t add(std::int64_t left, std::int64_t right, NodeFormat format = NodeFormat::narrow) {
    if (left < 0) return right;
    if (right < 0) return left;
    TreeOp op;
    op.kind = TreeOp::Kind::add;
    op.format = format;
    nodes_.push_back({op, left, right});
    return std::int64_t(nodes_.size()) - 1;
  }
  void set_leaf(std::int64_t k, Leaf kind) { nodes_[std::size_t(k)].op.leaf = kind; }
  std::int64_t fold(const std::vector<std::int64_t>& terms,
                    NodeFormat format = NodeFormat::narrow) {
    std::int64_t sum = -1;
    for (const std::int64_t term : terms) sum = add(sum, term, format);
    return sum;
  }
  Tree tree(std::int64_t root) const {
    Tree result{n_, {}};
    std::vector<std::int64_t> stack{root};
    while (!stack.empty()) {
      const std::int64_t at = stack.back();
      stack.pop_back();
      if (at < 0) {
        result.ops.push_back(nodes_[std::size_t(~at)].op);
        continue;
      }
      const Node& node = nodes_[std::size_t(at)];
      if (node.left < 0) {
        result.ops.push_back(node.op);
        continue;
      }
      stack.push_back(~at);
      stack.push_back(node.right);
      stack.push_back(node.left);
    }
    return spec::canonical(std::move(result));
  }

 private:
  struct Node {
    TreeOp op;
    std::int64_t left, right;
  };
  std::int64_t n_;
  std::vector<Node> nodes_;
};

using Terms = std::vector<std::int64_t>;

Terms range(std::int64_t begin, std::int64_t end, std::int64_t step = 1) {
  Terms terms;
  for (std::int64_t k = begin; k < end; k += step) terms.push_back(k);
  return terms;
}

// Lanes k and k ^ d are added for each distance d in turn; absent lanes are skipped.
std::int64_t fold_lanes(Builder& b, Terms lanes, const Terms& distances) {
  for (const std::int64_t d : distances) {
    for (std::size_t k = 0; k < lanes.size(); ++k) {
      const std::size_t other = k ^ std::size_t(d);
      if (other < lanes.size() && k < other) {
        lanes[k] = b.add(lanes[k], lanes[other]);
        lanes[other] = -1;
      }
    }
  }
  return b.fold(lanes);
}

std::int64_t lanes_of(Builder& b, std::int64_t begin, std::int64_t end, std::int64_t lanes,
                      const Terms& fold) {
  Terms sums;
  for (std::int64_t lane = 0; lane < lanes; ++lane)
    sums.push_back(b.fold(range(begin + lane, end, lanes)));
  return fold_lanes(b, sums, fold);
}

std::int64_t lanes_with_tail(Builder& b, std::int64_t begin, std::int64_t end, std::int64_t lanes,
                             const Terms& fold, bool apart = false) {
  const std::int64_t main_end = begin + (end - begin) / lanes * lanes;
  std::int64_t sum = main_end > begin ? lanes_of(b, begin, main_end, lanes, fold) : -1;
  if (apart) return b.add(sum, b.fold(range(main_end, end)));
  for (std::int64_t k = main_end; k < end; ++k) sum = b.add(sum, k);
  return sum;
}

std::int64_t pairwise(Builder& b, std::int64_t begin, std::int64_t end, std::int64_t multiple,
                      std::int64_t limit) {
  const std::int64_t n = end - begin;
  if (n <= limit) return lanes_with_tail(b, begin, end, 8, {1, 2, 4});
  const std::int64_t half = n / 2 / multiple * multiple;
  const std::int64_t left = pairwise(b, begin, begin + half, multiple, limit);
  return b.add(left, pairwise(b, begin + half, end, multiple, limit));
}

std::int64_t power_of_two(Builder& b, std::int64_t begin, std::int64_t end) {
  if (end - begin == 1) return begin;
  std::int64_t half = 1;
  while (2 * half < end - begin) half *= 2;
  const std::int64_t left = power_of_two(b, begin, begin + half);
  return b.add(left, power_of_two(b, begin + half, end));
}

std::int64_t blocks(Builder& b, std::int64_t n, std::int64_t block, std::int64_t lanes,
                    const Terms& fold) {
  std::int64_t sum = -1;
  for (std::int64_t at = 0; at < n; at += block)
    sum = b.add(sum, lanes_with_tail(b, at, std::min(n, at + block), lanes, fold));
  return sum;
}

using Build = std::function<std::int64_t(Builder&, std::int64_t n)>;

SyntheticOrder bare(const std::string& name, Build build) {
  return {name, [build](std::int64_t n) {
            Builder b(n);
            return b.tree(build(b, n));
          }};
}

}  // namespace

Tree sequential_tree(std::int64_t n) {
  Builder b(n);
  return b.tree(b.fold(range(0, n)));
}

Tree reversed_tree(std::int64_t n) {
  Builder b(n);
  Terms terms = range(0, n);
  std::reverse(terms.begin(), terms.end());
  return b.tree(b.fold(terms));
}

Tree pairwise_tree(std::int64_t n, std::int64_t multiple, std::int64_t limit) {
  Builder b(n);
  return b.tree(pairwise(b, 0, n, multiple, limit));
}

Tree lanes_tree(std::int64_t n, std::int64_t lanes, const std::vector<std::int64_t>& fold) {
  Builder b(n);
  return b.tree(lanes_with_tail(b, 0, n, lanes, fold));
}

Tree chunked_pairwise_tree(std::int64_t n) {
  Builder b(n);
  std::int64_t sum = -1;
  for (std::int64_t at = 0; at < n; at += 8192)
    sum = b.add(sum, pairwise(b, at, std::min(n, at + 8192), 8, 128));
  return b.tree(sum);
}

Tree random_tree(std::int64_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Builder b(n);
  Terms live = range(0, n);
  while (live.size() > 1) {
    const auto take = [&] {
      const std::size_t at = random() % live.size();
      const std::int64_t node = live[at];
      live[at] = live.back();
      live.pop_back();
      return node;
    };
    const std::int64_t a = take(), c = take();
    live.push_back(b.add(a, c));
  }
  return b.tree(live[0]);
}

std::vector<SyntheticOrder> bare_orders() {
  std::vector<SyntheticOrder> orders{
      {"sequential", sequential_tree},
      {"reversed", reversed_tree},
      {"pairwise(8,128)", [](std::int64_t n) { return pairwise_tree(n, 8, 128); }},
      {"pairwise(16,128)", [](std::int64_t n) { return pairwise_tree(n, 16, 128); }},
      {"pairwise(1,64)", [](std::int64_t n) { return pairwise_tree(n, 1, 64); }},
      {"chunks of 8192, pairwise", chunked_pairwise_tree},
      {"random", [](std::int64_t n) { return random_tree(n, 7); }},
      {"power of two",
       [](std::int64_t n) {
         Builder b(n);
         return b.tree(power_of_two(b, 0, n));
       }},
  };
  const auto lanes = [&](std::int64_t w, Terms fold, bool apart) {
    std::string name = std::to_string(w) + " lanes, fold";
    for (const std::int64_t d : fold) name += " " + std::to_string(d);
    orders.push_back(bare(name + (apart ? ", tail apart" : ", tail appended"),
                          [w, fold, apart](Builder& b, std::int64_t n) {
                            return lanes_with_tail(b, 0, n, w, fold, apart);
                          }));
  };
  lanes(4, {1, 2}, false);
  lanes(4, {}, false);
  lanes(8, {1, 2, 4}, false);
  lanes(8, {4, 2, 1}, false);
  lanes(8, {2, 4, 1}, false);
  lanes(16, {2, 4, 8, 1}, false);
  lanes(16, {}, true);
  lanes(32, {4, 8, 16, 1, 2}, true);
  lanes(64, {8, 16, 32, 4, 1, 2}, false);
  orders.push_back(bare("two halves in two threads", [](Builder& b, std::int64_t n) {
    const std::int64_t half = (n + 1) / 2;
    const std::int64_t left = lanes_with_tail(b, 0, half, 16, {2, 4, 8, 1});
    return b.add(left, lanes_with_tail(b, half, n, 16, {2, 4, 8, 1}));
  }));
  orders.push_back(bare("three threads folded", [](Builder& b, std::int64_t n) {
    return b.fold({lanes_of(b, 0, n / 3, 4, {1, 2}), lanes_of(b, n / 3, 2 * n / 3, 4, {1, 2}),
                   lanes_of(b, 2 * n / 3, n, 4, {1, 2})});
  }));
  orders.push_back(
      bare("blocks of 32", [](Builder& b, std::int64_t n) { return blocks(b, n, 32, 1, {}); }));
  orders.push_back(bare("blocks of 100, 4 lanes", [](Builder& b, std::int64_t n) {
    return blocks(b, n, 100, 4, {2, 1});
  }));
  orders.push_back(bare("grid of 1024 threads, tree", [](Builder& b, std::int64_t n) {
    Terms sums;
    for (std::int64_t t = 0; t < std::min<std::int64_t>(n, 1024); ++t)
      sums.push_back(b.fold(range(t, n, 1024)));
    return fold_lanes(b, sums, {512, 256, 128, 64, 32, 16, 8, 4, 2, 1});
  }));
  orders.push_back(bare("residue first", [](Builder& b, std::int64_t n) {
    Terms terms = range(0, n % 5);
    for (std::int64_t r = 0; r < 5; ++r)
      for (std::int64_t k = n % 5 + r; k < n; k += 5) terms.push_back(k);
    return b.fold(terms);
  }));
  orders.push_back(bare("groups of four reversed", [](Builder& b, std::int64_t n) {
    Terms terms;
    for (std::int64_t at = 0; at < n; at += 4)
      for (std::int64_t k = std::min(n, at + 4); k-- > at;) terms.push_back(k);
    return b.fold(terms);
  }));
  orders.push_back(bare("pair sums on a chain", [](Builder& b, std::int64_t n) {
    std::int64_t sum = -1;
    for (std::int64_t k = 0; k < n; k += 2) sum = b.add(sum, k + 1 < n ? b.add(k, k + 1) : k);
    return sum;
  }));
  orders.push_back(bare("(0+2)+(1+3) on a chain", [](Builder& b, std::int64_t n) {
    std::int64_t sum = -1, k = 0;
    for (; k + 4 <= n; k += 4) sum = b.add(sum, b.add(b.add(k, k + 2), b.add(k + 1, k + 3)));
    for (; k < n; ++k) sum = b.add(sum, k);
    return sum;
  }));
  orders.push_back(bare("first 64 peeled and added last", [](Builder& b, std::int64_t n) {
    const std::int64_t head = std::min<std::int64_t>(64, n);
    return b.add(b.fold(range(head, n)), b.fold(range(0, head)));
  }));
  orders.push_back(bare("from both ends", [](Builder& b, std::int64_t n) {
    Terms terms;
    for (std::int64_t i = 0, j = n - 1; i <= j; ++i, --j) {
      terms.push_back(i);
      if (i < j) terms.push_back(j);
    }
    return b.fold(terms);
  }));
  orders.push_back(bare("strided halves", [](Builder& b, std::int64_t n) {
    Terms live = range(0, n);
    while (live.size() > 1) {
      const std::size_t half = (live.size() + 1) / 2;
      for (std::size_t k = half; k < live.size(); ++k)
        live[k - half] = b.add(live[k - half], live[k]);
      live.resize(half);
    }
    return live[0];
  }));
  orders.push_back(bare("shuffled chain", [](Builder& b, std::int64_t n) {
    Terms terms = range(0, n);
    std::mt19937_64 random(11);
    for (std::size_t k = terms.size(); k > 1; --k) std::swap(terms[k - 1], terms[random() % k]);
    return b.fold(terms);
  }));
  return orders;
}

std::vector<SyntheticOrder> annotated_orders() {
  std::vector<SyntheticOrder> orders;
  const auto order = [&](const std::string& name, Build build) {
    orders.push_back(bare(name, build));
  };
  // Every leaf of a lane but its first is fused.
  const auto fuse_lanes = [](Builder& b, std::int64_t end, std::int64_t lanes) {
    for (std::int64_t k = lanes; k < end; ++k) b.set_leaf(k, Leaf::fused);
  };
  order("fma chain", [=](Builder& b, std::int64_t n) {
    fuse_lanes(b, n, 1);
    return b.fold(range(0, n));
  });
  order("multiply, then add", [](Builder& b, std::int64_t n) { return b.fold(range(0, n)); });
  order("reversed fma chain", [](Builder& b, std::int64_t n) {
    for (std::int64_t k = 0; k + 1 < n; ++k) b.set_leaf(k, Leaf::fused);
    Terms terms = range(0, n);
    std::reverse(terms.begin(), terms.end());
    return b.fold(terms);
  });
  order("fma lanes, mul+add tail", [=](Builder& b, std::int64_t n) {
    const std::int64_t main_end = n / 16 * 16;
    fuse_lanes(b, main_end, 16);
    return lanes_with_tail(b, 0, n, 16, {2, 4, 8, 1});
  });
  order("mul+add lanes, fma tail", [](Builder& b, std::int64_t n) {
    for (std::int64_t k = std::max<std::int64_t>(1, n / 8 * 8); k < n; ++k)
      b.set_leaf(k, Leaf::fused);
    return lanes_with_tail(b, 0, n, 8, {1, 2, 4});
  });
  order("fma pairs on a chain", [](Builder& b, std::int64_t n) {
    std::int64_t sum = -1;
    for (std::int64_t k = 0; k < n; k += 2) {
      if (k + 1 < n) b.set_leaf(k + 1, Leaf::fused);
      sum = b.add(sum, k + 1 < n ? b.add(k, k + 1) : k);
    }
    return sum;
  });
  // Rounded products, the tail's chain and the root in double.
  order("fma lanes, wide tail and root", [=](Builder& b, std::int64_t n) {
    const std::int64_t main_end = n / 32 * 32;
    fuse_lanes(b, main_end, 32);
    const std::int64_t main = main_end > 0 ? lanes_of(b, 0, main_end, 32, {4, 8, 16, 1, 2}) : -1;
    const std::int64_t tail = b.fold(range(main_end, n), NodeFormat::wide);
    return b.add(main, tail, NodeFormat::wide);
  });
  order("exact products, wide chain", [](Builder& b, std::int64_t n) {
    if (n > 1)
      for (std::int64_t k = 0; k < n; ++k) b.set_leaf(k, Leaf::exact);
    return b.fold(range(0, n), NodeFormat::wide);
  });
  order("exact products in four wide lanes", [](Builder& b, std::int64_t n) {
    if (n > 1)
      for (std::int64_t k = 0; k < n; ++k) b.set_leaf(k, Leaf::exact);
    Terms sums;
    for (std::int64_t lane = 0; lane < std::min<std::int64_t>(n, 4); ++lane)
      sums.push_back(b.fold(range(lane, n, 4), NodeFormat::wide));
    return b.fold(sums, NodeFormat::wide);
  });
  // Each step is a double operation rounded to float: the wide node has a narrow reader.
  order("double product added in double, stored as float", [](Builder& b, std::int64_t n) {
    std::int64_t sum = 0;
    for (std::int64_t k = 1; k < n; k += 2) {
      b.set_leaf(k, Leaf::exact);
      sum = b.add(sum, k, NodeFormat::wide);
      if (k + 1 < n) sum = b.add(sum, k + 1, NodeFormat::narrow);
    }
    return sum;
  });
  order("pairs of exact products, narrow chain", [](Builder& b, std::int64_t n) {
    std::int64_t sum = -1;
    for (std::int64_t k = 0; k < n; k += 2) {
      if (k + 1 < n) {
        b.set_leaf(k, Leaf::exact);
        b.set_leaf(k + 1, Leaf::exact);
        sum = b.add(sum, b.add(k, k + 1, NodeFormat::wide));
      } else {
        sum = b.add(sum, k);
      }
    }
    return sum;
  });
  order("wide lanes, narrow fold", [](Builder& b, std::int64_t n) {
    Terms sums;
    for (std::int64_t lane = 0; lane < std::min<std::int64_t>(n, 4); ++lane)
      sums.push_back(b.fold(range(lane, n, 4), NodeFormat::wide));
    return b.fold(sums);
  });
  order("narrow blocks, wide fold", [=](Builder& b, std::int64_t n) {
    std::int64_t sum = -1;
    for (std::int64_t at = 0; at < n; at += 8) {
      for (std::int64_t k = at + 1; k < std::min(n, at + 8); ++k) b.set_leaf(k, Leaf::fused);
      sum = b.add(sum, b.fold(range(at, std::min(n, at + 8))), NodeFormat::wide);
    }
    return sum;
  });
  return orders;
}

}  // namespace reprosum::reveal
