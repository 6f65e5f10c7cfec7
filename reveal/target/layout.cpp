#include "reveal/target/layout.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace reprosum::reveal {
namespace {

template <typename T>
void place_as(const VectorLayout& layout, std::span<const double> values, T* first) {
  constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();
  const auto value = [&](std::int64_t k) {
    return values.empty() ? T{1} : static_cast<T>(values[static_cast<std::size_t>(k)]);
  };
  if (layout.n <= 0) return;
  if (layout.increment == 0) {
    *first = value(0);
    return;
  }
  if (layout.increment == 1) {
    for (std::int64_t k = 0; k < layout.n; ++k) first[k] = value(k);
    return;
  }
  if (layout.increment != -1) std::fill_n(first, layout.span(), kNaN);
  for (std::int64_t k = 0; k < layout.n; ++k) first[layout.position(k)] = value(k);
}

template <typename T>
void place_guarded_as(const VectorLayout& layout, std::span<const double> values, T* first) {
  constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();
  std::fill_n(first - kGuardElements, kGuardElements, kNaN);
  place_as(layout, values, first);
  std::fill_n(first + layout.span(), kGuardElements, kNaN);
}

void check_edits(const std::vector<Edit>& edits, std::int64_t n) {
  for (const Edit& edit : edits) {
    if (edit.index < 0 || edit.index >= n) throw InternalError("an edit lies outside the vector");
  }
}

}  // namespace

std::int64_t element_size(spec::Type type) { return spec::bytes(type); }

void check(const Call& call) {
  const bool has_matrices = spec::has_matrices(call.routine);
  if (!has_matrices && (call.m != 1 || call.n != 1))
    throw InternalError("sum and dot have one output: their length is k");
  if (has_matrices && (call.m < 0 || call.n < 0 || call.k < 0))
    throw InternalError("a matrix has a negative size");
  if (call.routine == spec::Routine::gemv && (call.n != 1 || call.trans_b != spec::Trans::no))
    throw InternalError("gemv has n = 1 and no transposition of x");
  if (call.pad_a < 0 || call.pad_b < 0 || call.pad_c < 0)
    throw InternalError("a leading dimension is less than the least one");
  const Place& place = call.place;
  if (place.modulus != kLineBytes && place.modulus != kPlaceBytes)
    throw InternalError("addresses are chosen modulo a line or two pages");
  for (const int align : {call.align_a, call.align_b, call.align_c})
    if (align < 0 || align >= place.modulus || align % element_size(call.type) != 0)
      throw InternalError("an alignment is not a multiple of the element size below the modulus");
  if (!place.shift) return;
  if (call.routine == spec::Routine::sum || call.routine == spec::Routine::gemv)
    throw InternalError("only dot and gemm have two operands in one memory");
  if (has_matrices ? *place.shift != 0 : call.incx != call.incy)
    throw InternalError("operands in one memory do not lie alike");
}

void check(const Batch& batch) {
  const Call& call = batch.call;
  if (spec::has_matrices(call.routine))
    throw InternalError("a batch of vectors for a matrix routine");
  check(call);
  if (batch.rows < 1) throw InternalError("a batch needs rows >= 1");
  if (call.k > 0 && batch.rows > std::numeric_limits<std::int64_t>::max() / call.k) {
    throw InternalError("a batch's size overflows");
  }
  const auto values = static_cast<std::size_t>(batch.rows * std::max<std::int64_t>(call.k, 0));
  if (batch.x.size() != values) throw InternalError("x of a batch does not hold rows * n values");
  if (!batch.y.empty() && batch.y.size() != values) {
    throw InternalError("y of a batch does not hold rows * n values");
  }
  if (call.place.shift && (batch.y.empty() || !batch.probes.empty()))
    throw InternalError("a y in the memory of x has data of its own, and no probes");
  for (const Probe& probe : batch.probes) {
    check_edits(probe.x, call.k);
    check_edits(probe.y, call.k);
  }
}

void place(spec::Type type, const VectorLayout& layout, std::span<const double> values,
           std::byte* first) {
  if (spec::is_f32(type)) {
    place_as(layout, values, reinterpret_cast<float*>(first));
  } else {
    place_as(layout, values, reinterpret_cast<double*>(first));
  }
}

namespace {

template <typename T>
void place_both_as(const VectorLayout& layout, std::span<const double> x, T* x_first,
                   std::span<const double> y, T* y_first) {
  T* const begin = std::min(x_first, y_first) - kGuardElements;
  T* const end = std::max(x_first, y_first) + layout.span() + kGuardElements;
  std::fill(begin, end, std::numeric_limits<T>::quiet_NaN());
  for (std::int64_t k = 0; k < layout.n; ++k) {
    x_first[layout.position(k)] = static_cast<T>(x[static_cast<std::size_t>(k)]);
    y_first[layout.position(k)] = static_cast<T>(y[static_cast<std::size_t>(k)]);
  }
}

}  // namespace

void place_both(spec::Type type, const VectorLayout& layout, std::span<const double> x,
                std::byte* x_first, std::span<const double> y, std::byte* y_first) {
  if (spec::is_f32(type)) {
    place_both_as(layout, x, reinterpret_cast<float*>(x_first), y,
                  reinterpret_cast<float*>(y_first));
  } else {
    place_both_as(layout, x, reinterpret_cast<double*>(x_first), y,
                  reinterpret_cast<double*>(y_first));
  }
}

void place_guarded(spec::Type type, const VectorLayout& layout, std::span<const double> values,
                   std::byte* first) {
  if (spec::is_f32(type)) {
    place_guarded_as(layout, values, reinterpret_cast<float*>(first));
  } else {
    place_guarded_as(layout, values, reinterpret_cast<double*>(first));
  }
}

std::uint64_t bits_of(spec::Type type, double value) {
  if (spec::is_f32(type)) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return std::bit_cast<std::uint64_t>(value);
}

}  // namespace reprosum::reveal
