// describe(): an order in one line, for tables and people.
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "spec/describe_loop.h"
#include "spec/describe_update.h"
#include "spec/expand.h"
#include "spec/names.h"
#include "spec/surface.h"

namespace reprosum::spec {
namespace {

constexpr std::int64_t kSmall = 64;  // regimes below are left out where larger ones exist

std::string text(std::int64_t value) { return std::to_string(value); }

std::string suffix(NodeFormat format) { return format == NodeFormat::wide ? " in f64" : ""; }

bool is_self(const Child& child) { return child.kind == Child::Kind::self; }

std::string multiple(const char* what, std::int64_t m) {
  return m == 1 ? what : std::string(what) + " of multiples of " + text(m);
}

std::string name(const Child& child) {
  switch (child.kind) {
    case Child::Kind::self:
      return "self";
    case Child::Kind::regime:
      return "regime " + text(child.index);
    case Child::Kind::sub:
      return "sub-order " + text(child.index);
  }
  return "?";
}

std::string describe_rule(const Explicit& rule, const Regime&) {
  return text(static_cast<std::int64_t>(rule.entries.size())) +
         (rule.entries.size() == 1 ? " listed tree" : " listed trees");
}

// "each lane sub-order 0"; "" if every lane is what the loop says itself.
std::string lanes_of_subs(const Loop& rule) {
  std::set<std::int32_t> subs;
  for (const auto& one : rule.cases)
    for (const Chain& chain : one.schema.chains)
      for (const Item& item : chain.items)
        if (item.shape.is_sub()) subs.insert(item.shape.sub);
  std::string out;
  for (const std::int32_t sub : subs)
    out += (out.empty() ? "each lane sub-order " : " or ") + text(sub);
  return out;
}

// ", 4 terms at once"; "" if every term is added by itself.
std::string fused_terms(const Loop& rule) {
  std::set<std::int64_t> terms;
  for (const auto& one : rule.cases)
    for (const Chain& chain : one.schema.chains)
      if (chain.fused.terms > 0) terms.insert(chain.fused.terms);
  std::string out;
  for (const std::int64_t count : terms) out += (out.empty() ? ", " : " or ") + text(count);
  return out.empty() ? "" : out + " terms at once";
}

std::string describe_rule(const Loop& rule, const Regime& regime) {
  if (const std::string lanes = lanes_of_subs(rule); !lanes.empty())
    return "lanes at stride " + text(rule.block) + ", " + lanes + fused_terms(rule);
  return describe(rule, regime.hi) + fused_terms(rule);
}

std::string describe_rule(const Split& rule, const Regime&) {
  const auto split = [&]() -> std::string {
    switch (rule.kind) {
      case Split::Kind::half_down:
      case Split::Kind::half_up:
      case Split::Kind::ceil_half_up:
      case Split::Kind::half_near:
        return multiple(is_self(rule.left) ? "pairwise halves" : "two halves", rule.m);
      case Split::Kind::pow2_below:
      case Split::Kind::pow2_half:
        return multiple("power-of-two blocks", rule.m);
      case Split::Kind::last:
        return "chunks of " + text(rule.m);
      case Split::Kind::last_const:
        return "the last " + text(rule.m) + " apart";
      case Split::Kind::first:
        return "the first " + text(rule.m) + " apart";
      case Split::Kind::first_rest:
        return "chunks of " + text(rule.m) + ", the rest first";
      case Split::Kind::remainder:
        return "the rest modulo " + text(rule.m) + " apart";
    }
    return "?";
  };
  std::string out = split() + suffix(rule.format);
  if (rule.through) return out + ", each going on from the sum so far as " + name(rule.right);
  if (rule.left == rule.right) {
    if (!is_self(rule.left)) out += ", each " + name(rule.left);
  } else {
    out += ", " + name(rule.left) + " + " + name(rule.right);
  }
  return out;
}

std::string describe_rule(const Windows& rule, const Regime&) {
  return "windows of " + text(rule.width) + " in passes, each " + name(rule.piece) +
         (is_self(rule.values) ? "" : ", their sums " + name(rule.values));
}

std::string describe_rule(const Parts& rule, const Regime&) {
  std::string out;
  if (rule.kind == Parts::Kind::balanced_up || rule.kind == Parts::Kind::balanced_ceil) {
    out = "balanced blocks of " + text(rule.m);
  } else if (rule.kind == Parts::Kind::fixed) {
    out = "blocks of " + text(rule.m);
  } else {
    out = text(rule.count) + " parts (" + word_of(kPartsWords, rule.kind) + ")";
  }
  out += suffix(rule.format);
  return is_self(rule.child) ? out : out + ", each " + name(rule.child);
}

// A few sizes below the first whole periods, listed one by one or by a loop that hardly turns.
bool is_special(const Regime& regime) {
  if (std::holds_alternative<Explicit>(regime.rule)) return true;
  const auto* loop = std::get_if<Loop>(&regime.rule);
  return loop != nullptr && loop->block > regime.hi / 4;
}

}  // namespace

std::string describe(Flush flush) {
  switch (flush) {
    case Flush::none:
      return "subnormal numbers are kept";
    case Flush::inputs:
      return "subnormal inputs become zero";
    case Flush::results:
      return "subnormal results become zero";
    case Flush::both:
      return "subnormal inputs and results become zero";
  }
  return "?";
}

std::string describe(const Order& order) {
  struct Stretch {
    std::int64_t hi = 0;
    std::string what;
  };
  std::vector<Stretch> stretches;
  for (const Regime& regime : order.regimes) {
    const bool is_last = &regime == &order.regimes.back();
    if (!is_last && regime.hi <= kSmall && is_special(regime)) continue;
    std::string what =
        std::visit([&](const auto& rule) { return describe_rule(rule, regime); }, regime.rule);
    if (!stretches.empty() && stretches.back().what == what) {
      stretches.back().hi = regime.hi;
    } else {
      stretches.push_back({regime.hi, std::move(what)});
    }
  }
  std::string out;
  for (std::size_t k = 0; k < stretches.size(); ++k) {
    if (k > 0) out += " | ";
    if (stretches.size() > 1 && k + 1 < stretches.size())
      out += "n <= " + text(stretches[k].hi) + ": ";
    if (stretches.size() > 1 && k + 1 == stretches.size()) out += "above: ";
    out += stretches[k].what;
  }
  if (order.zero_start) out += "; + 0";
  if (order.flush != Flush::none) out += "; " + describe(order.flush);
  const std::string update = describe_update(order);
  if (!update.empty()) out += "; " + update;
  if (!update.empty() || has_sub_runs(order)) {
    // The blocks of a product are sub-orders as a rule, so are lanes with levels of their own.
    for (std::size_t k = 0; k < order.subs.size(); ++k)
      out += "; sub-order " + std::to_string(k) + ": " + describe(order.subs[k]);
  }
  return out;
}

}  // namespace reprosum::spec
