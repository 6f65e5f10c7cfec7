// The tile calls that made one product, to be made again for the next one of its shape: finding
// them takes as long as a product of 30 rows.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/matrix.h"
#include "kernels/plan/fold.h"
#include "kernels/program/tile.h"

namespace reprosum::kernels {

template <class T>
class RecordedCalls {
 public:
  // What was done in a way that hangs on more than the shape, or in too many calls, is not kept.
  void give_up() { is_whole_ = false; }

  // Starts anew with the calls of a product.
  void begin(const spec::MatrixArguments<T>& call) {
    call_ = call;
    steps_.clear();
    is_whole_ = true;
    is_ended_ = false;
  }
  // After the last call; without this, as when memory is not to be had midway, nothing is kept.
  // Whether all was kept.
  bool end() { return is_ended_ = is_whole_; }
  // @pre operands and output of the tile lie in those of begin()'s call
  void add(TileFunction function, const TileCall<T>& tile, bool vector_is_a, bool goes_on) {
    if (!has_room()) return;
    Step step;
    step.function = function;
    step.tile = tile;
    step.vector_is_a = vector_is_a;
    step.goes_on = goes_on;
    step.vector = tile.vector - (vector_is_a ? call_.a : call_.b);
    step.scalar = tile.scalar - (vector_is_a ? call_.b : call_.a);
    step.c = tile.c - call_.c;
    steps_.push_back(step);
  }
  // The output as the start of a sum, or +0 as its start or as an addend.
  void add_constant(FoldStep::Kind kind, bool is_first, T* c, std::int64_t down,
                    std::int64_t c_down, std::int64_t across, std::int64_t c_across) {
    if (!has_room()) return;
    Step step;
    step.kind = kind;
    step.goes_on = !is_first;
    step.c = c - call_.c;
    step.tile.down = down;
    step.tile.vector_step = c_down;
    step.tile.scalar_step = across;
    step.tile.c_column = c_across;
    steps_.push_back(step);
  }

  // Whether operands of this call lie as those that were recorded. @pre the shapes are equal
  bool fits(const spec::MatrixArguments<T>& call) const {
    return is_ended_ && call.trans_a == call_.trans_a && call.trans_b == call_.trans_b &&
           call.lda == call_.lda && call.ldb == call_.ldb && call.ldc == call_.ldc &&
           call.incb == call_.incb && call.incc == call_.incc && call.routine == call_.routine;
  }
  // @pre fits(call)
  void run(const spec::MatrixArguments<T>& call) const {
    for (const Step& step : steps_) {
      if (step.function == nullptr) {
        const TileCall<T>& at = step.tile;
        start(step.kind, !step.goes_on, call.beta, call.c + step.c, at.down, at.vector_step,
              at.scalar_step, at.c_column);
        continue;
      }
      TileCall<T> tile = step.tile;
      tile.vector = (step.vector_is_a ? call.a : call.b) + step.vector;
      tile.scalar = (step.vector_is_a ? call.b : call.a) + step.scalar;
      tile.c = call.c + step.c;
      tile.alpha = call.alpha;
      tile.beta = step.goes_on ? T(1) : call.beta;
      step.function(&tile);
    }
  }

  static void start(FoldStep::Kind kind, bool is_first, T beta, T* c, std::int64_t down,
                    std::int64_t c_down, std::int64_t across, std::int64_t c_across) {
    if (kind == FoldStep::Kind::output && beta == 1) return;
    for (std::int64_t j = 0; j < across; ++j) {
      for (std::int64_t i = 0; i < down; ++i) {
        T& value = c[i * c_down + j * c_across];
        if (kind == FoldStep::Kind::output)
          value = beta * value;
        else
          value = is_first ? T(0) : value + T(0);
      }
    }
  }

 private:
  static constexpr std::size_t kMost = 128;  // more calls are not short

  struct Step {
    TileFunction function = nullptr;  // nullptr: a constant
    FoldStep::Kind kind = FoldStep::Kind::zero;
    TileCall<T> tile;
    bool vector_is_a = true, goes_on = false;
    std::int64_t vector = 0, scalar = 0, c = 0;  // elements from the operands' first ones
  };
  bool has_room() {
    if (steps_.size() >= kMost) is_whole_ = false;
    return is_whole_;
  }

  spec::MatrixArguments<T> call_;
  std::vector<Step> steps_;
  bool is_whole_ = false, is_ended_ = false;
};

}  // namespace reprosum::kernels
