#include "tests/reveal/infer/generators.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "tests/reveal/infer/tree_builder.h"

namespace reprosum::reveal::test {
namespace {

using Value = TreeBuilder::Value;
using N = std::int64_t;
constexpr Value kNone = TreeBuilder::kNone;

// A family from a function that adds summands [lo, hi) on a builder.
template <class Add>
Generator whole(Add add) {
  return [add](N n) {
    TreeBuilder builder;
    const Value root = add(builder, N{0}, n);
    return builder.tree(root);
  };
}

Value lanes_append(TreeBuilder& b, N lo, N hi, N width, const std::vector<std::size_t>& fold) {
  const N main = lo + (hi - lo) / width * width;
  return b.chain(main, hi, b.butterfly(b.lanes(lo, main, width), fold));
}

Value lanes8(TreeBuilder& b, N lo, N hi) { return lanes_append(b, lo, hi, 8, {1, 2, 4}); }
Value lanes8_down(TreeBuilder& b, N lo, N hi) { return lanes_append(b, lo, hi, 8, {4, 2, 1}); }

Value lanes4_apart(TreeBuilder& b, N lo, N hi) {
  const N main = lo + (hi - lo) / 4 * 4;
  return b.add(b.fold(b.lanes(lo, main, 4)), b.chain(main, hi));
}

Value blocks(TreeBuilder& b, N lo, N hi, N block, const std::function<Value(N, N)>& add) {
  Value sum = kNone;
  for (N at = lo; at < hi; at += block) sum = b.add(sum, add(at, std::min(at + block, hi)));
  return sum;
}

Value halves(TreeBuilder& b, N lo, N hi, N limit, N multiple,
             const std::function<Value(N, N)>& add) {
  if (hi - lo <= limit) return add(lo, hi);
  const N h = (hi - lo) / 2 / multiple * multiple;
  const Value left = halves(b, lo, lo + h, limit, multiple, add);
  return b.add(left, halves(b, lo + h, hi, limit, multiple, add));
}

Value random_tree(TreeBuilder& b, std::vector<Value> values, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::erase(values, kNone);
  while (values.size() > 1) {
    const std::size_t i = random() % values.size();
    const Value taken = values[i];
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(i));
    Value& other = values[random() % values.size()];
    other = b.add(other, taken);
  }
  return values[0];
}

Value numpy_like(TreeBuilder& b, N lo, N hi, N chunk, N limit, N multiple,
                 const std::function<Value(N, N)>& add) {
  return blocks(b, lo, hi, chunk,
                [&](N from, N to) { return halves(b, from, to, limit, multiple, add); });
}

Value four_parts(TreeBuilder& b, N lo, N hi) {
  if (hi - lo <= 64) return b.chain(lo, hi);
  const N width = (hi - lo + 3) / 4;
  return blocks(b, lo, hi, width, [&](N from, N to) { return four_parts(b, from, to); });
}

Value three_levels(TreeBuilder& b, N lo, N hi, int level) {
  static constexpr N kBlocks[] = {32, 256, 2048};
  if (level < 0) return b.chain(lo, hi);
  return blocks(b, lo, hi, kBlocks[level],
                [&](N from, N to) { return three_levels(b, from, to, level - 1); });
}

Value power_of_two(TreeBuilder& b, N lo, N hi) {
  if (hi - lo == 1) return b.leaf(lo);
  N h = 1;
  while (2 * h < hi - lo) h *= 2;
  const Value left = power_of_two(b, lo, lo + h);
  return b.add(left, power_of_two(b, lo + h, hi));
}

Value near_halves(TreeBuilder& b, N lo, N hi) {
  if (hi - lo <= 50) return b.chain(lo, hi);
  const N h = ((hi - lo) / 2 + 8) / 16 * 16;
  const Value left = near_halves(b, lo, lo + h);
  return b.add(left, near_halves(b, lo + h, hi));
}

Value gpu_grid(TreeBuilder& b, N lo, N hi) {  // 4 blocks of 16 threads, two summands per thread
  std::vector<std::vector<Value>> sums(4, std::vector<Value>(16, kNone));
  for (N chunk = 0; lo + chunk * 32 < hi; ++chunk)
    for (N t = 0; t < 16; ++t) {
      Value two = kNone;
      for (const N k : {lo + chunk * 32 + t, lo + chunk * 32 + t + 16})
        if (k < hi) two = b.add(two, b.leaf(k));
      Value& sum = sums[static_cast<std::size_t>(chunk % 4)][static_cast<std::size_t>(t)];
      sum = b.add(sum, two);
    }
  Value total = kNone;
  for (const auto& block : sums) total = b.add(total, b.butterfly(block, {8, 4, 2, 1}));
  return total;
}

Value balanced(TreeBuilder& b, N lo, N hi, N q, N u) {
  Value sum = kNone;
  while (lo < hi) {
    N length = hi - lo;
    if (length >= 2 * q) {
      length = q;
    } else if (length > q) {
      length = (length / 2 + u - 1) / u * u;
    }
    sum = b.add(sum, b.fold(b.lanes(lo, lo + length, 2)));
    lo += length;
  }
  return sum;
}

Value right_fold(TreeBuilder& b, N lo, N hi) {
  std::vector<Value> pieces;
  for (N at = lo; at < hi; at += 100) pieces.push_back(lanes8(b, at, std::min(at + 100, hi)));
  Value sum = pieces.back();
  for (std::size_t k = pieces.size() - 1; k-- > 0;) sum = b.add(pieces[k], sum);
  return sum;
}

Value head_first(TreeBuilder& b, N lo, N hi) {  // the remainder leads, 64-blocks follow
  Value sum = b.chain(lo, lo + (hi - lo) % 64);
  for (N at = lo + (hi - lo) % 64; at < hi; at += 64) {
    std::vector<Value> leaves;
    for (N k = at; k < at + 64; ++k) leaves.push_back(b.leaf(k));
    sum = b.add(sum, b.pairwise(leaves));
  }
  return sum;
}

std::vector<Value> leaves(TreeBuilder& b, N lo, N hi) {
  std::vector<Value> values;
  for (N k = lo; k < hi; ++k) values.push_back(b.leaf(k));
  return values;
}

Value in_turn(TreeBuilder& b, N lo, N hi) {  // all of residue 0, then residue 1, ...
  Value sum = kNone;
  for (N r = 0; r < 5; ++r)
    for (N k = lo + r; k < hi; k += 5) sum = b.add(sum, b.leaf(k));
  return sum;
}

Value tail_first(TreeBuilder& b, N lo, N hi) {
  const N main = lo + (hi - lo) / 16 * 16;
  std::vector<Value> sums = b.lanes(lo, main, 16);
  sums[0] = b.add(b.chain(main, hi), sums[0]);
  return b.butterfly(sums, {8, 4, 2, 1});
}

Value alternating(TreeBuilder& b, N lo, N hi) {  // a rounded and a fused product in turn
  Value sum = kNone;
  for (N k = lo; k < hi; ++k) sum = k % 2 == 0 ? b.add(sum, b.leaf(k)) : b.fma(sum, k);
  return sum;
}

Value stride_fold(TreeBuilder& b, N lo, N hi) {
  std::vector<Value> values = leaves(b, lo, hi);
  while (values.size() > 1) {
    const std::size_t h = (values.size() + 1) / 2;
    for (std::size_t i = 0; i + h < values.size(); ++i) values[i] = b.add(values[i], values[i + h]);
    values.resize(h);
  }
  return values[0];
}

}  // namespace

std::vector<Family> plain_families() {
  using B = TreeBuilder;
  std::vector<Family> all;
  const auto add = [&](const char* name, auto function, N n_max = 1'000'000) {
    all.push_back({name, whole(function), n_max});
  };
  add("sequential", [](B& b, N lo, N hi) { return b.chain(lo, hi); });
  add("blocks24", [](B& b, N lo, N hi) {
    return blocks(b, lo, hi, 24, [&](N f, N t) { return b.fold(b.lanes(f, t, 3)); });
  });
  add("reversed", [](B& b, N lo, N hi) {
    Value sum = kNone;
    for (N k = hi; k-- > lo;) sum = b.add(sum, b.leaf(k));
    return sum;
  });
  add("residue7", [](B& b, N lo, N hi) {
    const N main = (hi - lo) / 7 * 7;
    std::vector<Value> values = b.lanes(lo, lo + main, 7);
    for (N k = lo + main; k < hi; ++k) values.push_back(b.leaf(k));
    return random_tree(b, values, static_cast<std::uint64_t>((hi - lo) % 7));
  });
  add("pairwise1000", [](B& b, N lo, N hi) {
    return numpy_like(b, lo, hi, 1000, 128, 8, [&](N f, N t) { return lanes8(b, f, t); });
  });
  add("numpy", [](B& b, N lo, N hi) {
    return numpy_like(b, lo, hi, 8192, 128, 8, [&](N f, N t) { return lanes8(b, f, t); });
  });
  add("threshold777", [](B& b, N lo, N hi) {
    return hi - lo <= 777 ? lanes8_down(b, lo, hi) : lanes4_apart(b, lo, hi);
  });
  // NumPy's reduceat, SciPy's sums of rows: one summand, and the known order of all the others.
  add("beside_first", [](B& b, N lo, N hi) {
    if (hi - lo == 1) return b.leaf(lo);
    return b.add(b.leaf(lo), numpy_like(b, lo + 1, hi, 8192, 128, 8,
                                        [&](N f, N t) { return lanes8(b, f, t); }));
  });
  add("beside_last", [](B& b, N lo, N hi) {
    if (hi - lo == 1) return b.leaf(lo);
    return b.add(b.leaf(hi - 1), numpy_like(b, lo, hi - 1, 4096, 64, 16,
                                            [&](N f, N t) { return lanes8(b, f, t); }));
  });
  add("alternating", alternating);
  add("alternating_lanes", [](B& b, N lo, N hi) {  // fused in every other round
    const N main = hi - (hi - lo) % 4;
    std::vector<Value> sums(4, kNone);
    for (N k = lo; k < main; ++k) {
      Value& sum = sums[static_cast<std::size_t>(k % 4)];
      sum = k / 4 % 2 == 0 ? b.add(sum, b.leaf(k)) : b.fma(sum, k);
    }
    return b.chain(main, hi, b.butterfly(sums, {1, 2}));
  });
  add("last_to_first", [](B& b, N lo, N hi) {  // of each five, the later ones come first
    Value sum = kNone;
    for (N at = lo; at < hi; at += 5)
      for (N k = std::min(at + 5, hi); k-- > at;)
        sum = k % 5 == 1 ? b.fma(sum, k) : b.add(sum, b.leaf(k));
    return sum;
  });
  add("pairs_and_ones", [](B& b, N lo, N hi) {  // x0 + (x1 + x2) + x3 + (x4 + x5) ...
    Value sum = kNone;
    for (N k = lo; k < hi;) {
      if ((k - lo) % 3 == 1 && k + 1 < hi) {
        sum = b.add(sum, b.add(b.leaf(k), b.leaf(k + 1)));
        k += 2;
      } else {
        sum = b.add(sum, b.leaf(k++));
      }
    }
    return sum;
  });
  add("pow2", power_of_two);
  add("half16", near_halves);
  add("three", [](B& b, N lo, N hi) { return three_levels(b, lo, hi, 2); });
  add("residue_first", in_turn);
  add("three_parts", [](B& b, N lo, N hi) {
    if (hi - lo <= 1500) return lanes8(b, lo, hi);
    return blocks(b, lo, hi, (hi - lo + 2) / 3, [&](N f, N t) { return lanes8(b, f, t); });
  });
  add("tail_first", tail_first, 100'000);
  add("gpu", gpu_grid, 100'000);
  add(
      "grid96", [](B& b, N lo, N hi) { return b.pairwise(b.lanes(lo, hi, 96)); }, 100'000);
  add(
      "grid1024", [](B& b, N lo, N hi) { return b.pairwise(b.lanes(lo, hi, 1024)); }, 100'000);
  add("head_first", head_first);
  add("bottom_up", [](B& b, N lo, N hi) { return b.pairwise(leaves(b, lo, hi)); });
  add(
      "new_pieces",
      [](B& b, N lo, N hi) {
        if (hi - lo <= 1000) return b.fold(b.lanes(lo, hi, 16));
        const N h = (hi - lo) / 2;
        const Value left = b.fold(b.lanes(lo, lo + h, 3));
        return b.add(left, b.fold(b.lanes(lo + h, hi, 3)));
      },
      100'000);
  add("balanced200", [](B& b, N lo, N hi) { return balanced(b, lo, hi, 200, 8); });
  add("right_fold100", right_fold);
  add("parity", [](B& b, N lo, N hi) {
    return (hi - lo) % 2 != 0 ? b.chain(lo, hi) : b.fold(b.lanes(lo, hi, 2));
  });
  // A chain over blocks of 56 that goes on through an odd rest; an even one is two lanes of its
  // own.
  add("rests_by_parity", [](B& b, N lo, N hi) {
    const N main = hi - (hi - lo) % 56;
    const Value sum = b.chain(lo, main);
    if ((hi - main) % 2 != 0) return b.chain(main, hi, sum);
    return main == hi ? sum : b.add(sum, b.fold(b.lanes(main, hi, 2)));
  });
  add("four_parts", four_parts);
  add("numpy_5000", [](B& b, N lo, N hi) {
    return numpy_like(b, lo, hi, 5000, 100, 4, [&](N f, N t) { return b.fold(b.lanes(f, t, 5)); });
  });
  add("late", [](B& b, N lo, N hi) {
    return hi - lo <= 123'457 ? lanes8(b, lo, hi) : b.fold(b.lanes(lo, hi, 16));
  });
  add("one_bad", [](B& b, N lo, N hi) {
    return hi - lo == 4321 ? lanes8_down(b, lo, hi) : lanes4_apart(b, lo, hi);
  });
  add(
      "residue77",
      [](B& b, N lo, N hi) {
        return (hi - lo) % 128 == 77 ? lanes4_apart(b, lo, hi) : lanes8(b, lo, hi);
      },
      100'000);
  add("threaded", [](B& b, N lo, N hi) {  // two halves above 10000, each by the kernel
    if (hi - lo <= 10'000) return lanes8(b, lo, hi);
    const N h = (hi - lo + 1) / 2;
    const Value left = lanes8(b, lo, lo + h);
    return b.add(left, lanes8(b, lo + h, hi));
  });
  return all;
}

std::vector<Family> ruleless_families() {
  using B = TreeBuilder;
  return {{"root_blocks", whole([](B& b, N lo, N hi) {
             const N block = static_cast<N>(std::sqrt(double(hi - lo)));
             return blocks(b, lo, hi, block, [&](N f, N t) { return b.chain(f, t); });
           }),
           100'000},
          {"stride_fold", whole(stride_fold), 100'000},
          {"random", whole([](B& b, N lo, N hi) {
             return random_tree(b, leaves(b, lo, hi), static_cast<std::uint64_t>(hi - lo));
           }),
           100'000}};
}

Family family(const std::string& name) {
  for (const auto& all : {plain_families(), annotated_families(), ruleless_families()})
    for (const Family& one : all)
      if (one.name == name) return one;
  throw std::invalid_argument("no family " + name);
}

}  // namespace reprosum::reveal::test
