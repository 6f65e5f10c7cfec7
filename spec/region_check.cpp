// validate(): the invariants of a region rule, within bounds that a hostile one cannot exceed.
#include <algorithm>
#include <string>

#include "spec/error.h"
#include "spec/order.h"
#include "spec/region.h"
#include "spec/region_word.h"

namespace reprosum::spec {
namespace {

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw UserError(where + ": " + what);
}

std::string text(std::size_t value) { return std::to_string(value); }

void check(const Atom& atom, const std::string& where) {
  if (atom.compares_sizes()) {
    if (atom.sizes_in_use() < 2) fail(where, "sizes that are equal are two or three");
    if (atom.limit != 0) fail(where, "a comparison of sizes has no limit");
    if (atom.a != 1 || atom.b != 1) fail(where, "a comparison of sizes has no panels");
    return;
  }
  if (!atom.compares_panels()) {
    if (!atom.use_m && !atom.use_n && !atom.use_k) fail(where, "a bound needs m, n or k");
    if (atom.limit < 0 || atom.limit >= kSaturated) fail(where, "the limit must be in 0..2^62-1");
    if (atom.a != 1 || atom.b != 1) fail(where, "a bound has no panels");
    return;
  }
  if (atom.use_m || atom.use_n || atom.use_k || atom.limit != 0)
    fail(where, "a comparison of panel counts has no limit");
  for (const std::int64_t panel : {atom.a, atom.b})
    if (panel < 1 || panel > kMaxLeaves) fail(where, "a panel must be in 1..2^40");
}

class AxisChecker {
 public:
  AxisChecker(const Axis& axis, std::size_t types, std::string where)
      : axis_(axis), types_(types), where_(std::move(where)) {}

  void run() {
    if (axis_.empty()) fail(where_, "has no segment");
    if (axis_.size() > kMaxSegments) fail(where_, "has more than 2^12 segments");
    std::int64_t previous = 0;
    for (std::size_t k = 0; k < axis_.size(); ++k) {
      const Segment& segment = axis_[k];
      const std::string here = where_ + ", segment " + text(k);
      if (segment.from <= previous || segment.to < segment.from || segment.to > kMaxLeaves)
        fail(here, "range " + std::to_string(segment.from) + ".." + std::to_string(segment.to) +
                       " is empty, overlaps, does not ascend or lies beyond 2^40");
      previous = segment.to;
      check(segment, here);
    }
  }

 private:
  void check(const Segment& segment, const std::string& here) {
    if (segment.base < segment.from || segment.base > segment.to + 1)
      fail(here, "the base must be in " + std::to_string(segment.from) + ".." +
                     std::to_string(segment.to + 1));
    if (segment.period < 1 || segment.period > kMaxLeaves)
      fail(here, "the period must be in 1..2^40");
    const std::int64_t listed = segment.base - segment.from;
    if (static_cast<std::int64_t>(segment.words.size()) != listed)
      fail(here, "lists " + text(segment.words.size()) + " words where " + std::to_string(listed) +
                     " sizes lie below the base");
    const bool periodic = segment.base <= segment.to;
    if (static_cast<std::int64_t>(segment.schemas.size()) != (periodic ? segment.period : 0))
      fail(here, "has " + text(segment.schemas.size()) + " schemas where " +
                     std::to_string(periodic ? segment.period : 0) + " are wanted");
    words_ += segment.words.size() + segment.schemas.size();
    if (words_ > kMaxWords) fail(where_, "has more than 2^20 words");
    for (std::size_t k = 0; k < segment.words.size(); ++k) {
      const std::int64_t size = segment.from + static_cast<std::int64_t>(k);
      check(segment.words[k], {size, 0}, here + ", size " + std::to_string(size));
    }
    for (std::size_t r = 0; r < segment.schemas.size(); ++r)
      check(segment.schemas[r], {segment.base + static_cast<std::int64_t>(r), segment.period},
            here + ", residue " + text(r));
  }

  // With no coefficient below 0, no count is negative at any Q, and a length that is `size` as a
  // polynomial in Q bounds every product that its expansion forms.
  void check(const Word& word, const Count& size, const std::string& here) {
    const auto check_count = [&](const Count& count) {
      if (count.c < 0 || count.q < 0) fail(here, "a count or length is negative");
      if (count.c > kMaxLeaves || count.q > kMaxLeaves)
        fail(here, "a count or length exceeds 2^40");
    };
    for (const WordItem& item : word) {
      runs_ += std::max<std::size_t>(item.runs.size(), 1);
      if (runs_ > kMaxRuns) fail(where_, "has more than 2^22 runs");
      if (item.runs.empty()) fail(here, "an item has no run");
      check_count(item.times);
      for (const TypeRun& run : item.runs) {
        check_count(run.length);
        if (run.type < 0 || static_cast<std::size_t>(run.type) >= types_)
          fail(here, "type " + std::to_string(run.type) + " is not in the table");
      }
    }
    const WordLength length = length_of(word);
    if (length.constant != size.c || length.linear != size.q || length.square != 0)
      fail(here, "the length " + std::to_string(length.constant) + " + " +
                     std::to_string(length.linear) + " Q + " + std::to_string(length.square) +
                     " Q^2 is not the size " + std::to_string(size.c) + " + " +
                     std::to_string(size.q) + " Q");
  }

  const Axis& axis_;
  std::size_t types_;
  std::string where_;
  std::size_t words_ = 0, runs_ = 0;
};

}  // namespace

void validate(const MatrixRegime& regime) {
  const std::string where = "region rule";
  if (regime.guard.size() > kMaxAtoms) fail(where, "the guard has more than 64 atoms");
  for (std::size_t k = 0; k < regime.guard.size(); ++k)
    check(regime.guard[k], where + ", atom " + text(k));
  if (regime.table.empty() || regime.table[0].empty()) fail(where, "the table is empty");
  const std::size_t columns = regime.table[0].size();
  if (regime.table.size() > kMaxTable / columns)
    fail(where, "the table has more than 2^22 entries");
  for (std::size_t a = 0; a < regime.table.size(); ++a) {
    const std::string row = where + ", row " + text(a) + " of the table";
    if (regime.table[a].size() != columns)
      fail(row,
           "has " + text(regime.table[a].size()) + " entries where row 0 has " + text(columns));
    for (const std::int32_t c : regime.table[a])
      if (c < -1 || c >= static_cast<std::int64_t>(regime.classes.size()))
        fail(row, "class " + std::to_string(c) + " does not exist");
  }
  for (std::size_t c = 0; c < regime.classes.size(); ++c) {
    const auto& rules = regime.classes[c].beta_zero_up_to;
    if (rules.size() > kMaxRulesForZero)
      fail(where, "a class has more than 2^12 rules for beta = 0");
    for (std::size_t k = 0; k < rules.size(); ++k)
      if (rules[k].first < 1 || rules[k].first > kMaxLeaves ||
          (k > 0 && rules[k].first <= rules[k - 1].first))
        fail(where + ", class " + text(c), "the k of rules for beta = 0 must ascend from 1 on");
  }
  AxisChecker(regime.rows, regime.table.size(), where + ", rows").run();
  AxisChecker(regime.columns, columns, where + ", columns").run();
  if (regime.k_max < 1 || regime.k_max > kMaxLeaves) fail(where, "k_max must be in 1..2^40");
}

}  // namespace reprosum::spec
