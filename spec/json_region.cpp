// Region rules to and from JSON values. An atom is ["mn", "<=", limit], ["taller", a, b] or
// ["equal", "mn"], a count an integer or [c, q] for c + q*Q, a word a list of items
// [times, [type, length], ...].
#include <string>
#include <utility>

#include "spec/canonical_region.h"
#include "spec/error.h"
#include "spec/json.h"
#include "spec/region_word.h"

namespace reprosum::spec {
namespace {

using nlohmann::json;

constexpr Words<Atom::Kind, 8> kAtomWords{{{Atom::Kind::at_most, "<="},
                                           {Atom::Kind::above, ">"},
                                           {Atom::Kind::taller, "taller"},
                                           {Atom::Kind::not_taller, "not_taller"},
                                           {Atom::Kind::wider, "wider"},
                                           {Atom::Kind::not_wider, "not_wider"},
                                           {Atom::Kind::equal, "equal"},
                                           {Atom::Kind::unequal, "unequal"}}};

json json_of(const Atom& atom) {
  const char* word = word_of(kAtomWords, atom.kind);
  if (atom.compares_panels()) return json::array({word, atom.a, atom.b});
  std::string sizes;
  if (atom.use_m) sizes += 'm';
  if (atom.use_n) sizes += 'n';
  if (atom.use_k) sizes += 'k';
  if (atom.compares_sizes()) return json::array({word, sizes});
  return json::array({sizes, word, atom.limit});
}

json json_of(const Count& count) {
  if (count.q == 0) return count.c;
  return json::array({count.c, count.q});
}

json json_of(const std::vector<Word>& words) {
  json out = json::array();
  for (const Word& word : words) {
    json items = json::array();
    for (const WordItem& item : word) {
      json runs = json::array({json_of(item.times)});
      for (const TypeRun& run : item.runs)
        runs.push_back(json::array({run.type, json_of(run.length)}));
      items.push_back(std::move(runs));
    }
    out.push_back(std::move(items));
  }
  return out;
}

json json_of(const Axis& axis) {
  json out = json::array();
  for (const Segment& segment : axis)
    out.push_back({{"from", segment.from},
                   {"to", segment.to},
                   {"base", segment.base},
                   {"period", segment.period},
                   {"words", json_of(segment.words)},
                   {"schemas", json_of(segment.schemas)}});
  return out;
}

// ---- reading ----

// `least` of m, n and k, in this order.
void read_sizes(const Place& place, int least, Atom& atom) {
  const std::string& sizes = place.text();
  std::size_t used = 0;
  const auto use = [&](char letter) {
    const bool is_next = used < sizes.size() && sizes[used] == letter;
    used += is_next;
    return is_next;
  };
  atom.use_m = use('m');
  atom.use_n = use('n');
  atom.use_k = use('k');
  if (used != sizes.size() || atom.sizes_in_use() < least)
    place.fail(least > 1 ? "expected one of mn, mk, nk, mnk"
                         : "expected one of m, n, k, mn, mk, nk, mnk");
}

Atom atom_from(const Place& place) {
  Atom atom;
  if (place.size() == 2) {
    const Place word = place[std::size_t{0}];
    atom.kind = word_from(word, kAtomWords, "comparison");
    if (!atom.compares_sizes()) word.fail("expected \"equal\" or \"unequal\"");
    read_sizes(place[1], 2, atom);
    return atom;
  }
  if (place.size() != 3)
    place.fail("expected [product, \"<=\", limit], [\"taller\", a, b] or [\"equal\", sizes]");
  const Place first = place[std::size_t{0}], second = place[1], third = place[2];
  if (second.is_integer()) {
    atom.kind = word_from(first, kAtomWords, "comparison");
    if (!atom.compares_panels())
      first.fail("expected \"taller\", \"not_taller\", \"wider\" or \"not_wider\"");
    atom.a = second.integer(1, kMaxInteger);
    atom.b = third.integer(1, kMaxInteger);
    return atom;
  }
  atom.kind = word_from(second, kAtomWords, "comparison");
  if (!atom.is_bound()) second.fail("expected \"<=\" or \">\"");
  read_sizes(first, 1, atom);
  atom.limit = third.integer(0, kSaturated - 1);
  return atom;
}

Count count_from(const Place& place) {
  if (!place.is_array()) return {place.integer(0, kMaxInteger), 0};
  if (place.size() != 2) place.fail("expected an integer or [c, q]");
  return {place[std::size_t{0}].integer(0, kMaxInteger), place[1].integer(1, kMaxInteger)};
}

Word word_of(const Place& place) {
  Word word;
  word.reserve(place.size());
  for (std::size_t k = 0; k < place.size(); ++k) {
    const Place item = place[k];
    if (item.size() < 2) item.fail("expected [times, [type, length], ...]");
    WordItem& out = word.emplace_back();
    out.times = count_from(item[std::size_t{0}]);
    out.runs.reserve(item.size() - 1);
    for (std::size_t r = 1; r < item.size(); ++r) {
      const Place run = item[r];
      if (run.size() != 2) run.fail("expected [type, length]");
      const std::int64_t type = run[std::size_t{0}].integer(0, kMaxTable);
      out.runs.push_back({static_cast<std::int32_t>(type), count_from(run[1])});
    }
  }
  return word;
}

Axis axis_from(const Place& place) {
  Axis axis;
  for (std::size_t k = 0; k < place.size(); ++k) {
    const Place at = place[k];
    at.expect_keys({"from", "to", "base", "period", "words", "schemas"});
    Segment& segment = axis.emplace_back();
    segment.from = at["from"].integer(1, kMaxInteger);
    segment.to = at["to"].integer(1, kMaxInteger);
    segment.base = at["base"].integer(1, kMaxInteger + 1);
    segment.period = at["period"].integer(1, kMaxInteger);
    const Place words = at["words"], schemas = at["schemas"];
    for (std::size_t w = 0; w < words.size(); ++w) segment.words.push_back(word_of(words[w]));
    for (std::size_t r = 0; r < schemas.size(); ++r) segment.schemas.push_back(word_of(schemas[r]));
  }
  return axis;
}

// Whether a wide node, of f64, has no more bits than a narrow one.
bool is_widest(Type type) {
  return type.accumulator.significand_bits >= Format::f64.significand_bits;
}

// @pre `place` is a class of outputs.
std::size_t class_order_from(const Place& place, Routine routine, Type type, std::int64_t k_max,
                             const std::vector<OrderRead>& orders) {
  const Place order = place["order"];
  if (orders.empty()) order.fail("the document has no orders");
  const auto at =
      static_cast<std::size_t>(order.integer(0, static_cast<std::int64_t>(orders.size()) - 1));
  if (orders[at].covered_to < k_max)
    order.fail("the order is defined only up to k = " + std::to_string(orders[at].covered_to));
  if (has_matrices(routine) && orders[at].flushes)
    order.fail("the order flushes subnormal numbers, which matrix products do not");
  if (!has_matrices(routine) && orders[at].is_update)
    order.fail("this order is a matrix update; sum and dot cannot use it");
  // What would be refused at every size.
  if (orders[at].has_wide && is_widest(type))
    order.fail("the order has a wide node, but nothing is wider than " + name(type));
  if (orders[at].flushes && !is_native(type))
    order.fail("the order flushes subnormal numbers, which is defined in f32 and f64 alone");
  return at;
}

MatrixClass class_from(const Place& place, Routine routine, Type type, std::int64_t k_max,
                       const std::vector<OrderRead>& orders) {
  place.expect_keys({"order", "beta_zero", "alpha_zero"}, {"beta_zero_up_to"});
  MatrixClass out;
  out.order = class_order_from(place, routine, type, k_max, orders);
  out.beta_zero = word_from(place["beta_zero"], kBetaZeroWords, "rule for beta = 0");
  if (place.has("beta_zero_up_to")) {
    const Place rules = place["beta_zero_up_to"];
    if (rules.size() == 0) rules.fail("no rule: leave it out");
    for (std::size_t k = 0; k < rules.size(); ++k) {
      const Place rule = rules[k];
      if (rule.size() != 2) rule.fail("expected a pair");
      out.beta_zero_up_to.emplace_back(rule[std::size_t{0}].integer(1, kMaxInteger),
                                       word_from(rule[1], kBetaZeroWords, "rule for beta = 0"));
    }
  }
  out.alpha_zero = word_from(place["alpha_zero"], kAlphaZeroWords, "rule for alpha = 0");
  return out;
}

MatrixRegime one_output_from(const Place& place, Routine routine, Type type,
                             const std::vector<OrderRead>& orders) {
  place.expect_keys({"classes", "k_max"});
  const std::int64_t k_max = place["k_max"].integer(1, kMaxInteger);
  const Place classes = place["classes"];
  if (classes.size() != 1) classes.fail("a sum or dot product has one class of outputs");
  const Place only = classes[std::size_t{0}];
  only.expect_keys({"order"});
  return regime_of_one_output(class_order_from(only, routine, type, k_max, orders), k_max);
}

// The reader takes only what canonicalize() leaves.
void expect_canonical(const Place& place, const MatrixRegime& regime) {
  MatrixRegime canonical = regime;
  canonicalize(canonical);
  const auto expect = [&](bool same, const char* key, const char* what) {
    if (!same) place[key].fail(what);
  };
  expect(canonical.guard == regime.guard, "guard", "atoms must ascend and differ");
  expect(canonical.rows == regime.rows, "rows", "a word is not in its shortest form");
  expect(canonical.columns == regime.columns, "columns", "a word is not in its shortest form");
  expect(
      canonical.classes == regime.classes && canonical.table == regime.table, "classes",
      "classes must differ, be numbered by their first place in the table, and have rules for beta "
      "= 0 that differ from their successors and end below k_max");
}

}  // namespace

json json_of(const MatrixRegime& regime, Routine routine) {
  json guard = json::array(), classes = json::array();
  if (!has_matrices(routine)) {
    if (!is_of_one_output(regime)) throw InternalError("json: a sum or dot has one output");
    return {{"classes", {{{"order", regime.classes[0].order}}}}, {"k_max", regime.k_max}};
  }
  for (const Atom& atom : regime.guard) guard.push_back(json_of(atom));
  for (const MatrixClass& c : regime.classes) {
    classes.push_back({{"order", c.order},
                       {"beta_zero", word_of(kBetaZeroWords, c.beta_zero)},
                       {"alpha_zero", word_of(kAlphaZeroWords, c.alpha_zero)}});
    for (const auto& [k, rule] : c.beta_zero_up_to)
      classes.back()["beta_zero_up_to"].push_back({k, word_of(kBetaZeroWords, rule)});
  }
  return {{"guard", std::move(guard)},          {"rows", json_of(regime.rows)},
          {"columns", json_of(regime.columns)}, {"table", regime.table},
          {"classes", std::move(classes)},      {"k_max", regime.k_max}};
}

MatrixRegime regime_from(const Place& place, Routine routine, Type type,
                         const std::vector<OrderRead>& orders) {
  if (!has_matrices(routine)) return one_output_from(place, routine, type, orders);
  place.expect_keys({"guard", "rows", "columns", "table", "classes", "k_max"});
  MatrixRegime regime;
  const Place guard = place["guard"], table = place["table"], classes = place["classes"];
  for (std::size_t k = 0; k < guard.size(); ++k) regime.guard.push_back(atom_from(guard[k]));
  regime.rows = axis_from(place["rows"]);
  regime.columns = axis_from(place["columns"]);
  for (std::size_t a = 0; a < table.size(); ++a) {
    const Place row = table[a];
    auto& out = regime.table.emplace_back();
    for (std::size_t b = 0; b < row.size(); ++b)
      out.push_back(static_cast<std::int32_t>(row[b].integer(-1, kMaxTable)));
  }
  regime.k_max = place["k_max"].integer(1, kMaxInteger);
  for (std::size_t k = 0; k < classes.size(); ++k)
    regime.classes.push_back(class_from(classes[k], routine, type, regime.k_max, orders));
  try {
    validate(regime);
  } catch (const UserError& error) {
    place.fail(error.what());
  }
  expect_canonical(place, regime);
  return regime;
}

}  // namespace reprosum::spec
