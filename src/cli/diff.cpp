// reprosum diff: where do two specs part first?
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <set>

#include "src/cli/output.h"
#include "src/cli/verb.h"
#include "src/report/diff_report.h"
#include "src/report/entries.h"

namespace reprosum::cli {
namespace {

struct Arguments {
  std::string a, b, threads;
  bool json = false;
};

std::string heading(const Arguments& arguments, const spec::Spec& a, const spec::Spec& b) {
  std::string out =
      fmt::format("A  {}  {}\nB  {}  {}\n", arguments.a, origin(a), arguments.b, origin(b));
  const auto shown = [](const spec::Spec& spec, const std::string& key) {
    const std::string value = provenance(spec, key);
    return value.empty() ? "nothing" : value;
  };
  for (const std::string& key : differing_provenance(a, b)) {
    if (key == "target" || key == "cpu") continue;
    const std::string line =
        fmt::format("   {}: {} in A, {} in B\n", key, shown(a, key), shown(b, key));
    out += line.size() <= 100 ? line
                              : fmt::format("   {}\n      {} in A\n      {} in B\n", key,
                                            shown(a, key), shown(b, key));
  }
  return out + "\n";
}

// What is said in the same words of several groups of contexts: of one routine in several contexts,
// or of several routines (the transpositions of gemm, say) in one.
struct Told {
  std::vector<std::string> routines, contexts;
  std::string verdict, text;

  bool takes(const Comparison& c, const std::string& said) const {
    return verdict == c.verdict && text == said &&
           (routines == std::vector{c.routine} || contexts == std::vector{c.contexts});
  }
  void add(const Comparison& c) {
    if (std::find(routines.begin(), routines.end(), c.routine) == routines.end())
      routines.push_back(c.routine);
    if (std::find(contexts.begin(), contexts.end(), c.contexts) == contexts.end())
      contexts.push_back(c.contexts);
  }
};

std::string text_of(const std::vector<Comparison>& comparisons) {
  std::vector<Told> all;
  std::string same;
  std::set<std::string> spoken_of;
  for (const Comparison& c : comparisons) {
    if (c.same()) {
      same += wrapped(fmt::format("same  {} {}", c.routine, c.contexts), 96, "");
      continue;
    }
    const auto that_says = [&](const std::string& text) {
      return std::find_if(all.begin(), all.end(),
                          [&](const Told& told) { return told.takes(c, text); });
    };
    auto found = that_says(c.text);
    const bool is_brief = !c.brief.empty() && !spoken_of.insert(c.routine).second;
    const std::string text = is_brief ? wrapped(c.brief, 96, "    ") : c.text;
    if (found == all.end()) found = that_says(text);
    if (found == all.end()) found = all.insert(all.end(), Told{{}, {}, c.verdict, text});
    found->add(c);
  }
  std::string out;
  for (const Told& told : all) {
    out += fmt::format("{}  {}\n", fmt::join(told.routines, ", "), told.verdict);
    for (const std::string& contexts : told.contexts) out += wrapped(contexts, 96, "    ");
    out += told.text;
  }
  return out + same;
}

int run(const Arguments& arguments) {
  const spec::Spec a = load_spec(arguments.a), b = load_spec(arguments.b);
  const NamedSpec left{a, arguments.a}, right{b, arguments.b};
  const Difference difference = compare(left, right, arguments.threads);
  if (arguments.json) {
    print_json(diff_json(left, right, difference));
  } else {
    print(heading(arguments, a, b));
    print(text_of(difference.comparisons));
    const auto count = static_cast<std::int64_t>(difference.comparisons.size());
    print(fmt::format("\n{} of {} the same\n", difference.same,
                      plural(count, "group") + " of contexts"));
  }
  return difference.is_none() ? kSame : kDifferent;
}

}  // namespace

void add_diff(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand(
      "diff", "Compare two specs: the first size and the first addition at which they part.");
  verb->add_option("a", arguments->a, "a spec file")->required();
  verb->add_option("b", arguments->b, "another, or the same one with --threads")->required();
  verb->add_option("--threads", arguments->threads,
                   "X:Y: compare X threads in A with Y in B, in each other context");
  verb->add_flag("--json", arguments->json, "report as one JSON object");
  verb->footer(
      "Contexts are paired by routine, transposition, layout, increments, threads, gaps and\n"
      "alignment. For gemv and gemm, every m, n <= 40 is tried at several k, and shapes on both\n"
      "sides of every border; small products m * n * k and small k come first. Coverage counts:\n"
      "the same orders certified to different sizes are a difference, and said to be only that.\n\n"
      "Example:\n"
      "  reprosum diff openblas.json openblas.json --threads 1:2\n\n"
      "Exit codes: 0 the same, 1 different, 2 trouble.");
  verb->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace reprosum::cli
