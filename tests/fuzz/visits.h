// How often an order visits summands. Opening proves of a spec that a tree of n names n of them;
// a document whose form alone was checked may name one a billion times, and code made from it then
// does as it is told.
#pragma once

#include <algorithm>
#include <cstdint>
#include <variant>

#include "spec/expand_schema.h"

namespace reprosum {

// The leaves of the largest tree that the order has for a size up to `most`, of its sub-orders too.
inline std::int64_t most_visits(const spec::Order& order, std::int64_t most) {
  std::int64_t visits = 0;
  const auto see = [&](const spec::Schema& schema, std::int64_t q, std::int64_t r) {
    visits = std::max(visits, spec::SchemaInstance(schema, q, r, order.subs).leaves());
  };
  for (const spec::Regime& regime : order.regimes) {
    if (const auto* rule = std::get_if<spec::Explicit>(&regime.rule))
      for (const auto& entry : rule->entries) see(entry.tree, 0, 0);
    if (const auto* rule = std::get_if<spec::Loop>(&regime.rule))
      for (std::int64_t n = regime.lo; n <= std::min(regime.hi, most); ++n) {
        const std::int64_t q = rule->pad ? (n - 1) / rule->block + 1 : n / rule->block;
        const std::int64_t r = rule->pad ? 0 : n % rule->block;
        for (const spec::Loop::Case& one : rule->cases)
          if (one.r_lo <= r && r <= one.r_hi) see(one.schema, q, r);
      }
  }
  for (const spec::Order& sub : order.subs) visits = std::max(visits, most_visits(sub, most));
  return visits;
}

}  // namespace reprosum
