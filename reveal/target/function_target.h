// A target inside this process: a function with a known order, for tests and for synthetic orders.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "reveal/target.h"

namespace reprosum::reveal {

class FunctionTarget final : public Target {
 public:
  // x and y are the call.k summands in logical order (increments and alignment are resolved; with
  // an increment of 0 all are equal; y is all ones for sum). The result is rounded to call.type by
  // the function itself.
  using Function = std::function<double(const Call& call, const double* x, const double* y)>;

  // Output (i, j) of gemv or gemm: the k values of row i of op(A) and of column j of op(B), all in
  // logical order, and C(i, j), NaN where no C was given. Rounded by the function itself.
  using MatrixFunction =
      std::function<double(const Call& call, std::int64_t i, std::int64_t j, const double* a_row,
                           const double* b_column, double alpha, double beta, double c)>;

  // has() is true for `routines`; empty: for sum and dot of every type.
  explicit FunctionTarget(Function function,
                          std::vector<std::pair<spec::Routine, spec::Type>> routines = {},
                          std::string name = "function");
  // The same for gemv and gemm.
  explicit FunctionTarget(MatrixFunction function,
                          std::vector<std::pair<spec::Routine, spec::Type>> routines = {},
                          std::string name = "function");
  // Adds gemv and gemm to a target of sum and dot, or replaces them.
  void set_matrix_function(MatrixFunction function) { matrix_function_ = std::move(function); }
  // The functions tell the faces apart, by Call::cblas and Call::conjugate.
  void take_both_faces() { has_both_faces_ = true; }
  // Says that the functions also serve calls without summands, whose data they must not touch.
  // Until then such calls are declined.
  void take_empty_calls() { takes_empty_calls_ = true; }

  std::vector<double> run(const Batch& batch) override;
  std::vector<double> run_matrix(const MatrixBatch& batch) override;
  std::vector<std::uint64_t> signatures(const Call& call,
                                        std::span<const UniformProbe> probes) override;
  bool has(spec::Routine routine, spec::Type type) override;
  bool has_both_faces(spec::Routine routine, spec::Type type) override {
    return has_both_faces_ && has(routine, type);
  }
  bool has_conjugate() override { return has_both_faces_; }
  std::vector<std::pair<std::string, std::string>> identity() override;
  std::int64_t calls() const override { return calls_; }

 private:
  void require(const Call& call);
  void require_summands(std::int64_t count) const;

  Function function_;
  MatrixFunction matrix_function_;
  std::vector<std::pair<spec::Routine, spec::Type>> routines_;
  std::string name_;
  std::int64_t calls_ = 0;
  bool takes_empty_calls_ = false, has_both_faces_ = false;
};

// Where a function may believe that the operands of its call lie, as a library would: x and y of a
// dot product are a and b.
struct Addresses {
  std::uint64_t a = 0, b = 0, c = 0;
};
Addresses addresses_of(const Call& call);

}  // namespace reprosum::reveal
