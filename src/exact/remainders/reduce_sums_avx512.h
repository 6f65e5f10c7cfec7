// Sums of products of remainders, reduced. Included where AVX-512 VNNI is compiled for.
#pragma once

// Let s be a sum, |s| < 2^31 - 2^16 (remainders.h). s = 2^16 * h + l, with signed halves; so m = h
// * w + l, w = 2^16 modulo p, is congruent to s, and |m| <= 2^15 * 127 + 2^15 = 2^22. Bits of 1.5 *
// 2^23 + m are those of 1.5 * 2^23, plus m. q, the integer nearest to m * inverse, is off m / p by
// at most 1/2 + |m| * 2^-24 / p, so r = m - q * p has |r| <= p / 2 + 1/4: 127 for p < 256, and for
// 256 maybe 128, whose byte, that of -128, is congruent too.
class SumReducer {
 public:
  explicit SumReducer(const Modulus& modulus)
      : weights_(_mm512_set1_epi32(modulus.halves)),
        inverse_(_mm512_set1_ps(modulus.inverse)),
        size_(_mm512_set1_ps(modulus.size)) {}

  // 16 sums, reduced.
  [[gnu::always_inline]] __m128i reduced(__m512i sums) const {
    const __m512 big = _mm512_set1_ps(0x1.8p23f);
    const __m512i half = _mm512_set1_epi32(0x8000);
    const __m512i halves = _mm512_xor_si512(_mm512_add_epi32(sums, half), half);
    const __m512 with_big =
        _mm512_castsi512_ps(_mm512_dpwssd_epi32(_mm512_castps_si512(big), halves, weights_));
    const __m512 q =
        _mm512_sub_ps(_mm512_fmadd_ps(_mm512_sub_ps(with_big, big), inverse_, big), big);
    return _mm512_cvtepi32_epi8(_mm512_castps_si512(_mm512_fnmadd_ps(q, size_, with_big)));
  }
  // The same, written; `adds`: with what was there.
  [[gnu::always_inline]] void store(__m512i sums, bool adds, std::int8_t* out) const {
    const __m128i before = _mm_maskz_loadu_epi8(static_cast<__mmask16>(adds ? 0xffff : 0), out);
    _mm_storeu_si128(reinterpret_cast<__m128i_u*>(out),
                     reduced(_mm512_add_epi32(sums, _mm512_cvtepi8_epi32(before))));
  }

 private:
  __m512i weights_;
  __m512 inverse_, size_;
};
