// SHA-256 of the meaning: what a spec says, not how that was found out.
#include <algorithm>
#include <string>
#include <vector>

#include "spec/error.h"
#include "spec/json.h"
#include "spec/sha256.h"
#include "spec/surface.h"

namespace reprosum::spec {
namespace {

using nlohmann::json;

}  // namespace

std::string meaning_hash(const Order& order) {
  return sha256_hex(write_document(json_of(order), 0));
}

std::string meaning_hash(const Spec& spec) {
  // Evidence is left out before the copy, which it may dominate.
  Spec meaning;
  meaning.orders = spec.orders;
  for (const Entry& entry : spec.entries)
    meaning.entries.push_back(
        {entry.routine, entry.type, entry.guard, entry.regimes, entry.m_max, entry.n_max, {}});
  meaning.empty_rules = spec.empty_rules;
  canonicalize(meaning);
  json orders = json::array(), entries = json::array();
  for (const Order& order : meaning.orders) orders.push_back(json_of(order));
  for (const Entry& entry : meaning.entries) entries.push_back(json_of_meaning(entry));
  json document = {{"entries", std::move(entries)}, {"orders", std::move(orders)}};
  for (const EmptyRule& rule : meaning.empty_rules)
    document["empty_rules"].push_back(json_of(rule));
  return sha256_hex(write_document(document, 0));
}

}  // namespace reprosum::spec
