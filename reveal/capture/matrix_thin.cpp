#include "reveal/capture/matrix_thin.h"

#include <algorithm>
#include <utility>

namespace reprosum::reveal {
namespace {

using spec::Atom;

constexpr std::int64_t kLooks[] = {1, 2, 3, 5, 8, 13, 21, 34, 60, 90};
constexpr std::int64_t kSingleK = 37;  // of the witness: any would do

class OneColumn final : public SignatureSource {
 public:
  OneColumn(SignatureSource& source, bool is_row) : source_(source), is_row_(is_row) {}

  std::vector<std::uint64_t> signatures(const spec::Shape3& shape) override {
    return source_.signatures(is_row_ ? spec::Shape3{1, shape.m, shape.k} : shape);
  }
  bool set_short(bool is_short) override { return source_.set_short(is_short); }
  std::int64_t calls() const override { return source_.calls(); }

 private:
  SignatureSource& source_;
  const bool is_row_;
};

Atom limit_of_one(Atom::Kind kind, bool rows) { return {kind, rows, !rows, false, 1, 1, 1}; }

}  // namespace

const char* name(Outputs outputs) {
  switch (outputs) {
    case Outputs::all:
      return "";
    case Outputs::one_row:
      return "one row";
    case Outputs::one_column:
      return "one column";
    case Outputs::single:
      return "one output";
  }
  return "";
}

spec::Shape3 largest_of(Outputs outputs, const spec::Shape3& largest) {
  spec::Shape3 result = largest;
  if (outputs == Outputs::one_row || outputs == Outputs::single) result.m = 1;
  if (outputs == Outputs::one_column || outputs == Outputs::single) result.n = 1;
  return result;
}

std::vector<Atom> guard_of(Outputs outputs) {
  if (outputs == Outputs::all) return {};
  return {
      limit_of_one(outputs == Outputs::one_column ? Atom::Kind::above : Atom::Kind::at_most, true),
      limit_of_one(outputs == Outputs::one_row ? Atom::Kind::above : Atom::Kind::at_most, false)};
}

bool leaves_out(const std::vector<spec::MatrixRegime>& rules, Outputs outputs,
                const spec::Shape3& largest) {
  const std::vector<Atom> guard = guard_of(outputs);
  const spec::Shape3 most = largest_of(outputs, largest);
  for (const std::int64_t size : kLooks)
    for (const std::int64_t k : kLooks) {
      const spec::Shape3 shape{std::min(size, most.m), std::min(size, most.n), std::min(k, most.k)};
      const bool is_one = std::all_of(guard.begin(), guard.end(),
                                      [&](const Atom& atom) { return atom.holds(shape); });
      if (is_one && !spec::regions(rules, shape)) return true;
    }
  return false;
}

std::unique_ptr<SignatureSource> in_one_column(SignatureSource& source, Outputs outputs) {
  return std::make_unique<OneColumn>(source, outputs == Outputs::one_row);
}

LearnedRegime of_products(LearnedRegime regime, Outputs outputs) {
  spec::MatrixRegime& rule = regime.rule;
  if (outputs == Outputs::one_row) {
    std::swap(rule.rows, rule.columns);
    std::vector<std::vector<std::int32_t>> turned;
    for (std::size_t row = 0; row < rule.table.size(); ++row)
      for (std::size_t column = 0; column < rule.table[row].size(); ++column) {
        turned.resize(std::max(turned.size(), column + 1));
        turned[column].push_back(rule.table[row][column]);
      }
    rule.table = std::move(turned);
    for (Atom& atom : rule.guard)
      if (!atom.compares_panels()) std::swap(atom.use_m, atom.use_n);
    for (LearnedRegime::Witness& witness : regime.witnesses) {
      std::swap(witness.shape.m, witness.shape.n);
      std::swap(witness.i, witness.j);
    }
  }
  for (const Atom& atom : guard_of(outputs)) rule.guard.push_back(atom);
  std::sort(rule.guard.begin(), rule.guard.end());
  return regime;
}

LearnedRegions single_output(const spec::Shape3& largest) {
  LearnedRegime regime;
  spec::MatrixRegime& rule = regime.rule;
  rule.rows = rule.columns = {{1, 1, 1, 1, {}, {{{{1, 0}, {{0, {1, 1}}}}}}}};
  rule.table = {{0}};
  rule.classes.emplace_back();
  rule.k_max = largest.k;
  regime.k_ref = std::min(kSingleK, largest.k);
  regime.witnesses.push_back({{1, 1, regime.k_ref}, 0, 0});
  LearnedRegions result;
  result.covered = 1;
  result.regimes.push_back(std::move(regime));
  return result;
}

}  // namespace reprosum::reveal
