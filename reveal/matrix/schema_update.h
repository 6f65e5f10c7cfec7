// The ways alpha and the output can enter one tree.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "spec/order.h"

namespace reprosum::reveal {

// A plain schema with the output and alpha put in, and what was done, for messages.
struct SchemaUpdate {
  spec::Schema schema;
  std::string name;
};

// Simplest first: the output at the start of, or fused at the end of, the whole tree; then at the
// start of its root chain; then between the first items of that chain and the rest, which alpha
// meets in different ways; then before the sum of these; then at the start of the chain that comes
// first below the root. Without alpha (`alpha_one`): where the output can enter only.
std::vector<SchemaUpdate> schema_updates(const spec::Schema& plain, bool alpha_one);

// The tree of a schema at one (q, r) as a schema of constants, the runs of its root chain written
// out copy by copy where they are few: what is one run may be main part and tail to alpha.
spec::Schema at_size(const spec::Schema& schema, std::int64_t q, std::int64_t r);

// Alpha meets a factor of every product.
spec::Schema with_scaled_leaves(const spec::Schema& plain, spec::Scale scale);
// The same in every schema of the order.
spec::Order with_scaled_leaves(const spec::Order& plain, spec::Scale scale);

// The schema with one more +0 added at its root: what Order::zero_start does to a whole order.
spec::Schema with_zero_start(const spec::Schema& plain);
// The schema without the +0 that starts its root chain; nullopt if there is none.
std::optional<spec::Schema> without_zero_start(const spec::Schema& plain);
// An order whose own sums start at +0, that of its loops and trees said by their schemas.
spec::Order with_zero_start(spec::Order order);

}  // namespace reprosum::reveal
