// Sums and dot products on a device: the texts of one order, and the launches of a call.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>

#include "kernels/launch/launch.h"
#include "kernels/launch/sum_pieces.h"
#include "kernels/plan/sequential.h"
#include "kernels/text/device_rows.h"
#include "spec/spec.h"

namespace reprosum::kernels::launch {

// Rows of n summands each. Places are in elements: the first summand of row r is x_at + r*ldx.
struct RowsCall {
  std::int64_t n = 0, rows = 1;
  std::int64_t x_at = 0, incx = 1, ldx = 0;
  std::int64_t y_at = 0, incy = 1, ldy = 0;  // of a dot product
};

// A single row of that many summands, or few of them, that an order adds to one accumulator is
// added out of order: kernels/chain/README.md.
inline constexpr std::int64_t kLeastChain = 1 << 16, kMostChains = 16;

// Thread safe. Texts are printed when a size first needs them.
class SumLaunches {
 public:
  // out_of_order: whether long sequential sums may be, where that is faster: not on devices without
  // f64, nor where work-items take turns.
  // Throws UserError, in words, for an order that no device has kernels for.
  SumLaunches(spec::Order order, spec::Routine routine, spec::Type type, bool out_of_order = true);

  // Buffers: x, (y of a dot product,) out: the values of all rows, side by side. n >= 1, rows >= 0.
  // Throws UserError, in words, where the order is not defined at n or cannot be printed.
  Launches call(const RowsCall& call) const;

 private:
  struct Kernel {
    std::shared_ptr<const text::DeviceText> text;
    std::int64_t rows = 1;  // of a group
  };
  struct Walked {
    SumPieces pieces;
    std::vector<std::shared_ptr<const std::vector<std::int64_t>>> places;  // per group
    std::shared_ptr<const std::vector<std::int64_t>> list;
  };

  Kernel kernel(std::size_t piece, std::int64_t n, text::DeviceRows rows) const;
  std::string comment(std::size_t piece, bool zero_start) const;
  std::shared_ptr<const Walked> walked(std::int64_t n) const;
  bool is_direct(std::int64_t n, std::size_t& piece) const;
  std::vector<Argument> operands(const RowsCall& call) const;
  Launches whole(const RowsCall& call, std::size_t piece) const;
  std::optional<Sequential> chain_of(const RowsCall& call, std::size_t piece) const;
  Launches chain(const RowsCall& call, const Sequential& order) const;

  const spec::Order order_;
  const spec::Routine routine_;
  const spec::Type type_;
  const PieceTable table_;
  const RulePlan single_;
  const bool out_of_order_;  // whether long sequential sums may be
  mutable std::mutex mutex_;
  mutable std::map<std::tuple<std::size_t, const Plan*, text::DeviceRows>, Kernel> kernels_;
  mutable std::shared_ptr<const text::DeviceText> combine_, chain_;
  mutable std::map<std::int64_t, std::shared_ptr<const Walked>> walked_;
};

}  // namespace reprosum::kernels::launch
