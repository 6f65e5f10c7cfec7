// reprosum diff: where do two specs part first?
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "spec/error.h"
#include "spec/surface.h"
#include "src/cli/entries.h"
#include "src/cli/output.h"
#include "src/cli/pairing.h"
#include "src/cli/verb.h"

namespace reprosum::cli {
namespace {

struct Arguments {
  std::string a, b;
  bool json = false;
};

struct Comparison {
  Pairing pairing;
  std::optional<spec::OrderDifference> difference;  // of the orders, where both cover
  std::int64_t n_max_a = 0, n_max_b = 0;

  bool only_one() const { return pairing.a < 0 || pairing.b < 0; }
  bool orders_differ() const { return difference && !difference->only_coverage; }
  bool same() const { return !only_one() && !orders_differ() && n_max_a == n_max_b; }
  const char* verdict() const {
    if (pairing.b < 0) return "only in A";
    if (pairing.a < 0) return "only in B";
    return orders_differ() ? "differs" : same() ? "same" : "same, other coverage";
  }
};

std::vector<Comparison> compare(const spec::Spec& a, const spec::Spec& b) {
  std::vector<Comparison> out;
  // Many groups of contexts share one pair of orders.
  std::map<std::pair<std::size_t, std::size_t>, std::optional<spec::OrderDifference>> known;
  for (Pairing& pairing : pair_entries(a, b)) {
    Comparison comparison{std::move(pairing), {}};
    const Pairing& p = comparison.pairing;
    if (p.a >= 0) comparison.n_max_a = a.entries[static_cast<std::size_t>(p.a)].n_max;
    if (p.b >= 0) comparison.n_max_b = b.entries[static_cast<std::size_t>(p.b)].n_max;
    if (!comparison.only_one()) {
      const std::pair key{a.entries[static_cast<std::size_t>(p.a)].order,
                          b.entries[static_cast<std::size_t>(p.b)].order};
      auto found = known.find(key);
      if (found == known.end())
        found =
            known.emplace(key, spec::diff(a.orders.at(key.first), b.orders.at(key.second))).first;
      comparison.difference = found->second;
      // A difference that neither entry covers is none.
      const std::int64_t both = std::min(comparison.n_max_a, comparison.n_max_b);
      if (comparison.orders_differ() && comparison.difference->n > both)
        comparison.difference.reset();
    }
    out.push_back(std::move(comparison));
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

std::string text_of(const Comparison& c, const spec::Spec& a, const spec::Spec& b) {
  std::string out =
      fmt::format("{}  {}\n", spec::blas_name(c.pairing.routine, c.pairing.type), c.verdict());
  out += wrapped(merged(c.pairing.contexts), 90, "    ");
  if (c.orders_differ()) {
    out += fmt::format("    first at n = {}:\n", with_commas(c.difference->n));
    out +=
        fmt::format("      A adds {}   [{}]\n", c.difference->node_a, order_line(a, c.pairing.a));
    out +=
        fmt::format("      B adds {}   [{}]\n", c.difference->node_b, order_line(b, c.pairing.b));
  } else {
    out += fmt::format("    {}\n",
                       c.pairing.a >= 0 ? order_line(a, c.pairing.a) : order_line(b, c.pairing.b));
  }
  if (!c.only_one() && c.n_max_a != c.n_max_b)
    out += fmt::format("    covers n up to {} in A, {} in B\n", with_commas(c.n_max_a),
                       with_commas(c.n_max_b));
  return out;
}

Json json_of(const Comparison& c, const spec::Spec& a, const spec::Spec& b) {
  Json out{{"routine", spec::blas_name(c.pairing.routine, c.pairing.type)},
           {"verdict", c.verdict()},
           {"contexts", c.pairing.contexts},
           {"order_a", c.pairing.a < 0 ? Json() : Json(order_line(a, c.pairing.a))},
           {"order_b", c.pairing.b < 0 ? Json() : Json(order_line(b, c.pairing.b))},
           {"n_max_a", c.n_max_a},
           {"n_max_b", c.n_max_b}};
  if (c.orders_differ())
    out["first"] = {
        {"n", c.difference->n}, {"node_a", c.difference->node_a}, {"node_b", c.difference->node_b}};
  return out;
}

int run(const Arguments& arguments) {
  const spec::Spec a = load_spec(arguments.a), b = load_spec(arguments.b);
  // "The same" would be said of products that nobody looked at.
  if (!a.matrices.empty() || !b.matrices.empty())
    throw UserError(
        "diff compares sum and dot only, and there are gemv or gemm entries; `verify` tests these");
  const std::vector<Comparison> comparisons = compare(a, b);
  std::int64_t same = 0;
  for (const Comparison& c : comparisons) same += c.same();
  const auto count = static_cast<std::int64_t>(comparisons.size());
  const bool equal = same == count;
  if (arguments.json) {
    Json out{{"schema", "reprosum-diff/1"},
             {"a", {{"file", arguments.a}, {"sha256", spec::meaning_hash(a)}}},
             {"b", {{"file", arguments.b}, {"sha256", spec::meaning_hash(b)}}},
             {"same", equal},
             {"comparisons", Json::array()}};
    for (const Comparison& c : comparisons) out["comparisons"].push_back(json_of(c, a, b));
    print_json(out);
  } else {
    const auto origin = [](const spec::Spec& spec) {
      const std::string target = provenance(spec, "target"), cpu = provenance(spec, "cpu");
      return target + (cpu.empty() ? "" : " on " + cpu);
    };
    print(fmt::format("A  {}  {}\nB  {}  {}\n\n", arguments.a, origin(a), arguments.b, origin(b)));
    for (const Comparison& c : comparisons) print(text_of(c, a, b));
    print(fmt::format("\n{} of {} the same\n", same, plural(count, "group") + " of contexts"));
  }
  return equal ? kSame : kDifferent;
}

}  // namespace

void add_diff(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand(
      "diff", "Compare two specs: the first size and the first addition at which they part.");
  verb->add_option("a", arguments->a, "a spec file")->required();
  verb->add_option("b", arguments->b, "another")->required();
  verb->add_flag("--json", arguments->json, "report as one JSON object");
  verb->footer(
      "Contexts are paired by routine, increments, threads and alignment. Coverage counts: the\n"
      "same order certified to different sizes is a difference, and is said to be only that.\n\n"
      "Exit codes: 0 the same, 1 different, 2 trouble.");
  verb->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace reprosum::cli
