// Conditions on what A, B and C hold.
#include "spec/condition_rows.h"
#include "spec/json_document.h"

namespace reprosum::spec {
namespace {

using nlohmann::json;

Condition finite() {
  Condition row{};
  row.name = "finite_only";
  row.is_of_data = true;
  row.keys = {"finite_only"};
  row.admits = [](const Guard& guard, const Context& call) {
    return !guard.finite_only || !call.has_special;
  };
  row.refusal = [](const Guard&, const Context&, const std::string&) {
    return std::string("with an Inf or NaN the captured library follows no order");
  };
  row.text = [](const Guard& guard, Routine) {
    return std::string(guard.finite_only ? "finite data" : "");
  };
  row.write = [](const Guard& guard, Routine, json& out) {
    out["finite_only"] = guard.finite_only ? 1 : 0;
  };
  row.read = [](const Place& guard, Routine, Type, Guard& out) {
    out.finite_only = guard["finite_only"].integer(0, 1) != 0;
  };
  return row;
}

Condition nonzero() {
  Condition row{};
  row.name = "nonzero_only";
  row.is_of_data = true;
  row.optional_keys = {"nonzero_only"};
  row.admits = [](const Guard& guard, const Context& call) {
    return !guard.nonzero_only || !call.has_zero;
  };
  row.refusal = [](const Guard&, const Context&, const std::string&) {
    return std::string("with a zero factor in A or B the captured library follows no order");
  };
  row.text = [](const Guard& guard, Routine) {
    return std::string(guard.nonzero_only ? "no zero factors" : "");
  };
  row.write = [](const Guard& guard, Routine, json& out) {
    if (guard.nonzero_only) out["nonzero_only"] = 1;
  };
  row.read = [](const Place& guard, Routine, Type, Guard& out) {
    if (guard.has("nonzero_only")) out.nonzero_only = guard["nonzero_only"].integer(1, 1) != 0;
  };
  return row;
}

}  // namespace

std::vector<Condition> conditions_of_data() { return {finite(), nonzero()}; }

}  // namespace reprosum::spec
