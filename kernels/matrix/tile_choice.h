// Which tile a piece of a rectangle is done with, and what is packed for it. It changes no bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/plan/plan.h"

namespace reprosum::kernels {

// What the choice hangs on beside the plan.
struct TileSite {
  std::int64_t lanes = 1;  // of a vector
  bool has_wide_registers = false;
  std::int64_t down = 1, across = 1;  // outputs; vectors lie down
  std::int64_t summand_bytes = 0;     // of all summands of an output, in one operand
  bool is_down_dense = true;          // outputs down are neighbours in the operand of vectors
  bool is_across_dense = false;       // outputs across are neighbours in the other
};

struct TileChoice {
  std::int64_t lanes = 1;
  int vectors = 1, columns = 1;  // of a full tile
  bool packs_vector = true, packs_scalar = true;

  std::int64_t height() const { return vectors * lanes; }
  // How many columns a tile has where `left` are left.
  int columns_for(std::int64_t left) const { return part(left, columns); }
  // How many vectors a tile of `left` outputs down has, and whether the last is incomplete.
  std::pair<int, bool> vectors_for(std::int64_t left) const;

 private:
  static int part(std::int64_t left, int full);
};

TileChoice choose_tile(const Plan& plan, const TileSite& site);

}  // namespace reprosum::kernels
