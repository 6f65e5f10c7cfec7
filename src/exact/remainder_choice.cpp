#include "src/exact/remainder_choice.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "src/exact/host.h"

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

// The norm of what rounding drops of each line, beside the line's.
std::vector<double> dropped_shares(const Kernels* kernels, const std::vector<SampledLine>& lines,
                                   const Remainders& remainders) {
  std::vector<double> shares;
  for (const SampledLine& line : lines) {
    const auto depth = static_cast<std::int64_t>(line.numbers.size());
    const double scale = std::ldexp(1.0, remainders.scale_exponent(line.norm, depth));
    const double* const x = line.numbers.data();
    constexpr int kLanes = 16;
    double squares[kLanes] = {};
    double* const sums = squares;
    run_vectorized(kernels, [=]() REPROSUM_INLINED {
      for (std::int64_t l = 0; l + kLanes <= depth; l += kLanes) {
        for (int k = 0; k < kLanes; ++k) {
          const double y = x[l + k] * scale, rest = y - __builtin_rint(y);
          sums[k] += rest * rest;
        }
      }
      for (std::int64_t l = depth / kLanes * kLanes; l < depth; ++l) {
        const double y = x[l] * scale, rest = y - __builtin_rint(y);
        sums[0] += rest * rest;
      }
    });
    double all = 0;
    for (const double part : squares) all += part;
    shares.push_back(std::sqrt(all) / (line.norm * scale));
  }
  return shares;
}

}  // namespace

const Remainders& remainders_for_data(const Kernels* kernels, const Product<double>& call) {
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
  // An entry is left where a number that rounds otherwise lies within the bound: twice as wide as
  // it is off, of numbers 2^-53 to 2^-52 of the entry apart.
  const int least = remainders_for(20, call.k).count;
  int best = kMostModuli;
  double least_cost = 1e300;
  for (int count = kMostModuli; count >= least; --count) {
    const std::vector<double> a = dropped_shares(kernels, rows, remainders(count)),
                              b = dropped_shares(kernels, columns, remainders(count));
    double left = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t j = 0; j < b.size(); ++j) {
        const double off = 2 * (a[i] + b[j] + kRemainderError) * 0x1p53;
        const double size = sizes[i * b.size() + j];
        left += off < size ? off / size : 1;
      }
    }
    const double pairs = std::max<double>(1, static_cast<double>(sizes.size()));
    const double settling = left / pairs * kSettlingCost;
    if (count + settling < least_cost) {
      least_cost = count + settling;
      best = count;
    }
    if (settling > least_cost) break;  // and more so with fewer
  }
  return remainders(best);
}

}  // namespace reprosum::exact
