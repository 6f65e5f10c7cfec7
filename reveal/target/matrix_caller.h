// run_matrix() and signatures() of a blas: target: requests for the child, in pieces that fit.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "reveal/target/blas_connection.h"

namespace reprosum::reveal {

class MatrixCaller {
 public:
  // The connection must outlive this.
  explicit MatrixCaller(BlasConnection& connection) : connection_(connection) {}

  // @pre the batch was checked and the library has the routine. Throws TargetError, declined for
  // what does not fit 32-bit integers or the memory, for increments of 0, and for row-major calls
  // without CBLAS.
  std::vector<double> run(const MatrixBatch& batch);
  // run() of each, the small ones several at a time.
  std::vector<std::vector<double>> run_all(std::span<const MatrixBatch> batches);
  std::vector<std::uint64_t> signatures(const Call& call, std::span<const UniformProbe> probes);

 private:
  // What the child's operands are.
  struct Placed {
    Call call;
    std::uint64_t base_id = 0;
    std::uint64_t life = 0;
    std::size_t a = 0, b = 0, c = 0;  // numbers of values
    bool operator==(const Placed&) const = default;
  };

  void decline_unless_callable(const Call& call) const;
  // Throw TargetError, declined.
  MatrixRequest request_of(const MatrixBatch& batch) const;
  void put_values(const MatrixBatch& batch, std::size_t at);
  void put_wanted(const MatrixBatch& batch, std::size_t at);
  std::int64_t encode_probes(const MatrixBatch& batch, std::size_t from, std::size_t at_most,
                             std::size_t at);
  std::size_t count_together(std::span<const MatrixBatch> batches) const;
  void run_together(std::span<const MatrixBatch> batches, std::vector<double>* outputs);

  BlasConnection& connection_;
  std::optional<Placed> placed_;
  std::size_t values_touched_ = 0, results_touched_ = 0, wanted_touched_ = 0;
};

}  // namespace reprosum::reveal
