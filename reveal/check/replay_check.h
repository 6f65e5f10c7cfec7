// Does an order give the target's bits on random data?
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reveal/check/random_data.h"
#include "reveal/mismatch.h"
#include "reveal/target.h"
#include "spec/order.h"

namespace reprosum::reveal {

// Equal as bits, any two NaN being equal.
bool same_bits(double a, double b);

// "0x1.8p+1"
std::string hex(double value);

// FastRandom data for one call: logical summands, and the same data in the layout the target wants.
struct Vectors {
  std::vector<double> x, y;  // n per row, y empty for sum
};
Vectors random_vectors(const Call& call, std::int64_t rows, Data kind, FastRandom& random);

// Runs the rows on the target.
std::vector<double> run(Target& target, const Call& call, const Vectors& data, std::int64_t rows);

// What the order gives for one of the rows.
double replayed(const spec::Order& order, const Call& call, const Vectors& data, std::int64_t row);

struct ReplayResult {
  std::int64_t vectors = 0;
  std::optional<Mismatch> mismatch;  // the first one
  std::int64_t wrong_n = 0;          // its size
};

// Whether the target has the order's bits in every row. The rows before the first wrong one are
// added to the result, and that one as its mismatch. `seed` is the seed of the data.
bool agrees(Target& target, const Call& call, const Vectors& data, std::int64_t rows,
            const spec::Order& order, std::uint64_t seed, ReplayResult& result);

// A size and how many random vectors to try there.
struct SizePlan {
  std::int64_t n = 0, rows = 1;
};

// Stops at the first mismatch. The kinds of data alternate from row to row; NaN and infinities are
// among them.
ReplayResult check_replay(Target& target, const Call& context, const spec::Order& order,
                          std::span<const SizePlan> sizes, std::uint64_t seed);

// Sizes at which an order can be wrong: small ones densely, both sides of every threshold, two
// periods of every block, and log-uniform ones up to n_max; about `vectors` vectors in all and not
// many more than `elements` summands. `salt` draws other sizes: held-out ones.
std::vector<SizePlan> plan_sizes(const spec::Order& order, std::int64_t n_max, std::int64_t vectors,
                                 std::int64_t elements, std::uint64_t salt);

}  // namespace reprosum::reveal
