// diff of calls without summands.
#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "spec/empty.h"
#include "src/cli/comparison.h"
#include "src/cli/empty_rules.h"

namespace reprosum::cli {
namespace {

const std::vector<spec::EmptySum>& rules_of(const spec::Spec& spec, const spec::EmptySum*) {
  return spec.empty_sums;
}
const std::vector<spec::EmptyUpdate>& rules_of(const spec::Spec& spec, const spec::EmptyUpdate*) {
  return spec.empty_updates;
}

// What else they are said of.
std::tuple<> coverage(const spec::EmptySum&) { return {}; }
auto coverage(const spec::EmptyUpdate& rule) {
  return std::tuple{rule.row_major, rule.m_max, rule.n_max, rule.outputs_max};
}

const char* text_of(const spec::EmptySum&) { return "n <= 0"; }
const char* text_of(const spec::EmptyUpdate&) { return "k = 0"; }

template <class Rule>
const Rule* find(const spec::Spec& spec, const std::string& name, int threads) {
  for (const Rule& rule : rules_of(spec, static_cast<const Rule*>(nullptr)))
    if (name_of(rule) == name && std::count(rule.threads.begin(), rule.threads.end(), threads) > 0)
      return &rule;
  return nullptr;
}

template <class Rule>
void compare(const spec::Spec& a, const spec::Spec& b, const ThreadPair& threads,
             std::vector<Comparison>& out) {
  std::set<std::tuple<std::string, int, int>> calls;
  for (const spec::Spec* spec : {&a, &b})
    for (const Rule& rule : rules_of(*spec, static_cast<const Rule*>(nullptr)))
      for (const int count : rule.threads)
        if (!threads)
          calls.insert({name_of(rule), count, count});
        else if (count == (spec == &a ? threads->first : threads->second))
          calls.insert({name_of(rule), threads->first, threads->second});
  for (const auto& [name, in_a, in_b] : calls) {
    const Rule *const x = find<Rule>(a, name, in_a), *const y = find<Rule>(b, name, in_b);
    const std::string said_a = x == nullptr ? "" : spec::describe(*x),
                      said_b = y == nullptr ? "" : spec::describe(*y);
    Comparison one;
    one.routine = name;
    one.verdict = x == nullptr                   ? "only in B"
                  : y == nullptr                 ? "only in A"
                  : said_a != said_b             ? "differs"
                  : coverage(*x) != coverage(*y) ? "same, other coverage"
                                                 : "same";
    one.contexts = fmt::format("{}, threads {}", text_of(x == nullptr ? *y : *x), in_a);
    if (in_a != in_b) one.contexts += fmt::format(" and {}", in_b);
    if (one.verdict == "differs")
      one.text = fmt::format("      A: {}\n      B: {}\n", said_a, said_b);
    one.json = {{"routine", name},
                {"verdict", one.verdict},
                {"contexts", {one.contexts}},
                {"a", x == nullptr ? Json() : Json(said_a)},
                {"b", y == nullptr ? Json() : Json(said_b)}};
    out.push_back(std::move(one));
  }
}

}  // namespace

std::vector<Comparison> compare_empty(const spec::Spec& a, const spec::Spec& b,
                                      const ThreadPair& threads) {
  std::vector<Comparison> out;
  compare<spec::EmptySum>(a, b, threads, out);
  compare<spec::EmptyUpdate>(a, b, threads, out);
  return out;
}

}  // namespace reprosum::cli
