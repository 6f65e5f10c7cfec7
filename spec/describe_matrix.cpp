#include "spec/describe_matrix.h"

#include <algorithm>

#include "spec/conditions.h"
#include "spec/error.h"
#include "spec/surface.h"

namespace reprosum::spec {
namespace {

std::string text(std::int64_t value) { return std::to_string(value); }

std::string counted(std::size_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string describe(const Atom& atom) {
  const std::string sign = std::string(" ") + comparison(atom.kind) + " ";
  if (atom.compares_panels())
    return "floor(m/" + text(atom.a) + ")" + sign + "floor(n/" + text(atom.b) + ")";
  std::string product;
  const auto use = [&](bool used, const char* name) {
    if (!used) return;
    if (!product.empty()) product += atom.compares_sizes() ? " = " : "*";
    product += name;
  };
  use(atom.use_m, "m");
  use(atom.use_n, "n");
  use(atom.use_k, "k");
  if (atom.kind == Atom::Kind::unequal) return "not " + product;
  return atom.compares_sizes() ? product : product + sign + text(atom.limit);
}

// "" for an axis without periods.
std::string periods(const Axis& axis) {
  std::vector<std::int64_t> seen;
  for (const Segment& segment : axis)
    if (!segment.schemas.empty() && segment.period > 1 &&
        (seen.empty() || seen.back() != segment.period))
      seen.push_back(segment.period);
  if (seen.empty()) return "";
  std::string out = seen.size() == 1 ? " (period " : " (periods ";
  for (std::size_t k = 0; k < std::min<std::size_t>(seen.size(), 4); ++k)
    out.append(k > 0 ? ", " : "").append(text(seen[k]));
  return out + (seen.size() > 4 ? ", ...)" : ")");
}

}  // namespace

const char* comparison(Atom::Kind kind) {
  switch (kind) {
    case Atom::Kind::at_most:
    case Atom::Kind::not_taller:
      return "<=";
    case Atom::Kind::above:
    case Atom::Kind::taller:
      return ">";
    case Atom::Kind::wider:
      return "<";
    case Atom::Kind::not_wider:
      return ">=";
    case Atom::Kind::equal:
      return "=";
    case Atom::Kind::unequal:
      return "!=";
  }
  return "";
}

std::string describe(MatrixClass::BetaZero rule) {
  switch (rule) {
    case MatrixClass::BetaZero::store:
      return "stores +0";
    case MatrixClass::BetaZero::drop:
      return "leaves C out";
    case MatrixClass::BetaZero::drop_zeros:
      return "leaves C and every +0 out";
    case MatrixClass::BetaZero::store_beta:
      return "stores beta";
    case MatrixClass::BetaZero::multiply:
      return "is multiplied by C";
  }
  throw InternalError("describe: unknown rule for beta = 0");
}

std::string describe_beta_zero(const MatrixClass& output) {
  constexpr std::size_t kMostListed = 3;
  const auto& rules = output.beta_zero_up_to;
  if (rules.empty() && output.beta_zero == MatrixClass::BetaZero::store) return "";
  std::string out = "beta = 0 " + describe(output.beta_zero);
  if (rules.empty()) return out;
  out += " from k = " + text(rules.back().first + 1) + " on";
  if (rules.size() > kMostListed) return out + ", below by " + text(std::ssize(rules)) + " rules";
  for (const auto& [k, rule] : rules) out += ", up to k = " + text(k) + " " + describe(rule);
  return out;
}

std::string describe(const std::vector<Atom>& guard) {
  std::string out;
  for (const Atom& atom : guard) out += (out.empty() ? "" : ", ") + describe(atom);
  return out.empty() ? "every shape" : out;
}

std::string describe(const MatrixRegime& regime) {
  return describe(regime.guard) + ": " + counted(regime.table.size(), "row type", "row types") +
         periods(regime.rows) + ", " +
         counted(regime.table[0].size(), "column type", "column types") + periods(regime.columns) +
         ", " + counted(regime.classes.size(), "class", "classes") + "; k <= " + text(regime.k_max);
}

std::vector<std::string> describe(const Spec& spec, const Entry& entry) {
  const Guard& guard = entry.guard;
  std::string head = name_of(entry.routine, entry.type, guard.trans_a, guard.trans_b) + ", " +
                     describe(guard, entry.routine) + ", m <= " + text(entry.m_max);
  if (entry.routine == Routine::gemm) head += ", n <= " + text(entry.n_max);
  std::vector<std::string> lines{head};
  for (const MatrixRegime& regime : entry.regimes) {
    lines.push_back("  " + describe(regime));
    for (std::size_t k = 0; k < regime.classes.size(); ++k) {
      const MatrixClass& c = regime.classes[k];
      std::string line = "    class " + std::to_string(k) + ": " + describe(spec.orders[c.order]);
      if (const std::string rule = describe_beta_zero(c); !rule.empty()) line += "; " + rule;
      if (c.alpha_zero == MatrixClass::AlphaZero::compute) line += "; alpha = 0 computes";
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

}  // namespace reprosum::spec
