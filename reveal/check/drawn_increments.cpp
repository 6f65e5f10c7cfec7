#include "reveal/check/drawn_increments.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "reveal/check/placements.h"

namespace reprosum::reveal {
namespace {

using spec::IncrementRange;
using spec::Increments;

bool is_zero(const IncrementRange& range) { return range == IncrementRange(0); }

}  // namespace

std::int64_t related_increment(std::int64_t size, FastRandom& random) {
  switch (random.below(10)) {
    case 0:
      return size + 1;
    case 1:
      return size - 1;
    case 2:
      return 2 * size;
    case 3:
      return size / 2;
    default:
      return size;
  }
}

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

bool DrawnIncrements::is_as_before(std::uint64_t base_id) {
  if (base_id != 0 && base_id == last_base_) return true;
  last_base_ = base_id;
  return false;
}

std::int64_t DrawnIncrements::draw_reach() {
  const std::int64_t turn = random_.below(64);
  if (turn == 0) return kLongReach;
  if (turn >= 16 && !draws_far_) return kUsualReach;
  const double ratio = static_cast<double>(kLongReach) / static_cast<double>(kUsualReach);
  return static_cast<std::int64_t>(static_cast<double>(kUsualReach) *
                                   std::exp(random_.unit() * std::log(ratio)));
}

void DrawnIncrements::draw(std::int64_t x, std::int64_t y) {
  const Increments& part = parts_[static_cast<std::size_t>(random_.below(std::ssize(parts_)))];
  const std::int64_t reach = draw_reach();
  last_ = {drawn_increment(part.x, x, reach, random_), drawn_increment(part.y, y, reach, random_)};
  if (random_.below(4) > 0) return;
  // The longer vector decides what the other may have.
  const bool by_x = x >= y;
  const std::int64_t size = std::abs(by_x ? last_.first : last_.second);
  const IncrementRange& other = by_x ? part.y : part.x;
  std::int64_t related = related_increment(size, random_);
  if (other.plainest() < 0) related = -related;
  if (other.admits(related)) (by_x ? last_.second : last_.first) = related;
}

Call DrawnIncrements::with_drawn(const Call& call, std::uint64_t base_id) {
  const bool has_y = call.routine != spec::Routine::sum;
  const bool is_drawn = !is_as_before(base_id);
  if (is_drawn) draw(call.k, !has_y ? 0 : spec::has_matrices(call.routine) ? call.m : call.k);
  Call other = call;
  other.incx = last_.first;
  if (has_y) other.incy = last_.second;
  if (!is_drawn) {
    std::tie(other.align_a, other.align_b) = std::tie(last_call_.align_a, last_call_.align_b);
    other.place = last_call_.place;
    other.cblas = last_call_.cblas;
    return last_call_ = other;
  }
  // One vector has one increment.
  if (other.place.shift && other.incx != other.incy) other.place.shift.reset();
  if (!spec::has_matrices(call.routine)) {
    put_address(other);
    if (draws_faces_ && random_.below(2) == 0)
      other.cblas = target_.has_both_faces(call.routine, call.type);
  }
  return last_call_ = other;
}

void DrawnIncrements::put_address(Call& call) {
  if (!addresses_ || random_.below(2) == 0) return;
  const auto& residues = addresses_->residues;
  const auto [x, y] = residues[static_cast<std::size_t>(random_.below(std::ssize(residues)))];
  const int step = std::max(addresses_->modulus, spec::bytes(call.type));
  const auto drawn = [&](int residue) {
    return residue + step * static_cast<int>(random_.below(64 / step));
  };
  call.align_a = drawn(x);
  if (call.routine != spec::Routine::sum) call.align_b = drawn(y);
  if (!call.place.shift && random_.below(2) == 0) call = anywhere(call, random_);
}

std::vector<double> DrawnIncrements::run(const Batch& batch) {
  if (is_fixed()) return target_.run(batch);
  Batch other = batch;
  other.call = with_drawn(batch.call, batch.base_id);
  return target_.run(other);
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

std::vector<std::uint64_t> DrawnIncrements::signatures(const Call& call,
                                                       std::span<const UniformProbe> probes) {
  if (is_fixed()) return target_.signatures(call, probes);
  return target_.signatures(with_drawn(call, 0), probes);
}

std::string increments_not_checked(const std::vector<Increments>& increments) {
  if (std::all_of(increments.begin(), increments.end(),
                  [](const auto& one) { return one.x.is_single() && one.y.is_single(); }))
    return "";
  return "few increments above 520, few pairs of increments, or few sizes of increments that reach "
         "far, that alone differ from their interval's rule; increments above " +
         std::to_string(kLargestIncrement) +
         " but for a few, and those that let a vector reach over more than " +
         std::to_string(kLongReach) +
         " elements: long vectors were tried with small increments, large increments with short "
         "vectors";
}

}  // namespace reprosum::reveal
