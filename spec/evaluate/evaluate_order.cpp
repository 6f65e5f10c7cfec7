// The streaming evaluator: an order at n, without its tree.
#include <optional>
#include <string>
#include <variant>

#include "spec/evaluate/evaluate.h"
#include "spec/evaluate/walk_rules.h"
#include "spec/evaluate/walk_schema.h"

namespace reprosum::spec {

template <class T>
T evaluate(const Order& order, std::int64_t n, const T* x, std::int64_t incx, const T* y,
           std::int64_t incy) {
  if (n < 1) throw UserError("n must be positive, not " + std::to_string(n));
  const Operands<T> data{x, incx, y, incy, order.flush};
  const auto piece = [&](const Order& of, const Rule& rule, std::int64_t length, std::int64_t at,
                         const Operands<T>& of_data) {
    return walk(of, rule, length, at, of_data);
  };
  RuleWalker<T, decltype(piece)> walker(data, piece);
  return static_cast<T>(walker.run(order, n));
}

template float evaluate(const Order&, std::int64_t, const float*, std::int64_t, const float*,
                        std::int64_t);
template double evaluate(const Order&, std::int64_t, const double*, std::int64_t, const double*,
                         std::int64_t);

}  // namespace reprosum::spec
