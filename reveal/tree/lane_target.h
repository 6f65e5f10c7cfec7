// A target that shows one lane of another: every W-th summand, all others being zero.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "reveal/oracle.h"
#include "reveal/target.h"

namespace reprosum::reveal {

// Runs a call of q summands as one of where(q).n summands, of which the q are first, first + step,
// ... Serves sum and dot, not matrices. The target must outlive it.
class LaneTarget final : public Target {
 public:
  LaneTarget(Target& target, std::function<Oracle::Lane(std::int64_t)> where)
      : target_(target), where_(std::move(where)) {}

  std::vector<double> run(const Batch& batch) override;
  bool has(spec::Routine routine, spec::Type type) override { return target_.has(routine, type); }
  std::vector<std::pair<std::string, std::string>> identity() override {
    return target_.identity();
  }
  std::int64_t calls() const override { return target_.calls(); }

 private:
  Target& target_;
  std::function<Oracle::Lane(std::int64_t)> where_;
  std::vector<double> x_, y_;
  std::uint64_t base_id_ = 0;  // of what x_ and y_ hold
};

}  // namespace reprosum::reveal
