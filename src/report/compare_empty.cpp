// diff of calls without summands.
#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "spec/empty.h"
#include "src/report/comparison.h"
#include "src/report/empty_rules.h"

namespace reprosum::report {
namespace {

// What else they are said of.
auto coverage(const spec::EmptyRule& rule) {
  return std::tuple{rule.row_major, rule.m_max, rule.n_max, rule.outputs_max};
}

const spec::EmptyRule* find(const spec::Spec& spec, const std::string& name, int threads) {
  for (const spec::EmptyRule& rule : spec.empty_rules)
    if (name_of(rule) == name && std::count(rule.threads.begin(), rule.threads.end(), threads) > 0)
      return &rule;
  return nullptr;
}

}  // namespace

std::vector<Comparison> compare_empty(const spec::Spec& a, const spec::Spec& b,
                                      const ThreadPair& threads) {
  std::vector<Comparison> out;
  std::set<std::tuple<std::string, int, int>> calls;
  for (const spec::Spec* spec : {&a, &b})
    for (const spec::EmptyRule& rule : spec->empty_rules)
      for (const int count : rule.threads)
        if (!threads)
          calls.insert({name_of(rule), count, count});
        else if (count == (spec == &a ? threads->first : threads->second))
          calls.insert({name_of(rule), threads->first, threads->second});
  for (const auto& [name, in_a, in_b] : calls) {
    const spec::EmptyRule *const x = find(a, name, in_a), *const y = find(b, name, in_b);
    const std::string said_a = x == nullptr ? "" : spec::describe(*x),
                      said_b = y == nullptr ? "" : spec::describe(*y);
    Comparison one;
    one.routine = name;
    one.verdict = x == nullptr                   ? "only in B"
                  : y == nullptr                 ? "only in A"
                  : said_a != said_b             ? "differs"
                  : coverage(*x) != coverage(*y) ? "same, other coverage"
                                                 : "same";
    one.contexts =
        fmt::format("{}, threads {}",
                    spec::has_matrices((x == nullptr ? y : x)->routine) ? "k = 0" : "n <= 0", in_a);
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
  return out;
}

}  // namespace reprosum::report
