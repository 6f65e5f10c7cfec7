// Families with arithmetic: the shapes of real dot products, and mixtures that none has.
#include <functional>
#include <random>

#include "spec/order.h"
#include "tests/reveal/infer/generators.h"
#include "tests/reveal/infer/tree_builder.h"

namespace reprosum::reveal::test {
namespace {

using spec::Leaf;
using spec::NodeFormat;
using Value = TreeBuilder::Value;
using B = TreeBuilder;
using N = std::int64_t;
constexpr Value kNone = B::kNone;

Value wide_chain(B& b, N lo, N hi, Value start, Leaf kind = Leaf::rounded) {
  for (N k = lo; k < hi; ++k) start = b.add(start, b.leaf(k, kind), NodeFormat::wide);
  return start;
}

// fma lanes, products of the tail rounded and appended.
Value fused_append(B& b, N n) {
  const N main = n / 16 * 16;
  return b.chain(main, n, b.butterfly(b.lanes(0, main, 16, true), {2, 4, 8, 1}));
}

Value fused_tail(B& b, N n) {  // the tail fused onto the sum too
  const N main = n / 8 * 8;
  Value sum = b.butterfly(b.lanes(0, main, 8, true), {4, 2, 1});
  for (N k = main; k < n; ++k) sum = b.fma(sum, k);
  return sum;
}

Value wide_apart(B& b, N n) {  // the tail in double, the main part added to it
  const N main = n / 32 * 32;
  const Value tail = wide_chain(b, main, n, kNone);
  return b.add(b.butterfly(b.lanes(0, main, 32), {4, 8, 16, 1, 2}), tail, NodeFormat::wide);
}

// 64 lanes, then one block of 32 lanes, then a tail in double.
Value two_phases(B& b, N n) {
  const N first = n / 64 * 64, second = n / 32 * 32;
  std::vector<Value> sums = b.lanes(0, first, 64, true);
  for (std::size_t k = 0; k < 32; ++k) sums[k] = b.add(sums[k], sums[k + 32]);
  sums.resize(32);
  for (N k = first; k < second; ++k) {
    Value& sum = sums[static_cast<std::size_t>(k - first)];
    sum = b.fma(sum, k);
  }
  const Value main = b.butterfly(sums, {16, 8, 4, 2, 1});
  return b.add(main, wide_chain(b, second, n, kNone), NodeFormat::wide);
}

Value exact_products(B& b, N n) { return wide_chain(b, 0, n, kNone, Leaf::exact); }

// Four lanes. The summands behind the last block of 16 go to lanes by a pattern of their own for
// every residue.
Value residue_table(B& b, N n) {
  const N main = n / 16 * 16, r = n - main;
  std::vector<Value> sums = b.lanes(0, main, 4);
  std::mt19937_64 random(static_cast<std::uint64_t>(r));
  for (N k = main; k < n; ++k) {
    Value& sum = sums[random() % 4];
    sum = b.add(sum, b.leaf(k));
  }
  return b.butterfly(sums, {2, 1});
}

Value odd_fused(B& b, N n) {  // even leaves by mul + add in one lane, odd ones by fma in another
  Value even = kNone, odd = kNone;
  for (N k = 0; k < n; ++k) k % 2 == 0 ? even = b.add(even, b.leaf(k)) : odd = b.fma(odd, k);
  return b.add(even, odd);
}

// Halves of the 16-lane kernel above a threshold, rounded up.
Value threaded(B& b, N n) {
  const auto kernel = [&](N lo, N hi) {
    const N main = lo + (hi - lo) / 16 * 16;
    return b.chain(main, hi, b.butterfly(b.lanes(lo, main, 16, true), {2, 4, 8, 1}));
  };
  if (n <= 10'000) return kernel(0, n);
  const Value left = kernel(0, (n + 1) / 2);
  return b.add(left, kernel((n + 1) / 2, n));
}

Value wide_blocks(B& b, N n) {  // blocks of 256 in float, folded in double
  Value sum = kNone;
  for (N at = 0; at < n; at += 256)
    sum = b.add(sum, b.fold(b.lanes(at, std::min(at + 256, n), 4)), NodeFormat::wide);
  return sum;
}

// Lanes in pieces of 4 for the remainder: 32, then 4 at a time into lane 0..3, then one by one.
Value three_phases(B& b, N n) {
  const N first = n / 32 * 32, second = n / 4 * 4;
  std::vector<Value> sums = b.lanes(0, first, 32, true);
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t j = k + 4; j < 32; j += 4) sums[k] = b.add(sums[k], sums[j]);
  sums.resize(4);
  for (N k = first; k < second; ++k) {
    Value& sum = sums[static_cast<std::size_t>(k % 4)];
    sum = b.fma(sum, k);
  }
  return b.chain(second, n, b.fold(sums));
}

// One chain: blocks of 35 fused, and then products that are rounded.
Value fused_blocks(B& b, N n) {
  Value sum = kNone;
  for (N k = 0; k < n; ++k) sum = k < n / 35 * 35 ? b.fma(sum, k) : b.add(sum, b.leaf(k));
  return sum;
}

// The products are fused above a size at which the trees stay as they are.
Value fused_above(B& b, N n) {
  Value sum = kNone;
  for (N k = 0; k < n; ++k) sum = n > 3000 ? b.fma(sum, k) : b.add(sum, b.leaf(k));
  return sum;
}

Value fused_lanes_above(B& b, N n) {
  return b.chain(n / 8 * 8, n, b.butterfly(b.lanes(0, n / 8 * 8, 8, n > 777), {4, 2, 1}));
}

Value rounded_lanes_far_above(B& b, N n) {
  return b.chain(n / 8 * 8, n, b.butterfly(b.lanes(0, n / 8 * 8, 8, n <= 20'011), {4, 2, 1}));
}

Family make(const char* name, Value (*function)(B&, N)) {
  return {name, [function](N n) {
            B builder;
            const Value root = function(builder, n);
            return builder.tree(root);
          }};
}

}  // namespace

std::vector<Family> annotated_families() {
  return {make("fused_append", fused_append),
          make("fused_tail", fused_tail),
          make("wide_apart", wide_apart),
          make("two_phases", two_phases),
          make("exact_products", exact_products),
          make("residue_table", residue_table),
          make("odd_fused", odd_fused),
          make("threaded_fused", threaded),
          make("wide_blocks", wide_blocks),
          make("three_phases", three_phases),
          make("fused_blocks", fused_blocks),
          make("fused_above", fused_above),
          make("fused_lanes_above", fused_lanes_above),
          make("rounded_lanes_far_above", rounded_lanes_far_above)};
}

}  // namespace reprosum::reveal::test
