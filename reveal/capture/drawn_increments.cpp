#include "reveal/capture/drawn_increments.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace reprosum::reveal {
namespace {

using spec::IncrementRange;
using spec::Increments;

bool is_zero(const IncrementRange& range) { return range == IncrementRange(0); }

}  // namespace

std::int64_t drawn_increment(const IncrementRange& range, std::int64_t n, std::int64_t reach,
                             FastRandom& random) {
  if (range.is_single()) return range.least;
  const bool is_positive = range.least > 0;
  const std::int64_t least = std::abs(range.plainest());
  std::int64_t most =
      std::max(least, std::min(kLargestIncrement, reach / std::max<std::int64_t>(n, 1)));
  if (is_positive) most = std::min(most, range.greatest);
  if (!is_positive && range.least > -most) most = -range.least;
  std::int64_t size = least;
  switch (random.below(5)) {
    case 0:
      size = least + random.below(16);
      break;
    case 1:
      size = std::int64_t{1} << random.below(14);
      break;
    case 2:
      size = 64 * (1 + random.below(160));
      break;
    case 3:
      size = least + random.below(most - least + 1);
      break;
    default:
      size =
          static_cast<std::int64_t>(static_cast<double>(least) *
                                    std::exp(random.unit() * std::log(static_cast<double>(most) /
                                                                      static_cast<double>(least))));
  }
  // Those that are too large become any that is not.
  if (size < least || size > most) size = least + random.below(most - least + 1);
  return is_positive ? size : -size;
}

std::vector<Increments> by_kind(const std::vector<Increments>& increments) {
  const auto cut = [](const IncrementRange& range, const IncrementRange& kind) {
    return IncrementRange{std::max(range.least, kind.least),
                          std::min(range.greatest, kind.greatest)};
  };
  std::vector<Increments> parts;
  for (const Increments& one : increments)
    for (const IncrementRange& kind_x : spec::kIncrementKinds)
      for (const IncrementRange& kind_y : spec::kIncrementKinds) {
        const Increments part{cut(one.x, kind_x), cut(one.y, kind_y)};
        if (part.x.least <= part.x.greatest && part.y.least <= part.y.greatest)
          parts.push_back(part);
      }
  return parts;
}

std::vector<std::vector<Increments>> by_zeros(const std::vector<Increments>& increments) {
  std::map<std::pair<bool, bool>, std::vector<Increments>> groups;
  for (const Increments& part : by_kind(increments))
    groups[{is_zero(part.x), is_zero(part.y)}].push_back(part);
  std::vector<std::vector<Increments>> out;
  for (auto& [zeros, parts] : groups) out.push_back(std::move(parts));
  return out;
}

DrawnIncrements::DrawnIncrements(Target& target, const std::vector<Increments>& increments,
                                 std::uint64_t seed)
    : WrappedTarget(target), parts_(by_kind(increments)), random_(seed) {}

bool DrawnIncrements::has_one() const {
  return parts_.size() == 1 && parts_.front().x.is_single() && parts_.front().y.is_single();
}

void DrawnIncrements::draw(std::int64_t x, std::int64_t y, std::uint64_t base_id) {
  // A batch that has the base of the one before has its call, too.
  if (base_id != 0 && base_id == last_base_) return;
  last_base_ = base_id;
  const Increments& part = parts_[static_cast<std::size_t>(random_.below(std::ssize(parts_)))];
  const std::int64_t turn = random_.below(64);
  const std::int64_t reach = turn == 0  ? kLongReach
                             : turn < 4 ? (kUsualReach + kLongReach) / 8
                                        : kUsualReach;
  last_ = {drawn_increment(part.x, x, reach, random_), drawn_increment(part.y, y, reach, random_)};
  if (random_.below(4) > 0) return;
  // The longer vector decides what both may have.
  if (x >= y && part.y.admits(last_.first)) last_.second = last_.first;
  if (x < y && part.x.admits(last_.second)) last_.first = last_.second;
}

std::vector<double> DrawnIncrements::run(const Batch& batch) {
  if (is_fixed()) return target_.run(batch);
  draw(batch.call.n, batch.call.routine == spec::Routine::sum ? 0 : batch.call.n, batch.base_id);
  Batch other = batch;
  other.call.incx = last_.first;
  if (other.call.routine != spec::Routine::sum) other.call.incy = last_.second;
  return target_.run(other);
}

MatrixCall DrawnIncrements::with_drawn(const MatrixCall& call, std::uint64_t base_id) {
  draw(call.k, call.m, base_id);
  MatrixCall other = call;
  std::tie(other.incx, other.incy) = last_;
  return other;
}

std::vector<double> DrawnIncrements::run_matrix(const MatrixBatch& batch) {
  if (is_fixed()) return target_.run_matrix(batch);
  MatrixBatch other = batch;
  other.call = with_drawn(batch.call, batch.base_id);
  return target_.run_matrix(other);
}

std::vector<std::vector<double>> DrawnIncrements::run_matrices(
    std::span<const MatrixBatch> batches) {
  if (is_fixed()) return target_.run_matrices(batches);
  std::vector<MatrixBatch> others(batches.begin(), batches.end());
  for (MatrixBatch& other : others) other.call = with_drawn(other.call, other.base_id);
  return target_.run_matrices(others);
}

std::vector<std::uint64_t> DrawnIncrements::signatures(const MatrixCall& call,
                                                       std::span<const UniformProbe> probes) {
  if (is_fixed()) return target_.signatures(call, probes);
  return target_.signatures(with_drawn(call, 0), probes);
}

std::string increments_not_checked(const std::vector<Increments>& increments) {
  if (std::all_of(increments.begin(), increments.end(),
                  [](const auto& one) { return one.x.is_single() && one.y.is_single(); }))
    return "";
  return "increments above " + std::to_string(kLargestIncrement) +
         " but for a few, and those that let a vector reach over more than " +
         std::to_string(kLongReach) +
         " elements: long vectors were tried with small increments, large increments with short "
         "vectors";
}

}  // namespace reprosum::reveal
