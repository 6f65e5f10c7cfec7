// One gemv or gemm through the C API, with operands laid out as BLAS wants them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/random_product.h"
#include "bench/replay_calls.h"

namespace reprosum::bench {

// The operands of one call in memory, between NaN. The layout is written down here once more, apart
// from the target's, so that a mistake in either shows.
class PlacedProduct {
 public:
  explicit PlacedProduct(const RandomProduct& product);
  ~PlacedProduct();
  PlacedProduct(const PlacedProduct&) = delete;
  PlacedProduct& operator=(const PlacedProduct&) = delete;

  // @post on REPROSUM_OK result() is op(A)*op(B) and so on; C starts from the drawn one each time.
  reprosum_status replay(const Handle& handle);
  // Output (i, j) at i + j*m.
  std::vector<double> result() const;
  // Nothing but outputs was written: not between, before or behind them.
  bool gaps_kept() const;
  // Not even outputs were.
  bool untouched() const;

 private:
  template <class T>
  struct Memory;
  std::unique_ptr<Memory<float>> f32_;
  std::unique_ptr<Memory<double>> f64_;
};

}  // namespace reprosum::bench
