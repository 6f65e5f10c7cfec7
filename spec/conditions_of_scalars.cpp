// Conditions on alpha and beta.
#include "spec/condition_rows.h"
#include "spec/json.h"

namespace reprosum::spec {
namespace {

using nlohmann::json;

bool always(const Guard&, const Context&) { return true; }
std::string never(const Guard&, const Context&, const std::string&) { return {}; }

Condition beta() {
  Condition row{};
  row.name = "beta";
  row.optional_keys = {"beta"};
  row.admits = [](const Guard& guard, const Context& call) {
    return guard.beta == Beta::any || call.beta == Beta::any || guard.beta == call.beta;
  };
  row.refusal = [](const Guard& guard, const Context&, const std::string& name) {
    return name + " was captured only for " +
           (guard.beta == Beta::one ? "beta = 1" : "beta other than 1");
  };
  row.text = [](const Guard& guard, Routine) -> std::string {
    if (guard.beta == Beta::any) return "";
    return guard.beta == Beta::one ? "beta = 1" : "beta other than 1";
  };
  row.write = [](const Guard& guard, Routine, json& out) {
    if (guard.beta != Beta::any) out["beta"] = word_of(kBetaWords, guard.beta);
  };
  row.read = [](const Place& guard, Routine, Type, Guard& out) {
    if (!guard.has("beta")) return;
    const Place beta = guard["beta"];
    out.beta = word_from(beta, kBetaWords, "kind of beta");
    if (out.beta == Beta::any) beta.fail("any is not said");
  };
  return row;
}

// Who calls knows alpha; find() prefers entries that do not ask.
Condition alpha() {
  Condition row{};
  row.name = "alpha_one";
  row.keys = {"alpha_one"};
  row.admits = always;
  row.refusal = never;
  row.text = [](const Guard& guard, Routine) {
    return std::string(guard.alpha_one ? "alpha = 1" : "");
  };
  row.write = [](const Guard& guard, Routine, json& out) {
    out["alpha_one"] = guard.alpha_one ? 1 : 0;
  };
  row.read = [](const Place& guard, Routine, Type, Guard& out) {
    out.alpha_one = guard["alpha_one"].integer(0, 1) != 0;
  };
  return row;
}

// Demands nothing: it says what such a call does.
Condition nan_beta() {
  Condition row{};
  row.name = "beta_nan";
  row.optional_keys = {"beta_nan"};
  row.admits = always;
  row.refusal = never;
  row.text = [](const Guard& guard, Routine) {
    return std::string(guard.nan_beta_is_zero ? "beta = NaN as 0" : "");
  };
  row.write = [](const Guard& guard, Routine, json& out) {
    if (guard.nan_beta_is_zero) out["beta_nan"] = "zero";
  };
  row.read = [](const Place& guard, Routine, Type, Guard& out) {
    if (!guard.has("beta_nan")) return;
    const Place nan = guard["beta_nan"];
    if (nan.text() != "zero") nan.fail("expected \"zero\" or nothing");
    out.nan_beta_is_zero = true;
  };
  return row;
}

}  // namespace

std::vector<Condition> conditions_of_scalars() { return {alpha(), beta(), nan_beta()}; }

}  // namespace reprosum::spec
