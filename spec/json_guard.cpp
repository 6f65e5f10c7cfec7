// Guards to and from JSON values: each condition writes and reads its own keys.
#include "spec/conditions.h"
#include "spec/json.h"

namespace reprosum::spec {

nlohmann::json json_of(const Guard& guard, Routine routine) {
  nlohmann::json out = nlohmann::json::object();
  for (const Condition& condition : conditions())
    if (has(condition, routine)) condition.write(guard, routine, out);
  return out;
}

Guard guard_from(const Place& place, Routine routine, Type type) {
  std::vector<const char*> keys, optional;
  for (const Condition& condition : conditions()) {
    if (!has(condition, routine)) continue;
    keys.insert(keys.end(), condition.keys.begin(), condition.keys.end());
    optional.insert(optional.end(), condition.optional_keys.begin(), condition.optional_keys.end());
  }
  place.expect_keys(keys, optional);
  Guard guard;
  for (const Condition& condition : conditions())
    if (has(condition, routine)) condition.read(place, routine, type, guard);
  return guard;
}

}  // namespace reprosum::spec
