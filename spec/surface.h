// The surfaces of the language: text, canonical JSON, hash, difference.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "spec/order.h"
#include "spec/spec.h"
#include "spec/tree.h"

namespace reprosum::spec {

// ---- text ----
// print(order) is canonical: parse(print(o)) == o and print(parse(t)) is a fixed point.
std::string print(const Order& order);
std::string print(const Schema& schema);
Order parse_order(std::string_view text);  // throws ParseError with line and column

// One line for tables and people, e.g. "16 fma lanes, fold 2,4,8,1; tail appended". A view computed
// from the order; falls back to a short structural description.
std::string describe(const Order& order);
std::string describe(Flush flush);  // "subnormal inputs become zero"

// ---- JSON: integers and strings only ----
std::string to_json(const Spec& spec, int indent = 1);  // whole document, canonical key order
enum class Check : std::uint8_t {
  all,   // the orders are proven to be trees, the hash must be there and right
  form,  // neither: for what stamps a document
};
Spec from_json(std::string_view json, Check check = Check::all);  // ParseError: JSON pointer
std::string order_to_json(const Order& order);
Order order_from_json(std::string_view json);

// ---- identity ----
// SHA-256 (lower-case hex) of the canonical JSON of the meaning: orders, entries without
// certificates, and rules of calls without summands; not provenance and refusals.
std::string meaning_hash(const Spec& spec);
std::string meaning_hash(const Order& order);

// ---- difference ----
struct OrderDifference {
  std::int64_t n = 0;          // least n at which the trees differ, among those searched
  std::string node_a, node_b;  // first node (postorder) at which they part, e.g. "(0 + 4)" of each
  bool only_coverage = false;  // equal where both are defined, but one is not defined at n; or
                               // both are defined at no n that was searched: then at none of 1..n
  std::int64_t searched_to = 0;  // every n up to here was compared as trees; beyond, both orders'
                                 // thresholds and residues, or structural equality
  // Least n searched at which more than zeros differs, and its nodes without zeros; 0: none. Zeros
  // change no sum but one of zeros alone, by its sign.
  std::int64_t summands_n = 0;
  std::string summands_a, summands_b;
};
// nullopt if no difference is found. Structurally equal orders are equal at every n.
std::optional<OrderDifference> diff(const Order& a, const Order& b);

}  // namespace reprosum::spec
