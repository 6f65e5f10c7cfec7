#include "kernels/matrix/tile_choice.h"

#include <algorithm>

namespace reprosum::kernels {
namespace {

constexpr std::int64_t kNear = 64 << 10;  // bytes; stays in the caches without packing
constexpr std::size_t kMaxValues = 6000;  // straight-line values of one function

}  // namespace

// The largest tile not beyond `left` of `full`, and then of 4, 2, 1: few functions serve all sizes.
int TileChoice::part(std::int64_t left, int full) {
  if (left >= full) return full;
  return left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

// A whole vector and a part of one are done together.
std::pair<int, bool> TileChoice::vectors_for(std::int64_t left) const {
  const std::int64_t needed = (left + lanes - 1) / lanes;
  if (left < 2 * lanes && left % lanes != 0 && needed <= vectors)
    return {static_cast<int>(needed), true};
  return {part(left / lanes, vectors), false};
}

// Full tiles fill the registers: accumulators for two vectors by as many columns as there are
// registers for, fewer columns being made up for by vectors. An order of many accumulators keeps
// one at a time in registers; its tile is small so that its code is.
TileChoice choose_tile(const Plan& plan, const TileSite& site) {
  TileChoice choice;
  choice.lanes = site.lanes;
  std::int64_t most = site.has_wide_registers ? 24 : 12;
  if (plan.runs.size() >= 4) most = 8;
  std::int64_t columns = std::min<std::int64_t>(site.across, most / 2);
  std::int64_t vectors = std::min<std::int64_t>(most / columns, 8);
  vectors = std::min(vectors, site.down < 2 * site.lanes ? (site.down + site.lanes - 1) / site.lanes
                                                         : site.down / site.lanes);
  const std::size_t size = std::max(plan.nodes.size(), cost(plan) / 2);
  while (vectors * columns > 1 && size * static_cast<std::size_t>(vectors * columns) > kMaxValues)
    (columns > 1 ? columns : vectors) /= 2;
  choice.vectors = static_cast<int>(vectors);
  choice.columns = static_cast<int>(columns);
  // What is near is read where it lies; but broadcasts from many columns cost 512-bit code more
  // than packing them does.
  const auto is_near = [&](std::int64_t outputs) { return outputs * site.summand_bytes <= kNear; };
  choice.packs_vector = !site.is_down_dense || (site.across > 2 * columns && !is_near(site.down));
  choice.packs_scalar = site.across > 1 && site.down > 2 * choice.height() &&
                        (site.has_wide_registers || site.is_across_dense || !is_near(site.across));
  return choice;
}

}  // namespace reprosum::kernels
