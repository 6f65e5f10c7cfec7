#include "reveal/tree/lane_target.h"

#include <algorithm>
#include <cstddef>

namespace reprosum::reveal {
namespace {

// Rows of q values, spread over rows of lane.n; others are `rest`.
std::vector<double> spread(std::span<const double> values, std::int64_t rows, std::int64_t q,
                           const Oracle::Lane& lane, double rest) {
  std::vector<double> all(static_cast<std::size_t>(rows * lane.n), rest);
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t k = 0; k < q; ++k)
      all[static_cast<std::size_t>(row * lane.n + lane.first + k * lane.step)] =
          values[static_cast<std::size_t>(row * q + k)];
  return all;
}

// With an increment of 0 every summand is the first one.
std::vector<double> repeated(std::span<const double> values, std::int64_t rows, std::int64_t q,
                             const Oracle::Lane& lane) {
  std::vector<double> all;
  for (std::int64_t row = 0; row < rows; ++row)
    all.insert(all.end(), static_cast<std::size_t>(lane.n),
               values[static_cast<std::size_t>(row * q)]);
  return all;
}

}  // namespace

std::vector<double> LaneTarget::run(const Batch& batch) {
  const std::int64_t q = batch.call.k;
  if (q < 1) throw TargetError("declined", "a lane has summands");
  const Oracle::Lane lane = where_(q);
  Batch whole = batch;
  whole.call.k = lane.n;
  const bool shares_x = batch.call.incx == 0;
  const bool shares_y = batch.call.incy == 0 && batch.call.routine == spec::Routine::dot;
  if (batch.base_id == 0 || batch.base_id != base_id_) {
    x_ = shares_x ? repeated(batch.x, batch.rows, q, lane)
                  : spread(batch.x, batch.rows, q, lane, 0.0);
    // Where x is shared, y must be zero outside the lane.
    if (batch.y.empty() && shares_x && batch.call.routine == spec::Routine::dot)
      y_ = spread(std::vector<double>(batch.x.size(), 1.0), batch.rows, q, lane, 0.0);
    else if (batch.y.empty())
      y_.clear();
    else
      y_ = shares_y ? repeated(batch.y, batch.rows, q, lane)
                    : spread(batch.y, batch.rows, q, lane, shares_x ? 0.0 : 1.0);
    base_id_ = batch.base_id;
  }
  whole.x = x_;
  whole.y = y_;
  const auto move = [&](std::vector<Edit>& edits, bool is_shared) {
    for (Edit& edit : edits)
      if (!is_shared) edit.index = lane.first + edit.index * lane.step;
  };
  for (Probe& probe : whole.probes) {
    move(probe.x, shares_x);
    move(probe.y, shares_y);
  }
  return target_.run(whole);
}

}  // namespace reprosum::reveal
