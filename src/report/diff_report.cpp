#include "src/report/diff_report.h"

#include <fmt/core.h>

#include <algorithm>

#include "spec/error.h"
#include "spec/surface.h"
#include "src/report/arguments.h"
#include "src/report/entries.h"

namespace reprosum::report {
namespace {

ThreadPair parse_thread_pair(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto [a, b] = parse_pair("--threads", text);
  for (const std::int64_t count : {a, b})
    if (count < 1 || count > 4096)
      throw UserError(fmt::format("--threads: {} is not between 1 and 4096", count));
  return std::pair{static_cast<int>(a), static_cast<int>(b)};
}

void expect_threads(const spec::Spec& spec, const std::string& file, int count) {
  const auto has = [count](const auto& entry) {
    const auto& threads = entry.guard.threads;
    return std::find(threads.begin(), threads.end(), count) != threads.end();
  };
  if (std::none_of(spec.entries.begin(), spec.entries.end(), has))
    throw UserError(fmt::format("--threads: {} has no context with threads = {}", file, count));
}

}  // namespace

std::set<std::string> differing_provenance(const spec::Spec& a, const spec::Spec& b) {
  std::set<std::string> keys;
  for (const spec::Spec* spec : {&a, &b})
    for (const auto& [key, value] : spec->provenance)
      if (key != "date" && provenance(a, key) != provenance(b, key)) keys.insert(key);
  return keys;
}

Difference compare(const NamedSpec& a, const NamedSpec& b, const std::string& threads) {
  Difference out;
  out.threads = parse_thread_pair(threads);
  if (out.threads) {
    expect_threads(a.spec, a.name, out.threads->first);
    expect_threads(b.spec, b.name, out.threads->second);
  }
  out.comparisons = compare_entries(a.spec, b.spec, out.threads);
  for (Comparison& c : compare_empty(a.spec, b.spec, out.threads))
    out.comparisons.push_back(std::move(c));
  out.same = std::count_if(out.comparisons.begin(), out.comparisons.end(),
                           [](const Comparison& c) { return c.same(); });
  return out;
}

Json diff_json(const NamedSpec& a, const NamedSpec& b, const Difference& difference) {
  const ThreadPair& threads = difference.threads;
  Json out{{"schema", "reprosum-diff/1"},
           {"a", {{"file", a.name}, {"sha256", spec::meaning_hash(a.spec)}}},
           {"b", {{"file", b.name}, {"sha256", spec::meaning_hash(b.spec)}}},
           {"provenance", Json::object()},
           {"threads", threads ? Json{threads->first, threads->second} : Json()},
           {"same", difference.is_none()},
           {"comparisons", Json::array()}};
  for (const std::string& key : differing_provenance(a.spec, b.spec))
    out["provenance"][key] = {provenance(a.spec, key), provenance(b.spec, key)};
  for (const Comparison& c : difference.comparisons) out["comparisons"].push_back(c.json);
  return out;
}

}  // namespace reprosum::report
