// One end for a whole capture, whatever it is doing then.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "reveal/target.h"
#include "spec/spec.h"

namespace reprosum::reveal {

// The run was ended from outside. Neither a refusal nor a fault of the target, and no handler of
// these may take it for one: nothing is known of what was under way.
struct RunIsOver : std::runtime_error {
  RunIsOver() : std::runtime_error("the run is over") {}
};

// The target, until is_over() says so; from then on every probe throws RunIsOver.
class TargetUntil final : public Target {
 public:
  TargetUntil(std::unique_ptr<Target> target, std::function<bool()> is_over)
      : target_(std::move(target)), is_over_(std::move(is_over)) {}

  std::vector<double> run(const Batch& batch) override { return running().run(batch); }
  bool has(spec::Routine routine, spec::Type type) override { return target_->has(routine, type); }
  std::vector<double> run_matrix(const MatrixBatch& batch) override {
    return running().run_matrix(batch);
  }
  std::vector<std::vector<double>> run_matrices(std::span<const MatrixBatch> batches) override {
    return running().run_matrices(batches);
  }
  std::vector<std::uint64_t> signatures(const Call& call,
                                        std::span<const UniformProbe> probes) override {
    return running().signatures(call, probes);
  }
  bool has_both_faces(spec::Routine routine, spec::Type type) override {
    return target_->has_both_faces(routine, type);
  }
  bool has_conjugate() override { return target_->has_conjugate(); }
  std::vector<std::pair<std::string, std::string>> identity() override {
    return target_->identity();
  }
  void keep_to(const CoreSet& cores) override { target_->keep_to(cores); }
  std::int64_t calls() const override { return target_->calls(); }

 private:
  Target& running() {
    if (is_over_ && is_over_()) throw RunIsOver();
    return *target_;
  }

  const std::unique_ptr<Target> target_;
  const std::function<bool()> is_over_;
};

// The contexts of one routine that were not captured when the run was over. @pre not empty
inline spec::Refusal not_reached(const std::string& routine,
                                 const std::vector<std::string>& contexts) {
  std::string names;
  for (const std::string& context : contexts) names += (names.empty() ? "" : ", ") + context;
  return {routine, contexts.size() == 1 ? contexts.front() : "", "not_reached",
          "the run was over before these were captured: " + names};
}

}  // namespace reprosum::reveal
