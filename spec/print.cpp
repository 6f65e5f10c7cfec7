// print(): the canonical text of an order.
#include <string>
#include <utility>
#include <variant>

#include "spec/expand_schema.h"
#include "spec/names.h"
#include "spec/surface.h"

namespace reprosum::spec {
namespace {

constexpr std::size_t kLineWidth = 100;

std::string text(std::int64_t value) { return std::to_string(value); }

std::string text(const Linear& value) {
  std::string out;
  int terms = 0;
  const auto add = [&](std::int64_t factor, const char* variable) {
    if (factor == 0) return;
    if (terms++ > 0 && factor > 0) out += '+';
    if (factor == -1 && *variable != '\0') {
      out += '-';
    } else if (factor != 1 || *variable == '\0') {
      out += text(factor);
    }
    out += variable;
  };
  add(value.q, "q");
  add(value.r, "r");
  add(value.c, "");
  if (terms == 0) return "0";
  return terms == 1 ? out : "(" + out + ")";
}

std::string run(const Linear& step, const Linear& times) {
  const std::string stride = text(step);
  return std::string(stride[0] == '-' ? " " : " +")
      .append(stride)
      .append(" x ")
      .append(text(times));
}

std::string text(const Item& item) {
  const Linear once{0, 0, 1}, none{};
  std::string out;
  if (item.shape.skip != Skip::none) out += word_of(kSkipMarks, item.shape.skip);
  if (item.shape.scale != Scale::none) out += word_of(kScaleMarks, item.shape.scale);
  if (item.shape.is_sub())
    out += "sub " + text(item.shape.sub);
  else
    out +=
        item.shape.is_leaf() ? word_of(kLeafWords, item.shape.leaf) : chain_name(item.shape.chain);
  if (item.shape.is_leaf() && !is_summand(item.shape.leaf)) return out;
  out.append("@").append(text(item.at));
  const bool has_second = item.step2 != none || item.times2 != once;
  if (has_second || item.step != none || item.times != once) out += run(item.step, item.times);
  if (has_second) out += run(item.step2, item.times2);
  return out;
}

std::string text(const Chain& chain) {
  std::string out = chain.format == NodeFormat::wide ? "wide [" : "[";
  if (chain.fused.terms > 0) out = "fused(terms=" + text(chain.fused.terms) + ") [";
  for (std::size_t i = 0; i < chain.items.size(); ++i) {
    if (i > 0) out += ' ';
    out.append(text(chain.items[i]));
  }
  return out.append("]");
}

// "a = [...]; [...];" on one line if it fits, else one chain a line.
std::string text(const Schema& schema, std::size_t indent) {
  std::string one_line, lines;
  const std::string margin(indent + 2, ' ');
  for (std::size_t c = 0; c < schema.chains.size(); ++c) {
    std::string chain = text(schema.chains[c]) + ";";
    if (c + 1 < schema.chains.size()) chain = chain_name(c) + " = " + chain;
    if (one_line.size() < kLineWidth) one_line.append(" ").append(chain);
    lines.append("\n").append(margin).append(chain);
  }
  return one_line.size() + indent + 12 <= kLineWidth ? one_line : lines;
}

std::string text(const Child& child) {
  switch (child.kind) {
    case Child::Kind::self:
      return "self";
    case Child::Kind::regime:
      return "regime " + text(child.index);
    case Child::Kind::sub:
      return "sub " + text(child.index);
  }
  return "?";
}

std::string range(std::int64_t lo, std::int64_t hi) {
  return lo == hi ? text(lo) : text(lo) + ".." + text(hi);
}

const char* prefix(NodeFormat format) { return format == NodeFormat::wide ? "wide " : ""; }

const char* onto(Parts::Onto onto) {
  if (onto == Parts::Onto::none) return "";
  if (onto == Parts::Onto::zero) return " onto zero";
  return onto == Parts::Onto::fused ? " onto fused" : " onto";
}

std::string scale(Scale scale) {
  if (scale == Scale::none) return "";
  return std::string(" scale ") + word_of(kPieceScaleWords, scale);
}

struct RulePrinter {
  std::size_t indent;

  std::string margin() const { return std::string(indent, ' '); }

  std::string operator()(const Explicit& rule) const {
    std::string out = "trees {\n";
    for (const auto& entry : rule.entries)
      out += margin() + "  " + text(entry.n) + ":" + text(entry.tree, indent + 2) + "\n";
    return out + margin() + "}";
  }

  std::string operator()(const Loop& rule) const {
    std::string out = "loop " + text(rule.block) + (rule.pad ? " pad {\n" : " {\n");
    for (const auto& c : rule.cases)
      out += margin() + "  " + range(c.r_lo, c.r_hi) + ":" + text(c.schema, indent + 2) + "\n";
    return out + margin() + "}";
  }

  std::string operator()(const Split& rule) const {
    return std::string("split ") + prefix(rule.format) + word_of(kSplitWords, rule.kind) + "(" +
           text(rule.m) + (rule.through ? ") through { " : ") { ") + text(rule.left) + ", " +
           text(rule.right) + " }";
  }

  std::string operator()(const Parts& rule) const {
    std::string arguments;
    const auto argument = [&](const char* name, std::int64_t value, std::int64_t usual) {
      if (value == usual) return;
      if (!arguments.empty()) arguments += ", ";
      arguments.append(name).append("=").append(text(value));
    };
    argument("count", rule.count, 0);
    argument("m", rule.m, 1);
    argument("u", rule.u, 1);
    return std::string("parts ") + prefix(rule.format) + word_of(kPartsWords, rule.kind) + "(" +
           arguments + ")" + onto(rule.onto) + scale(rule.scale) + " fold " + text(rule.child);
  }

  std::string operator()(const Windows& rule) const {
    return "windows(" + text(rule.width) + ") { " + text(rule.piece) + " by " + text(rule.values) +
           " }";
  }
};

// Recursion over sub-orders, whose depth validate() bounds.
std::string text(const Order& order, std::size_t indent) {
  const std::string margin(indent, ' ');
  std::string out;
  if (order.flush != Flush::none)
    out += margin + "flush " + word_of(kFlushWords, order.flush) + "\n";
  if (order.zero_start) out += margin + "zero_start\n";
  for (std::size_t k = 0; k < order.subs.size(); ++k)
    out += margin + "sub " + text(static_cast<std::int64_t>(k)) + " {\n" +
           text(order.subs[k], indent + 2) + margin + "}\n";
  for (const Regime& regime : order.regimes)
    out += margin + range(regime.lo, regime.hi) + ": " +
           std::visit(RulePrinter{indent}, regime.rule) + "\n";
  return out;
}

}  // namespace

std::string print(const Order& order) { return text(order, 0); }

std::string print(const Schema& schema) {
  const std::string out = text(schema, 0);
  return out.substr(1);  // without the leading blank or line break
}

}  // namespace reprosum::spec
