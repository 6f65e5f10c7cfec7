// Entries and their certificates to and from JSON values.
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "spec/json.h"
#include "spec/json_lists.h"

namespace reprosum::spec {
namespace {

using nlohmann::json;

constexpr std::int64_t kAny = INT64_MAX;

Trans trans_from(const Place& place, std::size_t at) {
  const char letter = place.text()[at];
  if (letter != 'N' && letter != 'T') place.fail("expected the letters N and T");
  return letter == 'T' ? Trans::yes : Trans::no;
}

// What may be left out.
constexpr std::pair<const char*, std::vector<std::int64_t> Certificate::*> kSizes[] = {
    {"revealed", &Certificate::revealed},
    {"all_nodes", &Certificate::all_nodes},
    {"probed", &Certificate::probed}};
constexpr std::pair<const char*, int Certificate::*> kRepetitions[] = {
    {"repetitions", &Certificate::repetitions}, {"probes_per_size", &Certificate::probes_per_size}};
struct CountKey {
  const char* key;
  std::int64_t Certificate::*count;
  std::int64_t most;
};
constexpr CountKey kCounts[] = {{"shapes_learned", &Certificate::shapes_learned, kAny},
                                {"special_outputs", &Certificate::special_outputs, kAny},
                                {"every_size_to", &Certificate::every_size_to, kMaxLeaves}};

json json_of(const Certificate& certificate) {
  const Shape3& largest = certificate.largest;
  json out{{"shapes_checked", certificate.shapes_checked},
           {"outputs_checked", certificate.outputs_checked},
           {"largest", {largest.m, largest.n, largest.k}},
           {"calls", certificate.calls},
           {"seed", certificate.seed},
           {"not_checked", certificate.not_checked}};
  for (const auto& [key, sizes] : kSizes)
    if (!(certificate.*sizes).empty()) out[key] = certificate.*sizes;
  for (const auto& [key, count] : kRepetitions)
    if (certificate.*count > 0) out[key] = certificate.*count;
  for (const auto& [key, count, most] : kCounts)
    if (certificate.*count > 0) out[key] = certificate.*count;
  if (!certificate.classes.empty()) out["classes"] = certificate.classes;
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
  place.expect_keys(
      {"shapes_checked", "outputs_checked", "largest", "calls", "seed", "not_checked"},
      {"revealed", "all_nodes", "repetitions", "probed", "probes_per_size", "shapes_learned",
       "special_outputs", "every_size_to", "classes"});
  Certificate out;
  for (const auto& [key, sizes] : kSizes) {
    if (!place.has(key)) continue;
    const Place list = place[key];
    read_list(list, out.*sizes, 1, kMaxLeaves);
    if ((out.*sizes).empty()) list.fail("is left out where there are none");
  }
  for (const auto& [key, count] : kRepetitions)
    if (place.has(key)) out.*count = static_cast<int>(place[key].integer(1, INT32_MAX));
  for (const auto& [key, count, most] : kCounts)
    if (place.has(key)) out.*count = place[key].integer(1, most);
  out.shapes_checked = place["shapes_checked"].integer(0, kAny);
  out.outputs_checked = place["outputs_checked"].integer(0, kAny);
  const Place largest = place["largest"];
  if (largest.size() != 3) largest.fail("expected [m, n, k]");
  out.largest = {largest[std::size_t{0}].integer(0, kMaxInteger),
                 largest[1].integer(0, kMaxInteger), largest[2].integer(0, kMaxInteger)};
  out.calls = place["calls"].integer(0, kAny);
  out.seed = place["seed"].unsigned_integer();
  if (place.has("classes")) out.classes = classes_from(place["classes"]);
  const Place not_checked = place["not_checked"];
  for (std::size_t k = 0; k < not_checked.size(); ++k)
    out.not_checked.push_back(not_checked[k].text());
  return out;
}

}  // namespace

Routine routine_from(const Place& place) {
  if (!place.is_object()) place.fail("expected an object");
  if (!place.has("routine")) place.fail("the key 'routine' is missing");
  const Place word = place["routine"];
  const auto routine = routine_from_name(word.text());
  if (!routine) word.fail("unknown routine '" + word.text().substr(0, 40) + "'");
  return *routine;
}

std::pair<Trans, Trans> transposes_from(const Place& place, Routine routine) {
  if (place.text().size() != (routine == Routine::gemm ? 2u : 1u))
    place.fail("expected one letter for each matrix operand");
  const Trans trans_a = trans_from(place, 0);
  return {trans_a, routine == Routine::gemm ? trans_from(place, 1) : Trans::no};
}

std::pair<std::int64_t, std::int64_t> most_outputs_from(const Place& place, Routine routine) {
  const std::int64_t m_max = place["m_max"].integer(1, kMaxInteger);
  const std::int64_t n_max = place["n_max"].integer(1, kMaxInteger);
  if (routine == Routine::gemv && n_max != 1) place["n_max"].fail("a gemv has n = 1");
  return {m_max, n_max};
}

json json_of_meaning(const Entry& entry) {
  json regimes = json::array();
  for (const MatrixRegime& regime : entry.regimes)
    regimes.push_back(json_of(regime, entry.routine));
  json out = {{"routine", name(entry.routine)},
              {"type", name(entry.type)},
              {"guard", json_of(entry.guard, entry.routine)},
              {"regimes", std::move(regimes)}};
  if (!has_matrices(entry.routine)) return out;
  out["m_max"] = entry.m_max;
  out["n_max"] = entry.n_max;
  return out;
}

json json_of(const Entry& entry) {
  json out = json_of_meaning(entry);
  out["certificate"] = json_of(entry.certificate);
  return out;
}

Entry entry_from(const Place& place, const std::vector<OrderRead>& orders) {
  Entry entry;
  entry.routine = routine_from(place);
  std::vector<const char*> keys{"routine", "type", "guard", "regimes", "certificate"};
  if (has_matrices(entry.routine)) keys.insert(keys.end(), {"m_max", "n_max"});
  place.expect_keys(keys, {});
  entry.type = type_from(place["type"]);
  entry.guard = guard_from(place["guard"], entry.routine, entry.type);
  const Place regimes = place["regimes"];
  if (regimes.size() == 0) regimes.fail("expected a regime");
  if (!has_matrices(entry.routine) && regimes.size() > 1)
    regimes[1].fail("a " + std::string(name(entry.routine)) + " has one regime");
  for (std::size_t k = 0; k < regimes.size(); ++k)
    entry.regimes.push_back(regime_from(regimes[k], entry.routine, entry.type, orders));
  if (has_matrices(entry.routine))
    std::tie(entry.m_max, entry.n_max) = most_outputs_from(place, entry.routine);
  entry.certificate = certificate_from(place["certificate"]);
  return entry;
}

}  // namespace reprosum::spec
