// A target that may be asked for so many products.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "reveal/refused.h"
#include "reveal/region.h"
#include "reveal/target/wrapped_target.h"

namespace reprosum::reveal {

// Throws Refused once `seconds`, which are counted in calls and products, are spent. They are taken
// from there, so that several targets may share them. Both must outlive this.
class BudgetTarget final : public WrappedTarget {
 public:
  BudgetTarget(Target& target, double& seconds) : WrappedTarget(target), seconds_(seconds) {}

  std::vector<double> run_matrix(const MatrixBatch& batch) override {
    spend(batch.call, std::max<std::size_t>(1, batch.probes.size()));
    return target_.run_matrix(batch);
  }
  std::vector<std::vector<double>> run_matrices(std::span<const MatrixBatch> batches) override {
    for (const MatrixBatch& batch : batches)
      spend(batch.call, std::max<std::size_t>(1, batch.probes.size()));
    return target_.run_matrices(batches);
  }
  std::vector<std::uint64_t> signatures(const Call& call,
                                        std::span<const UniformProbe> probes) override {
    spend(call, probes.size());
    return target_.signatures(call, probes);
  }

 private:
  void spend(const Call& call, std::size_t calls) {
    const double products = static_cast<double>(call.m * call.n) * static_cast<double>(call.k);
    seconds_ -= counted_seconds(static_cast<double>(calls), products);
    if (seconds_ < 0) throw Refused("not_probed", "the time for the orders of such sizes ended");
  }

  double& seconds_;
};

}  // namespace reprosum::reveal
