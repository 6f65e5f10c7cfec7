// Orders and specs as JSON values; surface.h gives them as text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "spec/json_document.h"
#include "spec/names.h"
#include "spec/order.h"
#include "spec/spec.h"

namespace reprosum::spec {

struct ProofAllowance;  // coverage.h

nlohmann::json json_of(const Order& order);
nlohmann::json json_of(const Guard& guard, Routine routine);
nlohmann::json json_of(const std::vector<Increments>& increments);
// For sum and dot, only what is not the same in all regimes.
nlohmann::json json_of(const MatrixRegime& regime, Routine routine);
nlohmann::json json_of(const Entry& entry);
// Without the certificate, which is no part of the meaning.
nlohmann::json json_of_meaning(const Entry& entry);
nlohmann::json json_of(const EmptyRule& rule);

// @post validate(order) holds and, with an allowance, prove_trees(order). Throws ParseError with a
// JSON pointer.
Order order_from(const Place& place, ProofAllowance* allowance);
Guard guard_from(const Place& place, Routine routine, Type type);
// @post ascending and not empty.
std::vector<Increments> increments_from(const Place& place);
// The routine of an entry, or of a rule for calls without summands. Which other keys there are
// depends on it.
Routine routine_from(const Place& place);
std::pair<Trans, Trans> transposes_from(const Place& place, Routine routine);
// m_max and n_max of gemv and gemm.
std::pair<std::int64_t, std::int64_t> most_outputs_from(const Place& place, Routine routine);
// @post the rules are as canonicalize() leaves them, and no call has two.
std::vector<EmptyRule> empty_rules_from(const Place& place);

// Facts about an order that several entries need, found once.
struct OrderRead {
  std::int64_t covered_to = 0;
  bool is_update = false;
  bool flushes = false;
  bool has_wide = false;
};
// @post the entry is as canonicalize() leaves it, and every class has an order that covers its k.
Entry entry_from(const Place& place, const std::vector<OrderRead>& orders);
// @post validate(regime) holds and the regime is canonical.
MatrixRegime regime_from(const Place& place, Routine routine, Type type,
                         const std::vector<OrderRead>& orders);

// The formats of an entry by the name that name(Type) writes.
Type type_from(const Place& place);

// The value of a word of names.h; `what` names the table in the error message.
template <class Enum, std::size_t N>
Enum word_from(const Place& place, const Words<Enum, N>& words, const char* what) {
  const auto value = value_of(words, place.text());
  if (!value) place.fail("unknown " + std::string(what) + " '" + place.text().substr(0, 40) + "'");
  return *value;
}

}  // namespace reprosum::spec
