// diff of sum and dot: the first size and the first addition at which two orders part.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>

#include "spec/surface.h"
#include "src/cli/comparison.h"

namespace reprosum::cli {
namespace {

struct Pair {
  Pairing pairing;
  std::optional<spec::OrderDifference> difference;  // of the orders, where both cover
  std::int64_t n_max_a = 0, n_max_b = 0;

  bool only_one() const { return pairing.a < 0 || pairing.b < 0; }
  bool orders_differ() const { return difference && !difference->only_coverage; }
  // Of what both entries cover.
  bool is_coverage_other() const {
    return n_max_a != n_max_b ||
           (difference && difference->only_coverage && difference->n <= std::min(n_max_a, n_max_b));
  }
  bool is_defined_nowhere() const {
    return is_coverage_other() && difference && difference->node_a == difference->node_b;
  }
  const char* verdict() const {
    if (pairing.b < 0) return "only in A";
    if (pairing.a < 0) return "only in B";
    if (orders_differ()) return "differs";
    if (is_defined_nowhere()) return "defined nowhere";
    return is_coverage_other() ? "same, other coverage" : "same";
  }
};

std::vector<Pair> pairs_of(const spec::Spec& a, const spec::Spec& b, const ThreadPair& threads) {
  std::vector<Pair> out;
  // Many groups of contexts share one pair of orders.
  std::map<std::pair<std::size_t, std::size_t>, std::optional<spec::OrderDifference>> known;
  for (Pairing& pairing : pair_entries(a, b, threads)) {
    Pair pair{std::move(pairing), {}};
    const Pairing& p = pair.pairing;
    if (p.a >= 0) pair.n_max_a = a.entries[static_cast<std::size_t>(p.a)].n_max;
    if (p.b >= 0) pair.n_max_b = b.entries[static_cast<std::size_t>(p.b)].n_max;
    if (!pair.only_one()) {
      const std::pair key{a.entries[static_cast<std::size_t>(p.a)].order,
                          b.entries[static_cast<std::size_t>(p.b)].order};
      auto found = known.find(key);
      if (found == known.end())
        found =
            known.emplace(key, spec::diff(a.orders.at(key.first), b.orders.at(key.second))).first;
      pair.difference = found->second;
      // A difference that neither entry covers is none.
      if (pair.orders_differ() && pair.difference->n > std::min(pair.n_max_a, pair.n_max_b))
        pair.difference.reset();
    }
    out.push_back(std::move(pair));
  }
  return out;
}

std::string order_line(const spec::Spec& spec, int entry) {
  return spec::describe(spec.orders.at(spec.entries[static_cast<std::size_t>(entry)].order));
}

// "inc 1:1 threads 1", "inc 2:1 threads 1", ... as "inc 1:1 2:1, threads 1".
std::string merged(const std::vector<std::string>& contexts) {
  const std::string word = " threads ";
  std::vector<std::pair<std::string, std::string>> by_increment;  // increments, thread counts
  for (const std::string& context : contexts) {
    const std::size_t at = context.find(word);
    const std::string increments = context.substr(4, at - 4);
    const std::string threads = context.substr(at + word.size());
    if (!by_increment.empty() && by_increment.back().first == increments)
      by_increment.back().second.append(" ").append(threads);
    else
      by_increment.emplace_back(increments, threads);
  }
  std::vector<std::pair<std::string, std::string>> by_threads;  // thread counts, increments
  for (const auto& [increments, threads] : by_increment) {
    const auto same = [&t = threads](const auto& group) { return group.first == t; };
    const auto found = std::find_if(by_threads.begin(), by_threads.end(), same);
    if (found == by_threads.end())
      by_threads.emplace_back(threads, increments);
    else
      found->second.append(" ").append(increments);
  }
  std::string out;
  for (const auto& [threads, increments] : by_threads)
    out.append(out.empty() ? "" : "; ")
        .append(fmt::format("inc {}, threads {}", increments, threads));
  return out;
}

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

std::string text_of(const Pair& c, const spec::Spec& a, const spec::Spec& b) {
  std::string out;
  if (c.orders_differ()) {
    const std::int64_t n_max = std::min(c.n_max_a, c.n_max_b);
    const spec::OrderDifference& d = *c.difference;
    out += place_text(d, n_max);
    const auto side = [&](const char* name, const std::string& node, const std::string& order) {
      return is_in_zeros_alone(d, n_max)
                 ? fmt::format("      {}: {}\n", name, order)
                 : fmt::format("      {} adds {}   [{}]\n", name, node, order);
    };
    out += side("A", d.summands_a, order_line(a, c.pairing.a));
    out += side("B", d.summands_b, order_line(b, c.pairing.b));
  }
  if (c.difference && c.difference->only_coverage && c.is_coverage_other())
    out += fmt::format("    at n = {}: {} in A, {} in B\n", with_commas(c.difference->n),
                       c.difference->node_a, c.difference->node_b);
  if (!c.only_one() && c.n_max_a != c.n_max_b)
    out += fmt::format("    covers n up to {} in A, {} in B\n", with_commas(c.n_max_a),
                       with_commas(c.n_max_b));
  return out;
}

Json json_of(const Pair& c, const spec::Spec& a, const spec::Spec& b) {
  Json out{{"routine", spec::blas_name(c.pairing.routine, c.pairing.type)},
           {"verdict", c.verdict()},
           {"contexts", c.pairing.contexts},
           {"order_a", c.pairing.a < 0 ? Json() : Json(order_line(a, c.pairing.a))},
           {"order_b", c.pairing.b < 0 ? Json() : Json(order_line(b, c.pairing.b))},
           {"n_max_a", c.n_max_a},
           {"n_max_b", c.n_max_b}};
  if (c.orders_differ()) {
    const spec::OrderDifference& d = *c.difference;
    out["first"] = {{"n", d.n}, {"node_a", d.node_a}, {"node_b", d.node_b}};
    if (d.summands_n > 0)  // where more than added zeros differs
      out["first_of_summands"] = {
          {"n", d.summands_n}, {"node_a", d.summands_a}, {"node_b", d.summands_b}};
  }
  return out;
}

}  // namespace

std::vector<Comparison> compare_vectors(const spec::Spec& a, const spec::Spec& b,
                                        const ThreadPair& threads) {
  std::vector<Comparison> out;
  for (const Pair& pair : pairs_of(a, b, threads))
    out.push_back({spec::blas_name(pair.pairing.routine, pair.pairing.type), pair.verdict(),
                   merged(pair.pairing.contexts), text_of(pair, a, b), "", json_of(pair, a, b)});
  return out;
}

}  // namespace reprosum::cli
