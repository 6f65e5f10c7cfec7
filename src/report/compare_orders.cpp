// diff of sum and dot: the first size and the first addition at which two orders part.
#include <fmt/core.h>

#include <algorithm>

#include "src/report/comparison.h"
#include "src/report/entries.h"

namespace reprosum::report {
namespace {

// Where zeros alone differ, the nodes tell nothing.
bool is_in_zeros_alone(const spec::OrderDifference& d, std::int64_t n_max) {
  return d.summands_n == 0 || d.summands_n > n_max;
}

std::string place_text(const spec::OrderDifference& d, std::int64_t n_max) {
  if (is_in_zeros_alone(d, n_max))
    return fmt::format("    first at n = {}, in zeros alone (signs of zero may differ):\n",
                       with_commas(d.n));
  if (d.n < d.summands_n)
    return fmt::format("    first at n = {} (from n = {} on signs of zero may differ):\n",
                       with_commas(d.summands_n), with_commas(d.n));
  return fmt::format("    first at n = {}:\n", with_commas(d.n));
}

std::string node_text(char side, const std::string& node, const std::string& order, bool has_node) {
  return has_node ? fmt::format("      {} adds {}   [{}]\n", side, node, order)
                  : fmt::format("      {}: {}\n", side, order);
}

}  // namespace

Comparison OrderComparer::compare(const Pairing& pairing) {
  const spec::Entry &a = *pairing.a.front(), &b = *pairing.b.front();
  const std::pair key{spec::order_of(a), spec::order_of(b)};
  const spec::Order &order_a = a_.orders.at(key.first), &order_b = b_.orders.at(key.second);
  const std::int64_t n_max_a = spec::most_summands(a), n_max_b = spec::most_summands(b);
  const std::int64_t n_max = std::min(n_max_a, n_max_b);
  auto found = known_.find(key);
  if (found == known_.end()) found = known_.emplace(key, spec::diff(order_a, order_b)).first;
  std::optional<spec::OrderDifference> d = found->second;
  // A difference that not both entries cover is none, but for what only one of them covers.
  if (d && d->n > n_max && (!d->only_coverage || n_max_a == n_max_b)) d.reset();

  Comparison out;
  out.json = {{"order_a", spec::describe(order_a)},
              {"order_b", spec::describe(order_b)},
              {"n_max_a", n_max_a},
              {"n_max_b", n_max_b}};
  if (d && !d->only_coverage) {
    out.verdict = "differs";
    const bool has_nodes = !is_in_zeros_alone(*d, n_max);
    out.text = place_text(*d, n_max) +
               node_text('A', d->summands_a, spec::describe(order_a), has_nodes) +
               node_text('B', d->summands_b, spec::describe(order_b), has_nodes);
    out.json["first"] = {{"n", d->n}, {"node_a", d->node_a}, {"node_b", d->node_b}};
    if (d->summands_n > 0)  // where more than added zeros differs
      out.json["first_of_summands"] = {
          {"n", d->summands_n}, {"node_a", d->summands_a}, {"node_b", d->summands_b}};
  } else if (d) {
    out.verdict = d->node_a == d->node_b ? "defined nowhere" : "same, other coverage";
    out.text =
        fmt::format("    at n = {}: {} in A, {} in B\n", with_commas(d->n), d->node_a, d->node_b);
  } else {
    out.verdict = n_max_a == n_max_b ? "same" : "same, other coverage";
  }
  if (n_max_a != n_max_b)
    out.text += fmt::format("    covers n up to {} in A, {} in B\n", with_commas(n_max_a),
                            with_commas(n_max_b));
  return out;
}

}  // namespace reprosum::report
