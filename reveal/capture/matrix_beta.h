// A library may add a product to C as it is where beta is 1, and scale C at another place of the
// order where it is not.
#pragma once

#include <cstdint>
#include <vector>

#include "reveal/target/wrapped_target.h"
#include "spec/guard.h"

namespace reprosum::reveal {

// The target, but every call gets such a beta and a C that makes the same beta*C: beta = 1 and the
// rounded product as C, or beta = 1/2 and 2*C in place of beta = 1. Probes of it show the update of
// such calls. The target must outlive this.
class BetaTarget final : public WrappedTarget {
 public:
  BetaTarget(Target& target, spec::Beta beta) : WrappedTarget(target), beta_(beta) {}

  std::vector<double> run_matrix(const MatrixBatch& batch) override;
  std::vector<std::vector<double>> run_matrices(std::span<const MatrixBatch> batches) override;
  std::vector<std::uint64_t> signatures(const Call& call,
                                        std::span<const UniformProbe> probes) override;

 private:
  const spec::Beta beta_;
};

// {any}, or {one, other} where 1 times C gives other bits than 1/2 times 2*C at one of a few
// shapes.
std::vector<spec::Beta> beta_classes(Target& target, const Call& context,
                                     const spec::Shape3& largest, std::uint64_t seed);

// Whether beta = NaN leaves no NaN at any of a few shapes, whatever is added to it: C is scaled by
// code that takes it for beta = 0.
bool takes_nan_beta_for_zero(Target& target, const Call& context, const spec::Shape3& largest,
                             std::uint64_t seed);

// "", ", beta = 1", ", beta other than 1".
const char* name(spec::Beta beta);

}  // namespace reprosum::reveal
