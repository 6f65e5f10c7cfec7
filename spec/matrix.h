// The part of a spec that speaks of gemv and gemm: contexts, region rules, evidence.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "spec/addresses.h"
#include "spec/format.h"
#include "spec/increments.h"
#include "spec/region.h"

namespace reprosum::spec {

enum class Routine : std::uint8_t;
struct Spec;

enum class Trans : std::uint8_t { no, yes };  // the conjugate transpose of real data is `yes`

// Leading dimensions: some libraries take another path where a matrix has no gaps.
enum class Leading : std::uint8_t {
  any,
  tight,   // the least one that BLAS admits
  padded,  // a greater one
};

// Those of A, B and C of the column-major problem; of a gemv, which has A alone, the others are
// any.
inline constexpr std::size_t kLeadingPlaces = 3;
using Leadings = std::array<Leading, kLeadingPlaces>;
// Which of them are the least ones.
using Tightness = std::array<bool, kLeadingPlaces>;
inline constexpr Tightness kAllTight = {true, true, true};
bool admits(const Leadings& leadings, const Tightness& tight);
// "", "A without gaps", "A without gaps, C with gaps".
std::string describe(const Leadings& leadings);

// Values of beta: some libraries add to C itself where beta is 1, and otherwise scale it before or
// after the sum.
enum class Beta : std::uint8_t {
  any,
  one,
  other,  // than 1
};

// Everything besides the shape that selects a region rule. A context is covered iff every field
// admits it.
struct MatrixGuard {
  Trans trans_a = Trans::no, trans_b = Trans::no;  // gemv: trans_b is `no`
  std::vector<Increments> increments;              // of gemv, ascending; gemm: exactly (1, 1)
  std::vector<int> threads;                        // of the captured library, ascending
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
  // Beside `alignment`: single addresses and leading dimensions that matter.
  AddressGuard addresses;
  auto operator<=>(const MatrixGuard&) const = default;
};

// What was done to believe a region rule and its orders; outside the hash.
struct MatrixCertificate {
  std::int64_t shapes_learned = 0;   // shapes whose map was looked at while the rule was sought
  std::int64_t shapes_checked = 0;   // held-out shapes, every output compared by random replay
  std::int64_t outputs_checked = 0;  // outputs of these, bit-equal to the interpreter
  std::int64_t special_outputs = 0;  // those with signed zeros, subnormals, Inf or NaN in the data
  std::map<std::string, std::int64_t> classes;  // products by class of data, as of Certificate
  std::int64_t largest_m = 0, largest_n = 0, largest_k = 0;
  std::int64_t calls = 0;
  std::uint64_t seed = 0;
  std::vector<std::string> not_checked;  // plain sentences
  bool operator==(const MatrixCertificate&) const = default;
};

struct MatrixEntry {
  Routine routine{};
  Type type = Type::f32;
  MatrixGuard guard;
  std::vector<MatrixRegime> regimes;  // the first one whose guard holds decides
  std::int64_t m_max = 0, n_max = 0;  // no claim beyond
  MatrixCertificate certificate;
};

// A context asked for, column-major, e.g. by a replayed call.
struct MatrixContext {
  Routine routine{};
  Type type = Type::f32;
  Trans trans_a = Trans::no, trans_b = Trans::no;
  Shape3 shape;
  std::int64_t incx = 1, incy = 1;
  int threads = 1;
  bool from_row_major = false;
  Tightness tight = kAllTight;
  Residues addresses{};
  Beta beta = Beta::any;  // any: it is not known
  // What is known of the data: entries that do not admit it are passed over.
  bool has_special = false, has_zero = false;  // an Inf or NaN; a zero factor
  bool operator==(const MatrixContext&) const = default;
};

// The entry that covers the context (its shape included), one that limits neither data nor alpha
// if there is one; or nullptr and, in *why, the first thing that is not covered.
const MatrixEntry* find(const Spec& spec, const MatrixContext& context, std::string* why = nullptr);

}  // namespace reprosum::spec
