// Which addresses and leading dimensions of a gemv or gemm share their orders?
#pragma once

#include <cstdint>
#include <vector>

#include "reveal/target/wrapped_target.h"
#include "spec/addresses.h"

namespace reprosum::reveal {

// The call with addresses of these residues modulo the moduli, and the least leading dimensions of
// at least its own padding. @pre the call is by columns.
Call placed(Call call, const spec::AddressGuard& where, const spec::Residues& residues);

// The target with every call placed so. The target must outlive this.
class PlacedTarget final : public WrappedTarget {
 public:
  PlacedTarget(Target& target, spec::AddressGuard where) : WrappedTarget(target), where_(where) {}

  std::vector<double> run_matrix(const MatrixBatch& batch) override;
  std::vector<std::vector<double>> run_matrices(std::span<const MatrixBatch> batches) override;
  std::vector<std::uint64_t> signatures(const Call& call,
                                        std::span<const UniformProbe> probes) override;

 private:
  Call place(const Call& call) const {
    return where_.is_any() ? call : placed(call, where_, where_.residues.front());
  }

  const spec::AddressGuard where_;
};

// Guards that divide all addresses into classes, each with one map and one order for every output
// of a few shapes; {any} if addresses do not matter there, or the target cannot choose them. Throws
// Refused("address_dependent") where more than 1024 residues matter or none explain what is seen.
std::vector<spec::AddressGuard> address_classes(Target& target, const Call& context,
                                                const spec::Shape3& largest, std::uint64_t seed);

}  // namespace reprosum::reveal
