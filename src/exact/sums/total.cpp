#include "src/exact/sums/total.h"

#include <cmath>

#include "src/exact/machine/room.h"
#include "src/exact/sums/blocks.h"
#include "src/exact/sums/ladder.h"
#include "src/exact/sums/terms.h"

namespace reprosum::exact {
namespace {

// The kernels keep no flags of zeros and, in a sum that is zero, those of its terms are needed.
bool flags_matter(const Accumulator<double>& total) {
  constexpr unsigned kSpecial = kSeenNan | kSeenPlusInfinity | kSeenMinusInfinity;
  return (total.seen() & kSpecial) != 0 || is_zero(total.words());
}

}  // namespace

template <class T>
Accumulator<double> total_of_products(const Kernels* kernels, std::int64_t n, const T* x,
                                      std::int64_t incx, const T* y, std::int64_t incy) {
  if (kernels != nullptr && n >= kFewest) {
    Ladder ladder(*kernels);
    add_blocks_of_products(ladder, n, x, incx, y, incy);
    if (!flags_matter(ladder.total())) return ladder.total();
  }
  Accumulator<double> total;
  add_products(total, n, x, incx, y, incy);
  return total;
}

template <class T>
Accumulator<double> total_of_values(const Kernels* kernels, std::int64_t n, const T* x,
                                    std::int64_t incx) {
  if (kernels != nullptr && n >= kFewest) {
    Ladder ladder(*kernels);
    add_blocks_of_values(ladder, n, x, incx);
    if (!flags_matter(ladder.total())) return ladder.total();
  }
  Accumulator<double> total;
  add_values(total, n, x, incx);
  return total;
}

template <class T>
Accumulator<double> total_of_magnitudes(const Kernels* kernels, std::int64_t n, const T* x,
                                        std::int64_t incx) {
  if (kernels != nullptr && n >= kFewest) {
    Ladder ladder(*kernels);
    with_room<double, kBlock>([&](double* copy) {
      for_blocks(n, [&](std::int64_t begin, std::int64_t count) {
        const T* const first = x + begin * incx;
        for (std::int64_t i = 0; i < count; ++i)
          copy[i] = std::fabs(static_cast<double>(first[i * incx]));
        ladder.add_values(count, copy);
      });
    });
    if (!flags_matter(ladder.total())) return ladder.total();
  }
  Accumulator<double> total;
  detail::add_terms(total, n, [=](auto& sum, std::int64_t i) { sum.add(std::fabs(x[i * incx])); });
  return total;
}

template Accumulator<double> total_of_products(const Kernels*, std::int64_t, const float*,
                                               std::int64_t, const float*, std::int64_t);
template Accumulator<double> total_of_products(const Kernels*, std::int64_t, const double*,
                                               std::int64_t, const double*, std::int64_t);
template Accumulator<double> total_of_values(const Kernels*, std::int64_t, const float*,
                                             std::int64_t);
template Accumulator<double> total_of_values(const Kernels*, std::int64_t, const double*,
                                             std::int64_t);
template Accumulator<double> total_of_magnitudes(const Kernels*, std::int64_t, const float*,
                                                 std::int64_t);
template Accumulator<double> total_of_magnitudes(const Kernels*, std::int64_t, const double*,
                                                 std::int64_t);

}  // namespace reprosum::exact
