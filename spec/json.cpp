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

constexpr const char* kFormatName = "reprosum-spec/1";
constexpr std::int64_t kAny = INT64_MAX;

Entry entry_from(const Place& place, const std::vector<OrderRead>& orders_read) {
  place.expect_keys({"routine", "type", "guard", "order", "n_max", "certificate"});
  Entry entry;
  entry.routine = word_from(place["routine"], kRoutineWords, "routine");
  entry.type = type_from(place["type"]);
  entry.guard = guard_from(place["guard"], entry.routine, entry.type);
  const Place order = place["order"];
  const std::int64_t orders = static_cast<std::int64_t>(orders_read.size());
  if (orders == 0) order.fail("the document has no orders");
  entry.order = static_cast<std::size_t>(order.integer(0, orders - 1));
  if (orders_read[entry.order].is_update)
    order.fail("the order of a matrix update is none of a sum or dot product");
  entry.n_max = place["n_max"].integer(1, kMaxLeaves);
  const std::int64_t covered = orders_read[entry.order].covered_to;
  if (entry.n_max > covered)
    place["n_max"].fail("the order is defined only up to n = " + std::to_string(covered));
  entry.certificate = certificate_from(place["certificate"]);
  return entry;
}

Refusal refusal_from(const Place& place) {
  place.expect_keys({"routine", "context", "reason", "detail"});
  return {place["routine"].text(), place["context"].text(), place["reason"].text(),
          place["detail"].text()};
}

}  // namespace

json json_of(const Certificate& certificate) {
  json out{{"revealed", certificate.revealed},
           {"all_nodes", certificate.all_nodes},
           {"repetitions", certificate.repetitions},
           {"probed", certificate.probed},
           {"probes_per_size", certificate.probes_per_size},
           {"random_vectors", certificate.random_vectors},
           {"random_sizes", certificate.random_sizes},
           {"largest", certificate.largest},
           {"calls", certificate.calls},
           {"seed", certificate.seed},
           {"not_checked", certificate.not_checked}};
  if (!certificate.classes.empty()) out["classes"] = certificate.classes;
  if (certificate.every_size_to > 0) out["every_size_to"] = certificate.every_size_to;
  return out;
}

std::map<std::string, std::int64_t> classes_from(const Place& place) {
  std::map<std::string, std::int64_t> classes;
  for (const auto& [name, count] : place.members())
    classes[name] = place[name.c_str()].integer(1, kAny);
  if (classes.empty()) place.fail("is left out where no class was looked at");
  return classes;
}

Certificate certificate_from(const Place& place) {
  place.expect_keys({"revealed", "all_nodes", "repetitions", "probed", "probes_per_size",
                     "random_vectors", "random_sizes", "largest", "calls", "seed", "not_checked"},
                    {"classes", "every_size_to"});
  Certificate certificate;
  read_list(place["revealed"], certificate.revealed, 1, kMaxLeaves);
  read_list(place["all_nodes"], certificate.all_nodes, 1, kMaxLeaves);
  read_list(place["probed"], certificate.probed, 1, kMaxLeaves);
  certificate.repetitions = static_cast<int>(place["repetitions"].integer(0, INT32_MAX));
  certificate.probes_per_size = static_cast<int>(place["probes_per_size"].integer(0, INT32_MAX));
  certificate.random_vectors = place["random_vectors"].integer(0, kAny);
  certificate.random_sizes = place["random_sizes"].integer(0, kAny);
  certificate.largest = place["largest"].integer(0, kMaxLeaves);
  certificate.calls = place["calls"].integer(0, kAny);
  certificate.seed = place["seed"].unsigned_integer();
  if (place.has("classes")) certificate.classes = classes_from(place["classes"]);
  if (place.has("every_size_to"))
    certificate.every_size_to = place["every_size_to"].integer(1, kMaxLeaves);
  const Place not_checked = place["not_checked"];
  for (std::size_t k = 0; k < not_checked.size(); ++k)
    certificate.not_checked.push_back(not_checked[k].text());
  return certificate;
}

json json_of_meaning(const Entry& entry) {
  return {{"routine", word_of(kRoutineWords, entry.routine)},
          {"type", name(entry.type)},
          {"guard", json_of(entry.guard, entry.routine)},
          {"order", entry.order},
          {"n_max", entry.n_max}};
}

std::string to_json(const Spec& spec, int indent) {
  json orders = json::array(), entries = json::array(), refusals = json::array();
  json provenance = json::object();
  for (const Order& order : spec.orders) orders.push_back(json_of(order));
  for (const Entry& entry : spec.entries) {
    json value = json_of_meaning(entry);
    value["certificate"] = json_of(entry.certificate);
    entries.push_back(std::move(value));
  }
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
  for (const MatrixEntry& entry : spec.matrices) {
    json value = json_of_meaning(entry);
    value["certificate"] = json_of(entry.certificate);
    document["matrices"].push_back(std::move(value));
  }
  for (const EmptySum& rule : spec.empty_sums) document["empty_sums"].push_back(json_of(rule));
  for (const EmptyUpdate& rule : spec.empty_updates)
    document["empty_updates"].push_back(json_of(rule));
  return write_document(document, indent);
}

namespace {

// The hash of the document's text without what is no meaning, which is lost.
std::string written_hash(json& document) {
  for (const char* evidence : {"format", "provenance", "refusals", "sha256"})
    document.erase(evidence);
  for (const char* list : {"entries", "matrices"})
    if (const auto found = document.find(list); found != document.end())
      for (json& entry : *found) entry.erase("certificate");
  return sha256_hex(write_document(document, 0));
}

}  // namespace

Spec from_json(std::string_view text, Check check) {
  json document = read_document(text);
  const Place root(document);
  // First the format: a later version may well have other keys.
  if (root.is_object() && root.has("format") && root["format"].text() != kFormatName)
    root["format"].fail("unknown format; this library reads " + std::string(kFormatName));
  root.expect_keys({"format", "orders", "entries", "provenance", "refusals"},
                   {"empty_sums", "empty_updates", "matrices", "sha256"});
  Spec spec;
  std::vector<OrderRead> orders_read;
  ProofAllowance allowance;
  const Place orders = root["orders"], entries = root["entries"], refusals = root["refusals"],
              provenance = root["provenance"];
  for (std::size_t k = 0; k < orders.size(); ++k) {
    spec.orders.push_back(order_from(orders[k], check == Check::all ? &allowance : nullptr));
    const Order& order = spec.orders.back();
    orders_read.push_back({covered_to(order), is_update(order), order.flush != Flush::none});
  }
  for (std::size_t k = 0; k < entries.size(); ++k)
    spec.entries.push_back(entry_from(entries[k], orders_read));
  if (root.has("matrices")) {
    const Place matrices = root["matrices"];
    if (matrices.size() == 0) matrices.fail("is left out where there are none");
    for (std::size_t k = 0; k < matrices.size(); ++k)
      spec.matrices.push_back(matrix_entry_from(matrices[k], orders_read));
  }
  if (root.has("empty_sums")) spec.empty_sums = empty_sums_from(root["empty_sums"]);
  if (root.has("empty_updates")) spec.empty_updates = empty_updates_from(root["empty_updates"]);
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
