#include "src/exact/sums/bounded_floats.h"

#include <algorithm>
#include <cmath>

#include "src/exact/machine/room.h"
#include "src/exact/sums/capped_sums.h"
#include "src/exact/sums/chunks.h"

namespace reprosum::exact {
namespace {

// Conversion to double costs more than sums in float of fewer floats, and less than the memory of
// more of them.
constexpr std::int64_t kMostFloats = std::int64_t{1} << 22;

// Floats as the doubles that they, or their products, are (48 bits between 2^-298 and 2^256): the
// first `count` of them from `begin` on.
class Widened {
 public:
  explicit Widened(double* terms) : terms_(terms) {}  // room for kBlock of them
  const double* sums(const float* x, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) terms_[i] = static_cast<double>(x[i]);
    return terms_;
  }
  const double* products(const float* x, const float* y, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
      terms_[i] = static_cast<double>(x[i]) * static_cast<double>(y[i]);
    return terms_;
  }

 private:
  double* const terms_;
};

// A first chunk of them, to be run again if its exponent was guessed wrong.
constexpr std::int64_t kFirstFloats = 4096;

// An Interval is not asked at once whether it decides, and gets what is closer.
template <class To>
bool in_float(std::int64_t n) {
  return !std::is_same_v<To, Interval> && n >= kFewestFloats && n < kMostFloats;
}

// One run, of terms that lie side by side: with an exponent for products that is one more, since
// the largest of 16 of uniform ones is often too small, and the bound seldom is. Those of far apart
// sizes, of which size(i) of some tells, would not be decided by it; what it leaves open others
// decide sooner than more runs.
template <class Size, class Run>
bool decided_in_float(std::int64_t n, double largest, int exponent, ExponentRange range,
                      float& result, Size&& size, Run&& run) {
  constexpr std::int64_t kPlaces = 16;
  constexpr double kApart = 0x1p20;
  for (std::int64_t k = 0; k < kPlaces; ++k) {
    const double here = size(n / kPlaces * k);
    if (here != 0 && here * kApart < largest) return false;
  }
  Bracket<float> out;
  run(std::clamp(exponent, range.lowest, range.highest), out);
  if (!out.holds || !decided(out.below, out.above)) return false;
  result = out.below;
  return true;
}

// How the first way of floats ended: `open` if its bound leaves two results, `wide` if that is for
// terms far larger than others, `failed` if it is not for these terms.
enum class Capped { decided, open, wide, failed };

// Sums in double that overflow where they are larger than expected: by the largest of what was
// looked at for a lane's share of a chunk, once more for some larger ones, and then for the largest
// of the chunk, which largest_of_chunk(begin, count) gives: lanes of terms that far apart come to
// little more than that, and if not, to no more than its lane. Below kLowestCap the bound is wider
// than it need be: such small terms are left to others.
template <class To, class Run, class Largest>
Capped capped_chunks(std::int64_t n, std::int64_t lead, std::int64_t most, double largest,
                     To& result, Run&& run, Largest&& largest_of_chunk) {
  constexpr int kWider = 4, kMore = 6, kRoom = 3, kHighest = 600;
  const std::int64_t lane = std::min(n, kWideChunk) / kCappedLanesOfSum + 2;
  int exponent = exponent_above(largest) + log2_above(lane);
  if (exponent < kLowestCap - kWider || exponent > kHighest) return Capped::failed;
  exponent = std::max(exponent, kLowestCap);
  bool held = true, rescaled = false;
  const bool decided = sum_of_chunks<Bracket<float>>(
      n, lead, most, result, [&](std::int64_t begin, std::int64_t count, Bracket<float>& out) {
        run(begin, count, exponent, out);
        if (!out.holds) {
          ++path_counts().rescaled_chunks;
          run(begin, count, exponent += kMore, out);
        }
        if (!out.holds) {
          const int above = exponent_above(largest_of_chunk(begin, count));
          for (const int room : {kRoom, log2_above(lane)}) {
            if (out.holds || above + room <= exponent || above + room > kHighest) continue;
            ++path_counts().rescaled_chunks;
            run(begin, count, exponent = above + room, out);
          }
          rescaled = true;
        }
        held = out.holds;
        return held;
      });
  if (decided) ++path_counts().capped_calls;
  return decided ? Capped::decided : rescaled || !held ? Capped::wide : Capped::open;
}

template <class To>
bool sum_in_chunks(double* room, const Kernels& kernels, std::int64_t n, const float* first_x,
                   std::int64_t incx, double largest, To& result) {
  Terms<float> x(first_x, incx, reinterpret_cast<float*>(room + kBlock));
  Widened wide(room);
  Scale<float> scale(kFloatSumExponents, exponent_of_path(largest));
  const auto largest_among = [&](const float* p, std::int64_t count) {
    double most = 0;
    for (std::int64_t i = 0; i < count; i += kBlock) {
      const std::int64_t here = std::min(kBlock, count - i);
      most = std::max(most, kernels.largest_term(wide.sums(p + i, here), here));
    }
    return most;
  };
  const auto in_floats = [&](std::int64_t begin, std::int64_t count, Bracket<float>& out) {
    const float* const p = x.at(begin, count);
    return scale.bracket(
        count, out, [&](int e, auto& to) { kernels.float_sum_bracket(p, count, e, to); },
        [&] { return largest_among(p, count); });
  };
  const auto in_doubles = [&](std::int64_t begin, std::int64_t count, Bracket<float>& out) {
    kernels.wide_sum_bracket(x.at(begin, count), count, out);
    return out.holds;
  };
  if constexpr (std::is_same_v<To, float>) {
    if (incx == 1 && kernels.sums_in_float.contains(n) &&
        decided_in_float(
            n, largest, exponent_of_path(largest), kFloatSumExponents, result,
            [=](std::int64_t i) { return std::fabs(static_cast<double>(first_x[i])); },
            [&](int e, auto& out) { kernels.float_sum_bracket(first_x, n, e, out); }))
      return true;
  }
  const Capped capped = capped_chunks(
      n, x.lead(kWideChunk), x.at_most(kWideChunk), largest, result,
      [&](std::int64_t begin, std::int64_t count, int e, Bracket<float>& out) {
        kernels.capped_sum(x.at(begin, count), count, e, out);
      },
      [&](std::int64_t begin, std::int64_t count) {
        return largest_among(x.at(begin, count), count);
      });
  if (capped == Capped::decided) return true;
  if (capped == Capped::failed && in_float<To>(n) &&
      sum_of_chunks<Bracket<float>>(n, x.lead(kFirstFloats), x.at_most(kFloatChunk), result,
                                    in_floats))
    return true;
  ++path_counts().widened_calls;
  return (capped != Capped::open &&
          sum_of_chunks<Bracket<float>>(n, x.lead(kWideChunk), x.at_most(kWideChunk), result,
                                        in_doubles)) ||
         doubles_in_chunks(kernels, n, kBlock, kBlock, exponent_above(largest), result,
                           [&](std::int64_t begin, std::int64_t count) {
                             return wide.sums(x.at(begin, count), count);
                           });
}

template <class To>
bool dot_in_chunks(double* room, const Kernels& kernels, std::int64_t n, const float* first_x,
                   std::int64_t incx, const float* first_y, std::int64_t incy, double largest,
                   To& result) {
  auto* const copies = reinterpret_cast<float*>(room + kBlock);
  Terms<float> x(first_x, incx, copies), y(first_y, incy, copies + kBlock);
  Widened wide(room);
  Scale<float> scale(kFloatDotExponents, exponent_of_path(largest));
  const auto largest_among = [&](const float* p, const float* q, std::int64_t count) {
    double most = 0;
    for (std::int64_t i = 0; i < count; i += kBlock) {
      const std::int64_t here = std::min(kBlock, count - i);
      most = std::max(most, kernels.largest_term(wide.products(p + i, q + i, here), here));
    }
    return most;
  };
  const auto in_floats = [&](std::int64_t begin, std::int64_t count, Bracket<float>& out) {
    const float *const p = x.at(begin, count), *const q = y.at(begin, count);
    return scale.bracket(
        count, out, [&](int e, auto& to) { kernels.float_dot_bracket(p, q, count, e, to); },
        [&] { return largest_among(p, q, count); });
  };
  const auto in_doubles = [&](std::int64_t begin, std::int64_t count, Bracket<float>& out) {
    kernels.wide_dot_bracket(x.at(begin, count), y.at(begin, count), count, out);
    return out.holds;
  };
  const auto most = [&](std::int64_t chunk) {
    return std::min(x.at_most(chunk), y.at_most(chunk));
  };
  const std::int64_t lead = std::min(x.lead(kWideChunk), most(kWideChunk));
  if constexpr (std::is_same_v<To, float>) {
    if (incx == 1 && incy == 1 && kernels.dots_in_float.contains(n) &&
        decided_in_float(
            n, largest, exponent_of_path(largest) + 1, kFloatDotExponents, result,
            [=](std::int64_t i) {
              return std::fabs(static_cast<double>(first_x[i]) * static_cast<double>(first_y[i]));
            },
            [&](int e, auto& out) { kernels.float_dot_bracket(first_x, first_y, n, e, out); }))
      return true;
  }
  const Capped capped = capped_chunks(
      n, lead, most(kWideChunk), largest, result,
      [&](std::int64_t begin, std::int64_t count, int e, Bracket<float>& out) {
        kernels.capped_dot(x.at(begin, count), y.at(begin, count), count, e, out);
      },
      [&](std::int64_t begin, std::int64_t count) {
        return largest_among(x.at(begin, count), y.at(begin, count), count);
      });
  if (capped == Capped::decided) return true;
  if (capped == Capped::failed && in_float<To>(n) &&
      sum_of_chunks<Bracket<float>>(n, std::min(x.lead(kFirstFloats), most(kFirstFloats)),
                                    most(kFloatChunk), result, in_floats))
    return true;
  ++path_counts().widened_calls;
  return (capped != Capped::open &&
          sum_of_chunks<Bracket<float>>(n, lead, most(kWideChunk), result, in_doubles)) ||
         doubles_in_chunks(kernels, n, kBlock, kBlock, exponent_above(largest), result,
                           [&](std::int64_t begin, std::int64_t count) {
                             return wide.products(x.at(begin, count), y.at(begin, count), count);
                           });
}

}  // namespace

template <class To>
bool float_sum_in_chunks(const Kernels& kernels, std::int64_t n, const float* x, std::int64_t incx,
                         double largest, To& result) {
  return with_room<double, kBlock + kBlock / 2>(
      [&](double* room) { return sum_in_chunks(room, kernels, n, x, incx, largest, result); });
}

template <class To>
bool float_dot_in_chunks(const Kernels& kernels, std::int64_t n, const float* x, std::int64_t incx,
                         const float* y, std::int64_t incy, double largest, To& result) {
  return with_room<double, 2 * kBlock>([&](double* room) {
    return dot_in_chunks(room, kernels, n, x, incx, y, incy, largest, result);
  });
}

template bool float_sum_in_chunks(const Kernels&, std::int64_t, const float*, std::int64_t, double,
                                  float&);
template bool float_sum_in_chunks(const Kernels&, std::int64_t, const float*, std::int64_t, double,
                                  Interval&);
template bool float_dot_in_chunks(const Kernels&, std::int64_t, const float*, std::int64_t,
                                  const float*, std::int64_t, double, float&);
template bool float_dot_in_chunks(const Kernels&, std::int64_t, const float*, std::int64_t,
                                  const float*, std::int64_t, double, Interval&);

}  // namespace reprosum::exact
