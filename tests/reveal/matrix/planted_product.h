// Matrix products inside this process, every output by a given function.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "reveal/matrix/class_order.h"
#include "reveal/target.h"

namespace reprosum::reveal::test {

// One output from a row of op(A) and a column of op(B), k values each.
struct Element {
  const Call& call;
  std::int64_t i = 0, j = 0;
  const double* x = nullptr;
  const double* y = nullptr;
  double alpha = 1, beta = 0, c = 0;
  std::int64_t k() const { return call.k; }
};
using ElementFunction = std::function<double(const Element&)>;

class PlantedProduct final : public Target {
 public:
  explicit PlantedProduct(ElementFunction element) : element_(std::move(element)) {}

  std::vector<double> run(const Batch&) override { throw TargetError("declined", "no dot"); }
  std::vector<double> run_matrix(const MatrixBatch& batch) override;
  bool has(spec::Routine routine, spec::Type) override {
    return routine == spec::Routine::gemm || routine == spec::Routine::gemv;
  }
  std::vector<std::pair<std::string, std::string>> identity() override { return {}; }
  std::int64_t calls() const override { return calls_; }

 private:
  ElementFunction element_;
  std::int64_t calls_ = 0;
};

// The outputs on the diagonal of an m x m product (gemm), or all of m (gemv).
CellsAt diagonal(spec::Routine routine, spec::Type type, std::int64_t m);

}  // namespace reprosum::reveal::test
