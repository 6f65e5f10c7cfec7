// Do region rules and their orders give the target's bits on whole random matrices?
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reveal/check/random_data.h"
#include "reveal/mismatch.h"
#include "reveal/target.h"
#include "spec/spec.h"

namespace reprosum::reveal {

// What random replays are allowed to contain.
struct MatrixDataLimits {
  bool finite_only = false;   // no Inf, no NaN
  bool alpha_one = false;     // alpha is 1
  bool nonzero_only = false;  // no factor that is zero, or that alpha makes zero
};

// Any data, but for zero factors.
inline MatrixDataLimits without_zeros(MatrixDataLimits limits) {
  limits.finite_only = false;
  limits.nonzero_only = true;
  return limits;
}

struct MatrixCheck {
  // Operands' addresses and leading dimensions are random multiples of this many bytes, or of the
  // element's size.
  int alignment = 1;
  spec::Leadings leading{};
  MatrixDataLimits limits;
  std::uint64_t seed = 1;
  spec::AddressGuard addresses{};  // besides: what single addresses and leading dimensions are
  // Where each shape is met once, its data may be zeros or its alpha 0, and orders do not show:
  // products whose data tell them apart are added until so many outputs were seen.
  std::int64_t telling_outputs = 0;
  bool nan_beta_is_zero = false;  // as in spec::Guard
  bool by_class = false;          // data of one class after the other, rather than hostile ones
  // Every row of A is the same, and every column of B, and every element of C. All outputs of one
  // class are equal then, and one of each is replayed: products may be long. `telling_outputs`
  // counts such products.
  bool is_uniform = false;
  // Otherwise operands lie on any page, in any sequence, and A and B are one matrix now and then.
  bool keeps_place = false;
  bool keeps_data = false;  // otherwise all elements of A or of B are the same now and then
  bool keeps_face = false;  // otherwise calls go through CBLAS, or with C for T, now and then
};

// The check of everything that the entry admits.
MatrixCheck check_of(const spec::Entry& entry, std::uint64_t seed);

struct MatrixReplayResult {
  std::int64_t shapes = 0, outputs = 0, special_outputs = 0;
  std::array<std::int64_t, kAllKinds> kinds{};  // products by kind of data
  spec::Shape3 largest;
  std::int64_t uncovered = 0;  // shapes that the rules do not cover; nothing was run there
  struct Wrong {
    Mismatch mismatch;
    spec::Shape3 shape;
    std::size_t regime = 0;
    std::int32_t output_class = 0;
    Data data = Data::ordinary;
    double alpha = 1, beta = 0;
    bool is_uniform = false;  // the data, as in MatrixCheck
  };
  std::optional<Wrong> wrong;  // the first one
};

// Adds the counts of `part` to `sum` and takes its mismatch over.
void add(MatrixReplayResult& sum, MatrixReplayResult part);

// Random data in every output of every shape: the kinds of data and the pairs of alpha and beta
// ({0, 1, -1, random} each) alternate from shape to shape. `context` gives everything but m, n, k;
// pads of 0 and more alternate. Stops at the first mismatch.
MatrixReplayResult check_matrices(Target& target, const Call& context,
                                  const std::vector<spec::MatrixRegime>& regimes,
                                  const std::vector<spec::Order>& orders,
                                  std::span<const spec::Shape3> shapes, const MatrixCheck& check);

// What a certificate says of leading dimensions.
std::string leading_not_checked();

// Further checks that rules must pass, in capture and in verify: every m, n and k up to some
// hundred, and every class of data at shapes of all sizes. `check` gives the placement and the
// seed.
struct MatrixClassPlan {
  bool is_gemv = false;
  spec::Shape3 largest;
  double work = 2e7;  // multiplications
};
MatrixReplayResult check_matrix_classes(Target& target, const Call& context,
                                        const std::vector<spec::MatrixRegime>& regimes,
                                        const std::vector<spec::Order>& orders,
                                        const MatrixClassPlan& plan, MatrixCheck check);

// Shapes at which region rules can be wrong: every m, n and k up to 64 with random others, both
// sides of the guards, of the axes' segments and of the orders' thresholds, and log-uniform ones up
// to `largest`; `work` bounds the sum of m*n*k. `salt` draws other shapes: held-out ones.
std::vector<spec::Shape3> plan_shapes(const std::vector<spec::MatrixRegime>& regimes,
                                      const std::vector<spec::Order>& orders, bool is_gemv,
                                      const spec::Shape3& largest, double work, std::uint64_t salt);

// The first regime whose guard holds at the shape; nullopt: none.
std::optional<std::size_t> deciding_regime(const std::vector<spec::MatrixRegime>& regimes,
                                           const spec::Shape3& shape);

// For each regime up to twelve shapes that it decides, however few its guard admits; the sum of
// their m*n*k is at most `work`. A regime whose shapes are all dearer gets the five cheapest of
// some thousands, for at most six times `work`. In addition, each regime gets one shape for each k
// up to 16, of at most a quarter of `work`.
std::vector<spec::Shape3> shapes_inside(const std::vector<spec::MatrixRegime>& regimes,
                                        bool is_gemv, const spec::Shape3& largest, double work,
                                        std::uint64_t salt);

// Shapes with classes that fewer than six of `shapes` have, until six have each: few of the shapes
// that a regime decides may have a class. They have at most 64 rows and columns, or 96 if that does
// not do.
std::vector<spec::Shape3> shapes_of_rare(const std::vector<spec::MatrixRegime>& regimes,
                                         bool is_gemv, const spec::Shape3& largest,
                                         const std::vector<spec::Shape3>& shapes,
                                         std::uint64_t salt);

// `count` cheap shapes of few summands, most of them of fewer than nine: there alignments, zeros
// and infinities decide more outputs than orders do, and libraries have most of their exceptions.
std::vector<spec::Shape3> plan_small(bool is_gemv, const spec::Shape3& largest, std::int64_t count,
                                     std::uint64_t salt);

// Every shape of at most `size` rows, columns and summands, in random order. A rule that was found
// from some of them and is wrong at others then fails early, and one that is wrong at a few is met
// at all.
std::vector<spec::Shape3> plan_box(std::int64_t size, const spec::Shape3& largest,
                                   std::uint64_t salt);

// `count` long thin shapes of gemv: one side of more than 64, drawn evenly, the other of at most
// 16; three of four have many rows. What a block of the long side leaves over may have an order of
// its own where the other side is short, at few lengths, which have neighbours.
std::vector<spec::Shape3> plan_long(const spec::Shape3& largest, std::int64_t count,
                                    std::uint64_t salt);

}  // namespace reprosum::reveal
