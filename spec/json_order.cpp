// Orders to and from JSON values. An item is [shape, at, step, times, step2, times2] without its
// usual tail, a linear form an integer or [q, r, c], a chain its format followed by its items.
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "spec/coverage.h"
#include "spec/error.h"
#include "spec/expand.h"
#include "spec/json.h"
#include "spec/surface.h"

namespace reprosum::spec {
namespace {

using nlohmann::json;

constexpr Linear kNone{}, kOnce{0, 0, 1};

json json_of(const Linear& value) {
  if (value.q == 0 && value.r == 0) return value.c;
  return json::array({value.q, value.r, value.c});
}

json json_of(const Shape& shape) {
  if (shape.is_sub()) return "sub " + std::to_string(shape.sub);
  std::string marks;
  if (shape.skip != Skip::none) marks += word_of(kSkipMarks, shape.skip);
  if (shape.scale != Scale::none) marks += word_of(kScaleMarks, shape.scale);
  if (marks.empty())
    return shape.is_leaf() ? json(word_of(kLeafWords, shape.leaf)) : json(shape.chain);
  return marks + (shape.is_leaf() ? word_of(kLeafWords, shape.leaf) : std::to_string(shape.chain));
}

json json_of(const Item& item) {
  json out = json::array();
  out.push_back(json_of(item.shape));
  const std::pair<const Linear&, const Linear&> parts[] = {{item.at, kNone},
                                                           {item.step, kNone},
                                                           {item.times, kOnce},
                                                           {item.step2, kNone},
                                                           {item.times2, kOnce}};
  std::size_t count = std::size(parts);
  while (count > 0 && parts[count - 1].first == parts[count - 1].second) --count;
  for (std::size_t k = 0; k < count; ++k) out.push_back(json_of(parts[k].first));
  return out;
}

// What kind of additions a chain has: their format, or the parameters of fused nodes.
json json_of_kind(const Chain& chain) {
  if (chain.fused.terms == 0) return word_of(kFormatWords, chain.format);
  return json::object(
      {{"sum", word_of(kFusedSumWords, chain.fused.sum)}, {"terms", chain.fused.terms}});
}

json json_of(const Schema& schema) {
  json out = json::array();
  for (const Chain& chain : schema.chains) {
    json items = json::array({json_of_kind(chain)});
    for (const Item& item : chain.items) items.push_back(json_of(item));
    out.push_back(std::move(items));
  }
  return out;
}

json json_of(const Child& child) {
  switch (child.kind) {
    case Child::Kind::self:
      return "self";
    case Child::Kind::regime:
      return json::array({"regime", child.index});
    case Child::Kind::sub:
      return json::array({"sub", child.index});
  }
  throw InternalError("json: unknown child");
}

json json_of(const Explicit& rule) {
  json entries = json::array();
  for (const auto& entry : rule.entries)
    entries.push_back({{"n", entry.n}, {"chains", json_of(entry.tree)}});
  return {{"kind", "trees"}, {"entries", std::move(entries)}};
}

json json_of(const Loop& rule) {
  json cases = json::array();
  for (const auto& c : rule.cases)
    cases.push_back({{"lo", c.r_lo}, {"hi", c.r_hi}, {"chains", json_of(c.schema)}});
  return {{"kind", "loop"},
          {"block", rule.block},
          {"pad", rule.pad ? 1 : 0},
          {"cases", std::move(cases)}};
}

json json_of(const Split& rule) {
  json out = {{"kind", "split"},
              {"rule", word_of(kSplitWords, rule.kind)},
              {"m", rule.m},
              {"format", word_of(kFormatWords, rule.format)},
              {"left", json_of(rule.left)},
              {"right", json_of(rule.right)}};
  if (rule.through) out["through"] = 1;
  return out;
}

json json_of(const Parts& rule) {
  json out = {{"kind", "parts"},
              {"rule", word_of(kPartsWords, rule.kind)},
              {"count", rule.count},
              {"m", rule.m},
              {"u", rule.u},
              {"format", word_of(kFormatWords, rule.format)},
              {"child", json_of(rule.child)}};
  if (rule.onto != Parts::Onto::none) out["onto"] = word_of(kOntoWords, rule.onto);
  if (rule.scale != Scale::none) out["scale"] = word_of(kPieceScaleWords, rule.scale);
  return out;
}

json json_of(const Windows& rule) {
  return {{"kind", "windows"},
          {"width", rule.width},
          {"piece", json_of(rule.piece)},
          {"values", json_of(rule.values)}};
}

// ---- reading ----

std::int64_t integer(const Place& place) { return place.integer(-kMaxInteger, kMaxInteger); }
std::int64_t count(const Place& place) { return place.integer(0, kMaxInteger); }

Linear linear_from(const Place& place) {
  if (!place.is_array()) return {0, 0, integer(place)};
  if (place.size() != 3) place.fail("expected an integer or [q, r, constant]");
  return {integer(place[std::size_t{0}]), integer(place[1]), integer(place[2])};
}

std::int32_t number_from(std::string_view word, const Place& place, const std::string& what) {
  std::int32_t number = 0;
  const auto end = std::from_chars(word.data(), word.data() + word.size(), number);
  if (end.ec != std::errc() || number < 0 || std::to_string(number) != word)
    place.fail("expected the number of a " + what);
  return number;
}

// "sub k"; or marks of zero factors and of alpha, then a leaf or, after a mark of alpha, the number
// of a chain.
Shape shape_from(const Place& place) {
  Shape shape;
  std::string_view word = place.text();
  if (word.starts_with("sub ")) {
    shape.sub = number_from(word.substr(4), place, "sub-order after 'sub '");
    return shape;
  }
  if (const auto skip = value_of(kSkipMarks, word.substr(0, 1))) {
    shape.skip = *skip;
    word.remove_prefix(1);
  }
  if (const auto scale = value_of(kScaleMarks, word.substr(0, 1))) {
    shape.scale = *scale;
    word.remove_prefix(1);
    if (!word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos) {
      shape.chain = number_from(word, place, "chain after '" + place.text().substr(0, 1) + "'");
      return shape;
    }
  }
  const auto leaf = value_of(kLeafWords, word);
  if (!leaf) place.fail("unknown kind of leaf '" + place.text().substr(0, 40) + "'");
  shape.leaf = *leaf;
  return shape;
}

Item item_from(const Place& place) {
  if (place.size() == 0 || place.size() > 6)
    place.fail("expected [shape, at, step, times, step2, times2]");
  Item item;
  const Place shape = place[std::size_t{0}];
  if (shape.is_text()) {
    item.shape = shape_from(shape);
  } else {
    item.shape.chain =
        static_cast<std::int32_t>(shape.integer(0, static_cast<std::int64_t>(kMaxPieces)));
  }
  Linear* const parts[] = {&item.at, &item.step, &item.times, &item.step2, &item.times2};
  for (std::size_t k = 1; k < place.size(); ++k) *parts[k - 1] = linear_from(place[k]);
  return item;
}

Fused fused_from(const Place& place) {
  place.expect_keys({"sum", "terms"});
  const Place sum = place["sum"];
  const auto known = value_of(kFusedSumWords, sum.text());
  if (!known) sum.fail(unknown_fused_sum(sum.text()));
  return {place["terms"].integer(2, kMaxFusedTerms), *known};
}

Schema schema_from(const Place& place) {
  Schema schema;
  schema.chains.reserve(place.size());
  for (std::size_t c = 0; c < place.size(); ++c) {
    const Place at = place[c];
    if (at.size() == 0) at.fail("expected a chain: its format, then its items");
    Chain& chain = schema.chains.emplace_back();
    const Place kind = at[std::size_t{0}];
    if (kind.is_object())
      chain.fused = fused_from(kind);
    else
      chain.format = word_from(kind, kFormatWords, "format");
    chain.items.reserve(at.size() - 1);
    for (std::size_t k = 1; k < at.size(); ++k) chain.items.push_back(item_from(at[k]));
  }
  return schema;
}

Child child_from(const Place& place) {
  Child child;
  if (place.is_text()) {
    if (place.text() != "self") place.fail("unknown child '" + place.text().substr(0, 40) + "'");
    return child;
  }
  if (place.size() != 2) place.fail("expected \"self\", [\"regime\", k] or [\"sub\", k]");
  const Place kind = place[std::size_t{0}];
  if (kind.text() == "regime") {
    child.kind = Child::Kind::regime;
  } else if (kind.text() == "sub") {
    child.kind = Child::Kind::sub;
  } else {
    kind.fail("unknown child '" + kind.text().substr(0, 40) + "'");
  }
  child.index =
      static_cast<std::int32_t>(place[1].integer(0, static_cast<std::int64_t>(kMaxPieces)));
  return child;
}

Explicit explicit_from(const Place& place) {
  place.expect_keys({"kind", "entries"});
  Explicit rule;
  const Place entries = place["entries"];
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const Place at = entries[k];
    at.expect_keys({"n", "chains"});
    rule.entries.push_back({count(at["n"]), schema_from(at["chains"])});
  }
  return rule;
}

Loop loop_from(const Place& place) {
  place.expect_keys({"kind", "block", "pad", "cases"});
  Loop rule;
  rule.block = count(place["block"]);
  rule.pad = place["pad"].integer(0, 1) != 0;
  const Place cases = place["cases"];
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const Place at = cases[k];
    at.expect_keys({"lo", "hi", "chains"});
    rule.cases.push_back({count(at["lo"]), count(at["hi"]), schema_from(at["chains"])});
  }
  return rule;
}

Split split_from(const Place& place) {
  place.expect_keys({"kind", "rule", "m", "format", "left", "right"}, {"through"});
  Split rule;
  rule.kind = word_from(place["rule"], kSplitWords, "split rule");
  rule.m = count(place["m"]);
  rule.format = word_from(place["format"], kFormatWords, "format");
  rule.left = child_from(place["left"]);
  rule.right = child_from(place["right"]);
  if (place.has("through")) rule.through = place["through"].integer(1, 1) != 0;
  return rule;
}

Parts parts_from(const Place& place) {
  place.expect_keys({"kind", "rule", "count", "m", "u", "format", "child"}, {"onto", "scale"});
  Parts rule;
  rule.kind = word_from(place["rule"], kPartsWords, "parts rule");
  rule.count = count(place["count"]);
  rule.m = count(place["m"]);
  rule.u = count(place["u"]);
  rule.format = word_from(place["format"], kFormatWords, "format");
  rule.child = child_from(place["child"]);
  if (place.has("onto")) rule.onto = word_from(place["onto"], kOntoWords, "place of the output");
  if (place.has("scale")) rule.scale = word_from(place["scale"], kPieceScaleWords, "scale");
  return rule;
}

Windows windows_from(const Place& place) {
  place.expect_keys({"kind", "width", "piece", "values"});
  return {count(place["width"]), child_from(place["piece"]), child_from(place["values"])};
}

Rule rule_from(const Place& place) {
  if (!place.is_object() || !place.has("kind")) place.fail("expected an object with a kind");
  const Place kind = place["kind"];
  if (kind.text() == "trees") return explicit_from(place);
  if (kind.text() == "loop") return loop_from(place);
  if (kind.text() == "split") return split_from(place);
  if (kind.text() == "parts") return parts_from(place);
  if (kind.text() == "windows") return windows_from(place);
  kind.fail("unknown kind of rule '" + kind.text().substr(0, 40) + "'");
}

// Recursion is bounded by the check of depth.
Order read_order(const Place& place, int depth) {
  if (depth > kMaxSubDepth) place.fail("sub-orders are nested deeper than 8");
  place.expect_keys({"zero_start", "regimes", "subs"}, {"flush"});
  Order order;
  if (place.has("flush"))
    order.flush = word_from(place["flush"], kFlushWords, "way to flush subnormal numbers");
  order.zero_start = place["zero_start"].integer(0, 1) != 0;
  const Place regimes = place["regimes"], subs = place["subs"];
  for (std::size_t k = 0; k < regimes.size(); ++k) {
    const Place at = regimes[k];
    at.expect_keys({"lo", "hi", "rule"});
    order.regimes.push_back({count(at["lo"]), count(at["hi"]), rule_from(at["rule"])});
  }
  for (std::size_t k = 0; k < subs.size(); ++k)
    order.subs.push_back(read_order(subs[k], depth + 1));
  return order;
}

// "order, sub 0, regime 2, chain 1: ..." -> "/subs/0/regimes/2": where validate() complains.
std::string pointer_of(const std::string& message) {
  std::string out;
  for (std::size_t at = message.find(", "); at != std::string::npos; at = message.find(", ", at)) {
    at += 2;
    const bool sub = message.compare(at, 4, "sub ") == 0;
    if (!sub && message.compare(at, 7, "regime ") != 0) break;
    const std::size_t number = at + (sub ? 4 : 7);
    const std::size_t end = message.find_first_not_of("0123456789", number);
    if (end == number) break;
    out += (sub ? "/subs/" : "/regimes/") + message.substr(number, end - number);
    if (end == std::string::npos || message[end] != ',') break;
    at = end;
  }
  return out;
}

}  // namespace

json json_of(const Order& order) {
  json regimes = json::array(), subs = json::array();
  for (const Regime& regime : order.regimes)
    regimes.push_back(
        {{"lo", regime.lo},
         {"hi", regime.hi},
         {"rule", std::visit([](const auto& rule) { return json_of(rule); }, regime.rule)}});
  for (const Order& sub : order.subs) subs.push_back(json_of(sub));
  json out = {{"zero_start", order.zero_start ? 1 : 0},
              {"regimes", std::move(regimes)},
              {"subs", std::move(subs)}};
  if (order.flush != Flush::none) out["flush"] = word_of(kFlushWords, order.flush);
  return out;
}

Order order_from(const Place& place, ProofAllowance* allowance) {
  Order order = read_order(place, 0);
  try {
    validate(order);
    if (allowance != nullptr) prove_trees(order, *allowance);
  } catch (const UserError& error) {
    const std::string at = place.pointer();
    const std::string below = pointer_of(error.what());
    throw ParseError(at == "/" && !below.empty() ? below : at + below, error.what());
  }
  return order;
}

std::string order_to_json(const Order& order) { return write_document(json_of(order), 0); }

Order order_from_json(std::string_view text) {
  const Document document = read_document(text);
  return order_from(Place(document.root), nullptr);
}

}  // namespace reprosum::spec
