// The masks of each type.
#include "reveal/tree/masks.h"

namespace reprosum::reveal {

Masks masks(spec::Type type) {
  // A wide (f64) node of an f32 routine must absorb too: 2^100 / 2^53 exceeds every count.
  if (spec::is_f32(type)) return {1.5 * 0x1p126, 1.5 * 0x1p100, 24};
  return {1.5 * 0x1p1022, 1.5 * 0x1p900, 53};
}

std::int64_t largest_countable(spec::Type type) {
  return (std::int64_t{1} << masks(type).exact_bits) - 1;
}

}  // namespace reprosum::reveal
