// What an entry demands of a call besides its shape, and the call as far as entries ask about it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "spec/addresses.h"
#include "spec/format.h"
#include "spec/increments.h"
#include "spec/region.h"

namespace reprosum::spec {

enum class Routine : std::uint8_t { sum, dot, gemv, gemm };  // add-only

// gemv and gemm: they have matrices, alpha, beta and many outputs. sum and dot have vectors and
// one.
constexpr bool has_matrices(Routine routine) {
  return routine == Routine::gemv || routine == Routine::gemm;
}

enum class Trans : std::uint8_t { no, yes };  // the conjugate transpose of real data is `yes`

// Leading dimensions: some libraries take another path where a matrix has no gaps.
enum class Leading : std::uint8_t {
  any,
  tight,   // the least one that BLAS admits
  padded,  // a greater one
};

// The leading dimensions of A, B and C in the column-major problem. gemv has only A's; the others
// are any.
inline constexpr std::size_t kLeadingPlaces = 3;
using Leadings = std::array<Leading, kLeadingPlaces>;
// Which of them are the least ones.
using Tightness = std::array<bool, kLeadingPlaces>;
inline constexpr Tightness kAllTight = {true, true, true};
bool admits(const Leadings& leadings, const Tightness& tight);
// "", "A without gaps", "A without gaps, C with gaps".
std::string describe(const Leadings& leadings);
// "NT" of a gemm, "T" of a gemv.
std::string transposes_of(Routine routine, Trans trans_a, Trans trans_b);

// Values of beta: some libraries add to C itself where beta is 1, and otherwise scale it before or
// after the sum.
enum class Beta : std::uint8_t {
  any,
  one,
  other,  // than 1
};

// Everything besides the shape that selects an order or a region rule: a conjunction of conditions,
// each at its default where nothing is demanded. conditions.h asks, prints, reads and writes them,
// a row each. Fields are add-only. Those from trans_a to `addresses` speak of sum and dot only
// where the comment says so.
struct Guard {
  Trans trans_a = Trans::no, trans_b = Trans::no;  // gemv: trans_b is `no`
  // Ascending; for every routine. sum: incy is 0; gemm: exactly (1, 1).
  std::vector<Increments> increments;
  std::vector<int> threads;  // of the captured library, ascending; for every routine
  // Row-major CBLAS calls are the column-major call on the transposed problem: operands, m and n
  // exchanged for gemm, trans flipped for gemv. 0: they were not captured.
  bool row_major = false;
  // Every operand's address and leading dimension in bytes is a multiple of this (1: any).
  int alignment = 1;
  Leadings leading{};
  // Calls with an Inf or NaN in A, B, x, or in a C that is read, are not covered.
  bool finite_only = false;
  // Calls with a zero among the factors are not covered: an element of A, B or x that is zero, or
  // whose product with an alpha other than 0 is.
  bool nonzero_only = false;
  // Calls with another alpha than 1 are not covered.
  bool alpha_one = false;
  // Calls with another beta are not covered.
  Beta beta = Beta::any;
  // A beta that is NaN does what beta = 0 does: some libraries scale C by code that compares so.
  bool nan_beta_is_zero = false;
  // Single addresses and leading dimensions that matter besides `alignment`, for every routine.
  // With sum and dot, x and y have one modulus.
  AddressGuard addresses;
  auto operator<=>(const Guard&) const = default;
};

// A call, column-major, e.g. one to be replayed. What its routine lacks is at its default.
struct Context {
  Routine routine = Routine::dot;
  Type type = Type::f64;
  Trans trans_a = Trans::no, trans_b = Trans::no;
  Shape3 shape;  // sum and dot of n numbers: {1, 1, n}
  std::int64_t incx = 1, incy = 1;
  int threads = 1;
  bool from_row_major = false;
  Tightness tight = kAllTight;
  Residues addresses{};
  Beta beta = Beta::any;  // any: it is not known
  // Known facts about the data: entries that do not admit such data are passed over.
  bool has_special = false, has_zero = false;  // an Inf or NaN; a zero factor
  bool operator==(const Context&) const = default;
};

// The guard of a sum or dot with these conditions, the ones that those routines have.
Guard vector_guard(std::vector<Increments> increments, std::vector<int> threads,
                   AddressGuard addresses = {});
// A call of sum or dot. Addresses are modulo 64. sum has no y, so incy and align_y are ignored for
// it.
Context vector_call(Routine routine, Type type, std::int64_t n, std::int64_t incx = 1,
                    std::int64_t incy = 1, int threads = 1, int align_x = 0, int align_y = 0);

}  // namespace reprosum::spec
