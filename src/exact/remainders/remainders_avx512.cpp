// The loops of products by remainders with AVX-512 VNNI.
#include <algorithm>
#include <bit>

#include "src/exact/machine/avx512_intrinsics.h"
#include "src/exact/remainders/remainder_kernels_x86.h"

#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx512vnni,fma")

namespace reprosum::exact {
namespace {

#include "src/exact/remainders/reduce_sums_avx512.h"

constexpr int kNearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;

// The words of 16 numbers with their top bits changed, and squares of what rounding dropped.
struct Words {
  __m512i words[kWords];
};
[[gnu::always_inline]] inline Words words_of(const double* scaled, __m512d* squares) {
  Words w;
  __m256i halves[2][kWords];
  for (int h = 0; h < 2; ++h) {
    const __m512d y = _mm512_loadu_pd(scaled + 8 * h);
    const __m512d high = _mm512_roundscale_pd(_mm512_mul_pd(y, _mm512_set1_pd(0x1p-48)), kNearest);
    const __m512d rest = _mm512_fnmadd_pd(high, _mm512_set1_pd(0x1p48), y);
    const __m512d middle =
        _mm512_roundscale_pd(_mm512_mul_pd(rest, _mm512_set1_pd(0x1p-24)), kNearest);
    const __m512d last = _mm512_fnmadd_pd(middle, _mm512_set1_pd(0x1p24), rest);
    const __m512d low = _mm512_roundscale_pd(last, kNearest);
    const __m512d dropped = _mm512_sub_pd(last, low);
    squares[h] = _mm512_fmadd_pd(dropped, dropped, squares[h]);
    halves[h][0] = _mm512_cvtpd_epi32(high);
    halves[h][1] = _mm512_cvtpd_epi32(middle);
    halves[h][2] = _mm512_cvtpd_epi32(low);
  }
  for (int h = 0; h < kWords; ++h) {
    const __m512i both = _mm512_inserti64x4(_mm512_castsi256_si512(halves[0][h]), halves[1][h], 1);
    w.words[h] = _mm512_xor_si512(both, _mm512_set1_epi32(std::bit_cast<int>(0x80000000u)));
  }
  return w;
}

// Remainders of one run: bits of 1.5 * 2^23 + sum are those of 1.5 * 2^23 as an integer, plus the
// sum. q, the integer nearest to sum * inverse, is off sum / p by at most 1/2 + 2^19 * 2^-24 / p,
// so sum - q * p is at most p / 2 + 2^-5 in magnitude: a byte, or 128 = -128 modulo 256. Sums of
// rows start 128 lower, which is added to their bytes afterwards.
template <bool kOfRows>
[[gnu::always_inline]] inline void convert_tile(const double* scaled, const Remainders& remainders,
                                                std::uint8_t* out, std::int64_t stride,
                                                double* dropped) {
  const __m512 big = _mm512_set1_ps(0x1.8p23f);
  // Byte 0 of each number of four, to where these have 0; per 16 bytes.
  const __m512i places =
      _mm512_broadcast_i32x4(_mm_setr_epi32(0, 0x04040404, 0x08080808, 0x0c0c0c0c));
  for (std::int64_t run = 0; run < 16; ++run, scaled += 64, dropped += 16) {
    __m512d squares[2] = {_mm512_loadu_pd(dropped), _mm512_loadu_pd(dropped + 8)};
    Words numbers[4];
    for (int j = 0; j < 4; ++j) numbers[j] = words_of(scaled + 16 * j, squares);
    _mm512_storeu_pd(dropped, squares[0]);
    _mm512_storeu_pd(dropped + 8, squares[1]);
    std::uint8_t* to = out + run * 64;
    for (int t = 0; t < remainders.count; ++t, to += stride) {
      const Modulus& m = remainders.moduli[static_cast<std::size_t>(t)];
      const __m512i weight0 = _mm512_set1_epi32(m.weights[0]),
                    weight1 = _mm512_set1_epi32(m.weights[1]),
                    weight2 = _mm512_set1_epi32(m.weights[2]),
                    start = _mm512_set1_epi32((kOfRows ? m.start_of_rows : m.start) +
                                              std::bit_cast<std::int32_t>(0x1.8p23f));
      const __m512 size = _mm512_set1_ps(m.size), inverse = _mm512_set1_ps(m.inverse);
      __m512i r[4];
      for (int j = 0; j < 4; ++j) {
        __m512i sum = _mm512_dpbusd_epi32(start, numbers[j].words[0], weight0);
        sum = _mm512_dpbusd_epi32(sum, numbers[j].words[1], weight1);
        sum = _mm512_dpbusd_epi32(sum, numbers[j].words[2], weight2);
        const __m512 with_big = _mm512_castsi512_ps(sum);
        const __m512 quotient =
            _mm512_sub_ps(_mm512_fmadd_ps(_mm512_sub_ps(with_big, big), inverse, big), big);
        r[j] = _mm512_castps_si512(_mm512_fnmadd_ps(quotient, size, with_big));
      }
      __m512i bytes = r[0];
      bytes = _mm512_mask_shuffle_epi8(bytes, 0x2222222222222222u, r[1], places);
      bytes = _mm512_mask_shuffle_epi8(bytes, 0x4444444444444444u, r[2], places);
      bytes = _mm512_mask_shuffle_epi8(bytes, 0x8888888888888888u, r[3], places);
      if (kOfRows) bytes = _mm512_xor_si512(bytes, _mm512_set1_epi8(-128));
      _mm512_storeu_si512(to, bytes);
    }
  }
}

void convert(const double* scaled, bool of_rows, const Remainders& remainders, std::uint8_t* out,
             std::int64_t stride, double* dropped) {
  if (of_rows)
    convert_tile<true>(scaled, remainders, out, stride, dropped);
  else
    convert_tile<false>(scaled, remainders, out, stride, dropped);
}

// Rows of an 8 x 8 matrix become its columns.
[[gnu::always_inline]] inline void transpose(__m512d* v) {
  __m512d pairs[8], fours[8];
  for (int k = 0; k < 4; ++k) {
    pairs[2 * k] = _mm512_unpacklo_pd(v[2 * k], v[2 * k + 1]);
    pairs[2 * k + 1] = _mm512_unpackhi_pd(v[2 * k], v[2 * k + 1]);
  }
  // fours[k]: of rows 0 to 3 or 4 to 7, the numbers of columns k % 2 and those 2, 4, 6 further.
  for (int h = 0; h < 2; ++h) {
    for (int k = 0; k < 2; ++k) {
      const __m512d low = pairs[4 * h + k], high = pairs[4 * h + 2 + k];
      fours[4 * h + k] = _mm512_shuffle_f64x2(low, high, 0x88);
      fours[4 * h + 2 + k] = _mm512_shuffle_f64x2(low, high, 0xdd);
    }
  }
  for (int k = 0; k < 2; ++k) {
    v[k] = _mm512_shuffle_f64x2(fours[k], fours[4 + k], 0x88);
    v[4 + k] = _mm512_shuffle_f64x2(fours[k], fours[4 + k], 0xdd);
    v[2 + k] = _mm512_shuffle_f64x2(fours[2 + k], fours[6 + k], 0x88);
    v[6 + k] = _mm512_shuffle_f64x2(fours[2 + k], fours[6 + k], 0xdd);
  }
}

// Elements of lines that lie side by side, and each line's elements `next` apart.
template <bool kOfRows>
void gather_across(const double* from, std::int64_t next, const double* scales, double* to) {
  for (int h = 0; h < 2; ++h, from += 8) {
    const __m512d scale = _mm512_loadu_pd(scales + 8 * h);
    for (int group = 0; group < 8; ++group) {  // every fourth of 32 elements
      const int first = group / 4 * 32 + group % 4;
      __m512d v[8];
      for (int q = 0; q < 8; ++q) {
        const double* const place = from + (first + 4 * q) * next;
        v[q] = _mm512_mul_pd(_mm512_loadu_pd(place), scale);
        __builtin_prefetch(place + kTileDepth * next);
      }
      if (kOfRows) transpose(v);
      double* const out = kOfRows ? to + h * 512 + group % 4 * 16 + group / 4 * 8
                                  : to + group / 4 * 512 + group % 4 * 16 + h * 8;
      for (int q = 0; q < 8; ++q) _mm512_storeu_pd(out + 64 * q, v[q]);
    }
  }
}

// Lines whose elements lie side by side, `step` apart.
void gather_rows(const double* from, std::int64_t step, const double* scales, double* to) {
  const __m512i even = _mm512_setr_epi64(0, 4, 8, 12, 1, 5, 9, 13);
  const __m512i odd = _mm512_setr_epi64(2, 6, 10, 14, 3, 7, 11, 15);
  for (int i = 0; i < 16; ++i, from += step, to += 64) {
    const __m512d scale = _mm512_set1_pd(scales[i]);
    for (int g = 0; g < 2; ++g) {
      __m512d v[4];
      for (int q = 0; q < 4; ++q) {
        const double* const place = from + 32 * g + 8 * q;
        v[q] = _mm512_mul_pd(_mm512_loadu_pd(place), scale);
        __builtin_prefetch(place + kTileDepth);
      }
      const __m512d a = _mm512_permutex2var_pd(v[0], even, v[1]),
                    b = _mm512_permutex2var_pd(v[2], even, v[3]),
                    c = _mm512_permutex2var_pd(v[0], odd, v[1]),
                    d = _mm512_permutex2var_pd(v[2], odd, v[3]);
      _mm512_storeu_pd(to + 8 * g, _mm512_shuffle_f64x2(a, b, 0x44));
      _mm512_storeu_pd(to + 8 * g + 16, _mm512_shuffle_f64x2(a, b, 0xee));
      _mm512_storeu_pd(to + 8 * g + 32, _mm512_shuffle_f64x2(c, d, 0x44));
      _mm512_storeu_pd(to + 8 * g + 48, _mm512_shuffle_f64x2(c, d, 0xee));
    }
  }
}
void gather_columns(const double* from, std::int64_t step, const double* scales, double* to) {
  for (int h = 0; h < 2; ++h) {
    for (int eight = 0; eight < 8; ++eight) {
      __m512d v[8];
      for (int i = 0; i < 8; ++i) {
        const double* const place = from + (8 * h + i) * step + 8 * eight;
        v[i] = _mm512_mul_pd(_mm512_loadu_pd(place), _mm512_set1_pd(scales[8 * h + i]));
        __builtin_prefetch(place + kTileDepth);
      }
      transpose(v);
      for (int e = 0; e < 8; ++e)
        _mm512_storeu_pd(to + eight * 128 + e / 4 * 64 + e % 4 * 16 + h * 8, v[e]);
    }
  }
}

void gather(const double* from, std::int64_t line_step, std::int64_t next_step,
            const double* scales, bool of_rows, double* to) {
  if (line_step == 1)
    return of_rows ? gather_across<true>(from, next_step, scales, to)
                   : gather_across<false>(from, next_step, scales, to);
  return of_rows ? gather_rows(from, line_step, scales, to)
                 : gather_columns(from, line_step, scales, to);
}

// sum + four products of a's unsigned and b's signed bytes, in place: of the intrinsic's result GCC
// 12 keeps copies in loops.
[[gnu::always_inline]] inline void add_products(__m512i& sum, __m512i a, __m512i b) {
  asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
}

// 8 rows by 16 * kVectors columns, held in registers.
template <int kVectors>
[[gnu::always_inline]] inline void multiply_strip(const RemainderBlock& block,
                                                  const SumReducer& reducer, const std::uint8_t* a,
                                                  const std::uint8_t* b, std::int8_t* out) {
  constexpr int kRows = 8;
  __m512i sums[kRows][kVectors];
  for (int i = 0; i < kRows; ++i)
    for (int v = 0; v < kVectors; ++v) sums[i][v] = _mm512_setzero_si512();
  for (std::int64_t l = 0; l < block.tiles; ++l, a += kTileBytes, b += kTileBytes) {
#pragma GCC unroll 16
    for (int run = 0; run < 16; ++run) {
      __m512i column[kVectors];
      for (int v = 0; v < kVectors; ++v)
        column[v] = _mm512_load_si512(b + v * block.line + run * 64);
#pragma GCC unroll 8
      for (int i = 0; i < kRows; ++i) {
        std::int32_t four;
        __builtin_memcpy(&four, a + i * 64 + run * 4, 4);
        const __m512i row = _mm512_set1_epi32(four);
#pragma GCC unroll 3
        for (int v = 0; v < kVectors; ++v) add_products(sums[i][v], row, column[v]);
      }
    }
  }
  for (int i = 0; i < kRows; ++i)
    for (int v = 0; v < kVectors; ++v)
      reducer.store(sums[i][v], block.adds, out + i * block.ld + v * 16);
}

void multiply(const RemainderBlock& block, const Modulus& modulus) {
  const SumReducer reducer(modulus);
  for (std::int64_t j = 0; j < block.column_blocks; j += 3) {
    const std::uint8_t* const columns = block.b + j * block.line;
    for (std::int64_t i = 0; i < 2 * block.row_blocks; ++i) {
      const std::uint8_t* const rows = block.a + i / 2 * block.line + i % 2 * 512;
      std::int8_t* const to = block.out + i * 8 * block.ld + j * 16;
      if (block.column_blocks - j >= 3)
        multiply_strip<3>(block, reducer, rows, columns, to);
      else if (block.column_blocks - j == 2)
        multiply_strip<2>(block, reducer, rows, columns, to);
      else
        multiply_strip<1>(block, reducer, rows, columns, to);
    }
  }
}

void combine(std::int64_t count, const std::int8_t* planes, std::int64_t stride,
             const Remainders& remainders, double scale, const double* scales, double* high,
             double* low) {
  constexpr int kAtOnce = 2;
  const __m512d p_high = _mm512_set1_pd(remainders.high), p_low = _mm512_set1_pd(remainders.low);
  for (std::int64_t j = 0; j < count; j += 8 * kAtOnce) {
    __m512d sums[kAtOnce][3];
    for (int v = 0; v < kAtOnce; ++v)
      for (int h = 0; h < 3; ++h) sums[v][h] = _mm512_setzero_pd();
    for (int t = 0; t < remainders.count; ++t) {
      const double* const fraction = remainders.moduli[static_cast<std::size_t>(t)].fraction;
      const std::int8_t* const from = planes + t * stride + j;
      const __m512i wide =
          _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i_u*>(from)));
      const __m512d r[kAtOnce] = {_mm512_cvtepi32_pd(_mm512_castsi512_si256(wide)),
                                  _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(wide, 1))};
      for (int h = 0; h < 3; ++h) {
        const __m512d f = _mm512_set1_pd(fraction[h]);
        for (int v = 0; v < kAtOnce; ++v) sums[v][h] = _mm512_fmadd_pd(r[v], f, sums[v][h]);
      }
    }
    for (int v = 0; v < kAtOnce; ++v) {
      const __m512d part = _mm512_sub_pd(sums[v][0], _mm512_roundscale_pd(sums[v][0], kNearest));
      const __m512d d = _mm512_add_pd(part, sums[v][1]), back = _mm512_sub_pd(d, part);
      const __m512d e = _mm512_add_pd(_mm512_sub_pd(part, _mm512_sub_pd(d, back)),
                                      _mm512_sub_pd(sums[v][1], back));
      const __m512d l = _mm512_add_pd(e, sums[v][2]);
      const __m512d product = _mm512_mul_pd(d, p_high);
      const __m512d error = _mm512_fmsub_pd(d, p_high, product);
      const __m512d rest = _mm512_fmadd_pd(d, p_low, _mm512_fmadd_pd(l, p_high, error));
      const __m512d size =
          _mm512_mul_pd(_mm512_set1_pd(scale), _mm512_loadu_pd(scales + j + 8 * v));
      _mm512_storeu_pd(high + j + 8 * v, _mm512_mul_pd(product, size));
      _mm512_storeu_pd(low + j + 8 * v, _mm512_mul_pd(rest, size));
    }
  }
}

}  // namespace

// Measured: a Zen 4 core crosses over between n = 192 and n = 256.
const RemainderKernels kVnniRemainders = {"VNNI",
                                          &PathCounts::vnni_products,
                                          1.0 / 60,
                                          1000,
                                          {256, 256, kMostDepth / kTileDepth},
                                          gather,
                                          convert,
                                          multiply,
                                          combine};

}  // namespace reprosum::exact

#pragma GCC pop_options
