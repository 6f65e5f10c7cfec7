// Orders and specs as JSON values; surface.h gives them as text.
#pragma once

#include <nlohmann/json.hpp>

#include "spec/json_document.h"
#include "spec/names.h"
#include "spec/order.h"
#include "spec/spec.h"

namespace reprosum::spec {

nlohmann::json json_of(const Order& order);
nlohmann::json json_of(const Guard& guard);
nlohmann::json json_of(const Certificate& certificate);
// Without the certificate, which is no part of the meaning.
nlohmann::json json_of_meaning(const Entry& entry);

// @post validate(order) holds. Throws ParseError with a JSON pointer.
Order order_from(const Place& place);
Guard guard_from(const Place& place, Routine routine);
Certificate certificate_from(const Place& place);

// The value of a word of names.h; `what` names the table in the error message.
template <class Enum, std::size_t N>
Enum word_from(const Place& place, const Words<Enum, N>& words, const char* what) {
  const auto value = value_of(words, place.text());
  if (!value) place.fail("unknown " + std::string(what) + " '" + place.text().substr(0, 40) + "'");
  return *value;
}

}  // namespace reprosum::spec
