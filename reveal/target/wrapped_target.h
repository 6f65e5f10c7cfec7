// A target that changes the products asked of another one, and nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "reveal/target.h"

namespace reprosum::reveal {

// The wrapped target must outlive this.
class WrappedTarget : public Target {
 public:
  std::vector<double> run(const Batch& batch) override { return target_.run(batch); }
  bool has(spec::Routine routine, spec::Type type) override { return target_.has(routine, type); }
  bool has_both_faces(spec::Routine routine, spec::Type type) override {
    return target_.has_both_faces(routine, type);
  }
  bool has_conjugate() override { return target_.has_conjugate(); }
  std::vector<std::pair<std::string, std::string>> identity() override {
    return target_.identity();
  }
  void keep_to(const CoreSet& cores) override { target_.keep_to(cores); }
  std::int64_t calls() const override { return target_.calls(); }

 protected:
  explicit WrappedTarget(Target& target) : target_(target) {}
  Target& target_;
};

}  // namespace reprosum::reveal
