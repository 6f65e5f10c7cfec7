// Replaying gemv and gemm: every output by the order of its region.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/kernel.h"
#include "spec/evaluate/evaluate_matrix.h"
#include "spec/spec.h"

namespace reprosum::kernels {

// The kernels of the classes of one region rule. Thread safe: kernels are generated at their first
// use. Holds references to nothing: orders are copied.
template <class T>
class MatrixKernels {
 public:
  virtual ~MatrixKernels() = default;
  // As spec::interpret_matrix, bit for bit, with generated kernels, the outputs spread over
  // `workers` threads (any number gives the same bits).
  virtual void run(const spec::RegionMap& map, const spec::MatrixArguments<T>& arguments,
                   int workers) const = 0;
  // One line per class that has outputs in the map: "<kernel name>: <outputs it computes>", or
  // "interpreter (why)". The code of beta == 0 is another than that of every other beta, and the
  // same for every alpha.
  virtual std::vector<std::string> names(const spec::RegionMap& map, std::int64_t k,
                                         T beta) const = 0;
};

template <class T>
std::shared_ptr<const MatrixKernels<T>> compile_matrix(const spec::Spec& spec,
                                                       const spec::Entry& entry,
                                                       const CompileOptions& options);

}  // namespace reprosum::kernels
