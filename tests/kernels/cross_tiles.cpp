#include <gtest/gtest.h>

#include <cstring>

#include "kernels/plan/fold.h"
#include "tests/kernels/captured_orders.h"
#include "tests/kernels/cross_cases.h"

namespace reprosum::kernels::test {
namespace {

constexpr const char* kModes[] = {"", ", beta = 0", ", dropped"};

TileShape shape_of(const OrderTiles& tiles, const CrossRow& row, Ending ending) {
  const int lanes = tiles.vector_bits() / (row.is_f32 ? 32 : 64);
  TileShape shape;
  shape.vectors = (row.down + lanes - 1) / lanes;
  shape.columns = row.columns;
  shape.masked = row.down % lanes != 0;
  shape.ending = ending;
  return shape;
}

}  // namespace

struct CrossCases::PieceAt {
  const OrderTiles& tiles;
  PiecePlan at;
};

void CrossCases::add_update(const std::string& name, const spec::Order& order, spec::Type type,
                            const std::vector<std::int64_t>& lengths) {
  spec::is_f32(type) ? add_folds<float>(name, order, lengths)
                     : add_folds<double>(name, order, lengths);
}

template <class T>
void CrossCases::add_folds(const std::string& name, const spec::Order& given,
                           const std::vector<std::int64_t>& lengths) {
  const spec::Type type = spec::type_of<T>();
  for (const OutputMode mode : {OutputMode::value, OutputMode::zero, OutputMode::dropped}) {
    const spec::Order order = with_output(given, mode);
    if (mode != OutputMode::value && order == given) continue;
    const OrderTiles there(order, type, ahead_.isa(), "", &ahead_),
        here(order, type, host_isas().back(), "");
    for (const std::int64_t n : lengths) {
      std::vector<FoldStep> steps, steps_here;
      if (!fold_if_defined(there, n, mode, steps) || !fold_if_defined(here, n, mode, steps_here))
        continue;
      add_steps<T>(name + kModes[static_cast<int>(mode)] + ", n = " + std::to_string(n), there,
                   here, steps, steps_here);
    }
  }
}

// The first two and the last: those between repeat the second.
template <class T>
void CrossCases::add_steps(const std::string& name, const OrderTiles& there, const OrderTiles& here,
                           const std::vector<FoldStep>& steps,
                           const std::vector<FoldStep>& steps_here) {
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (k >= 2 && k + 1 != steps.size()) continue;
    add_steps<T>(name, there, here, steps[k].steps, steps_here[k].steps);
    if (steps[k].kind != FoldStep::Kind::piece) continue;
    PieceAt far{there, {}}, near{here, {}};
    std::string why;
    if (!there.plan_of(*steps[k].rule, steps[k].n, far.at, why)) continue;
    ASSERT_TRUE(here.plan_of(*steps_here[k].rule, steps[k].n, near.at, why)) << why;
    add_piece<T>(name, far, near, steps[k].n);
  }
}

template <class T>
void CrossCases::add_piece(const std::string& name, const PieceAt& there, const PieceAt& here,
                           std::int64_t n) {
  CrossRow row{};
  row.kind = CrossRow::tile;
  row.is_f32 = sizeof(T) == 4;
  const bool small = all_.size() % 2 == 0;
  row.down = small ? 3 : 13;
  row.columns = small ? 2 : 3;
  row.n = static_cast<int>(n);
  add_tile<T>(name, there, here, row);
  if (const int most = there.tiles.rows_at_once(there.at); most > 0) {
    row.rows = small ? most : 1;
    row.down = 2 * most;
    row.columns = 1;
    add_tile<T>(name + ", by rows", there, here, row);
    row.rows = 0;
  }
  PieceAt far = there, near = here;
  if (far.tiles.repeat(Ending::add, 3, far.at) && near.tiles.repeat(Ending::add, 3, near.at)) {
    row.n = static_cast<int>(3 * n);
    add_tile<T>(name + ", three times", far, near, row);
  }
  const Cut* const cut = there.tiles.cut(there.at);
  if (cut == nullptr || cut->run.step < 0) return;
  far.at = there.at;
  near.at = here.at;
  far.at.part = near.at.part = PiecePlan::Part::rest;
  row.n = static_cast<int>(n);
  if (!cut->rest.nodes.empty()) add_tile<T>(name + ", behind slices", far, near, row);
  const std::int64_t count = cut->run.count.at(there.at.q, there.at.r);
  if (count < 1) return;
  row.n = static_cast<int>(n - cut->run.at.at(there.at.q, there.at.r));
  far.at.part = near.at.part = PiecePlan::Part::slice;
  far.at.q = near.at.q = std::min<std::int64_t>(count, 3);
  far.at.r = near.at.r = 0;
  add_tile<T>(name + ", a slice", far, near, row);
}

template <class T>
void CrossCases::add_tile(const std::string& name, const PieceAt& there, const PieceAt& here,
                          CrossRow row) {
  const Ending ending = static_cast<Ending>(all_.size() % 7);
  row.seed = static_cast<unsigned>(all_.size());
  row.q = there.at.q;
  row.r = there.at.r;
  TileShape far = shape_of(there.tiles, row, ending);
  if (row.rows > 0) {
    far = {};
    far.rows = row.rows;
    far.ending = ending;
  }
  ASSERT_NE(there.tiles.function(there.at, far), nullptr);  // told to ahead_
  CrossCase made{row,
                 name + ", " + far.text(),
                 ahead_prefix(ahead_.isa(), there.tiles.what(there.at, far)) + "tile",
                 {}};
  // Here the same outputs are always a tile.
  row.rows = 0;
  const TileFunction function = here.tiles.function(here.at, shape_of(here.tiles, row, ending));
  ASSERT_NE(function, nullptr) << made.name;
  CrossTile<T> tile(row);
  function(tile.call());
  for (const T value : tile.c()) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    made.wanted.push_back(bits);
  }
  all_.push_back(std::move(made));
}

}  // namespace reprosum::kernels::test
