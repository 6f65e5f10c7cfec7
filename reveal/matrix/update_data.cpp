#include "reveal/matrix/update_data.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reveal/check/replay_check.h"
#include "spec/error.h"
#include "spec/evaluate/replay_matrix.h"

namespace reprosum::reveal {
namespace {

double rounded(spec::Type type, double value) { return spec::rounded(type.input, value); }

// A C that is about as large as what is added to it, or cancels most of it.
double output_value(const UpdateRows& data, std::int64_t row, Data kind, spec::Type type,
                    FastRandom& random) {
  // Mostly a -0 when beta has acted, which is no more where a +0 is added.
  if (kind == Data::zeros) return (random.below(4) == 0) != (data.beta < 0) ? 0.0 : -0.0;
  if (data.beta == 0 && random.below(2) == 0) return std::numeric_limits<double>::quiet_NaN();
  if (kind == Data::special && random.below(4) == 0)
    return random.below(2) == 0 ? std::numeric_limits<double>::infinity()
                                : std::numeric_limits<double>::quiet_NaN();
  double sum = 0, size = 0;
  for (std::int64_t p = 0; p < data.k; ++p) {
    const double product = data.x_row(row)[p] * data.y_row(row)[p];
    if (!std::isfinite(product)) continue;
    sum += product;
    size = std::max(size, std::abs(product));
  }
  double value = (random.unit() * 2 - 1) * std::max(std::abs(sum), size);
  if (row % 2 == 0 && data.beta != 0)
    value = -data.alpha * sum / data.beta * (1 + (random.unit() - 0.5) * 0x1p-4);
  if (!std::isfinite(value)) value = 1;
  const double most = spec::is_f32(type) ? 0x1p120 : 0x1p1000;
  return rounded(type, std::clamp(value, -most, most));
}

// An infinity where the other operand is zero shows whether zeros are skipped.
void put_infinity_on_zero(double* varied, const double* other, std::int64_t k, FastRandom& random) {
  for (std::int64_t tries = 0; tries < k; ++tries) {
    const std::int64_t p = (tries + random.below(k)) % k;
    if (other[p] != 0) continue;
    varied[p] = std::numeric_limits<double>::infinity();
    return;
  }
}

// How many of the last summands to change: what groups of a power of two leave over, above all.
std::int64_t last_of(std::int64_t length, FastRandom& random) {
  const std::int64_t left = length % (std::int64_t{2} << random.below(4));
  if (left > 0 && random.below(4) > 0) return left;
  return 1 + random.below(std::min<std::int64_t>(length, 9));
}

// Products that are all one zero up to a summand near the end, and the other zero from there on: if
// alpha turns the +0 beside a group to -0, that shows when everything behind it is -0.
void turn_last_signs(std::span<double> x, FastRandom& random) {
  const std::int64_t last = last_of(static_cast<std::int64_t>(x.size()), random);
  for (double& value : x.last(static_cast<std::size_t>(last))) value = -value;
}

// In the packing of the class, still without values.
UpdateRows empty_update(CellTarget& cells, std::int64_t k, std::int64_t rows, double alpha,
                        double beta) {
  UpdateRows data;
  data.k = k;
  data.rows = rows;
  data.packing = cells.best_packing(k).first;
  data.alpha = alpha;
  data.beta = beta;
  return data;
}

}  // namespace

double draw(Scalar kind, spec::Type type, FastRandom& random) {
  switch (kind) {
    case Scalar::one:
      return 1;
    case Scalar::minus_one:
      return -1;
    case Scalar::zero:
      return 0;
    case Scalar::random:
      break;
  }
  const double sign = (random.bits() & 1) != 0 ? 1 : -1;
  return rounded(type, sign * (0.25 + random.unit() * 3));
}

UpdateRows random_update(CellTarget& cells, spec::Type type, std::int64_t k, std::int64_t rows,
                         Data kind, double alpha, double beta, FastRandom& random) {
  UpdateRows data = empty_update(cells, k, rows, alpha, beta);
  const auto length = static_cast<std::size_t>(k);
  const bool one_x = data.packing == Packing::columns, one_y = data.packing == Packing::rows;
  data.x.resize(length * static_cast<std::size_t>(one_x ? 1 : rows));
  data.y.resize(length * static_cast<std::size_t>(one_y ? 1 : rows));
  std::vector<double> unused(length);
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto at = static_cast<std::size_t>(row) * length;
    std::span<double> x{data.x.data() + (one_x ? 0 : at), length};
    std::span<double> y{data.y.data() + (one_y ? 0 : at), length};
    if (row > 0 && one_x) x = unused;
    if (row > 0 && one_y) y = unused;
    // The two operands are not alike in every kind of data.
    if ((random.bits() & 1) != 0 && !one_x)
      fill(kind, type, random, x, y);
    else
      fill(kind, type, random, y, x);
    if (kind == Data::zeros && random.below(2) == 0) turn_last_signs(one_x ? y : x, random);
    if (kind != Data::special || row == 0) continue;
    if (!one_x)
      put_infinity_on_zero(x.data(), data.y_row(row), k, random);
    else
      put_infinity_on_zero(y.data(), data.x_row(row), k, random);
  }
  data.c.resize(static_cast<std::size_t>(rows));
  for (std::int64_t row = 0; row < rows; ++row)
    data.c[static_cast<std::size_t>(row)] = output_value(data, row, kind, type, random);
  return data;
}

UpdateRows underflowing_update(CellTarget& cells, spec::Type type, std::int64_t k,
                               std::int64_t rows, FastRandom& random) {
  const double least = spec::least_subnormal(type.input);
  static constexpr Data kKinds[] = {Data::ordinary, Data::nonnegative, Data::sparse};
  UpdateRows data = random_update(cells, type, k, rows, kKinds[random.below(3)],
                                  random.bits() % 2 == 0 ? least : -least, 1, random);
  std::fill(data.c.begin(), data.c.end(), -0.0);
  const bool one_x = data.packing == Packing::columns;
  std::vector<double>& own = one_x ? data.y : data.x;
  for (std::int64_t row = 0; row < rows; row += 2) {
    const double* const other = one_x ? data.x_row(row) : data.y_row(row);
    double* const at = own.data() + row * k;
    for (std::int64_t p = k - last_of(k, random); p < k; ++p) at[p] = std::copysign(0.0, -other[p]);
  }
  return data;
}

UpdateRows zero_update(CellTarget& cells, std::int64_t k, std::int64_t rows, double zero,
                       double alpha, double beta) {
  UpdateRows data = empty_update(cells, k, rows, alpha, beta);
  const auto values = [&](bool is_shared) {
    return static_cast<std::size_t>(is_shared ? k : rows * k);
  };
  data.x.assign(values(data.packing == Packing::columns), zero);
  data.y.assign(values(data.packing == Packing::rows), 1);
  data.c.assign(static_cast<std::size_t>(rows),
                beta == 0 ? std::numeric_limits<double>::quiet_NaN() : 1);
  return data;
}

Observation observe(CellTarget& cells, UpdateRows data) {
  Observation seen;
  seen.outputs = cells.update(data);
  seen.data = std::move(data);
  return seen;
}

std::vector<Observation> observe(CellTarget& cells, std::vector<UpdateRows> data) {
  std::vector<std::vector<double>> outputs = cells.updates(data);
  std::vector<Observation> seen;
  for (std::size_t at = 0; at < data.size(); ++at)
    seen.push_back({std::move(data[at]), std::move(outputs[at])});
  return seen;
}

std::int64_t first_difference(const Observation& seen, const spec::Order& order, spec::Type type,
                              spec::MatrixClass::BetaZero beta_zero,
                              spec::MatrixClass::AlphaZero alpha_zero) {
  const UpdateRows& data = seen.data;
  for (std::int64_t row = 0; row < data.rows; ++row) {
    const auto at = static_cast<std::size_t>(row);
    try {
      const double expected =
          spec::replay_update(order, type, data.k, data.x_row(row), data.y_row(row),
                              {data.alpha, data.beta, data.c[at], beta_zero, alpha_zero});
      if (!same_bits(expected, seen.outputs[at])) return row;
    } catch (const UserError&) {
      return row;
    }
  }
  return -1;
}

Observation single(const Observation& seen, std::int64_t row) {
  const UpdateRows& data = seen.data;
  Observation one;
  one.data.k = data.k;
  one.data.rows = 1;
  one.data.alpha = data.alpha;
  one.data.beta = data.beta;
  one.data.x.assign(data.x_row(row), data.x_row(row) + data.k);
  one.data.y.assign(data.y_row(row), data.y_row(row) + data.k);
  one.data.c = {data.c[static_cast<std::size_t>(row)]};
  one.outputs = {seen.outputs[static_cast<std::size_t>(row)]};
  return one;
}

std::string about(CellTarget& cells, const Observation& one) {
  const UpdateRows& data = one.data;
  std::string text = cells.describe(data.k) + " alpha=" + hex(data.alpha) +
                     " beta=" + hex(data.beta) + " c=" + hex(data.c[0]);
  for (std::int64_t p = 0; p < data.k && data.k <= 3; ++p)
    text += " x*y=" + hex(data.x[static_cast<std::size_t>(p)]) + "*" +
            hex(data.y[static_cast<std::size_t>(p)]);
  return text + " gave " + hex(one.outputs[0]);
}

}  // namespace reprosum::reveal
