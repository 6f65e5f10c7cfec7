#include "kernels/text/c_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>
#include <variant>

#include "kernels/text/c_program.h"

namespace reprosum::kernels::text {
namespace {

using spec::Increments;
using spec::Routine;

std::string range_text(const char* name, const spec::IncrementRange& range) {
  using Range = spec::IncrementRange;
  if (range.is_single()) return fmt::format("{} == {}", name, range.least);
  std::string text;
  if (range.least != Range::kLeast) text = fmt::format("{} >= {}", name, range.least);
  if (range.greatest != Range::kGreatest)
    text += fmt::format("{}{} <= {}", text.empty() ? "" : " && ", name, range.greatest);
  return text.empty() ? "1" : text;
}

std::string addresses(const spec::AddressGuard& guard) {
  std::string moduli, residues;
  for (const int modulus : guard.moduli)
    moduli += fmt::format("{}{}", moduli.empty() ? "" : ", ", modulus);
  for (const spec::Residues& one : guard.residues)
    for (const int residue : one)
      residues += fmt::format("{}{}", residues.empty() ? "" : ", ", residue);
  return fmt::format("admitted(here, (const int[]){{{}}}, (const int[]){{{}}}, {})", moduli,
                     residues, guard.residues.size());
}

const char* flag(spec::Trans trans) { return trans == spec::Trans::no ? "0" : "1"; }

std::string transposes(Routine routine, spec::Trans a, spec::Trans b) {
  if (routine == Routine::gemv) return fmt::format("!trans == !{}", flag(a));
  return fmt::format("!trans_a == !{} && !trans_b == !{}", flag(a), flag(b));
}

// Arguments that are none.
std::string refusals(Routine routine, const std::string& upper) {
  return fmt::format(
      "  if ({}) return {}_NOT_COVERED;\n",
      routine == Routine::gemv
          ? "rows < 0 || columns < 0 || lda < 1 || lda < rows || incx == 0 || incy == 0"
          : "m < 0 || n < 0 || k < 0 || lda < 1 || lda < (trans_a ? k : m) || ldb < 1 ||\n"
            "      ldb < (trans_b ? n : k) || ldc < 1 || ldc < m",
      upper);
}

}  // namespace

std::string c_upper(std::string prefix) {
  for (char& c : prefix) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return prefix;
}

std::string c_threads(const std::vector<int>& threads) {
  std::string text;
  for (const int count : threads)
    text += fmt::format("{}threads == {}", text.empty() ? "" : " || ", count);
  return threads.size() > 1 ? "(" + text + ")" : text;
}

std::string c_increments(const std::vector<Increments>& increments, bool has_y) {
  std::string text;
  for (const Increments& pair : increments) {
    if (!text.empty()) text += " || ";
    text += "(" + range_text("incx", pair.x);
    if (has_y) text += " && " + range_text("incy", pair.y);
    text += ")";
  }
  return "(" + text + ")";
}

namespace {

std::string c_vectors(const spec::Entry& entry) {
  const bool has_y = entry.routine == Routine::dot;
  std::string text =
      fmt::format("n <= INT64_C({}) && {} && {}", spec::most_summands(entry),
                  c_threads(entry.guard.threads), c_increments(entry.guard.increments, has_y));
  const spec::AddressGuard& addresses = entry.guard.addresses;
  if (addresses.is_any()) return text;
  std::string residues;
  for (const spec::Residues& one : addresses.residues) {
    if (!residues.empty()) residues += " || ";
    residues += fmt::format("((uintptr_t)x % {} == {}", addresses.moduli[0], one[0]);
    if (has_y) residues += fmt::format(" && (uintptr_t)y % {} == {}", addresses.moduli[1], one[1]);
    residues += ")";
  }
  return text + " && (" + residues + ")";
}

std::string c_matrices(const spec::Entry& entry) {
  const spec::Guard& guard = entry.guard;
  std::string text = fmt::format("m <= INT64_C({}) && n <= INT64_C({}) && {} && {}", entry.m_max,
                                 entry.n_max, c_threads(guard.threads),
                                 transposes(entry.routine, guard.trans_a, guard.trans_b));
  if (entry.routine == Routine::gemv) text += " && " + c_increments(guard.increments, true);
  if (guard.alignment > 1) text += fmt::format(" && aligned(here, {})", guard.alignment);
  if (!guard.addresses.is_any()) text += " && " + addresses(guard.addresses);
  static constexpr const char* kTight[] = {"tight_a", "tight_b", "tight_c"};
  for (std::size_t k = 0; k < spec::kLeadingPlaces; ++k)
    if (guard.leading[k] != spec::Leading::any)
      text +=
          fmt::format(" && {}{}", guard.leading[k] == spec::Leading::tight ? "" : "!", kTight[k]);
  if (guard.beta != spec::Beta::any)
    text += guard.beta == spec::Beta::one ? " && beta == 1" : " && beta != 1";
  return text;
}

}  // namespace

std::string c_condition(const spec::Entry& entry) {
  return spec::has_matrices(entry.routine) ? c_matrices(entry) : c_vectors(entry);
}

std::int64_t longest(const spec::Spec& spec, spec::Routine routine, spec::Type type,
                     std::size_t order) {
  std::int64_t most = 0;
  for (const spec::Entry& entry : spec.entries)
    for (const spec::MatrixRegime& regime : entry.regimes)
      for (const spec::MatrixClass& kind : regime.classes)
        if (entry.routine == routine && entry.type == type && kind.order == order)
          most = std::max(most, regime.k_max);
  return most;
}

std::string c_covered(const spec::Order& order) {
  std::string text;
  const auto add = [&](std::int64_t lo, std::int64_t hi) {
    text += fmt::format("{}(k >= {} && k <= {})", text.empty() ? "" : " || ", lo, hi);
  };
  for (const spec::Regime& regime : order.regimes) {
    const auto* listed = std::get_if<spec::Explicit>(&regime.rule);
    if (listed == nullptr) {
      add(regime.lo, regime.hi);
      continue;
    }
    for (std::size_t k = 0, end = 0; k < listed->entries.size(); k = end) {
      end = k + 1;
      while (end < listed->entries.size() &&
             listed->entries[end].n == listed->entries[end - 1].n + 1)
        ++end;
      add(listed->entries[k].n, listed->entries[end - 1].n);
    }
  }
  return text.empty() ? "0" : text;
}

std::string c_problem(Routine routine, spec::Type type, const std::string& upper) {
  const char* const t = c_type(type);
  std::string text = refusals(routine, upper);
  if (routine == Routine::gemv) {
    text += fmt::format(
        "  const int64_t m = trans ? columns : rows, n = 1, k = trans ? rows : columns;\n"
        "  const int tight_a = lda == (rows > 1 ? rows : 1), tight_b = 1, tight_c = 1;\n"
        "  const {0} *const x0 = incx < 0 ? x + (1 - k) * incx : x;\n"
        "  {0} *const y0 = incy < 0 ? y + (1 - m) * incy : y;\n"
        "  struct problem p = {{m, 1, k, alpha, beta, a, trans ? lda : 1, trans ? 1 : lda, x0, 0, "
        "incx,"
        " y0, incy, 0}};\n"
        "  const int here[6] = {{(int)((uintptr_t)a % 64), (int)((uintptr_t)x % 64),\n"
        "                       (int)((uintptr_t)y % 64), (int)((uint64_t)lda * sizeof *a % 64), "
        "0, "
        "0}};\n",
        t);
  } else {
    text +=
        "  const int tight_a = lda == ((trans_a ? k : m) > 1 ? (trans_a ? k : m) : 1);\n"
        "  const int tight_b = ldb == ((trans_b ? n : k) > 1 ? (trans_b ? n : k) : 1);\n"
        "  const int tight_c = ldc == (m > 1 ? m : 1);\n"
        "  struct problem p = {m, n, k, alpha, beta, a, trans_a ? lda : 1, trans_a ? 1 : lda, b,\n"
        "                      trans_b ? 1 : ldb, trans_b ? ldb : 1, c, 1, ldc};\n"
        "  const int here[6] = {(int)((uintptr_t)a % 64), (int)((uintptr_t)b % 64),\n"
        "                       (int)((uintptr_t)c % 64), (int)((uint64_t)lda * sizeof *a % 64),\n"
        "                       (int)((uint64_t)ldb * sizeof *a % 64),\n"
        "                       (int)((uint64_t)ldc * sizeof *a % 64)};\n";
  }
  return text + fmt::format(
                    "  (void)tight_a, (void)tight_b, (void)tight_c, (void)here;\n"
                    "  if (m == 0 || n == 0) return {}_DONE;\n",
                    upper);
}

namespace {

std::string c_empty_vectors(const spec::EmptyRule& rule, const std::string& upper) {
  const auto value = [](spec::EmptyRule::Result result) {
    return std::signbit(spec::zero_of<double>(result)) ? "-0.0" : "0.0";
  };
  return fmt::format(
      "  if ({} && {}) {{\n    *result = {};\n    return {}_DONE;\n  }}\n",
      rule.below_zero ? "n <= 0" : "n == 0", c_threads(rule.threads),
      rule.below_zero && *rule.below_zero != rule.result
          ? fmt::format("n < 0 ? {} : {}", value(*rule.below_zero), value(rule.result))
          : value(rule.result),
      upper);
}

}  // namespace

std::string c_empty(const spec::EmptyRule& rule, const std::string& upper) {
  if (!spec::has_matrices(rule.routine)) return c_empty_vectors(rule, upper);
  using Result = spec::EmptyRule::Result;
  using spec::MatrixClass;
  // No size is 0 here.
  const std::string outputs = rule.outputs_max == spec::EmptyRule::kAnyOutputs
                                  ? ""
                                  : fmt::format(" && n <= INT64_C({}) / m", rule.outputs_max);
  std::string text =
      fmt::format("  if (k == 0 && m <= INT64_C({}) && n <= INT64_C({}){} && {} && {}) {{\n",
                  rule.m_max, rule.n_max, outputs, c_threads(rule.threads),
                  transposes(rule.routine, rule.trans_a, rule.trans_b));
  if (rule.result == Result::keep) return text + fmt::format("    return {}_DONE;\n  }}\n", upper);
  if (rule.keeps_at_one) text += fmt::format("    if (beta == 1) return {}_DONE;\n", upper);
  using BetaZero = MatrixClass::BetaZero;
  const bool multiplies = rule.beta_zero == BetaZero::multiply;
  const char* const stored = rule.beta_zero == BetaZero::store_beta ? "beta" : "0";
  const auto unless_zero = [multiplies](const std::string& at_zero, const std::string& other) {
    return multiplies ? other : fmt::format("beta == 0 ? {} : {}", at_zero, other);
  };
  std::string value = unless_zero(stored, "beta * *out");
  if (rule.result != Result::scale) {
    const std::string at_zero =
        rule.beta_zero == BetaZero::drop ? "alpha * 0" : fmt::format("{} + alpha * 0", stored);
    const std::string other =
        rule.result == Result::fuse
            ? fmt::format("fma{}(beta, *out, alpha * 0)", spec::is_f32(rule.type) ? "f" : "")
            : "beta * *out + alpha * 0";
    const std::string computed = unless_zero(at_zero, other);
    value = rule.alpha_zero == MatrixClass::AlphaZero::skip
                ? fmt::format("alpha == 0 ? ({}) : ({})", value, computed)
                : computed;
  }
  text +=
      "    for (int64_t j = 0; j < n; ++j)\n      for (int64_t i = 0; i < m; ++i) {\n"
      "        " +
      std::string(c_type(rule.type)) + " *const out = p.c + i * p.c_down + j * p.c_across;\n";
  return text +
         fmt::format("        *out = {};\n      }}\n    return {}_DONE;\n  }}\n", value, upper);
}

}  // namespace reprosum::kernels::text
