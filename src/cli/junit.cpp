#include "src/cli/junit.h"

#include <fmt/core.h>

#include <algorithm>

#include "src/report/picture/svg_style.h"

namespace reprosum::cli {
namespace {

using Verdict = JunitCase::Verdict;

const char* element(Verdict verdict) {
  return verdict == Verdict::failed ? "failure" : verdict == Verdict::error ? "error" : "skipped";
}

// escaped() has no line breaks, as attributes have none.
std::string escaped_lines(const std::string& text) {
  std::string out;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    out += report::escaped(text.substr(from, to - from)) + "\n";
    from = to + 1;
  }
  return out;
}

// The first line of the detail is the message.
std::string case_text(const std::string& suite, const JunitCase& one) {
  std::string out = fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"",
                                report::escaped(suite), report::escaped(one.name), one.seconds);
  if (one.verdict == Verdict::passed) return out + "/>\n";
  const std::string first = one.detail.substr(0, one.detail.find('\n'));
  return out + fmt::format(">\n    <{0} message=\"{1}\">{2}</{0}>\n  </testcase>\n",
                           element(one.verdict), report::escaped(first), escaped_lines(one.detail));
}

}  // namespace

std::string junit_text(const std::string& suite, const std::vector<JunitCase>& cases) {
  const auto count = [&](Verdict verdict) {
    return std::count_if(cases.begin(), cases.end(),
                         [&](const JunitCase& one) { return one.verdict == verdict; });
  };
  double seconds = 0;
  for (const JunitCase& one : cases) seconds += one.seconds;
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" tests=\"{}\" "
      "failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n",
      report::escaped(suite), cases.size(), count(Verdict::failed), count(Verdict::error),
      count(Verdict::skipped), seconds);
  for (const JunitCase& one : cases) out += case_text(suite, one);
  return out + "</testsuite>\n";
}

}  // namespace reprosum::cli
