#include "src/exact/remainders/remainder_kernels.h"

#include <atomic>
#include <cmath>

#include "src/base/fork_gate.h"

#if defined(__x86_64__)
#include "src/exact/remainders/remainder_kernels_x86.h"
#endif

namespace reprosum::exact {
namespace {

std::uint8_t remainder_of(const std::int32_t* words, const Modulus& modulus, bool of_rows) {
  std::int32_t sum = modulus.start;
  for (int h = 0; h < kWords; ++h) {
    const std::uint32_t digits = static_cast<std::uint32_t>(words[h]) ^ 0x80000000u;
    for (int b = 0; b < 4; ++b) {
      const auto weight = static_cast<std::int8_t>(modulus.weights[h] >> 8 * b);
      sum += static_cast<std::int32_t>(digits >> 8 * b & 0xff) * weight;
    }
  }
  std::int32_t r = (sum % modulus.p + modulus.p) % modulus.p;
  if (!of_rows && 2 * r > modulus.p) r -= modulus.p;
  return static_cast<std::uint8_t>(r);
}

void convert(const double* scaled, bool of_rows, const Remainders& remainders, std::uint8_t* out,
             std::int64_t stride, double* dropped) {
  for (std::int64_t run = 0; run < 16; ++run) {
    for (std::int64_t lane = 0; lane < 16; ++lane) {
      double squares = 0;
      for (std::int64_t j = 0; j < 4; ++j) {
        const double y = scaled[run * 64 + j * 16 + lane];
        // Multiples of the places that are rounded to: each difference is exact.
        const double high = std::nearbyint(y * 0x1p-48), rest = y - high * 0x1p48;
        const double middle = std::nearbyint(rest * 0x1p-24), last = rest - middle * 0x1p24;
        const double low = std::nearbyint(last);
        squares += (last - low) * (last - low);
        const std::int32_t words[kWords] = {static_cast<std::int32_t>(high),
                                            static_cast<std::int32_t>(middle),
                                            static_cast<std::int32_t>(low)};
        for (int t = 0; t < remainders.count; ++t)
          out[t * stride + run * 64 + lane * 4 + j] =
              remainder_of(words, remainders.moduli[static_cast<std::size_t>(t)], of_rows);
      }
      dropped[run * 16 + lane] += squares;
    }
  }
}

void multiply(const RemainderBlock& block, const Modulus& modulus) {
  const std::int32_t p = modulus.p;
  for (std::int64_t i = 0; i < 16 * block.row_blocks; ++i) {
    const std::uint8_t* const row = block.a + i / 16 * block.line + i % 16 * 64;
    for (std::int64_t at = 0; at < block.column_blocks; ++at) {
      const std::uint8_t* const columns = block.b + at * block.line;
      std::int32_t sums[16] = {};
      for (std::int64_t e = 0; e < block.tiles * kTileDepth; e += 4) {
        const std::int64_t tile = e / kTileDepth * kTileBytes, place = e % kTileDepth;
        const std::uint8_t *const x = row + tile + place, *const y = columns + tile + 16 * place;
        for (int j = 0; j < 16; ++j)
          for (int part = 0; part < 4; ++part)
            sums[j] += x[part] * static_cast<std::int8_t>(y[4 * j + part]);
      }
      std::int8_t* const out = block.out + i * block.ld + at * 16;
      for (int j = 0; j < 16; ++j) {
        std::int32_t r = (sums[j] + (block.adds ? out[j] : 0)) % p;
        if (2 * r > p) r -= p;
        if (2 * r < -p) r += p;
        out[j] = static_cast<std::int8_t>(r);
      }
    }
  }
}

void combine(std::int64_t count, const std::int8_t* planes, std::int64_t stride,
             const Remainders& remainders, double scale, const double* scales, double* high,
             double* low) {
  for (std::int64_t j = 0; j < count; ++j) {
    double sums[3] = {};
    for (int t = 0; t < remainders.count; ++t)
      for (int h = 0; h < 3; ++h)
        sums[h] +=
            planes[t * stride + j] * remainders.moduli[static_cast<std::size_t>(t)].fraction[h];
    const double part = sums[0] - std::nearbyint(sums[0]);
    const double d = part + sums[1], back = d - part;
    const double l = ((part - (d - back)) + (sums[1] - back)) + sums[2];
    const double product = d * remainders.high, error = std::fma(d, remainders.high, -product);
    const double rest = std::fma(d, remainders.low, std::fma(l, remainders.high, error));
    const double size = scale * scales[j];
    high[j] = product * size;
    low[j] = rest * size;
  }
}

}  // namespace

const RemainderKernels kPortableRemainders = {"portable",
                                              &PathCounts::portable_remainder_products,
                                              0,
                                              1000,
                                              {256, 256, 16},
                                              nullptr,
                                              convert,
                                              multiply,
                                              combine};

const RemainderKernels* vnni_remainders() {
#if defined(__x86_64__)
  static std::atomic<const bool*> kept{nullptr};
  const bool usable = base::made_once(kept, [] {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vnni");
  });
  return usable ? &kVnniRemainders : nullptr;
#else
  return nullptr;
#endif
}

#if !defined(__x86_64__)
const RemainderKernels* amx_remainders() { return nullptr; }
#endif

}  // namespace reprosum::exact
