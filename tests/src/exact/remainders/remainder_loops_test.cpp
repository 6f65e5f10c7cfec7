// The loops of products by remainders, each kind of them against integers.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "src/exact/remainders/remainder_kernels.h"
#include "tests/src/exact/remainders/remainder_cases.h"

namespace reprosum::exact::testing {
namespace {

using Int128 = __int128;

TEST(Remainders, NumberOfModuliGivesTheBits) {
  for (const std::int64_t k : {1, 1000, 4096, 65536}) {
    for (int bits = 20; bits <= 68; ++bits) {
      const Remainders& r = remainders_for(bits, k);
      const double wanted = std::ldexp(std::sqrt(static_cast<double>(k)), bits);
      EXPECT_GE(r.limit, wanted);
      EXPECT_LT(remainders(r.count - 1).limit, wanted);
    }
  }
}

// limit^2 <= P / 2 * (1 - 2^-9), and not much less; P as pairs of doubles.
TEST(Remainders, ProductAndLimit) {
  mpfr_t p, pair, half;
  mpfr_inits2(400, p, pair, half, nullptr);
  for (int count = 2; count <= kMostModuli; ++count) {
    const Remainders& r = remainders(count);
    mpfr_set_ui(p, 1, MPFR_RNDN);
    for (int t = 0; t < count; ++t) mpfr_mul_si(p, p, r.moduli[t].p, MPFR_RNDN);
    mpfr_set_d(pair, r.high, MPFR_RNDN);
    mpfr_add_d(pair, pair, r.low, MPFR_RNDN);
    mpfr_mul_2si(pair, pair, r.exponent, MPFR_RNDN);
    mpfr_sub(pair, pair, p, MPFR_RNDN);
    mpfr_div(pair, pair, p, MPFR_RNDN);
    EXPECT_LE(std::fabs(mpfr_get_d(pair, MPFR_RNDA)), 0x1p-105);
    mpfr_set_d(half, r.limit, MPFR_RNDN);
    mpfr_sqr(half, half, MPFR_RNDN);
    mpfr_div(half, half, p, MPFR_RNDN);
    EXPECT_LE(mpfr_get_d(half, MPFR_RNDU), 0.5 * (1 - 0x1p-9));
    EXPECT_GE(mpfr_get_d(half, MPFR_RNDD), 0.5 * (1 - 0x1p-8));
  }
  mpfr_clears(p, pair, half, nullptr);
}

TEST(Remainders, OfConvertedNumbers) {
  std::mt19937_64 random(701);
  for (const RemainderKernels* loops : all_remainder_kernels()) {
    for (int count = 2; count <= kMostModuli; ++count) {
      const Remainders& r = remainders(count);
      for (const bool of_rows : {false, true}) {
        std::vector<double> numbers(kTileDoubles);
        const int kind = static_cast<int>(random() % 4);
        for (double& y : numbers) {
          y = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), -63) * r.limit;
          if (kind == 1) y = std::copysign(r.limit, y);
          if (kind == 2) y = std::ldexp(y, -static_cast<int>(random() % 80));
          if (kind == 3) y = std::trunc(y) + (random() % 2 != 0 ? 0.5 : -0.5);
        }
        std::vector<std::uint8_t> out(static_cast<std::size_t>(count) * kTileBytes);
        std::vector<double> dropped(256);
        loops->convert(numbers.data(), of_rows, r, out.data(), kTileBytes, dropped.data());
        for (std::size_t i = 0; i < numbers.size(); ++i) {
          const std::size_t run = i / 64, j = i / 16 % 4, lane = i % 16;
          const auto x = static_cast<Int128>(std::nearbyint(numbers[i]));
          for (int t = 0; t < count; ++t) {
            const std::int32_t p = r.moduli[t].p;
            const std::uint8_t byte =
                out[static_cast<std::size_t>(t) * kTileBytes + run * 64 + lane * 4 + j];
            const int value = of_rows ? byte : static_cast<std::int8_t>(byte);
            ASSERT_EQ(static_cast<int>((x - value) % p), 0)
                << loops->name << ", " << numbers[i] << " modulo " << p;
          }
        }
        for (std::size_t place = 0; place < 256; ++place) {
          double squares = 0;
          for (std::size_t j = 0; j < 4; ++j) {
            const double y = numbers[place / 16 * 64 + j * 16 + place % 16];
            squares += (y - std::nearbyint(y)) * (y - std::nearbyint(y));
          }
          ASSERT_NEAR(dropped[place], squares, squares * 0x1p-50) << loops->name;
        }
      }
    }
  }
}

// Bytes of every size, and the largest there are at the largest depth, where 32 bits just hold.
TEST(Remainders, OfProducts) {
  std::mt19937_64 random(702);
  for (const RemainderKernels* loops : all_remainder_kernels()) {
    for (int turn = 0; turn < 100; ++turn) {
      const bool largest = turn < 4;
      const std::int64_t depth =
          largest ? kMostDepth / kTileDepth : 1 + static_cast<int>(random() % 5);
      const std::int64_t row_blocks = largest ? 1 : 1 + static_cast<int>(random() % 5),
                         column_blocks = largest ? 1 : 1 + static_cast<int>(random() % 8);
      const std::int64_t ld = 16 * column_blocks + 16;
      const Modulus& m = remainders(kMostModuli).moduli[largest ? turn % 2 * 19 : random() % 20];
      AlignedBytes a(row_blocks * depth * kTileBytes), b(column_blocks * depth * kTileBytes);
      for (std::int64_t i = 0; i < a.size; ++i)
        a.data[i] = largest ? 255 : static_cast<std::uint8_t>(random());
      for (std::int64_t i = 0; i < b.size; ++i)
        b.data[i] = largest ? (turn < 2 ? 128 : 127) : static_cast<std::uint8_t>(random());
      std::vector<std::int8_t> out(static_cast<std::size_t>(16 * row_blocks * ld), 99);
      const std::vector<std::int8_t> before = [&] {
        for (std::int8_t& v : out) v = static_cast<std::int8_t>(random());
        return out;
      }();
      // Some of the depth, or all of it; on its own, or with what was there.
      const std::int64_t first = largest ? 0 : static_cast<int>(random() % unsigned(depth));
      RemainderBlock block{};
      block.row_blocks = row_blocks;
      block.column_blocks = column_blocks;
      block.tiles = largest ? depth : 1 + static_cast<int>(random() % unsigned(depth - first));
      block.line = depth * kTileBytes;
      block.a = a.data + first * kTileBytes;
      block.b = b.data + first * kTileBytes;
      block.next_rows = random() % 2 != 0 ? block.a : nullptr;
      block.out = out.data();
      block.ld = ld;
      block.adds = random() % 2 != 0;
      loops->multiply(block, m);
      for (std::int64_t i = 0; i < 16 * row_blocks; ++i) {
        for (std::int64_t j = 0; j < ld; ++j) {
          const auto place = static_cast<std::size_t>(i * ld + j);
          const std::int8_t got = out[place];
          if (j >= 16 * column_blocks) {
            ASSERT_EQ(got, before[place]) << "beside the output";
            continue;
          }
          std::int64_t sum = block.adds ? before[place] : 0;
          for (std::int64_t l = 0; l < block.tiles * kTileDepth; ++l) {
            const std::int64_t at = l / 64 * kTileBytes;
            sum += block.a[i / 16 * block.line + at + i % 16 * 64 + l % 64] *
                   static_cast<std::int8_t>(
                       block.b[j / 16 * block.line + at + l % 64 / 4 * 64 + j % 16 * 4 + l % 4]);
          }
          ASSERT_EQ((sum - got) % m.p, 0) << loops->name << " modulo " << m.p;
        }
      }
    }
  }
}

// Units that do not what they should are seen.
struct SwappedTiles : EmulatedTiles {
  template <int kSum, int kA, int kB>
  void multiply() {
    EmulatedTiles::multiply<kSum, kB, kA>();
  }
};
struct HalfTiles : EmulatedTiles {
  void configure(const TileConfig& config) {
    TileConfig half = config;
    half.rows[2] = 8;
    EmulatedTiles::configure(half);
  }
};
TEST(Tiles, AreComparedWithTheEmulation) {
  EmulatedTiles right;
  EXPECT_TRUE(does_as_emulated(right));
  SwappedTiles swapped;
  EXPECT_FALSE(does_as_emulated(swapped));
  HalfTiles half;
  EXPECT_FALSE(does_as_emulated(half));
}

// One product by hand, of tiles that are not whole: 2 x 8 by 8 x 3.
TEST(Tiles, MultiplyAsTheManualSays) {
  TileConfig config{};
  config.palette = 1;
  config.rows[0] = 2, config.row_bytes[0] = 12;
  config.rows[1] = 2, config.row_bytes[1] = 8;
  config.rows[2] = 2, config.row_bytes[2] = 12;
  std::uint8_t a[2][8], b[2][12];
  std::int32_t sums[2][3] = {{0x7fffffff, 0, 0}, {0, 0, -5}}, before[2][3];
  std::memcpy(before, sums, sizeof sums);
  for (int i = 0; i < 2; ++i) {
    for (int l = 0; l < 8; ++l) a[i][l] = static_cast<std::uint8_t>(255 - 16 * i - l);
    for (int l = 0; l < 12; ++l) b[i][l] = static_cast<std::uint8_t>(120 + 3 * l + i);
  }
  EmulatedTiles unit;
  unit.configure(config);
  unit.load<0>(sums, 12);
  unit.load<1>(a, 8);
  unit.load<2>(b, 12);
  unit.multiply<0, 1, 2>();
  unit.store<0>(sums, 12);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      auto wanted = static_cast<std::uint32_t>(before[i][j]);
      for (int l = 0; l < 8; ++l)
        wanted +=
            static_cast<std::uint32_t>(a[i][l] * static_cast<std::int8_t>(b[l / 4][4 * j + l % 4]));
      EXPECT_EQ(static_cast<std::uint32_t>(sums[i][j]), wanted) << i << ", " << j;
    }
  }
}

// Integers to the end of the range from remainders that are reduced as badly as they may be.
TEST(Remainders, GiveTheIntegerBack) {
  std::mt19937_64 random(703);
  gmp_randstate_t state;
  gmp_randinit_default(state);
  gmp_randseed_ui(state, 703);
  mpfr_t p, v, rest, error;
  mpfr_inits2(400, p, v, rest, error, nullptr);
  for (const RemainderKernels* loops : all_remainder_kernels()) {
    for (int count = 2; count <= kMostModuli; ++count) {
      const Remainders& r = remainders(count);
      constexpr std::int64_t kEntries = 64;
      std::vector<std::int8_t> planes(static_cast<std::size_t>(kEntries * count));
      std::vector<double> scales(kEntries), high(kEntries), low(kEntries);
      for (double& scale : scales) scale = std::ldexp(1.0, static_cast<int>(random() % 300) - 150);
      const double scale = std::ldexp(1.0, r.exponent + 7);
      for (const bool check : {false, true}) {
        gmp_randseed_ui(state, 703 + static_cast<unsigned>(count));
        mpfr_set_ui(p, 1, MPFR_RNDN);
        for (int t = 0; t < count; ++t) mpfr_mul_si(p, p, r.moduli[t].p, MPFR_RNDN);
        for (std::int64_t j = 0; j < kEntries; ++j) {
          mpfr_urandomb(v, state);
          if (j < 4) mpfr_set_ui(v, 1, MPFR_RNDN);
          if (j % 8 == 7)
            mpfr_mul_2si(v, v, -static_cast<int>(10 * count * j / kEntries), MPFR_RNDN);
          mpfr_mul(v, v, p, MPFR_RNDN);
          mpfr_mul_d(v, v, 0.5 * (1 - 0x1p-9), MPFR_RNDN);
          mpfr_rint(v, v, MPFR_RNDZ);
          if (j % 2 != 0) mpfr_neg(v, v, MPFR_RNDN);
          if (!check) {
            for (int t = 0; t < count; ++t) {
              const std::int32_t modulus = r.moduli[t].p;
              mpfr_set_si(rest, modulus, MPFR_RNDN);
              mpfr_fmod(rest, v, rest, MPFR_RNDN);
              auto reduced = static_cast<int>(mpfr_get_si(rest, MPFR_RNDN));
              if (2 * std::abs(reduced) > modulus) reduced -= reduced > 0 ? modulus : -modulus;
              if (reduced == kMostReduced) reduced = -kMostReduced;  // as bytes have it
              planes[static_cast<std::size_t>(t * kEntries + j)] =
                  static_cast<std::int8_t>(reduced);
            }
            continue;
          }
          // Relative to P, and without the scales.
          const double size = scales[static_cast<std::size_t>(j)] * std::ldexp(1.0, 7);
          mpfr_set_d(error, high[static_cast<std::size_t>(j)], MPFR_RNDN);
          mpfr_add_d(error, error, low[static_cast<std::size_t>(j)], MPFR_RNDN);
          mpfr_div_d(error, error, size, MPFR_RNDN);
          mpfr_sub(error, error, v, MPFR_RNDN);
          mpfr_div(error, error, p, MPFR_RNDN);
          ASSERT_LT(std::fabs(mpfr_get_d(error, MPFR_RNDN)), 0x1p-102)
              << loops->name << ", " << count << " moduli, entry " << j;
        }
        if (!check)
          loops->combine(kEntries, planes.data(), kEntries, r, scale, scales.data(), high.data(),
                         low.data());
      }
    }
  }
  mpfr_clears(p, v, rest, error, nullptr);
  gmp_randclear(state);
}

}  // namespace
}  // namespace reprosum::exact::testing
