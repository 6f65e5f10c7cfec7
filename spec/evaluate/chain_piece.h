// A chain of a padded loop that can be evaluated by itself, copy by copy.
#pragma once

#include <cstdint>
#include <optional>

namespace reprosum::spec {

// A chain whose leaves are runs of one summand of each block: lane l adds the summands at
// place + l + block*t. Below it are constants and chains of the same kind alone.
struct ChainPiece {
  std::int32_t chain = 0;
  std::int64_t lanes = 1;  // neighbours: 0..lanes-1
  std::int64_t block = 1;
  bool has_zero = false;  // then +0 is left where no lane has a summand; else nothing
};

// How many summands each lane of the copy at `place` has where n exist in all; nothing where some
// have more than others.
inline std::optional<std::int64_t> rows_at(const ChainPiece& piece, std::int64_t place,
                                           std::int64_t n) {
  const auto rows_of = [&](std::int64_t lane) {
    return lane >= n ? 0 : (n - lane - 1) / piece.block + 1;
  };
  const std::int64_t first = rows_of(place), last = rows_of(place + piece.lanes - 1);
  return first == last ? std::optional(first) : std::nullopt;
}

}  // namespace reprosum::spec
