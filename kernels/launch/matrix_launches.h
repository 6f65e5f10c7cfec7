// gemv and gemm on a device: the texts of one region rule's classes, and the launches of a call.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/launch/launch.h"
#include "kernels/matrix/class_code.h"
#include "kernels/text/device_tile.h"
#include "spec/evaluate/rectangles.h"
#include "spec/spec.h"

namespace reprosum::kernels::launch {

// As MatrixArguments, with places of buffers instead of pointers. alpha and beta have a value of
// the routine's type.
struct MatrixCall {
  spec::Routine routine = spec::Routine::gemm;
  spec::Trans trans_a = spec::Trans::no, trans_b = spec::Trans::no;
  std::int64_t m = 0, n = 0, k = 0;  // gemv: n = 1
  double alpha = 1, beta = 0;
  std::int64_t a_at = 0, lda = 0;
  std::int64_t b_at = 0, ldb = 0, incb = 1;  // ldb: gemm; incb: gemv
  std::int64_t c_at = 0, ldc = 0, incc = 1;
};

// Thread safe. Texts are printed when a size first needs them.
class MatrixLaunches {
 public:
  MatrixLaunches(const spec::Spec& spec, const spec::Entry& entry);

  // Buffers: a, b (gemv: x), c (y). m, n >= 0, k >= 1. Throws UserError, in words, where a class
  // that has outputs is not defined at k or has no kernels.
  Launches call(const spec::RegionMap& map, const MatrixCall& call) const;

 private:
  class Rectangles;
  struct Tile {
    std::shared_ptr<const text::DeviceText> text;
    std::int64_t outputs = 0;  // of a group, if it has lanes for them; else it has a tile
  };
  std::shared_ptr<const ClassCode> class_at(const spec::MatrixClass& kind, std::int64_t k,
                                            double beta) const;
  Tile tile(const ClassCode& code, const ClassCode::Step& step,
            const text::DeviceTile& shape) const;
  std::shared_ptr<const text::DeviceText> steps() const;

  const spec::Type type_;
  std::map<std::size_t, spec::Order> orders_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<std::size_t, OutputMode>, std::shared_ptr<const OrderTiles>> tiles_;
  mutable std::map<std::tuple<const Plan*, Ending, text::DeviceTile>, Tile> texts_;
  mutable std::shared_ptr<const text::DeviceText> steps_;
  mutable std::map<std::tuple<std::size_t, OutputMode, std::int64_t>,
                   std::shared_ptr<const ClassCode>>
      codes_;
};

}  // namespace reprosum::kernels::launch
