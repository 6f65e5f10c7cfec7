// Every output of a gemm or gemv by the interpreter, blocks of outputs of one class at a time.
#include <algorithm>
#include <string>
#include <vector>

#include "spec/error.h"
#include "spec/evaluate/block.h"
#include "spec/evaluate/evaluate_matrix.h"
#include "spec/evaluate/rectangles.h"

namespace reprosum::spec {
namespace {

template <class T>
class Interpreter {
  static constexpr int kWidth = 128 / sizeof(T);  // four vectors: enough chains side by side

 public:
  Interpreter(const MatrixClass& kind, const Order& order, const MatrixArguments<T>& call,
              std::vector<T>& packed)
      : class_(kind), order_(order), call_(call), packed_(packed) {}

  void run(const Rectangle& r) {
    if (call_.alpha == 0 && class_.alpha_zero == MatrixClass::AlphaZero::skip) return scale(r);
    // Blocks lie along the longer side, so that few lanes are idle.
    const bool down = r.rows >= std::min<std::int64_t>(r.columns, kWidth);
    const std::int64_t along = down ? r.rows : r.columns, across = down ? r.columns : r.rows;
    packed_.resize(static_cast<std::size_t>(call_.k * kWidth));
    for (std::int64_t v = 0; v < along; v += kWidth) {
      const std::int64_t count = std::min<std::int64_t>(along - v, kWidth);
      pack(r, down, v, count);
      for (std::int64_t u = 0; u < across; ++u) block(r, down, v, count, u);
    }
  }

 private:
  void scale(const Rectangle& r) {
    const MatrixClass::BetaZero rule = class_.beta_zero_at(call_.k);
    const bool multiplies = MatrixClass::multiplies(rule, call_.beta);
    const T zero = MatrixClass::stored_zero(rule, call_.beta);
    for (std::int64_t j = r.column; j < r.column + r.columns; ++j) {
      for (std::int64_t i = r.row; i < r.row + r.rows; ++i) {
        T* const c = call_.at_c(i, j);
        *c = multiplies ? call_.beta * *c : zero;
      }
    }
  }

  // Lanes without an output hold zeros.
  void pack(const Rectangle& r, bool down, std::int64_t v, std::int64_t count) {
    std::fill(packed_.begin(), packed_.end(), T(0));
    const auto at = [&](std::int64_t w, std::int64_t p) {
      return down ? call_.at_a(r.row + v + w, p) : call_.at_b(p, r.column + v + w);
    };
    const T* const first = at(0, 0);
    const std::int64_t to_lane = at(1, 0) - first, to_summand = at(0, 1) - first;
    T* const packed = packed_.data();
    if (to_lane == 1) {  // neighbours in memory in the inner loop
      for (std::int64_t p = 0; p < call_.k; ++p)
        for (std::int64_t w = 0; w < count; ++w) packed[p * kWidth + w] = first[p * to_summand + w];
      return;
    }
    for (std::int64_t w = 0; w < count; ++w)
      for (std::int64_t p = 0; p < call_.k; ++p)
        packed[p * kWidth + w] = first[w * to_lane + p * to_summand];
  }

  void block(const Rectangle& r, bool down, std::int64_t v, std::int64_t count, std::int64_t u) {
    const auto output = [&](std::int64_t w) {
      return down ? call_.at_c(r.row + v + w, r.column + u)
                  : call_.at_c(r.row + u, r.column + v + w);
    };
    const std::int64_t i = r.row + u, j = r.column + u;
    const T* const scalar = down ? call_.at_b(0, j) : call_.at_a(i, 0);
    const T* const next = down ? call_.at_b(1, j) : call_.at_a(i, 1);
    T c[kWidth] = {}, out[kWidth];
    if (MatrixClass::multiplies(class_.beta_zero_at(call_.k), call_.beta))
      for (std::int64_t w = 0; w < count; ++w) c[w] = *output(w);
    BlockValues<T, kWidth> values{{packed_.data(), kWidth, scalar, next - scalar, down},
                                  call_.alpha,
                                  call_.beta,
                                  c,
                                  class_.beta_zero_at(call_.k)};
    evaluate_block(order_, call_.k, values, out);
    for (std::int64_t w = 0; w < count; ++w) *output(w) = out[w];
  }

  const MatrixClass& class_;
  const Order& order_;
  const MatrixArguments<T>& call_;
  std::vector<T>& packed_;
};

}  // namespace

template <class T>
void interpret_rectangle(const MatrixClass& kind, const Order& order,
                         const MatrixArguments<T>& arguments, const Rectangle& rectangle) {
  std::vector<T> packed;
  Interpreter<T>(kind, order, arguments, packed).run(rectangle);
}

template <class T>
void interpret_matrix(const RegionMap& map, const std::vector<Order>& orders,
                      const MatrixArguments<T>& arguments) {
  if (arguments.k < 1) throw UserError("k must be positive, not " + std::to_string(arguments.k));
  std::vector<T> packed;
  for (const Rectangle& r : rectangles(map)) {
    const MatrixClass& kind = map.regime->classes.at(static_cast<std::size_t>(r.kind));
    Interpreter<T>(kind, orders.at(kind.order), arguments, packed).run(r);
  }
}

template void interpret_rectangle(const MatrixClass&, const Order&, const MatrixArguments<float>&,
                                  const Rectangle&);
template void interpret_rectangle(const MatrixClass&, const Order&, const MatrixArguments<double>&,
                                  const Rectangle&);
template void interpret_matrix(const RegionMap&, const std::vector<Order>&,
                               const MatrixArguments<float>&);
template void interpret_matrix(const RegionMap&, const std::vector<Order>&,
                               const MatrixArguments<double>&);

}  // namespace reprosum::spec
