// Calls and seconds to reveal one tree: naive enumeration, BasicFPRev, FPRev, ours (adaptive pivot,
// arithmetic included), and to check every node of a tree that is known already.
//
// The target is an in-process tree, so the seconds are those of the algorithms and of evaluating a
// tree, not of a library. A cell that would exceed its budget is "-".
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "reveal/all_nodes.h"
#include "reveal/target/function_target.h"
#include "reveal/target_oracle.h"
#include "reveal/tree/basic_fprev.h"
#include "reveal/tree/evaluate.h"
#include "reveal/tree/fprev.h"
#include "reveal/tree/masks.h"
#include "reveal/tree/naive.h"
#include "spec/expand.h"

namespace {

using namespace reprosum;
using namespace reprosum::reveal;

constexpr double kWorkBudget = 1e9;  // calls times n

using spec::Chain;
using spec::Item;
using spec::Leaf;
using spec::Linear;
using spec::NodeFormat;
using spec::Order;

Item run_of_leaves(Linear at, Linear step, Linear times) {
  return {{-1, Leaf::rounded}, at, step, times, {}, {0, 0, 1}};
}

Order loop_order(std::int64_t block, std::vector<Chain> chains) {
  Order order;
  order.regimes.push_back(
      {1, 1 << 20, spec::Loop{block, false, {{0, block - 1, {std::move(chains)}}}}});
  return order;
}

Order chain_order(bool reversed) {
  const Item item = reversed ? run_of_leaves({1, 0, -1}, {0, 0, -1}, {1, 0, 0})
                             : run_of_leaves({}, {0, 0, 1}, {1, 0, 0});
  return loop_order(1, {{NodeFormat::narrow, {item}}});
}

// Lanes folded from the left, the tail appended.
Order lanes_order(std::int64_t lanes) {
  Item all{{0, Leaf::rounded}, {}, {0, 0, 1}, {0, 0, lanes}, {}, {0, 0, 1}};
  return loop_order(
      lanes, {{NodeFormat::narrow, {run_of_leaves({}, {0, 0, lanes}, {1, 0, 0})}},
              {NodeFormat::narrow, {all, run_of_leaves({lanes, 0, 0}, {0, 0, 1}, {0, 1, 0})}}});
}

Order pairwise_order() {
  Order order = lanes_order(8);
  order.regimes[0].hi = 128;
  order.regimes.push_back(
      {129, 1 << 20, spec::Split{spec::Split::Kind::half_down, 8, NodeFormat::narrow, {}, {}}});
  return order;
}

struct Cell {
  std::int64_t calls = -1;
  double seconds = 0;
};

// Runs `work` unless the calls it is expected to need exceed the budget.
Cell measure(double expected_calls, std::int64_t n, const std::function<std::int64_t()>& work) {
  if (expected_calls * static_cast<double>(n) > kWorkBudget) return {};
  const auto begin = std::chrono::steady_clock::now();
  Cell cell;
  cell.calls = work();
  cell.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return cell;
}

std::string text(const Cell& cell) {
  return cell.calls < 0 ? "-" : fmt::format("{} ({:.3g} s)", cell.calls, cell.seconds);
}

PairCounts counts_of(Target& target, const Call& call, const std::vector<double>& ones) {
  return [&target, call, &ones](std::span<const Pair> pairs) {
    Batch batch;
    batch.call = call;
    batch.x = ones;
    const double mask = masks(call.type).alone;
    for (const Pair& pair : pairs) batch.probes.push_back({{{pair.i, mask}, {pair.j, -mask}}, {}});
    std::vector<std::int64_t> counts;
    for (const double output : target.run(batch))
      counts.push_back(call.k - static_cast<std::int64_t>(output));
    return counts;
  };
}

void print_row(const std::string& name, const Order& order, std::int64_t n) {
  const spec::Tree tree = spec::expand(order, n);
  FunctionTarget target([&](const Call& call, const double* x, const double* y) {
    const auto size = static_cast<std::size_t>(call.k);
    return evaluate(tree, call.type, {x, size}, {y, size});
  });
  Call call;
  call.routine = spec::Routine::sum;
  call.k = n;
  const std::vector<double> ones(static_cast<std::size_t>(n), 1.0);
  const auto calls_of = [&](const std::function<void()>& work) {
    return [&target, work] {
      const std::int64_t before = target.calls();
      work();
      return target.calls() - before;
    };
  };
  const auto size = static_cast<double>(n);
  const double log_n = std::log2(size);
  const Cell naive = n > kNaiveLimit
                         ? Cell{}
                         : measure(1, n, calls_of([&] {
                                     const SumRows rows = [&](std::span<const double> values) {
                                       Batch batch;
                                       batch.call = call;
                                       batch.rows = static_cast<std::int64_t>(values.size()) / n;
                                       batch.x = values;
                                       return target.run(batch);
                                     };
                                     naive_enumeration(n, call.type, rows, 500, 1);
                                   }));
  const Cell basic =
      measure(size * size / 2, n, calls_of([&] { basic_fprev(n, counts_of(target, call, ones)); }));
  const bool quadratic = name == "reversed";
  const Cell plain =
      measure(quadratic ? size * size / 2 : size * log_n, n,
              calls_of([&] { fprev(n, counts_of(target, call, ones), Pivot::first, 1); }));
  const Cell ours =
      measure(size * log_n, n, calls_of([&] { make_target_oracle(target, call, 1)->reveal(n); }));
  const double levels = name == "pairwise(8,128)" ? 20 * (23 + log_n)
                        : name == "16 lanes"      ? size / 16 + 20
                                                  : size;
  const Cell nodes = measure(levels, n, calls_of([&] {
                               if (!check_all_nodes(target, call, tree, 20, 1).right)
                                 throw InternalError("the all-node check rejects the right tree");
                             }));
  fmt::print("{:<16} {:>8} {:>20} {:>22} {:>22} {:>22} {:>22}\n", name, n, text(naive), text(basic),
             text(plain), text(ours), text(nodes));
  std::fflush(stdout);
}

}  // namespace

int main() {
  fmt::print("calls (seconds); {:.0e} = largest calls * n of a cell\n", kWorkBudget);
  fmt::print("{:<16} {:>8} {:>20} {:>22} {:>22} {:>22} {:>22}\n", "order", "n", "naive",
             "BasicFPRev", "FPRev", "ours", "all nodes, R = 20");
  const std::vector<std::pair<std::string, Order>> orders{{"sequential", chain_order(false)},
                                                          {"reversed", chain_order(true)},
                                                          {"pairwise(8,128)", pairwise_order()},
                                                          {"16 lanes", lanes_order(16)}};
  for (const auto& [name, order] : orders) {
    for (std::int64_t n = 8; n < 1'000'000; n *= n < 128 ? 2 : 4) print_row(name, order, n);
    print_row(name, order, 1'000'000);
  }
  return 0;
}
