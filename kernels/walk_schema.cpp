#include "kernels/walk_schema.h"

#include <optional>

#include "kernels/arithmetic.h"
#include "kernels/schema_walker.h"

namespace reprosum::kernels {
namespace {

using spec::Format;
using spec::Leaf;
using spec::Scale;

// One sum or dot product.
template <class T>
struct SumValues {
  using Value = std::optional<double>;
  const Operands<T>& data;
  const double* sum_so_far = nullptr;

  static void require(bool wide) { Arithmetic<T>::require(wide); }
  static bool present(const Value& value) { return value.has_value(); }

  void add(Format format, Value& sum, const Value& right, Scale scale) {
    if (scale != Scale::none) refuse();
    sum = sum ? Arithmetic<T>::add(format, *sum, *right) : *right;
  }
  void add_constant(Format format, Leaf leaf, Value& sum) {
    if (leaf != Leaf::zero && (leaf != Leaf::out || sum_so_far == nullptr)) refuse();
    const double value = leaf == Leaf::zero ? 0.0 : *sum_so_far;
    sum = sum ? Arithmetic<T>::add(format, *sum, value) : value;
  }
  void add_leaves(Format format, const spec::Shape& shape, Value& sum, std::int64_t k,
                  std::int64_t step, std::int64_t count) {
    if (shape.scale != Scale::none || shape.skip != spec::Skip::none) refuse();
    if (sum) {
      sum = kernels::add_leaves(data, format, shape.leaf, *sum, k, step, count);
      return;
    }
    const double start = leaf_value(data, shape.leaf, k);
    sum = count == 1
              ? start
              : kernels::add_leaves(data, format, shape.leaf, start, k + step, step, count - 1);
  }
  [[noreturn]] static void refuse() {
    throw UserError("the order is that of a matrix update: it names the output, alpha or zeros");
  }
};

}  // namespace

template <class T>
std::optional<double> walk(const spec::Rule& rule, std::int64_t n, std::int64_t at,
                           const Operands<T>& data, const double* sum) {
  SumValues<T> values{data, sum};
  return walk_piece(rule, n, at, values).value_or(std::nullopt);
}

template std::optional<double> walk(const spec::Rule&, std::int64_t, std::int64_t,
                                    const Operands<float>&, const double*);
template std::optional<double> walk(const spec::Rule&, std::int64_t, std::int64_t,
                                    const Operands<double>&, const double*);

}  // namespace reprosum::kernels
