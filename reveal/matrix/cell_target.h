// One class of outputs as a plain dot product, so that the machinery for dot works on it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reveal/matrix/class_order.h"
#include "reveal/target.h"

namespace reprosum::reveal {

// Which data differ from one packed probe to the next; the other operand is shared by the call.
enum class Packing : std::uint8_t {
  rows,     // x differs: cells in distinct rows
  columns,  // y differs: cells in distinct columns
  both,     // x and y differ: cells in distinct rows and distinct columns
};

// Outputs of one alpha and beta. x: rows * k values, or k if `packing` is columns; y: rows * k
// values, or k if it is rows. c: rows values.
struct UpdateRows {
  std::int64_t k = 0, rows = 0;
  Packing packing = Packing::both;
  std::vector<double> x, y, c;
  double alpha = 1, beta = 1;
  const double* x_row(std::int64_t row) const {
    return x.data() + (packing == Packing::columns ? 0 : row * k);
  }
  const double* y_row(std::int64_t row) const {
    return y.data() + (packing == Packing::rows ? 0 : row * k);
  }
};

// As a dot of n summands: x is the row of op(A), y the column of op(B), alpha = beta = 1 and
// C = -0, which changes nothing wherever C enters. At most as many probes as there are suitable
// cells go into one call. A k without a shape of its own is looked at as the first summands of a
// larger one, the others being products -0.
class CellTarget final : public Target {
 public:
  // `target` must outlive this.
  CellTarget(Target& target, CellsAt cells);

  std::vector<double> run(const Batch& batch) override;
  bool has(spec::Routine routine, spec::Type type) override;
  std::vector<std::pair<std::string, std::string>> identity() override;
  std::int64_t calls() const override { return target_.calls(); }

  // One output per row. @pre the class has a shape at data.k (has_shape).
  std::vector<double> update(const UpdateRows& data);
  // update() of each; those of one call go to the target together.
  std::vector<std::vector<double>> updates(std::span<const UpdateRows> data);
  bool has_shape(std::int64_t k);
  // From now on x and y do not change places: products with a zero factor do not commute.
  void keep_operands() { keeps_operands_ = true; }
  // The packing that puts most outputs of random data into one call, and how many.
  std::pair<Packing, std::int64_t> best_packing(std::int64_t k);
  // "sgemm NT m=8 n=4 k=40 output (3, 1)"
  std::string describe(std::int64_t k);

 private:
  using CellList = std::vector<std::pair<std::int64_t, std::int64_t>>;
  struct Place {
    Call call;  // call.k == 0: there is none
    CellList rows, columns, both;
  };
  const Place& place(std::int64_t k);     // of this very k
  const Place& covering(std::int64_t n);  // of the least k >= n that has a shape
  static const CellList& cells_of(const Place& place, Packing packing);
  std::vector<double> run_edits(const Place& place, const Batch& batch);
  std::vector<double> run_rows(const Place& place, const Batch& batch);
  std::vector<double> update(const Place& place, const UpdateRows& data);
  struct Request {
    std::vector<double> a, b;
    MatrixBatch batch;  // of them, and of the data's C
  };
  static Request request_of(const Place& place, const UpdateRows& data);
  static std::size_t add_call(const UpdateRows& data, std::size_t at, MatrixBatch& batch);

  Target& target_;
  bool keeps_operands_ = false;
  CellsAt cells_;
  std::map<std::int64_t, Place> places_;
  std::map<std::int64_t, std::int64_t> covering_;  // n without a shape -> k that has one
};

}  // namespace reprosum::reveal
