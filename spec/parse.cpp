// parse_order(): from text to a valid order, or a ParseError with line and column.
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "spec/error.h"
#include "spec/expand.h"
#include "spec/lexer.h"
#include "spec/names.h"
#include "spec/parse_schema.h"
#include "spec/surface.h"

namespace reprosum::spec {
namespace {

class OrderParser {
 public:
  explicit OrderParser(std::string_view text) : lexer_(text) {}

  Order parse() {
    places_.emplace_back("order", lexer_.current().at);
    Order order = parse_order(0, "order");
    if (lexer_.current().kind != Token::Kind::end)
      lexer_.fail("expected a regime such as '1..8: ...' or the end of the text");
    try {
      validate(order);
    } catch (const UserError& error) {
      lexer_.fail_at(place_of(error.what()), error.what());
    }
    return order;
  }

 private:
  // Recursion is bounded by the check of depth.
  Order parse_order(int depth, const std::string& path) {
    if (depth > kMaxSubDepth) lexer_.fail("sub-orders are nested deeper than 8");
    Order order;
    if (lexer_.accept("flush")) order.flush = parse_kind(kFlushWords, "way to flush subnormals");
    order.zero_start = lexer_.accept("zero_start");
    while (lexer_.current().is("sub")) {
      budget_.spend(lexer_);
      places_.emplace_back(path + ", sub " + std::to_string(order.subs.size()),
                           lexer_.current().at);
      lexer_.take();
      const std::size_t at = lexer_.current().at;
      const std::int64_t number = lexer_.expect_integer("the number of the sub-order");
      if (number != static_cast<std::int64_t>(order.subs.size()))
        lexer_.fail_at(at, "sub-orders are numbered 0, 1, 2, ...; expected " +
                               std::to_string(order.subs.size()));
      lexer_.expect("{");
      const std::string inner = places_.back().first;
      order.subs.push_back(parse_order(depth + 1, inner));
      lexer_.expect("}");
    }
    while (lexer_.current().kind == Token::Kind::integer) {
      budget_.spend(lexer_);
      places_.emplace_back(path + ", regime " + std::to_string(order.regimes.size()),
                           lexer_.current().at);
      order.regimes.push_back(parse_regime());
    }
    if (order.regimes.empty()) lexer_.fail("expected a regime such as '1..8: ...'");
    return order;
  }

  std::pair<std::int64_t, std::int64_t> parse_range(const char* what) {
    const std::int64_t lo = lexer_.expect_integer(what);
    return {lo, lexer_.accept("..") ? lexer_.expect_integer("the end of a range") : lo};
  }

  Regime parse_regime() {
    Regime regime;
    std::tie(regime.lo, regime.hi) = parse_range("the range of a regime");
    lexer_.expect(":");
    if (lexer_.accept("trees")) {
      regime.rule = parse_trees();
    } else if (lexer_.accept("loop")) {
      regime.rule = parse_loop();
    } else if (lexer_.accept("split")) {
      regime.rule = parse_split();
    } else if (lexer_.accept("parts")) {
      regime.rule = parse_parts();
    } else if (lexer_.accept("windows")) {
      regime.rule = parse_windows();
    } else {
      lexer_.fail("expected a rule: 'trees', 'loop', 'split', 'parts' or 'windows'");
    }
    return regime;
  }

  Explicit parse_trees() {
    Explicit rule;
    lexer_.expect("{");
    while (!lexer_.accept("}")) {
      budget_.spend(lexer_);
      Explicit::Entry entry;
      entry.n = lexer_.expect_integer("n");
      lexer_.expect(":");
      entry.tree = parse_schema(lexer_, budget_);
      rule.entries.push_back(std::move(entry));
    }
    return rule;
  }

  Loop parse_loop() {
    Loop rule;
    rule.block = lexer_.expect_integer("the block length");
    rule.pad = lexer_.accept("pad");
    lexer_.expect("{");
    while (!lexer_.accept("}")) {
      budget_.spend(lexer_);
      Loop::Case c;
      std::tie(c.r_lo, c.r_hi) = parse_range("the residues of a case");
      lexer_.expect(":");
      c.schema = parse_schema(lexer_, budget_);
      rule.cases.push_back(std::move(c));
    }
    return rule;
  }

  template <class Enum, std::size_t N>
  Enum parse_kind(const Words<Enum, N>& words, const char* what) {
    const std::size_t at = lexer_.current().at;
    const std::string_view word = lexer_.expect_word(what);
    const auto kind = value_of(words, word);
    if (!kind) lexer_.fail_at(at, "unknown " + std::string(what) + " '" + std::string(word) + "'");
    return *kind;
  }

  NodeFormat parse_format() {
    return lexer_.accept("wide") ? NodeFormat::wide : NodeFormat::narrow;
  }

  Split parse_split() {
    Split rule;
    rule.format = parse_format();
    rule.kind = parse_kind(kSplitWords, "split rule");
    lexer_.expect("(");
    rule.m = lexer_.expect_integer("the constant of the split rule");
    lexer_.expect(")");
    rule.through = lexer_.accept("through");
    lexer_.expect("{");
    rule.left = parse_child();
    lexer_.expect(",");
    rule.right = parse_child();
    lexer_.expect("}");
    return rule;
  }

  Parts parse_parts() {
    Parts rule;
    rule.format = parse_format();
    rule.kind = parse_kind(kPartsWords, "parts rule");
    lexer_.expect("(");
    bool given[3] = {};
    for (bool first = true; !lexer_.accept(")"); first = false) {
      if (!first) lexer_.expect(",");
      const std::size_t at = lexer_.current().at;
      const std::string_view name = lexer_.expect_word("'count', 'm' or 'u'");
      const int which = name == "count" ? 0 : name == "m" ? 1 : name == "u" ? 2 : -1;
      if (which < 0) lexer_.fail_at(at, "unknown argument '" + std::string(name) + "'");
      if (std::exchange(given[which], true))
        lexer_.fail_at(at, "argument '" + std::string(name) + "' is given twice");
      lexer_.expect("=");
      (which == 0 ? rule.count : which == 1 ? rule.m : rule.u) = lexer_.expect_integer("a value");
    }
    if (lexer_.accept("onto"))
      rule.onto = lexer_.accept("fused")  ? Parts::Onto::fused
                  : lexer_.accept("zero") ? Parts::Onto::zero
                                          : Parts::Onto::first;
    if (lexer_.accept("scale")) rule.scale = parse_kind(kPieceScaleWords, "scale");
    lexer_.expect("fold");
    rule.child = parse_child();
    return rule;
  }

  Windows parse_windows() {
    Windows rule;
    lexer_.expect("(");
    rule.width = lexer_.expect_integer("the width of a window");
    lexer_.expect(")");
    lexer_.expect("{");
    rule.piece = parse_child();
    lexer_.expect("by");
    rule.values = parse_child();
    lexer_.expect("}");
    return rule;
  }

  Child parse_child() {
    if (lexer_.accept("self")) return {};
    Child child;
    if (lexer_.accept("regime")) {
      child.kind = Child::Kind::regime;
    } else if (lexer_.accept("sub")) {
      child.kind = Child::Kind::sub;
    } else {
      lexer_.fail("expected a child: 'self', 'regime K' or 'sub K'");
    }
    const std::size_t at = lexer_.current().at;
    const std::int64_t index = lexer_.expect_integer("an index");
    if (index > static_cast<std::int64_t>(kMaxPieces))
      lexer_.fail_at(at, "no such child: " + std::to_string(index));
    child.index = static_cast<std::int32_t>(index);
    return child;
  }

  // Where the regime or sub-order begins that validate() complains about ("order, regime 2, ...").
  std::size_t place_of(std::string_view message) const {
    std::size_t best = 0, best_length = 0;
    for (const auto& [path, at] : places_) {
      const bool names_it = message.starts_with(path) && message.size() > path.size() &&
                            (message[path.size()] == ',' || message[path.size()] == ':');
      if (!names_it || path.size() <= best_length) continue;
      best = at;
      best_length = path.size();
    }
    return best;
  }

  Lexer lexer_;
  PieceBudget budget_;
  std::vector<std::pair<std::string, std::size_t>> places_;  // of regimes and sub-orders
};

}  // namespace

Order parse_order(std::string_view text) { return OrderParser(text).parse(); }

}  // namespace reprosum::spec
