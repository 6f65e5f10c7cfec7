#include "spec/evaluate/walk_schema.h"

#include <optional>

#include "spec/evaluate/arithmetic.h"
#include "spec/evaluate/fused_sum.h"
#include "spec/evaluate/lane_rows.h"
#include "spec/evaluate/schema_walker.h"
#include "spec/evaluate/walk_rules.h"

namespace reprosum::spec {
namespace {

// A sum of its own, as wide as its order leaves it.
template <class T>
double sub_order_value(const Order& order, std::int64_t n, const Operands<T>& data) {
  const auto piece = [&](const Order& of, const Rule& rule, std::int64_t length, std::int64_t at,
                         const Operands<T>& of_data) {
    return walk(of, rule, length, at, of_data);
  };
  RuleWalker<T, decltype(piece)> walker(data, piece);
  return walker.run(order, n);
}

// One sum or dot product.
template <class T>
struct SumValues {
  using Value = std::optional<double>;
  const Order& order;  // whose subs add runs
  const Operands<T>& data;
  const double* sum_so_far = nullptr;
  LaneBlocks<T>* blocks = nullptr;

  static void require(bool wide) { Arithmetic<T>::require(wide); }
  static bool present(const Value& value) { return value.has_value(); }

  void add(NodeFormat format, Value& sum, const Value& right, Scale scale) {
    if (scale != Scale::none) refuse();
    sum = sum ? Arithmetic<T>::add(data.flush, format, *sum, *right) : *right;
  }
  void add_constant(NodeFormat format, Leaf leaf, Value& sum) {
    if (leaf != Leaf::zero && (leaf != Leaf::out || sum_so_far == nullptr)) refuse();
    const double value = leaf == Leaf::zero ? 0.0 : *sum_so_far;
    sum = sum ? Arithmetic<T>::add(data.flush, format, *sum, value) : value;
  }
  void add_leaves(NodeFormat format, const Shape& shape, Value& sum, std::int64_t k,
                  std::int64_t step, std::int64_t count) {
    if (shape.scale != Scale::none || shape.skip != Skip::none) refuse();
    if (sum) {
      sum = spec::add_leaves(data, format, shape.leaf, *sum, k, step, count);
      return;
    }
    const double start = leaf_value(data, shape.leaf, k);
    sum = count == 1 ? start
                     : spec::add_leaves(data, format, shape.leaf, start, k + step, step, count - 1);
  }
  void add_sub_run(NodeFormat format, std::int32_t index, Value& sum, std::int64_t k,
                   std::int64_t step, std::int64_t count) {
    // Blocks of lanes keep subnormal numbers.
    const T* value = data.flush == Flush::none ? blocks->values(index, k, step, count) : nullptr;
    if (value != nullptr) return add(format, sum, static_cast<double>(*value), Scale::none);
    const auto& sub = order.subs.at(static_cast<std::size_t>(index));
    const double lane =
        sub_order_value(sub, count,
                        Operands<T>{data.x + k * data.incx, step * data.incx,
                                    data.y == nullptr ? nullptr : data.y + k * data.incy,
                                    step * data.incy, data.flush});
    add(format, sum, lane, Scale::none);
  }
  static FusedSum fused_sum(const Fused& fused) { return {fused, type_of<T>().accumulator}; }
  void take_product(std::int64_t k, FusedSum& sum) const {
    const auto x = static_cast<double>(data.x[k * data.incx]);
    data.y == nullptr ? sum.take(x, false)
                      : sum.take_product(x, static_cast<double>(data.y[k * data.incy]));
  }
  static void take(const Value& value, bool is_constant, FusedSum& sum) {
    sum.take(*value, is_constant);
  }
  static void leave_out(FusedSum& sum) { sum.leave_out(); }
  static Value value_of(FusedSum& sum) { return sum.finish(); }
  [[noreturn]] static void refuse() {
    throw UserError("the order is that of a matrix update: it names the output, alpha or zeros");
  }
};

// The same, by the code of chains.
template <class T>
struct CodedValues : SumValues<T> {
  const ChainCodes& codes;

  using SumValues<T>::value_of;
  const ChainPiece* chain_piece(std::size_t chain) const { return codes.find(chain); }
  typename SumValues<T>::Value value_of(const ChainPiece& piece, std::int64_t k,
                                        std::int64_t rows) const {
    return codes.value(piece, k, rows);
  }
};

}  // namespace

template <class T>
std::optional<double> walk(const Order& order, const Rule& rule, std::int64_t n, std::int64_t at,
                           const Operands<T>& data, const double* sum) {
  LaneBlocks<T> blocks(order, {data.x, data.incx, data.y, data.incy, 1}, at, at + n);
  SumValues<T> values{order, data, sum, &blocks};
  return walk_piece(rule, n, at, values).value_or(std::nullopt);
}

template <class T>
std::optional<double> walk(const Order& order, const Rule& rule, std::int64_t n, std::int64_t at,
                           const Operands<T>& data, const ChainCodes& codes) {
  LaneBlocks<T> blocks(order, {data.x, data.incx, data.y, data.incy, 1}, at, at + n);
  CodedValues<T> values{{order, data, nullptr, &blocks}, codes};
  return walk_piece(rule, n, at, values).value_or(std::nullopt);
}

template std::optional<double> walk(const Order&, const Rule&, std::int64_t, std::int64_t,
                                    const Operands<float>&, const ChainCodes&);
template std::optional<double> walk(const Order&, const Rule&, std::int64_t, std::int64_t,
                                    const Operands<double>&, const ChainCodes&);
template std::optional<double> walk(const Order&, const Rule&, std::int64_t, std::int64_t,
                                    const Operands<float>&, const double*);
template std::optional<double> walk(const Order&, const Rule&, std::int64_t, std::int64_t,
                                    const Operands<double>&, const double*);

}  // namespace reprosum::spec
