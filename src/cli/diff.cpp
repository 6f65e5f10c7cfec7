// reprosum diff: where do two specs part first?
#include <fmt/core.h>

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

std::string text_of(const std::vector<Comparison>& comparisons) {
  std::string out, same;
  std::set<std::string> told;
  for (const Comparison& c : comparisons) {
    if (c.same()) {
      same += fmt::format("{}{} {}\n", same.empty() ? "same  " : "      ", c.routine, c.contexts);
    } else if (c.brief.empty() || told.insert(c.routine).second) {
      out +=
          fmt::format("{}  {}\n", c.routine, c.verdict) + wrapped(c.contexts, 96, "    ") + c.text;
    } else {
      out += fmt::format("{}  {}, too\n", c.routine, c.verdict);
      out += wrapped(c.contexts, 96, "    ") + wrapped(c.brief, 96, "    ");
    }
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
      "alignment. Of gemv and gemm every m, n <= 40 is tried at several k, and shapes on both\n"
      "sides of every border; small products m * n * k and small k come first. Coverage counts:\n"
      "the same orders certified to different sizes are a difference, and said to be only that.\n\n"
      "Example:\n"
      "  reprosum diff openblas.json openblas.json --threads 1:2\n\n"
      "Exit codes: 0 the same, 1 different, 2 trouble.");
  verb->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace reprosum::cli
