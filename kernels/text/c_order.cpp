#include "kernels/text/c_order.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <variant>
#include <vector>

#include "kernels/plan/pieces.h"
#include "kernels/program/lower_rule.h"
#include "kernels/text/c_program.h"
#include "kernels/text/c_walk.h"
#include "kernels/text/comment.h"
#include "spec/error.h"
#include "spec/reach.h"
#include "spec/running_sum.h"
#include "spec/surface.h"

namespace reprosum::kernels::text {
namespace {

using spec::Child;
using spec::Parts;
using spec::Split;

// Vectors that the loops are planned for. In C text lanes are small arrays, whatever a processor
// has.
constexpr unsigned kVectorBits = 256;
// Deepest recursion of a chain of pieces; the functions have small frames.
constexpr std::int64_t kMostCalls = 4096;

std::string comment(const std::string& text) {
  return "/*\n" + comment_lines(text, " *", 94) + " */\n";
}

class COrder {
 public:
  // mode: of a matrix update.
  COrder(const spec::Order& order, spec::Routine routine, spec::Type type,
         std::optional<OutputMode> mode, Helpers& helpers)
      : routine_(routine), type_(type), mode_(mode), helpers_(helpers), pieces_(pieces_of(order)) {}

  std::string run(const spec::Order& order, std::int64_t most, const std::string& name) {
    // The text asks for sizes once, of the call: to its walk all pieces are defined.
    if (const auto n = spec::undefined_piece(order, most))
      throw UserError(fmt::format("n = {}, or a piece of so many, may have no order", *n));
    name_orders(order, name);
    define(order);
    return declarations_ + "\n" + out_;
  }

 private:
  // ---- names ----

  void name_orders(const spec::Order& order, const std::string& name) {
    names_[&order] = name;
    declare(name);
    declare(name + "_pieces");
    for (std::size_t k = 0; k < order.regimes.size(); ++k) declare(regime_name(order, k));
    const std::vector<bool> running = spec::running_subs(order);
    for (std::size_t k = 0; k < order.subs.size(); ++k) {
      if (running[k] || running_.contains(&order)) running_.insert(&order.subs[k]);
      name_orders(order.subs[k], fmt::format("{}_sub{}", name, k));
    }
  }
  std::string regime_name(const spec::Order& order, std::size_t k) const {
    return fmt::format("{}_regime{}", names_.at(&order), k);
  }
  void declare(const std::string& name) { declarations_ += head(name) + ";\n"; }

  std::string head(const std::string& name) const {
    const char* const t = c_type(type_);
    std::string text =
        fmt::format("static double {}(int64_t n, const {} *x, int64_t incx", name, t);
    if (routine_ == spec::Routine::dot) text += fmt::format(", const {} *y, int64_t incy", t);
    if (mode_) text += fmt::format(", {0} alpha, {0} beta, {0} c", t);
    return text + ")";
  }
  // A call for `count` summands from the one `at`.
  std::string call(const std::string& name, const std::string& count, const std::string& at,
                   const std::string& output = "beta, c") const {
    const auto from = [&](const char* vector, const char* increment) {
      return at == "0" ? std::string(vector) : fmt::format("{} + ({}) * {}", vector, at, increment);
    };
    std::string text = fmt::format("{}({}, {}, incx", name, count, from("x", "incx"));
    if (routine_ == spec::Routine::dot) text += fmt::format(", {}, incy", from("y", "incy"));
    if (mode_) text += ", alpha, " + output;
    return text + ")";
  }
  // With increments of 1 as constants the compiler makes vectors of neighbours.
  std::string call_of_piece(const std::string& name) const {
    const char* const more = mode_ ? ", alpha, beta, c" : "";
    return routine_ == spec::Routine::dot
               ? fmt::format(
                     "  if (incx == 1 && incy == 1) return {0}(n, x, 1, y, 1{1});\n"
                     "  return {0}(n, x, incx, y, incy{1});\n",
                     name, more)
               : fmt::format(
                     "  if (incx == 1) return {0}(n, x, 1);\n"
                     "  return {0}(n, x, incx);\n",
                     name);
  }

  // ---- orders ----

  void define(const spec::Order& order) {
    for (const spec::Order& sub : order.subs) define(sub);
    for (std::size_t k = 0; k < order.regimes.size(); ++k) define(order, k);
    const std::string& name = names_.at(&order);
    // The regime that holds n; one summand that belongs to none is that summand.
    out_ += head(name + "_pieces") + " {\n";
    for (std::size_t k = 0; k < order.regimes.size(); ++k) {
      const spec::Regime& regime = order.regimes[k];
      out_ += fmt::format("  if (n >= {} && n <= {}) return {};\n", regime.lo, regime.hi,
                          call(regime_name(order, k), "n", "0"));
    }
    out_ += routine_ == spec::Routine::dot
                ? fmt::format("  (void)incx, (void)incy{};\n  return x[0] * y[0];\n}}\n\n",
                              mode_ ? ", (void)alpha, (void)beta, (void)c" : "")
                : std::string("  (void)incx;\n  return x[0];\n}\n\n");
    out_ += head(name) + " {\n";
    if (order.zero_start) helpers_.insert("add_narrow");
    const std::string value = call(name + "_pieces", "n", "0");
    out_ +=
        order.zero_start
            ? fmt::format("  return add_narrow(0.0, {}); /* the sum starts at +0 */\n}}\n\n", value)
            : fmt::format("  return {};\n}}\n\n", value);
  }

  void define(const spec::Order& order, std::size_t k) {
    const spec::Regime& regime = order.regimes[k];
    const std::string name = regime_name(order, k);
    std::string piece, why;
    for (std::size_t p = 0; p < pieces_.size(); ++p)
      if (pieces_[p].regime != &regime)
        continue;
      else if (pieces_[p].is_whole())
        piece = print_piece(pieces_[p], name + "_code", why);
      else
        why = range_of(regime) + "more lanes than a function has";
    const bool is_walked =
        std::holds_alternative<Split>(regime.rule) || std::holds_alternative<Parts>(regime.rule);
    if (std::holds_alternative<spec::Windows>(regime.rule))
      throw UserError(range_of(regime) + "a sum in windows");
    if (piece.empty() && !is_walked)
      throw UserError(why.empty() ? range_of(regime) + "more pieces than one order is given" : why);
    spec::Order alone;  // the regime's own text
    alone.regimes = {regime};
    alone.subs = order.subs;
    out_ += comment(spec::print(alone)) + piece + head(name) + " {\n";
    if (!piece.empty() && is_walked)
      out_ += fmt::format("  if (n >= {} && n <= {}) {{\n", regime.lo, regime.hi);
    if (!piece.empty()) out_ += call_of_piece(name + "_code");
    if (!piece.empty() && is_walked) out_ += "  }\n";
    if (const auto* split = std::get_if<Split>(&regime.rule)) walk(order, k, *split);
    if (const auto* parts = std::get_if<Parts>(&regime.rule)) walk(order, *parts);
    out_ += "}\n\n";
  }

  std::string print_piece(const Piece& piece, const std::string& name, std::string& why) const {
    RulePlan plan;
    const bool planned =
        mode_ ? plan_update_piece(piece, plan, why) : plan_piece(piece, type_, plan, why);
    if (!planned) return "";
    return "REPROSUM_INLINE " +
           c_function(program::lower_rule(plan, routine_, type_,
                                          {name, 0, false, true, false, mode_.has_value()},
                                          kVectorBits)) +
           "\n";
  }

  // ---- the walk ----

  std::string child(const spec::Order& order, const Child& child, const std::string& count,
                    const std::string& at) const {
    const auto index = static_cast<std::size_t>(child.index);
    const std::string pieces = names_.at(&order) + "_pieces";
    switch (child.kind) {
      case Child::Kind::self:
        return call(pieces, count, at);
      case Child::Kind::sub:
        return call(names_.at(&order.subs[index]), count, at);
      case Child::Kind::regime:
        break;
    }
    return fmt::format("(({}) < {} ? {} : {})", count, order.regimes[index].lo,
                       call(pieces, count, at), call(regime_name(order, index), count, at));
  }

  std::string add(spec::NodeFormat format) {
    const char* const name = format == spec::NodeFormat::wide ? "add_wide" : "add_narrow";
    helpers_.insert(name);
    return name;
  }

  static bool goes_back(const Child& child, std::size_t regime) {
    return child.kind == Child::Kind::self ||
           (child.kind == Child::Kind::regime && child.index == static_cast<int>(regime));
  }

  void walk(const spec::Order& order, std::size_t k, const Split& split) {
    if (split.through && !mode_) throw UserError("pieces go on from the sum before them");
    const std::string cut = cut_function(split.kind);
    helpers_.insert(cut);
    const std::string at = fmt::format("{}(n, INT64_C({}))", cut, split.m);
    const bool is_chain = split.kind == Split::Kind::last || split.kind == Split::Kind::last_const;
    if (is_chain && goes_back(split.left, k)) return chain(order, k, split, cut);
    const bool from_right =
        split.kind == Split::Kind::first || split.kind == Split::Kind::first_rest;
    if (from_right && goes_back(split.right, k) && order.regimes[k].hi / split.m > kMostCalls)
      throw UserError(range_of(order.regimes[k]) +
                      "a chain of pieces that begins at the right end");
    if (split.kind == Split::Kind::remainder)
      out_ += fmt::format("  if (n % {} == 0) return {};\n", split.m,
                          child(order, split.left, "n", "0"));
    out_ += fmt::format("  const int64_t h = {};\n", at);
    out_ += fmt::format("  const double left = {};\n", child(order, split.left, "h", "0"));
    if (split.through) {
      const auto index = static_cast<std::size_t>(split.right.index);
      out_ += fmt::format("  return {};\n", call(names_.at(&order.subs[index]), "n - h", "h",
                                                 fmt::format("1, ({})left", c_type(type_))));
      return;
    }
    out_ += fmt::format("  return {}(left, {});\n", add(split.format),
                        child(order, split.right, "n - h", "h"));
  }

  // F(n) = F(n - piece) + piece, from the left: no recursion as deep as there are pieces.
  void chain(const spec::Order& order, std::size_t k, const Split& split, const std::string& cut) {
    const spec::Regime& regime = order.regimes[k];
    const bool below = split.left.kind == Child::Kind::regime;
    out_ += "  int64_t at = n;\n";
    out_ += fmt::format("  while (at >= {}{}) at = {}(at, INT64_C({}));\n", regime.lo,
                        below ? "" : fmt::format(" && at <= {}", regime.hi), cut, split.m);
    out_ += fmt::format("  double sum = {};\n", call(names_.at(&order) + "_pieces", "at", "0"));
    out_ += fmt::format(
        "  for (int64_t next; at < n; at = next) {{\n"
        "    next = n - at < {0} ? n : at + {0};\n"
        "    sum = {1}(sum, {2});\n  }}\n  return sum;\n",
        split.m, add(split.format), child(order, split.right, "next - at", "at"));
  }

  // What the sum becomes: with the piece added, or, of a piece that goes on from the sum, its
  // value.
  std::string next_sum(const spec::Order& order, const Split& split) {
    if (!split.through)
      return fmt::format("{}(sum, {})", add(split.format),
                         child(order, split.right, "next - at", "at"));
    const auto index = static_cast<std::size_t>(split.right.index);
    return call(names_.at(&order.subs[index]), "next - at", "at",
                fmt::format("1, ({})sum", c_type(type_)));
  }

  void walk(const spec::Order& order, const Parts& parts) {
    const std::string length = length_function(parts.kind);
    helpers_.insert(length);
    if (parts.format == spec::NodeFormat::wide && mode_) throw UserError("wide values");
    const std::string start = start_of(order, parts);
    out_ += fmt::format(
        "  double sum = {};\n"
        "  for (int64_t k = 0, at = 0, length; at < n; ++k, at += length) {{\n"
        "    length = {}(n, at, k, INT64_C({}), INT64_C({}), INT64_C({}));\n"
        "    const double piece = {};\n"
        "    sum = {}{};\n  }}\n  return sum;\n",
        start.empty() ? "0" : start, length, parts.count, parts.m, parts.u,
        child(order, parts.child, "length", "at"),
        start.empty() ? "k == 0 ? " + first_piece(order, parts) + " : " : "", added(parts));
  }

  // What the order's output is: a running sum's is the sum that it goes on from.
  bool has_output(const spec::Order& order) const {
    return mode_ == OutputMode::value || running_.contains(&order);
  }
  bool drops_zeros() const { return mode_ == OutputMode::dropped_zeros; }

  // What the pieces are added to, or "" if they are added to nothing.
  std::string start_of(const spec::Order& order, const Parts& parts) const {
    if (parts.onto == Parts::Onto::zero) return drops_zeros() ? "" : "0.0";
    if (parts.onto != Parts::Onto::first) return "";
    if (has_output(order)) return "beta * c";
    return is_dropped(*mode_) ? "" : "0.0";
  }
  std::string first_piece(const spec::Order& order, const Parts& parts) {
    std::string piece =
        parts.scale == spec::Scale::none ? "piece" : helper("times") + "(alpha, piece)";
    if (parts.onto != Parts::Onto::fused) return piece;
    if (has_output(order)) return fmt::format("{}(beta, c, {})", helper("fused"), piece);
    return is_dropped(*mode_) ? piece : fmt::format("{}({}, 0.0)", helper("add_narrow"), piece);
  }
  std::string added(const Parts& parts) {
    if (parts.scale == spec::Scale::fused) return helper("fused") + "(alpha, piece, sum)";
    const std::string piece =
        parts.scale == spec::Scale::none ? "piece" : helper("times") + "(alpha, piece)";
    return fmt::format("{}(sum, {})", add(parts.format), piece);
  }
  std::string helper(const char* name) {
    helpers_.insert(name);
    return name;
  }

  const spec::Routine routine_;
  const spec::Type type_;
  const std::optional<OutputMode> mode_;
  Helpers& helpers_;
  std::set<const spec::Order*> running_;  // sub-orders that go on from a sum
  const std::vector<Piece> pieces_;
  std::map<const spec::Order*, std::string> names_;
  std::string declarations_, out_;
};

}  // namespace

std::string c_order(const spec::Order& order, std::int64_t most, spec::Routine routine,
                    spec::Type type, const std::string& name, Helpers& helpers) {
  if (order.flush != spec::Flush::none)
    throw UserError("subnormal numbers that become zero: C has no such arithmetic");
  return COrder(order, routine, type, std::nullopt, helpers).run(order, most, name);
}

std::string c_update(const spec::Order& order, std::int64_t most, spec::Type type, OutputMode mode,
                     const std::string& name, Helpers& helpers) {
  return COrder(order, spec::Routine::dot, type, mode, helpers).run(order, most, name);
}

}  // namespace reprosum::kernels::text
