#include "src/report/region_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "spec/describe_matrix.h"
#include "spec/names.h"
#include "spec/surface.h"

namespace reprosum::report {
namespace {

constexpr std::size_t kMostLines = 16;  // of one axis, the rest is counted
constexpr std::size_t kMostTypes = 24;  // of a table that is printed

// Every count of a word in its order.
std::vector<spec::Count> counts(const spec::Word& word) {
  std::vector<spec::Count> out;
  for (const spec::WordItem& item : word) {
    out.push_back(item.times);
    for (const spec::TypeRun& run : item.runs) out.push_back(run.length);
  }
  return out;
}

bool same_form(const spec::Word& a, const spec::Word& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].runs.size() != b[i].runs.size() || a[i].times.q != b[i].times.q) return false;
    for (std::size_t k = 0; k < a[i].runs.size(); ++k)
      if (a[i].runs[k].type != b[i].runs[k].type || a[i].runs[k].length.q != b[i].runs[k].length.q)
        return false;
  }
  return true;
}

// Words of neighbouring sizes whose counts grow by 0 or 1 from each to the next.
struct Group {
  std::size_t from = 0, to = 0;
  std::vector<std::int64_t> slopes;
};

std::vector<Group> groups(const std::vector<spec::Word>& words) {
  std::vector<Group> out;
  for (std::size_t r = 0; r < words.size(); ++r) {
    if (!out.empty() && same_form(words[r - 1], words[r])) {
      const auto before = counts(words[r - 1]), now = counts(words[r]);
      std::vector<std::int64_t> slopes;
      for (std::size_t k = 0; k < now.size(); ++k) slopes.push_back(now[k].c - before[k].c);
      Group& last = out.back();
      if (last.slopes.empty() && std::all_of(slopes.begin(), slopes.end(),
                                             [](std::int64_t s) { return s == 0 || s == 1; }))
        last.slopes = slopes;
      if (last.slopes == slopes) {
        last.to = r + 1;
        continue;
      }
    }
    out.push_back({r, r + 1, {}});
  }
  return out;
}

// c + slope*r + q*Q, where c is the value at r = 0.
std::string count_text(std::int64_t c, std::int64_t slope, std::int64_t q) {
  std::string out;
  const auto add = [&](std::int64_t factor, const char* name) {
    if (factor == 0) return;
    const std::string size =
        std::abs(factor) == 1 && *name != '\0' ? name : fmt::format("{}{}", std::abs(factor), name);
    out += (out.empty() ? (factor < 0 ? "-" : "") : factor < 0 ? "-" : "+") + size;
  };
  if (c > 0) add(c, "");
  add(q, "Q");
  add(slope, "r");
  if (c < 0) add(c, "");
  return out.empty() ? "0" : out;
}

std::string word_text(const spec::Word& word, const Group& group) {
  std::string out;
  std::size_t index = 0;
  const auto count = [&](const spec::Count& value) {
    const std::int64_t slope = group.slopes.empty() ? 0 : group.slopes[index];
    ++index;
    return count_text(value.c - slope * static_cast<std::int64_t>(group.from), slope, value.q);
  };
  for (const spec::WordItem& item : word) {
    const std::string times = count(item.times);
    std::string runs;
    for (const spec::TypeRun& run : item.runs) {
      const std::string length = count(run.length);
      runs += fmt::format("{}{} of type {}", runs.empty() ? "" : ", ", length, run.type);
    }
    if (times != "1") runs = fmt::format("{} times ({})", times, runs);
    out += (out.empty() ? "" : ", ") + runs;
  }
  return out;
}

std::string table_text(const spec::MatrixRegime& regime) {
  const std::size_t rows = regime.table.size(), columns = regime.table[0].size();
  if (rows * columns <= 1) return "";
  if (rows > kMostTypes || columns > kMostTypes)
    return fmt::format("      table: {} row types, {} column types\n", rows, columns);
  std::vector<std::string> header{"      row type"};
  for (std::size_t c = 0; c < columns; ++c)
    header.push_back((c == 0 ? "column type " : "") + std::to_string(c));
  Table table(header);
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<std::string> line{"      " + std::to_string(r)};
    for (const std::int32_t c : regime.table[r])
      line.push_back(c < 0 ? "-" : "class " + std::to_string(c));
    table.add(line);
  }
  return table.text();
}

std::string class_text(const spec::Spec& spec, const spec::MatrixClass& which) {
  std::string out = spec::describe(spec.orders.at(which.order));
  if (const std::string rule = spec::describe_beta_zero(which); !rule.empty()) out += "; " + rule;
  if (which.alpha_zero == spec::MatrixClass::AlphaZero::compute)
    out += "; alpha = 0 still reads A and B";
  return out;
}

}  // namespace

std::string guard_text(const spec::MatrixRegime& regime) {
  const std::string line = spec::describe(regime);
  return line.substr(0, line.find(": "));
}

std::string axis_text(const spec::Axis& axis, char letter, const std::string& margin) {
  std::vector<std::string> lines;
  for (const spec::Segment& segment : axis) {
    for (const Group& group : groups(segment.words)) {
      const std::int64_t first = segment.from + static_cast<std::int64_t>(group.from);
      const std::int64_t last = segment.from + static_cast<std::int64_t>(group.to) - 1;
      // Here r counts from the segment's first size.
      std::string place = first == last ? fmt::format("{} = {}", letter, first)
                                        : fmt::format("{} = {}..{}", letter, first, last);
      if (std::count(group.slopes.begin(), group.slopes.end(), 1) > 0)
        place += fmt::format(" = {} + r", segment.from);
      lines.push_back(place + ": " + word_text(segment.words[group.from], group));
    }
    for (const Group& group : groups(segment.schemas)) {
      const bool steps = segment.period > 1;
      const auto last = static_cast<std::int64_t>(group.to) - 1;
      std::string place = fmt::format("{} = {}..{}", letter, segment.base, segment.to);
      place += fmt::format(" = {}{} + {}Q", segment.base, steps ? " + r" : "",
                           steps ? std::to_string(segment.period) : "");
      if (steps)
        place += group.from + 1 == group.to ? fmt::format(", r = {}", group.from)
                                            : fmt::format(", r = {}..{}", group.from, last);
      lines.push_back(place + ": " + word_text(segment.schemas[group.from], group));
    }
  }
  std::string out;
  for (std::size_t k = 0; k < lines.size() && k < kMostLines; ++k) out += margin + lines[k] + "\n";
  if (lines.size() > kMostLines)
    out += fmt::format("{}and {} more lines\n", margin, lines.size() - kMostLines);
  return out;
}

std::string regime_text(const spec::Spec& spec, const spec::MatrixRegime& regime, bool is_vector) {
  std::string out;
  if (regime.table.size() > 1)
    out += (is_vector ? "    outputs\n" : "    rows\n") + axis_text(regime.rows, 'm', "      ");
  if (regime.table[0].size() > 1) out += "    columns\n" + axis_text(regime.columns, 'n', "      ");
  out += table_text(regime);
  for (std::size_t c = 0; c < regime.classes.size(); ++c)
    out += fmt::format("    class {}, order {}: {}\n", c,
                       spec::meaning_hash(spec.orders.at(regime.classes[c].order)).substr(0, 12),
                       class_text(spec, regime.classes[c]));
  return out;
}

Json to_json(const spec::Spec& spec, const spec::MatrixClass& which) {
  const spec::Order& order = spec.orders.at(which.order);
  Json out{{"order", spec::describe(order)},
           {"order_sha256", spec::meaning_hash(order)},
           {"rules", spec::print(order)},
           {"beta_zero", spec::word_of(spec::kBetaZeroWords, which.beta_zero)},
           {"alpha_zero", spec::word_of(spec::kAlphaZeroWords, which.alpha_zero)}};
  for (const auto& [k, rule] : which.beta_zero_up_to)
    out["beta_zero_up_to"].push_back({k, spec::word_of(spec::kBetaZeroWords, rule)});
  return out;
}

Json to_json(const spec::Spec& spec, const spec::MatrixRegime& regime) {
  Json out{{"guard", guard_text(regime)},
           {"k_max", regime.k_max},
           {"rows", axis_text(regime.rows, 'm', "")},
           {"columns", axis_text(regime.columns, 'n', "")},
           {"table", regime.table},
           {"classes", Json::array()}};
  for (const spec::MatrixClass& which : regime.classes)
    out["classes"].push_back(to_json(spec, which));
  return out;
}

}  // namespace reprosum::report
