#include "src/exact/remainders/remainder_choice.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "src/exact/machine/host.h"
#include "src/exact/sums/kernels.h"

namespace reprosum::exact {
namespace {

constexpr std::int64_t kSamples = 8;  // rows, and columns

struct SampledLine {
  std::vector<double> numbers;
  double norm;
};

// Lines of a view, count x depth, as far apart as may be; those that remainders cannot settle
// whatever their number are left out.
std::vector<SampledLine> sample(View<const double> v, std::int64_t count, std::int64_t depth) {
  std::vector<SampledLine> lines;
  const std::int64_t some = std::min(count, kSamples);
  for (std::int64_t s = 0; s < some; ++s) {
    SampledLine line{std::vector<double>(static_cast<std::size_t>(depth)), 0};
    const std::int64_t i = (2 * s + 1) * count / (2 * some);
    double squares = 0;
    for (std::int64_t l = 0; l < depth; ++l) {
      const double x = v.at(i, l);
      line.numbers[static_cast<std::size_t>(l)] = x;
      squares += x * x;
    }
    line.norm = std::sqrt(squares) * (1 + 0x1p-18);
    if (line.norm > 0x1p-400 && line.norm < 0x1p400) lines.push_back(std::move(line));
  }
  return lines;
}

struct Dropped {
  std::vector<double> shares;  // of each line: the norm of what rounding drops, beside the line's
  double numbers = 0;          // that are rounded
};

Dropped dropped_of(const Kernels* kernels, const std::vector<SampledLine>& lines,
                   const Remainders& remainders) {
  Dropped dropped;
  for (const SampledLine& line : lines) {
    const auto depth = static_cast<std::int64_t>(line.numbers.size());
    const double scale = std::ldexp(1.0, remainders.scale_exponent(line.norm, depth));
    const double* const x = line.numbers.data();
    constexpr int kLanes = 16;
    double all_squares[kLanes] = {}, all_rounded[kLanes] = {};
    double *const squares = all_squares, *const rounded = all_rounded;
    run_vectorized(lanes_of(kernels), [=]() REPROSUM_INLINED {
      for (std::int64_t l = 0; l < depth; l += kLanes) {
        const std::int64_t here = depth - l < kLanes ? depth - l : kLanes;
        for (std::int64_t k = 0; k < here; ++k) {
          const double y = x[l + k] * scale, rest = y - __builtin_rint(y);
          squares[k] += rest * rest;
          rounded[k] += rest != 0 ? 1 : 0;
        }
      }
    });
    double sum = 0;
    for (int k = 0; k < kLanes; ++k) {
      sum += squares[k];
      dropped.numbers += rounded[k];
    }
    dropped.shares.push_back(std::sqrt(sum) / (line.norm * scale));
  }
  return dropped;
}

// How many entries of the samples are left by bounds that are off[i, j], beside the norms' product:
// numbers that round otherwise lie within a bound twice as wide, 2^-53 to 2^-52 of the entry apart.
template <class Off>
double entries_left(const std::vector<double>& sizes, std::size_t rows, std::size_t columns,
                    Off off) {
  double left = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      const double within = 2 * (off(i, j) + kRemainderError) * 0x1p53;
      const double size = sizes[i * columns + j];
      left += within < size ? within / size : 1;
    }
  }
  return left;
}

}  // namespace

const Remainders& remainders_for_data(const Kernels* kernels, const Product<double>& call,
                                      double settling_cost) {
  const std::vector<SampledLine> rows = sample(call.a, call.m, call.k),
                                 columns = sample(call.b.transposed(), call.n, call.k);
  // The entries of these rows and columns, beside the norms' products.
  std::vector<double> sizes;
  for (const SampledLine& row : rows) {
    for (const SampledLine& column : columns) {
      double sum = 0;
      for (std::size_t l = 0; l < row.numbers.size(); ++l)
        sum += row.numbers[l] * column.numbers[l];
      sizes.push_back(std::fabs(sum) / (row.norm * column.norm));
    }
  }
  const double lines = static_cast<double>(std::max<std::size_t>(rows.size() + columns.size(), 1)),
               pairs = static_cast<double>(std::max<std::size_t>(sizes.size(), 1));
  const int least = std::max(remainders_for(20, call.k).count, 3);
  int best = kMostModuli;
  double least_cost = 1e300;
  Dropped a = dropped_of(kernels, rows, remainders(best)),
          b = dropped_of(kernels, columns, remainders(best));
  for (int count = kMostModuli; count >= least; --count) {
    const double left = entries_left(sizes, rows.size(), columns.size(),
                                     [&](auto i, auto j) { return a.shares[i] + b.shares[j]; });
    const double limit = remainders(count).limit;
    a = dropped_of(kernels, rows, remainders(count - 1));
    b = dropped_of(kernels, columns, remainders(count - 1));
    // Numbers that are rounded may be too few to be among the samples. One modulus less rounds some
    // 16 times as many; a line's first one drops about a quarter.
    const double unseen = 2 * (a.numbers + b.numbers) / 16 / lines;
    const double left_by_one =
        entries_left(sizes, rows.size(), columns.size(), [&](auto, auto) { return 0.25 / limit; });
    const double settling =
        std::max(left, std::min(unseen, 1.0) * left_by_one) / pairs * settling_cost;
    if (count + settling < least_cost) {
      least_cost = count + settling;
      best = count;
    }
    if (settling > least_cost) break;  // and more so with fewer
  }
  return remainders(best);
}

}  // namespace reprosum::exact
