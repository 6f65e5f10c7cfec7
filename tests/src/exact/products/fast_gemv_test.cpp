// The fast ways of gemv against exact sums: every alignment, blocks and strips and the rows and
// columns behind them, scales that are guessed wrong or cannot be had, special values, bounds that
// must not be smaller.
#include "src/exact/products/fast_gemv.h"

#include <cmath>
#include <limits>

#include "src/exact/entries/exact_entry.h"
#include "src/exact/machine/fast_counts.h"
#include "src/exact/products/product.h"
#include "tests/src/exact/routine_cases.h"

namespace reprosum::exact::testing {
namespace {

// y = A x by both, whose elements lie `offset` elements into a cache line. `change` may alter data.
template <class T>
class Vector {
 public:
  Vector(std::int64_t m, std::int64_t k, bool by_rows, std::int64_t offset, std::mt19937_64& random)
      : m_(m), k_(k), by_rows_(by_rows), storage_(static_cast<std::size_t>(m * k + 32)) {
    const auto address = reinterpret_cast<std::uintptr_t>(storage_.data()) / sizeof(T);
    a_ = storage_.data() + (64 - address % 64 + static_cast<std::uintptr_t>(offset)) % 16;
    std::normal_distribution<double> normal;
    for (std::int64_t i = 0; i < m * k; ++i) a_[i] = static_cast<T>(normal(random));
    for (std::int64_t i = 0; i < k; ++i) x_.push_back(static_cast<T>(normal(random)));
  }
  T& a(std::int64_t i, std::int64_t l) { return by_rows_ ? a_[i * k_ + l] : a_[i + l * m_]; }
  T& x(std::int64_t l) { return x_[static_cast<std::size_t>(l)]; }

  // What the fast way counted.
  FastCounts check(const Kernels* kernels, const std::string& what, T alpha = 1) {
    std::vector<T> y(static_cast<std::size_t>(m_));
    const View<const T> view = by_rows_ ? View<const T>{a_, k_, 1} : View<const T>{a_, 1, m_};
    const Product<T> call{m_, 1, k_, alpha, view, {x_.data(), 1, 0}, 0, {y.data(), 1, 0}};
    const FastCounts before = fast_counts();
    multiply(kernels, call, 1);
    FastCounts counts = fast_counts();
    counts.tried -= before.tried;
    counts.settled -= before.settled;
    counts.rescaled -= before.rescaled;
    counts.capped -= before.capped;
    for (std::int64_t i = 0; i < m_; ++i) {
      const T wanted = exact_entry(kernels, call, i, 0);
      EXPECT_EQ(bits(y[static_cast<std::size_t>(i)]), bits(wanted))
          << what << ", " << kernels->name << ", " << m_ << " x " << k_
          << (by_rows_ ? " by rows" : " by columns") << ", row " << i;
    }
    return counts;
  }

 private:
  std::int64_t m_, k_;
  bool by_rows_;
  std::vector<T> storage_, x_;
  T* a_;
};

template <class T>
void check_shapes(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  // The last ones are beyond the second-level cache; columns of the very last two are asked for,
  // by one tall strip and some.
  const std::pair<std::int64_t, std::int64_t> shapes[] = {
      {4, 8},     {5, 9},       {7, 31},      {9, 12},    {16, 16},  {23, 70},  {64, 65},
      {6, 4090},  {5, 4096},    {4, 4101},    {4, 8200},  {1023, 9}, {1024, 8}, {1025, 10},
      {1031, 8},  {2060, 11},   {2048, 16},   {20, 511},  {20, 512}, {17, 513}, {253, 121},
      {13, 1030}, {1030, 1900}, {1030, 3700}, {5200, 710}};
  for (const Kernels* kernels : kernels_of_all_makers()) {
    for (const auto& shape : shapes) {
      const auto [m, k] = shape;
      const auto check = [&, m = m, k = k] {
        for (const bool by_rows : {false, true}) {
          for (std::int64_t offset = 0; offset<9; offset += m * k> 4000 ? 3 : 1) {
            Vector<T> v(m, k, by_rows, offset, random);
            const FastCounts counts = v.check(kernels, "seed " + std::to_string(seed));
            EXPECT_EQ(counts.tried, m);
            EXPECT_LE(counts.settled, 2 + m / 50);  // ordinary data hardly needs exact sums
          }
        }
      };
      if (m * k < 1'000'000)
        check();
      else
        for_each_reading(check);
    }
  }
}
TEST(FastGemv, ShapesOfDouble) { check_shapes<double>(701); }
TEST(FastGemv, ShapesOfFloat) { check_shapes<float>(702); }

// An element that is larger than those which were looked at, anywhere: one strip is run again, and
// entries without it are exact too. So large a one that the proof does not cover it.
TEST(FastGemv, WrongGuesses) {
  std::mt19937_64 random(703);
  for (const Kernels* kernels : kernels_of_all_makers()) {
    for (const bool by_rows : {false, true}) {
      for (const int spike : {1, 3, 12, 40, 80, 300, 390, 600, 1000}) {
        for (int round = 0; round < 6; ++round) {
          const std::int64_t m = 120 + round, k = 203;
          Vector<double> v(m, k, by_rows, round, random);
          // Also among the last columns, of which there is no whole group.
          const std::int64_t l =
              round % 2 != 0 ? k - 1 - round / 2 : 10 + static_cast<std::int64_t>(random() % 190);
          for (std::int64_t i = 70; i < m; i += 1 + round)
            v.a(i, l) = std::ldexp(1.5 + static_cast<double>(random() >> 13) * 0x1p-52, spike);
          v.x(l) = 1;
          const FastCounts counts = v.check(kernels, "spike " + std::to_string(spike));
          EXPECT_EQ(counts.tried, m);
          // One spike moves the sum by its own size, which the premise must see.
          EXPECT_GE(counts.rescaled, spike >= 40 && spike < 390 ? 1 : 0) << spike;
        }
      }
    }
  }
}

// Sums whose path leaves the interval that it starts in the middle of and comes back.
TEST(FastGemv, PathsThatComeBack) {
  std::mt19937_64 random(704);
  for (const Kernels* kernels : kernels_of_all_makers()) {
    for (const bool by_rows : {false, true}) {
      for (const int size : {4, 7, 10, 30, 60}) {
        for (const double sign : {1.0, -1.0}) {
          // The same lane, or row, goes there and back.
          const std::int64_t m = 80, k = 256, back = by_rows ? 64 + 16 : 64 + 1;
          Vector<double> v(m, k, by_rows, 0, random);
          for (std::int64_t i = 66; i < m; ++i) {
            v.a(i, 64) = std::ldexp(sign * (1 + 0.3 * static_cast<double>(i)), size);
            v.a(i, back) = -v.a(i, 64);
          }
          v.x(64) = v.x(back) = 1;
          const FastCounts counts = v.check(kernels, "size " + std::to_string(size));
          EXPECT_GE(counts.rescaled, size >= 30 ? 1 : 0) << size;
        }
      }
    }
  }
}

// The same in one of the rows that are summed together where the matrix is large: the sum itself
// shows nothing.
TEST(FastGemv, PathOfOneRowComesBack) {
  std::mt19937_64 random(718);
  for_each_reading([&] {
    for (const Kernels* kernels : kernels_of_all_makers()) {
      for (std::int64_t row = 512; row < 520; ++row) {
        Vector<double> v(1033, 520, true, row % 3, random);
        v.a(row, 64) = 0x1.3p60;
        v.a(row, 64 + 16) = -0x1.3p60;
        v.x(64) = v.x(64 + 16) = 1;
        const FastCounts counts = v.check(kernels, "row " + std::to_string(row));
        EXPECT_EQ(counts.tried, 1033);
        EXPECT_GE(counts.rescaled, 1);
      }
    }
  });
}

// Elements of x that scaling takes below the normal numbers, and data of any size.
TEST(FastGemv, AnyScale) {
  std::mt19937_64 random(705);
  for (const Kernels* kernels : kernels_of_all_makers()) {
    for (const bool by_rows : {false, true}) {
      for (const int of_a : {-1060, -500, -399, -300, 0, 300, 398, 450, 1000}) {
        for (const int of_x : {-1060, -700, -399, 0, 398, 450, 900}) {
          Vector<double> v(10, 40, by_rows, 1, random);
          for (std::int64_t l = 0; l < 40; ++l) {
            for (std::int64_t i = 0; i < 10; ++i) v.a(i, l) = std::ldexp(v.a(i, l), of_a);
            v.x(l) = std::ldexp(v.x(l), of_x);
          }
          v.check(kernels, "normal");
          v.x(7) = std::ldexp(1 + 0x1p-52, -1000);
          v.a(3, 7) = 0x1p1000;
          v.check(kernels, "tiny x", -0.7);
        }
      }
    }
  }
}

// An x that scaling would lose, beside an element that makes it count.
TEST(FastGemv, TinyX) {
  std::mt19937_64 random(708);
  for (const Kernels* kernels : kernels_of_all_makers()) {
    for (const bool by_rows : {false, true}) {
      for (int x = -790; x < -750; ++x) {
        Vector<double> v(90, 40, by_rows, 0, random);
        for (std::int64_t i = 0; i < 90; ++i)
          for (std::int64_t l = 0; l < 40; ++l)
            v.a(i, l) = std::ldexp(v.a(i, l), i < 70 ? 300 : 260);
        for (std::int64_t i = 70; i < 90; ++i) v.a(i, 20) = std::ldexp(v.a(i, 21), 1020 - 260);
        v.x(20) = std::ldexp(v.x(20), x);
        v.check(kernels, "2^" + std::to_string(x));
      }
    }
  }
}

template <class T>
void check_special(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  for (const Kernels* kernels : kernels_of_all_makers()) {
    for (const bool by_rows : {false, true}) {
      for (const T special : {std::numeric_limits<T>::quiet_NaN(), -kInfinity, kInfinity,
                              std::numeric_limits<T>::max(), -std::numeric_limits<T>::max()}) {
        for (int round = 0; round < 40; ++round) {
          const std::int64_t m = 30, k = 50;
          Vector<T> v(m, k, by_rows, round, random);
          // The last term of a sum among others: no later one brings out what it left.
          const std::int64_t l = round % 2 != 0 ? k - 1 : static_cast<std::int64_t>(random() % 50);
          v.a(static_cast<std::int64_t>(random() % 30), l) = special;
          if (round % 3 == 0) v.x(l) = -v.x(l);
          v.check(kernels, "special, seed " + std::to_string(seed));
          if (round % 4 == 0) {
            v.x(static_cast<std::int64_t>(random() % 50)) = special;
            v.check(kernels, "special x, seed " + std::to_string(seed));
          }
        }
      }
    }
  }
}
TEST(FastGemv, SpecialValuesOfDouble) { check_special<double>(706); }
TEST(FastGemv, SpecialValuesOfFloat) { check_special<float>(707); }

// Floats whose sums lie on a tie, or a last place of a sum of all bits beside one, among terms that
// cancel: sums in double do not see which, and their bounds must. Small matrices are summed another
// way than those whose sums scale up to the largest double.
TEST(FastGemv, NearTiesOfFloats) {
  std::mt19937_64 random(709);
  const auto any = [&random](int exponent) {
    const auto bits = static_cast<double>(random() >> 40) * 0x1p-24;
    return static_cast<float>(std::ldexp((random() % 2 != 0 ? 1 : -1) * (1 + bits / 2), exponent));
  };
  for (const Kernels* kernels : kernels_of_all_makers()) {
    random.seed(709);
    for (const bool by_rows : {false, true}) {
      for (const int of_a : {0, 3, -4, -40, 30}) {
        for (const std::int64_t k : {9, 130, 700}) {
          const std::int64_t m = 33;
          Vector<float> v(m, k, by_rows, 0, random);
          for (std::int64_t l = 0; l < k; ++l) v.x(l) = random() % 2 != 0 ? 1 : -1;
          for (std::int64_t i = 0; i < m; ++i) {
            // value, half of its last place, next to nothing, and pairs that are nothing
            for (std::int64_t l = 0; l < k; ++l) v.a(i, l) = 0;
            const auto place = [&](float value) {
              std::int64_t l = static_cast<std::int64_t>(random()) % k;
              l = l < 0 ? l + k : l;
              while (v.a(i, l) != 0) l = (l + 1) % k;
              v.a(i, l) = std::ldexp(value * v.x(l), of_a);
            };
            const float value = any(0), tie = std::ldexp(random() % 2 != 0 ? 1.0F : -1.0F, -24);
            place(value);
            if (random() % 8 != 0) place(tie);
            if (random() % 3 != 0) place(any(-45 - static_cast<int>(random() % 30)));
            for (int pair = 0; pair < 3; ++pair) {
              const float other = any(static_cast<int>(random() % 12));
              place(other);
              place(-other);
            }
          }
          const FastCounts counts = v.check(kernels, "a of 2^" + std::to_string(of_a));
          EXPECT_EQ(counts.tried, m);
          EXPECT_EQ(counts.capped, of_a < -8 ? 0 : m) << of_a;
        }
      }
    }
  }
}

// What is lost in a running sum beside a large term, which goes away again, takes the sum beyond a
// tie: the bound is all that says so. Elements 8 apart are of one lane, and come one after the
// other.
TEST(FastGemv, LostInRunningSums) {
  std::mt19937_64 random(712);
  for (const Kernels* kernels : kernels_of_all_makers()) {
    for (const bool by_rows : {false, true}) {
      for (const int of_a : {0, -40}) {
        for (const int sign : {1, -1}) {
          const std::int64_t m = 21, lost = 5, end = 8 * (lost + 1), k = end + 4;
          Vector<float> v(m, k, by_rows, 0, random);
          const float one = std::ldexp(static_cast<float>(sign), of_a), part = 0.9F * 0x1p-42F;
          for (std::int64_t l = 0; l < k; ++l) v.x(l) = 1;
          for (std::int64_t i = 0; i < m; ++i) {
            for (std::int64_t l = 0; l < k; ++l) v.a(i, l) = 0;
            v.a(i, 0) = 0x1p12F * one;
            for (std::int64_t t = 1; t <= lost; ++t) v.a(i, 8 * t) = -part * one;
            v.a(i, end) = -0x1p12F * one;
            v.a(i, end + 1) = one;
            v.a(i, end + 2) = 0x1p-24F * one;
            v.a(i, end + 3) = 2 * part * one;
          }
          const FastCounts counts = v.check(kernels, "a of 2^" + std::to_string(of_a));
          EXPECT_EQ(counts.settled, m);
          EXPECT_EQ(counts.capped, of_a == 0 ? m : 0);
        }
      }
    }
  }
}

// Elements beyond those that were looked at make sums overflow: a second scale, but where an
// infinity or a NaN lies beside them, and sums that overflowed must not pass for infinite ones.
TEST(FastGemv, SumsOfFloatsThatOverflow) {
  std::mt19937_64 random(710);
  for (const Kernels* kernels : kernels_of_all_makers()) {
    for (const bool by_rows : {false, true}) {
      for (const int spike : {4, 10, 14, 20, 60, 100, 127}) {
        for (const bool nan : {false, true}) {
          const std::int64_t m = 70, k = 300;
          Vector<float> v(m, k, by_rows, 0, random);
          for (const std::int64_t i : {41, 50, 69}) {
            v.a(i, 40) = std::ldexp(i == 50 ? -1.5F : 1.25F, spike);
            if (i == 69) v.a(i, 80) = -v.a(i, 40);
          }
          v.x(40) = v.x(80) = 1;
          if (nan) v.a(60, 9) = std::numeric_limits<float>::quiet_NaN();
          const FastCounts counts = v.check(kernels, "spike " + std::to_string(spike));
          EXPECT_EQ(counts.capped, m);
          if (spike <= 14) continue;
          EXPECT_EQ(counts.rescaled, nan ? 0 : 1) << spike;
          EXPECT_GE(counts.settled, nan ? 3 : 0) << spike;
        }
      }
    }
  }
}

// Matrices of floats of several strips, and beyond the sizes from which more rows go together and
// columns are asked for in advance.
TEST(FastGemv, LargeMatricesOfFloats) {
  std::mt19937_64 random(713);
  const std::pair<std::int64_t, std::int64_t> shapes[] = {
      {8200, 13}, {4097, 126}, {61, 1025}, {1231, 1300}, {301, 12289}};
  for (const Kernels* kernels : kernels_of_all_makers()) {
    for (const auto& [m, k] : shapes) {
      for (const bool by_rows : {false, true}) {
        Vector<float> v(m, k, by_rows, k % 5, random);
        const FastCounts counts = v.check(kernels, "large");
        EXPECT_EQ(counts.capped, m);
        EXPECT_LE(counts.settled, 2 + m / 200);
      }
    }
  }
}

// Deep sums over columns are scaled for terms that cancel. Data that do not are seen to in the
// first columns, or where their sums overflow, and are then summed with the other scale.
TEST(FastGemv, SumsOfFloatsOfOneSign) {
  std::mt19937_64 random(714);
  for (const Kernels* kernels : kernels_of_all_makers()) {
    for (const std::int64_t begin : {0, 50, 700, 2000}) {
      const std::int64_t m = 150, k = 1100;
      Vector<float> v(m, k, false, 0, random);
      for (std::int64_t l = 0; l < k; ++l) {
        v.x(l) = 1;
        for (std::int64_t i = 0; i < m; ++i)
          v.a(i, l) = l < begin ? v.a(i, l) / 4 : 1 + 0x1p-20F * static_cast<float>(i + l);
      }
      v.a(0, 0) = 1.5;  // the guess of what is the largest
      const FastCounts counts = v.check(kernels, "from column " + std::to_string(begin));
      EXPECT_EQ(counts.capped, m);
      EXPECT_EQ(counts.rescaled, begin == 700 ? 1 : 0) << begin;
      EXPECT_LE(counts.settled, 3) << begin;
    }
  }
}

// Vectors whose elements lie apart, and a C that counts, is kept, or is not read.
TEST(FastGemv, StridesAndC) {
  std::mt19937_64 random(715);
  const auto any = [&random] { return static_cast<float>(static_cast<double>(random()) - 0x1p63); };
  for (const Kernels* kernels : kernels_of_all_makers()) {
    for (const bool by_rows : {false, true}) {
      for (const std::int64_t step : {-3, 1, 2}) {
        for (const float beta : {0.0F, 1.0F, -0.3F}) {
          const std::int64_t m = 37, k = 61, apart = step < 0 ? -step : step;
          std::vector<float> a(static_cast<std::size_t>(m * k));
          std::vector<float> x(static_cast<std::size_t>(k * apart)),
              y(static_cast<std::size_t>(m * apart));
          for (auto* const all : {&a, &x, &y})
            for (float& value : *all) value = any();
          const std::vector<float> before = y;
          const auto first = [&](auto& v) { return v.data() + (step < 0 ? v.size() - 1 : 0); };
          const View<const float> view =
              by_rows ? View<const float>{a.data(), k, 1} : View<const float>{a.data(), 1, m};
          Product<float> call{m, 1, k, 0.7F, view, {first(x), step, 0}, beta, {first(y), step, 0}};
          multiply(kernels, call, 1);
          std::vector<float> wanted = before;
          call.c.first = first(wanted);
          for (std::int64_t i = 0; i < m; ++i) {
            const float entry = exact_entry(kernels, call, i, 0);
            call.c.at(i, 0) = entry;
          }
          for (std::size_t i = 0; i < y.size(); ++i)
            EXPECT_EQ(bits(y[i]), bits(wanted[i])) << kernels->name << ", " << by_rows << ", step "
                                                   << step << ", beta " << beta << ", " << i;
        }
      }
    }
  }
}

// Floats from the smallest to the largest on both sides.
TEST(FastGemv, AnyScaleOfFloats) {
  std::mt19937_64 random(711);
  for (const Kernels* kernels : kernels_of_all_makers()) {
    for (const bool by_rows : {false, true}) {
      for (const int of_a : {-148, -130, -100, -30, -5, 0, 40, 110, 125}) {
        for (const int of_x : {-148, -130, -60, 0, 40, 110, 125}) {
          Vector<float> v(13, 45, by_rows, 1, random);
          for (std::int64_t l = 0; l < 45; ++l) {
            for (std::int64_t i = 0; i < 13; ++i) v.a(i, l) = std::ldexp(v.a(i, l), of_a);
            v.x(l) = std::ldexp(v.x(l), of_x);
          }
          v.check(kernels, "2^" + std::to_string(of_a) + " 2^" + std::to_string(of_x));
          v.a(3, 7) = std::numeric_limits<float>::denorm_min();
          v.x(7) = 0x1p127F;
          v.check(kernels, "largest and smallest", -0.7F);
        }
      }
    }
  }
}

}  // namespace
}  // namespace reprosum::exact::testing
