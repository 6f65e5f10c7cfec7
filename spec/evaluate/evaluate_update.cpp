// One output of a matrix update, without its tree.
#include <string>

#include "spec/error.h"
#include "spec/evaluate/block.h"
#include "spec/evaluate/evaluate_matrix.h"

namespace reprosum::spec {

template <class T>
T evaluate_update(const Order& order, std::int64_t n, const T* x, std::int64_t incx, const T* y,
                  std::int64_t incy, const Update<T>& update) {
  if (n < 1) throw UserError("n must be positive, not " + std::to_string(n));
  if (update.alpha == 0 && update.alpha_zero == MatrixClass::AlphaZero::skip)
    return MatrixClass::multiplies(update.beta_zero, update.beta)
               ? update.beta * update.c
               : MatrixClass::stored_zero(update.beta_zero, update.beta);
  BlockValues<T, 1> values{
      {x, incx, y, incy, true}, update.alpha, update.beta, &update.c, update.beta_zero};
  T out{};
  evaluate_block(order, n, values, &out);
  return out;
}

template float evaluate_update(const Order&, std::int64_t, const float*, std::int64_t, const float*,
                               std::int64_t, const Update<float>&);
template double evaluate_update(const Order&, std::int64_t, const double*, std::int64_t,
                                const double*, std::int64_t, const Update<double>&);

}  // namespace reprosum::spec
