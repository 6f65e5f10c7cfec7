// Sums and dot products of vectors, rounded once, to nearest even. Which way a call takes is said
// below; each gives the same bits.
//
// With AVX2 or AVX-512, sum and dot try these in turn. Each proves itself from what it sees,
// else the next one is tried; all give equal bits, since the exact sum has one rounding.
// path_counts() says how often the thread took each.
//
// Bounded (bounded, anchored_sums.h): chunks of 2^15 terms, each as an exact high part plus a
// rounded low part whose error is bounded. A term takes one fma onto a running sum, a
// subtraction that says what of it went there, an fma that says what did not, and an addition of
// that: a dot product costs as much as a sum. If both ends of the interval round to the same
// number, that is the result, whatever the exponents. Every other chain of sums takes its terms
// with the other sign, so that differences of two need no anchor taken off. Short vectors need
// one kernel call and no accumulator, in the code of sum and dot itself; over several chunks the
// intervals are added without error. There is no question to the floating-point flags. Long
// chunks, of floats too, are read as three or four streams side by side, from different places
// of a page: a core then has more lines of memory on their way, and beyond the caches that takes
// about the time of a plain sum that reads one stream, often less.
//
// Premises, looked at after the chunk:
//  - No running sum left the binade that it starts in the middle of: the exponents of all of
//    them, or-ed or and-ed. The scale is guessed from 4 terms (floats: 16), then kept. Otherwise
//    the chunk is run once more, scaled by the largest term.
//  - Doubles: the sums of all lanes together fit 53 bits. Otherwise the same.
//  - The ends round alike and are not zero: no tie, no cancellation beyond some 40 bits (f64;
//    fewer in very long vectors). Otherwise the ladder goes on.
//
// Floats are summed in double, two terms at a time, scaled so that lanes that become larger than
// expected overflow; a sum that comes out finite proves its bound, which takes no operation but
// the conversion (capped_sums.h). Terms below some 2^-10 do not scale up so far: 400 to 2^22 of
// them are summed in float as doubles are, in groups of 8 terms of each lane. Where that does
// not decide, for other numbers of them, and for fewer than 400 of any size, they are summed in
// double beside their squares (brackets.h). With AVX-512, but not on AMD's processors, which
// convert and add at the same time, 1280 to 2^19 floats of any size are first summed in float,
// and so are 640 to 2^18 products, with AVX2 2^10 to 2^13: of uniform vectors that decides
// nearly all, of normal ones most, fewest of the longest. If the rounding is still open, the
// floats, or their products, are summed as doubles, in blocks.
//
// Vectors of 2^22 doubles or more whose exponents are seen to lie 150 or more apart go to the
// ladder's buckets at once: beyond the caches those take less time than memory twice.
//
// The ladder: exact, in blocks. The kernels run block by block, floats as doubles.
//
//  - narrow: 2 slices of 39 bits: premises, looked at after the block: largest term below the
//    anchor's bound; no bit left below the last slice; dot: no underflow flag; holds: blocks
//    whose exponents span about 25
//  - wide: 5 slices: premises, looked at after the block: the same; holds: about 140
//  - exponent buckets: premises, looked at after the block: not the first such block; dot: no
//    underflow flag; holds: everything
//  - carry-save digits: premises, looked at after the block: none; holds: everything
//
// The exponent of a block is guessed from the block before it; a wrong guess costs a second run.
// A block that fails moves the next ones up a step, and after 16 blocks the step below is tried
// again, or after up to 1024 where it keeps failing. NaN and infinities are summed again without
// kernels, since those do not keep which there were. Sums of matrices, norms and solvers enter here
// (total), as do sums that the steps above left undecided; fewer than 24 terms go to the
// superaccumulator instead.
//
// Machines without AVX2 use the superaccumulator and carry-save digits alone. bench_exact has
// the speeds.
#pragma once

#include <cstdint>

#include "src/exact/sums/kernels.h"

namespace reprosum::exact {

// Pointers and increments are BLAS's: x is the lowest address for any sign. T is float or double.
// @pre n >= 0, and the elements can be read
template <class T>
T sum(std::int64_t n, const T* x, std::int64_t incx);

template <class T>
T dot(std::int64_t n, const T* x, std::int64_t incx, const T* y, std::int64_t incy);

// With these kernels, or, for null, without any.
template <class T>
T sum_with(const Kernels* kernels, std::int64_t n, const T* x, std::int64_t incx);

template <class T>
T dot_with(const Kernels* kernels, std::int64_t n, const T* x, std::int64_t incx, const T* y,
           std::int64_t incy);

}  // namespace reprosum::exact
