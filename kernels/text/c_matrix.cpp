#include "kernels/text/c_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <tuple>

#include "kernels/text/c_conditions.h"
#include "kernels/text/c_order.h"
#include "kernels/text/c_program.h"
#include "kernels/text/c_regions.h"
#include "spec/error.h"
#include "spec/expand.h"

namespace reprosum::kernels::text {
namespace {

using spec::Entry;
using spec::MatrixClass;
using spec::Routine;
using BetaZero = MatrixClass::BetaZero;

const char* name(OutputMode mode) {
  switch (mode) {
    case OutputMode::value:
      return "value";
    case OutputMode::zero:
      return "zero";
    case OutputMode::dropped:
      return "dropped";
    case OutputMode::dropped_zeros:
      return "dropped_zeros";
  }
  return "";
}

OutputMode mode_of(BetaZero rule) {
  return rule == BetaZero::drop         ? OutputMode::dropped
         : rule == BetaZero::drop_zeros ? OutputMode::dropped_zeros
                                        : OutputMode::zero;
}

class CMatrix {
 public:
  CMatrix(const spec::Spec& spec, std::string prefix, Routine routine, spec::Type type)
      : spec_(spec), prefix_(std::move(prefix)), routine_(routine), type_(type) {}

  std::string run(std::vector<std::string>& missing, std::size_t& entries) {
    std::vector<std::pair<int, const Entry*>> found;
    for (const Entry& entry : spec_.entries)
      if (entry.routine == routine_ && entry.type == type_) {
        // Rules for some data only come after those for all, zeros being the commonest, and
        // rules for alpha = 1 after these, as spec::find() has them.
        const spec::Guard& guard = entry.guard;
        found.emplace_back(
            int{guard.finite_only} + 2 * int{guard.nonzero_only} + 8 * int{guard.alpha_one},
            &entry);
      }
    if (found.empty()) return "";
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t k = 0; k < found.size(); ++k) {
      ++entries;
      const Entry& entry = *found[k].second;
      const auto before =
          std::tuple(helpers_, names_, classes_, orders_, outputs_, tables_, calls_);
      try {
        partly_.clear();
        add(entry, k);
        for (const std::string& why : partly_)
          missing.push_back(fmt::format("{} {} with beta = 0: {}", spec::blas_name(routine_, type_),
                                        letters(entry), why));
        lacks_zero_ = lacks_zero_ || !partly_.empty();
      } catch (const UserError& error) {
        // Nobody calls what was printed for it, and what was begun has no name.
        std::tie(helpers_, names_, classes_, orders_, outputs_, tables_, calls_) = before;
        missing.push_back(spec::blas_name(routine_, type_) + " " + letters(entry) + ": " +
                          error.what());
        refuse(entry);
      }
    }
    const std::string text = orders_ + outputs_ + tables_ + function();
    return c_helpers(helpers_, type_) + c_region_walk(type_, text) + "\n" + text;
  }

 private:
  std::string upper() const { return c_upper(prefix_); }
  static std::string letters(const Entry& entry) {
    const auto letter = [](spec::Trans trans) { return trans == spec::Trans::no ? "N" : "T"; };
    return entry.routine == Routine::gemv
               ? letter(entry.guard.trans_a)
               : std::string(letter(entry.guard.trans_a)) + letter(entry.guard.trans_b);
  }

  // ---- orders and classes ----

  const std::string& order(std::size_t number, OutputMode mode) {
    const auto [it, fresh] = names_.try_emplace({number, mode}, "");
    if (!fresh && it->second.empty()) throw UserError(whys_[{number, mode}]);
    if (!fresh) return it->second;
    try {
      const spec::Order& given = spec_.orders[number];
      if (is_dropped(mode) && spec::leaves_products_out(given))
        throw UserError("what takes the place of C depends on the data");
      const std::string made = fmt::format("order{}_{}", number, name(mode));
      Helpers helpers = helpers_;
      orders_ += c_update(with_output(given, mode), longest(spec_, routine_, type_, number), type_,
                          mode, made, helpers);
      helpers_ = helpers;
      return it->second = made;
    } catch (const UserError& error) {
      whys_[{number, mode}] = error.what();
      throw;
    }
  }

  // What the output is where beta is zero.
  std::string at_zero(std::size_t number, BetaZero rule) {
    const auto call = [](const std::string& of, const char* output) {
      return fmt::format("{}(k, x, incx, y, incy, alpha, {})", of, output);
    };
    if (rule == BetaZero::multiply) return call(order(number, OutputMode::value), "beta, *c");
    const std::string zero = call(order(number, mode_of(rule)), "beta, 0");
    if (rule != BetaZero::store_beta) return zero;
    return fmt::format("signbit(beta) ? {} : {}", call(order(number, OutputMode::value), "beta, 1"),
                       zero);
  }

  std::string output(const MatrixClass& kind) {
    const auto [it, fresh] = classes_.try_emplace(kind);
    if (!fresh) {
      if (!it->second.why_not_at_zero.empty()) partly_.insert(it->second.why_not_at_zero);
      return it->second.name;
    }
    const char* const t = c_type(type_);
    const auto name = fmt::format("output{}", classes_.size() - 1);
    std::string text = fmt::format(
        "static {0} {1}(int64_t k, const {0} *x, int64_t incx, const {0} *y, int64_t incy,\n"
        "    {0} alpha, {0} beta, const {0} *c) {{\n",
        t, name);
    if (kind.alpha_zero == MatrixClass::AlphaZero::skip) {
      text += "  if (alpha == 0 && beta != 0) return beta * *c;\n  if (alpha == 0) {\n";
      for (const auto& [last, rule] : kind.beta_zero_up_to)
        text += fmt::format("    if (k <= {}) return {};\n", last, stored(rule));
      text += fmt::format("    return {};\n  }}\n", stored(kind.beta_zero));
    }
    const std::string why = why_not_at_zero(kind);
    if (!why.empty()) {
      partly_.insert(why);
      text += fmt::format("  /* Nobody asks for beta = 0: {}. */\n", why);
    } else {
      text += at_zero(kind);
    }
    text += fmt::format("  return ({}){}(k, x, incx, y, incy, alpha, beta, *c);\n}}\n", t,
                        order(kind.order, OutputMode::value));
    text += fmt::format(
        "static int covers_{}(int64_t k, int beta_is_zero) {{\n"
        "  (void)beta_is_zero;\n  return {}({});\n}}\n\n",
        name, why.empty() ? "" : "!beta_is_zero && ", c_covered(spec_.orders[kind.order]));
    outputs_ += text;
    it->second = {name, why};
    return name;
  }
  std::string why_not_at_zero(const MatrixClass& kind) {
    const auto before = std::tuple(helpers_, names_, orders_);
    try {
      for (const auto& [last, rule] : kind.beta_zero_up_to) at_zero(kind.order, rule);
      at_zero(kind.order, kind.beta_zero);
      return "";
    } catch (const UserError& error) {
      std::tie(helpers_, names_, orders_) = before;  // nobody calls what was printed until then
      return error.what();
    }
  }
  std::string at_zero(const MatrixClass& kind) {
    const char* const t = c_type(type_);
    std::string text = "  if (beta == 0) {\n";
    for (const auto& [last, rule] : kind.beta_zero_up_to)
      text +=
          fmt::format("    if (k <= {}) return ({})({});\n", last, t, at_zero(kind.order, rule));
    return text +
           fmt::format("    return ({})({});\n  }}\n", t, at_zero(kind.order, kind.beta_zero));
  }
  static const char* stored(BetaZero rule) {
    return rule == BetaZero::multiply ? "beta * *c" : rule == BetaZero::store_beta ? "beta" : "0";
  }

  // ---- entries ----

  void add(const Entry& entry, std::size_t number) {
    std::vector<std::string> regimes;
    std::string tables;
    for (std::size_t r = 0; r < entry.regimes.size(); ++r)
      tables += table(entry.regimes[r], fmt::format("entry{}_regime{}", number, r));
    tables_ += tables;
    std::string choice = "0";
    for (std::size_t r = entry.regimes.size(); r-- > 0;)
      choice = fmt::format("{} ? &entry{}_regime{}\n        : {}", c_guard(entry.regimes[r].guard),
                           number, r, choice);
    const spec::Guard& guard = entry.guard;
    calls_ += "  if (" + c_condition(entry) + ") {\n";
    calls_ += fmt::format("    const struct regime *const regime =\n        {};\n", choice);
    calls_ += "    p.beta = beta;\n";
    calls_ += "    int covered = regime != 0 && run_regions(regime, &p, 0);\n";
    const std::string reads = "(alpha != 0 || regime->reads_factors)";
    if (guard.finite_only)
      calls_ += fmt::format(
          "    covered = covered && all_finite(&p, {}, beta != 0 || regime->reads_output);\n",
          reads);
    if (guard.nonzero_only)
      calls_ += fmt::format("    covered = covered && !({} && has_zero_factor(&p));\n", reads);
    if (guard.alpha_one) calls_ += "    covered = covered && alpha == 1;\n";
    if (guard.nan_beta_is_zero)
      calls_ +=
          "    if (covered && beta != beta) p.beta = 0, covered = run_regions(regime, &p, 0);\n";
    calls_ += "    if (covered) {\n";
    calls_ += fmt::format(
        "      run_regions(regime, &p, 1);\n      return {}_DONE;\n    }}\n  }}\n", upper());
  }

  void refuse(const Entry& entry) {
    calls_ += fmt::format("  if ({}) return {}_NOT_PRINTED;\n", c_condition(entry), upper());
  }

  std::string table(const spec::MatrixRegime& regime, const std::string& name) {
    std::string outputs, covers, classes;
    bool reads = false, reads_output = false;
    for (const MatrixClass& kind : regime.classes) {
      const std::string made = output(kind);
      outputs += (outputs.empty() ? "" : ", ") + made;
      covers += (covers.empty() ? "covers_" : ", covers_") + made;
      reads = reads || kind.alpha_zero == MatrixClass::AlphaZero::compute;
      reads_output = reads_output || kind.multiplies_by_zero();
    }
    for (const auto& row : regime.table)
      for (const std::int32_t kind : row)
        classes += fmt::format("{}{}", classes.empty() ? "" : ", ", kind);
    // C has no empty arrays; where no output has a class none is asked for.
    if (regime.classes.empty()) outputs = covers = "0";
    const std::size_t columns = regime.table.empty() ? 0 : regime.table[0].size();
    return c_axis(regime.rows, name + "_rows") + c_axis(regime.columns, name + "_columns") +
           fmt::format(
               "static const int {0}_table[] = {{{1}}};\n"
               "static const output_function {0}_outputs[] = {{{2}}};\n"
               "static const covers_function {0}_covers[] = {{{3}}};\n"
               "static const struct regime {0} = {{INT64_C({4}), {0}_rows, {0}_columns,\n"
               "    {0}_table, {5}, {6}, {7}, {0}_outputs, {0}_covers}};\n\n",
               name, classes, outputs, covers, regime.k_max, columns, reads ? 1 : 0,
               reads_output ? 1 : 0);
  }

  std::string function() const {
    std::string text = c_matrix_prototype(prefix_, routine_, type_) + " {\n";
    text += c_problem(routine_, type_, upper());
    for (const spec::EmptyRule& rule : spec_.empty_rules)
      if (rule.routine == routine_ && rule.type == type_) text += c_empty(rule, upper());
    text += fmt::format("  if (k <= 0) return {}_NOT_COVERED;\n", upper());
    return text + calls_ +
           fmt::format("  return {}{}_NOT_COVERED;\n}}\n",
                       lacks_zero_ ? fmt::format("beta == 0 ? {}_NOT_PRINTED : ", upper()) : "",
                       upper());
  }

  const spec::Spec& spec_;
  const std::string prefix_;
  const Routine routine_;
  const spec::Type type_;
  Helpers helpers_;
  std::map<std::pair<std::size_t, OutputMode>, std::string> names_, whys_;
  struct Output {
    std::string name, why_not_at_zero;
  };
  std::map<MatrixClass, Output> classes_;
  std::set<std::string> partly_;  // why classes of the entry are not printed for beta = 0
  bool lacks_zero_ = false;
  std::string orders_, outputs_, tables_, calls_;
};

}  // namespace

std::string c_matrix_prototype(const std::string& prefix, Routine routine, spec::Type type) {
  const std::string name = spec::blas_name(routine, type);
  if (routine == Routine::gemv)
    return fmt::format(
        "int {0}_{1}(int threads, int trans, int64_t rows, int64_t columns, {2} alpha,\n"
        "    const {2} *a, int64_t lda, const {2} *x, int64_t incx, {2} beta, {2} *y, int64_t "
        "incy)",
        prefix, name, c_type(type));
  return fmt::format(
      "int {0}_{1}(int threads, int trans_a, int trans_b, int64_t m, int64_t n, int64_t k,\n"
      "    {2} alpha, const {2} *a, int64_t lda, const {2} *b, int64_t ldb, {2} beta, {2} *c,\n"
      "    int64_t ldc)",
      prefix, name, c_type(type));
}

std::string c_matrix(const spec::Spec& spec, const std::string& prefix, Routine routine,
                     spec::Type type, std::vector<std::string>& missing, std::size_t& entries) {
  return CMatrix(spec, prefix, routine, type).run(missing, entries);
}

}  // namespace reprosum::kernels::text
