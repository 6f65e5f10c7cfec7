// Conditions on where operands lie: addresses and leading dimensions.
#include <string>
#include <utility>

#include "spec/condition_rows.h"
#include "spec/json.h"
#include "spec/json_lists.h"

namespace reprosum::spec {
namespace {

using nlohmann::json;

// A's is always said, the others where they matter.
constexpr const char* kLeadingKeys[kLeadingPlaces] = {"leading", "leading_b", "leading_c"};

std::string text(std::int64_t value) { return std::to_string(value); }

int power_of_two(const Place& place) {
  const auto value = static_cast<int>(place.integer(1, kAddressModulus));
  if ((value & (value - 1)) != 0) place.fail("expected a power of two");
  return value;
}

json places_of(const Residues& values, Routine routine) {
  json out = json::array();
  for (std::size_t k = 0; k < address_places(routine); ++k) out.push_back(values[k]);
  return out;
}

AddressGuard addresses_from(const Place& place, Routine routine, Type type) {
  place.expect_keys({"moduli", "residues"});
  const Place moduli = place["moduli"], residues = place["residues"];
  const std::size_t places = address_places(routine);
  const int size = bytes(type);
  AddressGuard guard;
  if (moduli.size() != places) moduli.fail("expected " + std::to_string(places) + " moduli");
  for (std::size_t k = 0; k < places; ++k) guard.moduli[k] = power_of_two(moduli[k]);
  if (residues.size() > kMostResidues)
    residues.fail("more than " + std::to_string(kMostResidues) + " residues");
  for (std::size_t at = 0; at < residues.size(); ++at) {
    const Place one = residues[at];
    if (one.size() != places) one.fail("expected a residue for each modulus");
    Residues& values = guard.residues.emplace_back();
    values.fill(0);
    for (std::size_t k = 0; k < places; ++k) {
      values[k] = static_cast<int>(one[k].integer(0, guard.moduli[k] - 1));
      if (values[k] % size != 0) one[k].fail("not a multiple of the element's size");
    }
  }
  expect_ascending(residues, guard.residues);
  AddressGuard canonical = guard;
  canonicalize(canonical, type);
  if (canonical != guard || guard.is_any())
    place.fail("the same addresses have smaller moduli, or none are said");
  return guard;
}

// For sum and dot: one modulus, and pairs of residues.
void write_pairs(const AddressGuard& guard, json& out) {
  out["modulus"] = guard.moduli[0];
  out["residues"] = json::array();
  for (const Residues& one : guard.residues) out["residues"].push_back({one[0], one[1]});
}

AddressGuard pairs_from(const Place& guard, Routine routine) {
  const Place modulus = guard["modulus"], residues = guard["residues"];
  std::vector<std::pair<int, int>> pairs;
  const int value = power_of_two(modulus);
  read_pairs(residues, pairs, 0, value - 1);
  expect_ascending(residues, pairs);
  if ((value == 1) != pairs.empty())
    residues.fail("residues are listed exactly if the modulus is not 1");
  for (std::size_t k = 0; routine == Routine::sum && k < pairs.size(); ++k)
    if (pairs[k].second != 0) residues[k].fail("the second value is 0 for a sum");
  return vector_addresses(value, pairs);
}

Condition alignment() {
  Condition row{};
  row.name = "alignment";
  row.keys = {"alignment"};
  row.admits = [](const Guard& guard, const Context& call) {
    return alignment_of(call.addresses) % guard.alignment == 0;
  };
  row.refusal = [](const Guard& guard, const Context& call, const std::string& name) {
    return name + " was captured for addresses and leading dimensions that are multiples of " +
           text(guard.alignment) + " bytes, not of " + text(alignment_of(call.addresses));
  };
  row.text = [](const Guard& guard, Routine) {
    if (guard.alignment == 1) return std::string();
    return "addresses and leading dimensions multiples of " + text(guard.alignment) + " bytes";
  };
  row.write = [](const Guard& guard, Routine, json& out) { out["alignment"] = guard.alignment; };
  row.read = [](const Place& guard, Routine, Type, Guard& out) {
    out.alignment = power_of_two(guard["alignment"]);
  };
  return row;
}

Condition addresses() {
  Condition row{};
  row.name = "addresses";
  row.optional_keys = {"addresses"};
  row.admits = [](const Guard& guard, const Context& call) {
    return guard.addresses.admits(call.addresses);
  };
  row.refusal = [](const Guard& guard, const Context& call, const std::string& name) {
    const AddressGuard here{guard.addresses.moduli,
                            {reduced(call.addresses, guard.addresses.moduli)}};
    return name + " was not captured for " + describe(here, call.routine) + " bytes";
  };
  row.text = [](const Guard& guard, Routine routine) {
    if (guard.addresses.is_any()) return std::string();
    return describe(guard.addresses, routine) + " bytes";
  };
  row.write = [](const Guard& guard, Routine routine, json& out) {
    if (guard.addresses.is_any()) return;
    json residues = json::array();
    for (const Residues& one : guard.addresses.residues)
      residues.push_back(places_of(one, routine));
    out["addresses"] = {{"moduli", places_of(guard.addresses.moduli, routine)},
                        {"residues", std::move(residues)}};
  };
  row.read = [](const Place& guard, Routine routine, Type type, Guard& out) {
    if (guard.has("addresses")) out.addresses = addresses_from(guard["addresses"], routine, type);
  };
  return row;
}

Condition leading() {
  Condition row{};
  row.name = "leading";
  row.keys = {kLeadingKeys[0]};
  row.optional_keys = {kLeadingKeys[1], kLeadingKeys[2]};
  row.admits = [](const Guard& guard, const Context& call) {
    return admits(guard.leading, call.tight);
  };
  row.refusal = [](const Guard& guard, const Context& call, const std::string& name) {
    std::size_t place = 0;
    while ((guard.leading[place] == Leading::tight) == call.tight[place] ||
           guard.leading[place] == Leading::any)
      ++place;
    return name + " was captured only for a leading dimension of " + "ABC"[place] + " that is " +
           (call.tight[place] ? "greater than the least one" : "the least one");
  };
  row.text = [](const Guard& guard, Routine) { return describe(guard.leading); };
  row.write = [](const Guard& guard, Routine, json& out) {
    for (std::size_t k = 0; k < kLeadingPlaces; ++k)
      if (k == 0 || guard.leading[k] != Leading::any)
        out[kLeadingKeys[k]] = word_of(kLeadingWords, guard.leading[k]);
  };
  row.read = [](const Place& guard, Routine routine, Type, Guard& out) {
    for (std::size_t k = 0; k < kLeadingPlaces; ++k) {
      if (k > 0 && !guard.has(kLeadingKeys[k])) continue;
      const Place leading = guard[kLeadingKeys[k]];
      out.leading[k] = word_from(leading, kLeadingWords, "kind of leading dimension");
      if (k == 0) continue;
      if (routine == Routine::gemv) leading.fail("a gemv has the leading dimension of A alone");
      if (out.leading[k] == Leading::any) leading.fail("any is not said");
    }
  };
  return row;
}

// As sum and dot have them: both vectors by one modulus.
Condition pairs_of_addresses() {
  Condition row = addresses();
  row.name = "modulus";
  row.of = Condition::Of::vectors;
  row.keys = {"modulus", "residues"};
  row.optional_keys = {};
  row.write = [](const Guard& guard, Routine, json& out) { write_pairs(guard.addresses, out); };
  row.read = [](const Place& guard, Routine routine, Type, Guard& out) {
    out.addresses = pairs_from(guard, routine);
  };
  return row;
}

}  // namespace

std::vector<Condition> conditions_of_memory() {
  return {alignment(), addresses(), pairs_of_addresses(), leading()};
}

}  // namespace reprosum::spec
