// Where the summands of a batch lie in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "reveal/target.h"

namespace reprosum::reveal {

// One strided vector. Positions are elements from the first one in memory, which is the pointer
// that the routine gets for every sign of the increment.
struct VectorLayout {
  std::int64_t n = 0;
  std::int64_t increment = 1;

  // Elements from the first to the last summand, both included.
  std::int64_t span() const {
    if (n == 0) return 0;
    return (n - 1) * (increment < 0 ? -increment : increment) + 1;
  }
  // BLAS visits a vector with a negative increment from its far end.
  std::int64_t position(std::int64_t k) const {
    return increment < 0 ? (k + 1 - n) * increment : k * increment;
  }
  bool operator==(const VectorLayout&) const = default;
};

// NaN elements before and after each vector, so that a read outside it shows in the result.
inline constexpr std::int64_t kGuardElements = 64;

std::int64_t element_size(spec::Type type);

// Throw InternalError when the preconditions of Target::run() do not hold, or what a call of any
// routine must be.
void check(const Call& call);
void check(const Batch& batch);

// Writes the summands (ones if `values` is empty), with NaN between them.
// @pre first points to layout.span() elements; values is empty or holds layout.n.
void place(spec::Type type, const VectorLayout& layout, std::span<const double> values,
           std::byte* first);

// The same with kGuardElements of NaN on both sides.
void place_guarded(spec::Type type, const VectorLayout& layout, std::span<const double> values,
                   std::byte* first);

// Two vectors in one memory, the second wherever it lies in the first, with guards around both.
void place_both(spec::Type type, const VectorLayout& layout, std::span<const double> x,
                std::byte* x_first, std::span<const double> y, std::byte* y_first);

// Bytes of one value of `type`, in the low half for f32.
std::uint64_t bits_of(spec::Type type, double value);

}  // namespace reprosum::reveal
