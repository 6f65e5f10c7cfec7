// The document of a whole spec.
#include "spec/json.h"

#include <algorithm>
#include <string>
#include <utility>

#include "spec/coverage.h"
#include "spec/error.h"
#include "spec/expand.h"
#include "spec/json_lists.h"
#include "spec/sha256.h"
#include "spec/surface.h"

namespace reprosum::spec {

Type type_from(const Place& place) {
  const auto type = type_from_name(place.text());
  if (!type) place.fail("unknown type '" + place.text().substr(0, 40) + "'");
  return *type;
}

namespace {

using nlohmann::json;

constexpr const char* kFormatName = "reprosum-spec/2";

Refusal refusal_from(const Place& place) {
  place.expect_keys({"routine", "context", "reason", "detail"});
  return {place["routine"].text(), place["context"].text(), place["reason"].text(),
          place["detail"].text()};
}

}  // namespace

std::string to_json(const Spec& spec, int indent) {
  json orders = json::array(), entries = json::array(), refusals = json::array();
  json provenance = json::object();
  for (const Order& order : spec.orders) orders.push_back(json_of(order));
  for (const Entry& entry : spec.entries) entries.push_back(json_of(entry));
  for (const auto& [key, value] : spec.provenance)
    if (!provenance.emplace(key, value).second)
      throw InternalError("to_json: provenance names '" + key + "' twice");
  for (const Refusal& refusal : spec.refusals)
    refusals.push_back({{"routine", refusal.routine},
                        {"context", refusal.context},
                        {"reason", refusal.reason},
                        {"detail", refusal.detail}});
  json document = {{"format", kFormatName},           {"orders", std::move(orders)},
                   {"entries", std::move(entries)},   {"provenance", std::move(provenance)},
                   {"refusals", std::move(refusals)}, {"sha256", meaning_hash(spec)}};
  for (const EmptyRule& rule : spec.empty_rules) document["empty_rules"].push_back(json_of(rule));
  return write_document(document, indent);
}

namespace {

void expect_format(const Place& format) {
  if (format.text() == kFormatName) return;
  if (format.text() == "reprosum-spec/1")
    format.fail("this library reads " + std::string(kFormatName) +
                "; `reprosum capture` writes such a document of the same library");
  format.fail("unknown format; this library reads " + std::string(kFormatName));
}

// The hash of the document's text without what is no meaning, which is lost.
std::string written_hash(json& document) {
  for (const char* evidence : {"format", "provenance", "refusals", "sha256"})
    document.erase(evidence);
  for (json& entry : document["entries"]) entry.erase("certificate");
  return sha256_hex(write_document(document, 0));
}

}  // namespace

Spec from_json(std::string_view text, Check check) {
  Document read = read_document(text);
  json& document = read.root;
  const Place root(document);
  // First the format: another version may well have other keys.
  if (root.is_object() && root.has("format")) expect_format(root["format"]);
  root.expect_keys({"format", "orders", "entries", "provenance", "refusals"},
                   {"empty_rules", "sha256"});
  Spec spec;
  std::vector<OrderRead> orders_read;
  ProofAllowance allowance;
  const Place orders = root["orders"], entries = root["entries"], refusals = root["refusals"],
              provenance = root["provenance"];
  for (std::size_t k = 0; k < orders.size(); ++k) {
    spec.orders.push_back(order_from(orders[k], check == Check::all ? &allowance : nullptr));
    const Order& order = spec.orders.back();
    orders_read.push_back(
        {covered_to(order), is_update(order), order.flush != Flush::none, has_wide(order)});
  }
  for (std::size_t k = 0; k < entries.size(); ++k)
    spec.entries.push_back(entry_from(entries[k], orders_read));
  if (root.has("empty_rules")) spec.empty_rules = empty_rules_from(root["empty_rules"]);
  for (const auto& [key, value] : provenance.members()) {
    if (!value.is_string())
      throw ParseError(pointer_to_key("/provenance", key), "expected a string");
    spec.provenance.emplace_back(key, value.get_ref<const std::string&>());
  }
  for (std::size_t k = 0; k < refusals.size(); ++k)
    spec.refusals.push_back(refusal_from(refusals[k]));
  if (check == Check::all) {
    if (!root.has("sha256"))
      root.fail("the key 'sha256' is missing; `reprosum hash FILE --write` writes it");
    const std::string wanted = root["sha256"].text();
    // A document as to_json() writes it is the text that was hashed, but for its evidence; that of
    // any other is made from what was read, which takes longer than the reading.
    if (written_hash(document) == wanted) return spec;
    const std::string hash = meaning_hash(spec);
    if (wanted != hash)
      throw ParseError(
          "/sha256",
          "the hash of the meaning is " + hash +
              ": the document was changed or damaged (if it was meant to be, `reprosum hash FILE "
              "--write` writes the new one)");
  }
  return spec;
}

}  // namespace reprosum::spec
