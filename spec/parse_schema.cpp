#include "spec/parse_schema.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "spec/expand_schema.h"
#include "spec/names.h"

namespace reprosum::spec {
namespace {

class SchemaParser {
 public:
  SchemaParser(Lexer& lexer, PieceBudget& budget) : lexer_(lexer), budget_(budget) {}

  Schema parse() {
    while (lexer_.next().is("=")) {
      const std::size_t at = lexer_.current().at;
      const std::string_view name = lexer_.expect_word("the name of a chain");
      if (is_reserved(name))
        lexer_.fail_at(at, "'" + std::string(name) + "' is not a name for a chain");
      lexer_.expect("=");
      Chain chain = parse_chain(1);
      lexer_.expect(";");
      if (!names_.emplace(name, append(std::move(chain))).second)
        lexer_.fail_at(at, "chain '" + std::string(name) + "' is defined twice");
    }
    Chain root = parse_chain(1);
    lexer_.expect(";");
    append(std::move(root));
    return std::move(schema_);
  }

 private:
  static bool is_reserved(std::string_view name) {
    for (const char* word : {"f", "x", "q", "r", "wide", "fused", "out", "outf", "sub"})
      if (name == word) return true;
    return false;
  }

  std::int32_t append(Chain chain) {
    budget_.spend(lexer_);
    schema_.chains.push_back(std::move(chain));
    return static_cast<std::int32_t>(schema_.chains.size() - 1);
  }

  // An inline chain; shared with an earlier inline one. Recursion is bounded by `depth`.
  std::int32_t intern(Chain chain) {
    const auto it = inline_.find(chain);
    if (it != inline_.end()) return it->second;
    const std::int32_t index = append(chain);
    inline_.emplace(std::move(chain), index);
    return index;
  }

  Chain parse_chain(int depth) {
    Chain chain;
    if (lexer_.accept("wide"))
      chain.format = NodeFormat::wide;
    else if (lexer_.current().is("fused"))
      chain.fused = parse_fused();
    if (depth > kMaxDepth) lexer_.fail("chains are nested deeper than 64");
    lexer_.expect("[");
    while (!lexer_.current().is("]")) {
      budget_.spend(lexer_);
      chain.items.push_back(parse_item(depth));
    }
    if (chain.items.empty()) lexer_.fail("a chain needs an item");
    lexer_.expect("]");
    return chain;
  }

  // "fused" "(" "terms" "=" Integer [ "," "sum" "=" Word ] ")"
  Fused parse_fused() {
    Fused fused;
    lexer_.take();
    lexer_.expect("(");
    lexer_.expect("terms");
    lexer_.expect("=");
    const std::size_t at = lexer_.current().at;
    fused.terms = lexer_.expect_integer("how many terms are added at once");
    if (fused.terms < 2 || fused.terms > kMaxFusedTerms)
      lexer_.fail_at(at, "a fused node takes 2..4096 terms at once");
    if (lexer_.accept(",")) {
      lexer_.expect("sum");
      lexer_.expect("=");
      const std::size_t word_at = lexer_.current().at;
      const std::string_view word = lexer_.expect_word("how a fused node adds");
      const auto sum = value_of(kFusedSumWords, word);
      if (!sum) lexer_.fail_at(word_at, unknown_fused_sum(word));
      fused.sum = *sum;
    }
    lexer_.expect(")");
    return fused;
  }

  Item parse_item(int depth) {
    Item item;
    const Skip skip = parse_mark(kSkipMarks, Skip::none);
    const Scale scale = parse_mark(kScaleMarks, Scale::none);
    item.shape = parse_shape(depth);
    item.shape.scale = scale;
    item.shape.skip = skip;
    if (item.shape.is_leaf() && !is_summand(item.shape.leaf)) return item;
    lexer_.expect("@");
    item.at = parse_linear(sign());
    if (at_step()) parse_run(item.step, item.times);
    if (at_step()) parse_run(item.step2, item.times2);
    return item;
  }

  bool at_step() const { return lexer_.current().is("+") || lexer_.current().is("-"); }

  void parse_run(Linear& step, Linear& times) {
    step = parse_linear(sign());
    lexer_.expect("x");
    times = parse_linear(sign());
  }

  template <class Enum, std::size_t N>
  Enum parse_mark(const Words<Enum, N>& marks, Enum none) {
    const auto mark = value_of(marks, lexer_.current().text);
    if (!mark) return none;
    lexer_.take();
    return *mark;
  }

  Shape parse_shape(int depth) {
    Shape shape;
    const Token& token = lexer_.current();
    if (token.is("[") || (token.is("wide") && lexer_.next().is("[")) ||
        (token.is("fused") && lexer_.next().is("("))) {
      shape.chain = intern(parse_chain(depth + 1));
    } else if (token.is(".") || token.is("f") || token.is("x") || token.is("out") ||
               token.is("outf")) {
      shape.leaf = *value_of(kLeafWords, lexer_.take().text);
    } else if (token.is("sub") && lexer_.next().kind == Token::Kind::integer) {
      lexer_.take();
      const Token& number = lexer_.take();
      if (number.value > static_cast<std::int64_t>(kMaxPieces))
        lexer_.fail_at(number.at, "no sub-order has such a number");
      shape.sub = static_cast<std::int32_t>(number.value);
    } else if (token.kind == Token::Kind::integer && token.text == "0") {
      shape.leaf = Leaf::zero;
      lexer_.take();
    } else if (token.kind == Token::Kind::word) {
      const auto it = names_.find(token.text);
      if (it == names_.end())
        lexer_.fail("no chain named '" + std::string(token.text) + "' is defined before");
      shape.chain = it->second;
      lexer_.take();
    } else {
      lexer_.fail("expected an item: '.', 'f', 'x', '0', 'out', 'sub', '[' or the name of a chain");
    }
    return shape;
  }

  std::int64_t sign() {
    if (lexer_.accept("-")) return -1;
    lexer_.accept("+");
    return 1;
  }

  // Linear = Term | "(" [Sign] Term { Sign Term } ")"
  Linear parse_linear(std::int64_t sign_before) {
    Linear linear;
    if (!lexer_.accept("(")) {
      parse_term(linear, sign_before);
      return linear;
    }
    if (sign_before < 0) lexer_.fail("write the sign inside the parentheses");
    parse_term(linear, sign());
    while (at_step()) parse_term(linear, sign());
    lexer_.expect(")");
    return linear;
  }

  void parse_term(Linear& linear, std::int64_t sign_before) {
    std::int64_t value = 1;
    const std::size_t at = lexer_.current().at;
    const bool has_number = lexer_.current().kind == Token::Kind::integer;
    if (has_number) value = lexer_.take().value;
    std::int64_t* part = &linear.c;
    if (lexer_.accept("q")) {
      part = &linear.q;
    } else if (lexer_.accept("r")) {
      part = &linear.r;
    } else if (!has_number) {
      lexer_.fail("expected an integer, 'q' or 'r'");
    }
    *part += sign_before * value;
    if (*part > kMaxInteger || *part < -kMaxInteger)
      lexer_.fail_at(at, "the coefficient exceeds 2^40");
  }

  Lexer& lexer_;
  PieceBudget& budget_;
  Schema schema_;
  std::map<std::string_view, std::int32_t> names_;
  std::map<Chain, std::int32_t> inline_;
};

}  // namespace

void PieceBudget::spend(const Lexer& lexer) {
  if (++spent_ > kMaxPieces) lexer.fail("the document has more than 2^22 parts");
}

Schema parse_schema(Lexer& lexer, PieceBudget& budget) {
  return SchemaParser(lexer, budget).parse();
}

}  // namespace reprosum::spec
