// Bounded sums: every way through them, each reason to leave them, and that no bit depends on it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "src/exact/machine/path_counts.h"
#include "tests/src/exact/sums/reduce_cases.h"

namespace reprosum::exact::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The ways that the calls in `body` took.
template <class Body>
PathCounts ways(Body&& body) {
  path_counts() = {};
  body();
  return path_counts();
}

template <class T>
Terms<T> normal_terms(std::size_t n, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Terms<T> terms;
  for (std::size_t i = 0; i < n; ++i) {
    terms.x.push_back(static_cast<T>(normal(random)));
    terms.y.push_back(static_cast<T>(normal(random)));
  }
  return terms;
}

template <class T>
void expect_both_right(const Kernels& kernels, const Terms<T>& terms) {
  Referee referee;
  const auto n = static_cast<std::int64_t>(terms.x.size());
  EXPECT_EQ(bits(sum_with(&kernels, n, terms.x.data(), 1)),
            bits(referee_result(terms, false, referee)))
      << kernels.name << ", n " << n;
  EXPECT_EQ(bits(dot_with(&kernels, n, terms.x.data(), 1, terms.y.data(), 1)),
            bits(referee_result(terms, true, referee)))
      << kernels.name << ", n " << n;
  EXPECT_TRUE(referee.trustworthy());
}

// Floats also as small ones, which are summed in other ways.
template <class T>
void expect_right(const Kernels& kernels, const Terms<T>& terms) {
  expect_both_right(kernels, terms);
  if constexpr (!Format<T>::kDouble) {
    Terms<T> small = terms;
    for (T& v : small.x) v = std::ldexp(v, -40);
    expect_both_right(kernels, small);
  }
}

// Every number of terms around vectors and steps of the loops, and around chunks.
template <class T>
void check_sizes() {
  std::mt19937_64 random(91);
  for (const Kernels* kernels : kernels_of_all_makers()) {
    random.seed(91);
    const PathCounts counts = ways([&] {
      for (std::size_t n = 1; n < 300; ++n) expect_right(*kernels, normal_terms<T>(n, random));
      for (const std::size_t n : {16383, 16384, 16385, 16400, 33000, 50001})
        expect_right(*kernels, normal_terms<T>(n, random));
    });
    EXPECT_GE(counts.bounded_calls, 600);
    EXPECT_LE(counts.undecided_calls, 10);
  }
}
TEST(Bounded, SizesOfDouble) { for_each_reading(check_sizes<double>); }
TEST(Bounded, SizesOfFloat) { for_each_reading(check_sizes<float>); }

TEST(Bounded, OrdinaryDataStaysThere) {
  std::mt19937_64 random(92);
  const Terms<double> d = normal_terms<double>(300000, random);
  const Terms<float> f = normal_terms<float>(300000, random);
  for (const Kernels* kernels : kernels_of_all_makers()) {
    const PathCounts counts = ways([&] {
      for (const std::int64_t inc : {1, 2, -1}) {
        const std::int64_t n = 300000 / std::abs(inc);
        sum_with(kernels, n, d.x.data(), inc);
        dot_with(kernels, n, d.x.data(), inc, d.y.data(), 1);
        sum_with(kernels, n, f.x.data(), inc);
        dot_with(kernels, n, f.x.data(), inc, f.y.data(), 1);
      }
    });
    EXPECT_EQ(counts.bounded_calls, 12);
    EXPECT_EQ(counts.undecided_calls, 0);
    EXPECT_EQ(counts.narrow_blocks + counts.digit_blocks + counts.portable_calls, 0);
  }
}

// Terms that are larger than those which were looked at, in every place; so large that squares
// overflow; and so small that they vanish.
TEST(Bounded, WrongGuesses) {
  std::mt19937_64 random(93);
  for (const Kernels* kernels : kernels_of_all_makers()) {
    for (const int scale : {-1000, -600, -420, -300, 0, 200, 450, 480, 500}) {
      for (const int spike : {0, 8, 60, 300, 520}) {
        Terms<double> terms = normal_terms<double>(20000, random);
        for (double& v : terms.x) v = std::ldexp(v, scale);
        terms.x[1 + random() % 19998] *= std::ldexp(1.0, spike);
        const PathCounts counts = ways([&] { expect_right(*kernels, terms); });
        if (spike >= 60 && scale >= -300 && scale + spike < 1000) {
          EXPECT_GE(counts.rescaled_chunks, 2) << scale << ", " << spike;
        }
        for (const std::size_t n : {3, 30, 1000}) {
          Terms<double> part = terms;
          part.x.resize(n), part.y.resize(n);
          part.x[n / 3] *= std::ldexp(1.0, spike);
          expect_right(*kernels, part);
        }
      }
    }
  }
}

// Lanes whose sums leave the interval that they start in the middle of, and come back to it.
template <class T>
void check_paths() {
  std::mt19937_64 random(98);
  for (const Kernels* kernels : kernels_of_all_makers()) {
    for (const int size : {2, 4, 6, 9, 12, 20, 30, 50}) {
      for (const std::size_t n : {1000, 2500, 40000}) {
        const std::size_t apart = 128 << (random() % 3);  // the same lane's, in every loop
        const PathCounts counts = ways([&] {
          Terms<T> terms = normal_terms<T>(n, random);
          for (std::size_t i = 300; i < 330; ++i) {
            const T spike = std::ldexp(terms.x[i], size);
            terms.x[i] = spike, terms.x[i + apart] = -spike;
            terms.y[i] = terms.y[i + apart];
          }
          expect_right(*kernels, terms);
        });
        EXPECT_GE(counts.rescaled_chunks + counts.undecided_calls + counts.widened_calls,
                  size >= 20 ? 2 : 0)
            << size << ", n " << n;
      }
    }
  }
}
TEST(Bounded, PathsOfDoubleThatComeBack) { check_paths<double>(); }
TEST(Bounded, PathsOfFloatThatComeBack) { check_paths<float>(); }

// Terms that leave it among the last ones, of which there is no whole step.
template <class T>
void check_tails() {
  std::mt19937_64 random(102);
  for (const Kernels* kernels : kernels_of_all_makers()) {
    for (std::size_t n = 900; n < 1800; ++n) {
      Terms<T> terms = normal_terms<T>(n, random);
      T& spike = terms.x[n - 2 - random() % 100];
      spike = std::ldexp(spike, static_cast<int>(random() % 40) + 3);
      expect_right(*kernels, terms);
    }
  }
}
TEST(Bounded, TailsOfDouble) { check_tails<double>(); }
TEST(Bounded, TailsOfFloat) { check_tails<float>(); }

// Around the numbers of terms that are read as several streams, and steps of them; a lane leaves
// the interval somewhere and comes back with its next terms.
template <class T>
void check_streams() {
  std::mt19937_64 random(104);
  for (const Kernels* kernels : kernels_of_all_makers()) {
    for (std::size_t n = 4060; n < 4500; n += Format<T>::kDouble ? 1 : 3) {
      Terms<T> terms = normal_terms<T>(n, random);
      if (n % 2 == 0) {
        const std::size_t at = 1 + random() % (n - 80), apart = 8 << (random() % 3);
        const T spike = std::ldexp(terms.x[at], static_cast<int>(random() % 60));
        terms.x[at] = spike, terms.x[at + apart] = -spike;
        terms.y[at] = terms.y[at + apart];
      }
      expect_right(*kernels, terms);
    }
  }
}
TEST(Bounded, StreamsOfDouble) { for_each_reading(check_streams<double>); }
TEST(Bounded, StreamsOfFloat) { for_each_reading(check_streams<float>); }

// Positive terms, larger than those that are looked at: lanes are within their bounds long after
// their sum is not.
template <class T>
void check_positive() {
  std::mt19937_64 random(99);
  std::uniform_real_distribution<double> uniform(0.5, 1);
  for (const Kernels* kernels : kernels_of_all_makers()) {
    for (int smaller = 0; smaller < 12; ++smaller) {
      for (int round = 0; round < 30; ++round) {
        const std::size_t n = 500 + random() % 5000;
        Terms<T> terms;
        for (std::size_t i = 0; i < n; ++i) {
          const bool small = i % (n / 3) == 0 || i + 1 == n || (!Format<T>::kDouble && i % 3 == 0);
          const int e = small ? -smaller : 0;
          terms.x.push_back(static_cast<T>(std::ldexp(uniform(random), e)));
          terms.y.push_back(static_cast<T>(uniform(random)));
        }
        expect_right(*kernels, terms);
      }
    }
  }
}
TEST(Bounded, PositiveDoubles) { check_positive<double>(); }
TEST(Bounded, PositiveFloats) { check_positive<float>(); }

// Floats are summed in double so that larger sums than expected overflow, and small ones in float,
// but for few or a great many; or, of some numbers of terms, all of them first in float.
TEST(Bounded, FloatsInFloat) {
  std::mt19937_64 random(100);
  for (const Kernels* kernels : kernels_of_all_makers()) {
    std::int64_t first_in_float = 0, others = 0;
    const PathCounts counts = ways([&] {
      for (const std::size_t n : {400, 533, 710, 946, 1024, 1261, 1681, 2241, 2988, 3984, 8192,
                                  9443, 16384, 16785, 39787, 131073, 300000}) {
        for (const SizeRange range : {kernels->sums_in_float, kernels->dots_in_float})
          ++(range.contains(static_cast<std::int64_t>(n)) ? first_in_float : others);
        expect_right(*kernels, normal_terms<float>(n, random));
        Terms<float> scaled = normal_terms<float>(n, random);
        for (float& v : scaled.x) v = std::ldexp(v, n % 2 != 0 ? 60 : -60);
        expect_right(*kernels, scaled);
      }
    });
    // Each of them of four sizes, of which one at least is too small for caps, and one is not.
    EXPECT_GE(counts.capped_calls, others);
    EXPECT_GE(counts.bounded_calls - counts.capped_calls, others + 2 * first_in_float);
    EXPECT_LE(counts.widened_calls, 20);
    EXPECT_EQ(counts.undecided_calls, 0);
  }
}

// Terms that are far larger than the others and that those next to them take away: so do terms that
// are added to each other before they meet a sum that overflows, and others.
TEST(Bounded, NeighboursOfFloatsThatCancel) {
  std::mt19937_64 random(105);
  for (const Kernels* kernels : kernels_of_all_makers()) {
    for (const std::size_t n : {450, 5000, 20000}) {
      for (const std::size_t apart : {1, 2, 4, 8, 12, 16, 24, 32, 64}) {
        for (const int size : {9, 20, 29, 30, 40, 50, 80, 100}) {
          Terms<float> terms = normal_terms<float>(n, random);
          for (int spikes = 0; spikes < 6; ++spikes) {
            const std::size_t at = 1 + random() % (n - apart - 2);
            terms.x[at] = std::ldexp(terms.x[at], size), terms.x[at + apart] = -terms.x[at];
            terms.y[at + apart] = terms.y[at];
          }
          expect_both_right(*kernels, terms);
        }
      }
    }
  }
}

// Floats whose lanes overflow, at once and for larger terms than were looked at; and beside a tie
// by less than sums in double see.
TEST(Bounded, CappedFloats) {
  std::mt19937_64 random(103);
  for (const Kernels* kernels : kernels_of_all_makers()) {
    const PathCounts counts = ways([&] {
      for (const std::size_t n : {450, 20000}) {
        for (const int spike : {0, 6, 8, 10, 14, 20, 60, 120}) {
          for (const int of_y : {0, -40, 40}) {
            Terms<float> terms = normal_terms<float>(n, random);
            for (float& v : terms.y) v = std::ldexp(v, of_y);
            terms.x[1 + random() % (n - 2)] = std::ldexp(1.75F, spike);
            expect_right(*kernels, terms);
            std::swap(terms.x, terms.y);
            expect_right(*kernels, terms);
          }
        }
        for (int round = 0; round < 40; ++round) {
          Terms<float> terms = normal_terms<float>(n / 2, random);
          terms.y.assign(terms.x.size(), round % 2 != 0 ? 1.0F : -1.0F);
          for (std::size_t i = n / 2; i > 0; --i) {
            terms.x.push_back(-terms.x[i - 1]);
            terms.y.push_back(terms.y[i - 1]);
          }
          terms.x[n / 3] = terms.x[n / 2 * 2 - 1 - n / 3] = 0;
          const std::size_t at = n / 3, other = n / 2 * 2 - 1 - n / 3;
          terms.x[at] = 1 + static_cast<float>(random() % 64) * 0x1p-23F;
          terms.x[other] = round % 3 != 0 ? 0x1p-24F : 0x1.000002p-24F;
          terms.x.push_back(round % 5 != 0 ? std::ldexp(random() % 2 != 0 ? 1.0F : -1.0F, -60) : 0);
          terms.y.push_back(1);
          expect_right(*kernels, terms);
        }
      }
    });
    EXPECT_GE(counts.capped_calls, 60);
    EXPECT_GE(counts.rescaled_chunks, 40);
  }
}

// Floats whose caps are far too low by what was looked at: the largest of the chunk says more. One
// that is infinite does not.
TEST(Bounded, CapsByTheLargestOfAChunk) {
  std::mt19937_64 random(105);
  for (const Kernels* kernels : kernels_of_all_makers()) {
    for (const std::size_t n : {1000, 40000}) {
      Terms<float> terms = normal_terms<float>(n, random);
      const std::size_t at = 1 + random() % (n - 2);
      terms.x[at] = std::ldexp(terms.x[at], 60);
      const PathCounts counts = ways([&] { expect_both_right(*kernels, terms); });
      EXPECT_EQ(counts.capped_calls, 2) << n;
      EXPECT_EQ(counts.rescaled_chunks, 4) << n;
      EXPECT_EQ(counts.widened_calls, 0) << n;
      terms.x[at] = std::numeric_limits<float>::infinity();
      expect_both_right(*kernels, terms);
    }
  }
}

// A NaN or an infinity in any place, products of which are NaN or overflow.
TEST(Bounded, SpecialValuesAnywhere) {
  std::mt19937_64 random(94);
  for (const Kernels* kernels : kernels_of_all_makers()) {
    for (const std::size_t n : {1, 5, 23, 100, 2000, 17000}) {
      for (const double special : {kNan, kInfinity, -kInfinity, 0x1p1023}) {
        Terms<double> terms = normal_terms<double>(n, random);
        terms.x[random() % n] = special;
        expect_right(*kernels, terms);
        terms.y[random() % n] = special == 0x1p1023 ? 0x1p1000 : 0.0;
        expect_right(*kernels, terms);
        Terms<float> floats = normal_terms<float>(n, random);
        floats.x[random() % n] = static_cast<float>(special == 0x1p1023 ? 0x1p127 : special);
        expect_right(*kernels, floats);
      }
    }
  }
}

// Half way between two numbers, and next to it: the interval has both, and the ladder decides.
template <class T>
void check_ties() {
  std::mt19937_64 random(95);
  for (const Kernels* kernels : kernels_of_all_makers()) {
    const PathCounts counts = ways([&] {
      for (int round = 0; round < 300; ++round) {
        for (const bool neighbour : {false, true}) {
          Terms<T> terms;
          const std::size_t n = 4 + random() % (round % 50 == 0 ? 20000 : 200);
          for (std::size_t i = 0; i + 4 < n; i += 2) {
            const T v = static_cast<T>(random() % 1000) - 500;
            terms.x.insert(terms.x.end(), {v, -v});
          }
          terms.x.push_back(T(1) + T(random() % 2) * std::numeric_limits<T>::epsilon());
          terms.x.push_back(std::numeric_limits<T>::epsilon() / 2);
          if (neighbour) terms.x.push_back(std::ldexp(T(1), -100) * (random() % 2 != 0 ? 1 : -1));
          std::shuffle(terms.x.begin(), terms.x.end(), random);
          terms.y.assign(terms.x.size(), T(1));
          expect_right(*kernels, terms);
        }
      }
    });
    EXPECT_GE(counts.undecided_calls, Format<T>::kDouble ? 1100 : 500);
  }
}
TEST(Bounded, TiesOfDouble) { check_ties<double>(); }
TEST(Bounded, TiesOfFloat) { check_ties<float>(); }

// Floats that cancel so far that only the doubles that they are decide.
TEST(Bounded, FloatsAsDoubles) {
  std::mt19937_64 random(96);
  for (const Kernels* kernels : kernels_of_all_makers()) {
    for (const std::size_t n : {20, 3000, 40000}) {
      Terms<float> terms = normal_terms<float>(n, random);
      for (std::size_t i = n / 2; i < n; ++i) {
        terms.x[i] = -terms.x[i - n / 2];
        terms.y[i] = terms.y[i - n / 2];
      }
      terms.x[0] = std::nextafter(terms.x[0], 100.0f);
      const PathCounts counts = ways([&] { expect_right(*kernels, terms); });
      EXPECT_EQ(counts.bounded_calls, 4) << kernels->name << ", n " << n;
    }
  }
}

// Long vectors of far apart exponents go to buckets at once, whether they cancel or not; so many of
// each exponent that buckets overflow.
TEST(Bounded, LongAndWide) {
  std::mt19937_64 random(101);
  const std::int64_t n = (std::int64_t{1} << 22) + 5;
  std::vector<double> x(static_cast<std::size_t>(n));
  for (double& v : x) {
    v = std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 500) - 300);
    if (random() % 4 == 0) v = -v;
    if (random() % 64 == 0) v = random() % 2 != 0 ? -0.0 : 0x1p-1070;
  }
  for (const bool cancels : {false, true}) {
    for (std::int64_t i = 1; cancels && i < n; i += 2)
      x[static_cast<std::size_t>(i)] = -x[static_cast<std::size_t>(i - 1)];
    const double wanted = sum_with<double>(nullptr, n, x.data(), 1);
    for (const Kernels* kernels : kernels_of_all_makers())
      for_each_reading([&] {
        const PathCounts counts = ways(
            [&] { EXPECT_EQ(bits(sum_with(kernels, n, x.data(), 1)), bits(wanted)) << cancels; });
        EXPECT_EQ(counts.unbounded_calls, 1);
        EXPECT_GE(counts.bucket_blocks, n / kBlock * 8 / 10);
        EXPECT_EQ(counts.bounded_calls + counts.portable_calls, 0);
      });
  }
}

// Exponents all over the range, pairs that cancel but for little: buckets.
TEST(Bounded, WideExponentsThatCancel) {
  std::mt19937_64 random(97);
  for (const Kernels* kernels : kernels_of_all_makers()) {
    for (const int range : {300, 480, 1000}) {
      Terms<double> terms;
      const auto wide = [&](int r) {
        const double m = 1 + static_cast<double>(random() >> 12) * 0x1p-52;
        return std::ldexp(random() % 2 != 0 ? m : -m,
                          static_cast<int>(random() % static_cast<unsigned>(2 * r)) - r);
      };
      for (int i = 0; i < 15000; ++i) {
        const double v = i % 100 == 0 ? 0.0 : wide(range), w = wide(range == 1000 ? 20 : range);
        terms.x.insert(terms.x.end(), {v, -v});
        terms.y.insert(terms.y.end(), {w, w});
      }
      terms.x[7] = std::nextafter(terms.x[7], 0.0);
      const PathCounts counts = ways([&] { expect_right(*kernels, terms); });
      EXPECT_EQ(counts.undecided_calls, 2);
      EXPECT_GE(counts.bucket_blocks, 2 * 13 - (range == 1000 ? 13 : 0)) << range;
      EXPECT_GE(counts.digit_blocks, 2);
    }
    // Infinities and NaN among them.
    Terms<double> terms;
    for (int i = 0; i < 5000; ++i) {
      const double v = std::ldexp(1.0 + i, i % 1900 - 1000);
      terms.x.insert(terms.x.end(), {v, -v});
      terms.y.insert(terms.y.end(), {1, 1});
    }
    terms.x[9000] = kInfinity;
    expect_right(*kernels, terms);
    terms.x[9500] = -kInfinity;
    expect_right(*kernels, terms);
  }
}

// Sums that are zero: of cancelling terms, of zeros, of -0 alone.
TEST(Bounded, Zeros) {
  std::mt19937_64 random(98);
  for (const Kernels* kernels : kernels_of_all_makers()) {
    for (const std::size_t n : {2, 30, 5000, 20000}) {
      for (const int kind : {0, 1, 2}) {
        Terms<double> terms = normal_terms<double>(n, random);
        for (std::size_t i = 0; i < n; ++i) {
          terms.x[i] = kind == 0 ? (i % 2 != 0 ? -terms.x[i - 1] : terms.x[i]) : -0.0;
          terms.y[i] = kind == 0 ? 3.0 : std::abs(terms.y[i]);
        }
        if (kind == 1) terms.x[n - 1] = 0.0;
        const PathCounts counts = ways([&] { expect_right(*kernels, terms); });
        EXPECT_EQ(counts.portable_calls, n < 24 ? 2 : 0);
        Terms<float> floats;
        floats.x.assign(terms.x.begin(), terms.x.end());
        floats.y.assign(terms.y.begin(), terms.y.end());
        expect_right(*kernels, floats);
      }
    }
  }
}

}  // namespace
}  // namespace reprosum::exact::testing
