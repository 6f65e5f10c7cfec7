// Does an order hold for every class of data, and at every size? Capture and verify ask the same.
//
// Libraries branch on what programs have: all summands positive, one exponent, integers, zeros,
// numbers near overflow. Hostile random data has none of it. check/random_data.h names 21 classes
// of data. An order must give the bits of each class at small sizes, on both sides of its
// thresholds and at log-uniform sizes. In a dot product one factor or both are of the class, or the
// class relates the factors: they are equal, negated, proportional, reversed, or a zero lies across
// from an Inf. A class that is wrong where hostile data of the same size is right means that the
// library looks at the values: input_dependent.
//
// Every size up to 4200 is tried as well. Some targets make code at the first call of a size, which
// takes some hundredths of a second (XLA does): then only as many sizes are tried as take three
// minutes (check/size_cost.h), and not_checked says so. Random data shows a pair of swapped
// summands once in a hundred vectors, so check/telling_data.h makes vectors for the tree of each
// size, on which it shows twice in five. A size that breaks its rule ends the coverage below it.
//
// Above that, sizes that a library may tell from others are tried (check/far_sizes.h): every
// residue modulo 1024, multiples and powers of small numbers, in each decade.
//
// Sizes come in random order, and a vector that was wrong is run again after others: bits that
// depend on the call before are refused as not_deterministic.
//
// An f32 sum may add in f64, and an f64 sum in nothing wider. Where small summands survive
// beside large ones longer than that, the width is measured and named ("it accumulates in 64
// significant bits"), and the order is refused.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reveal/check/replay_check.h"
#include "reveal/refused.h"
#include "spec/spec.h"

namespace reprosum::reveal {

// Vectors by class of data, in Data's order; kept with a certificate by the names of the classes.
struct ClassCounts {
  std::array<std::int64_t, kAllKinds> vectors{};
};
void add_counts(const ClassCounts& counts, std::map<std::string, std::int64_t>& named);

// The first vector on which the order was wrong.
struct ClassMismatch {
  Mismatch mismatch;
  Data kind = Data::ordinary;
  Call call;
  Vectors vector;
};

struct ClassResult {
  std::int64_t vectors = 0;
  std::int64_t far_sizes = 0;  // how many above every_to were tried
  ClassCounts counts;
  std::optional<ClassMismatch> wrong;
};

// "of the sizes above 4,200, 1,800 were tried: ..", of a certificate's not_checked.
std::string far_not_checked(std::int64_t every_to, std::int64_t far_sizes);

// A line of a certificate's not_checked.
inline constexpr const char* kStateAndTime =
    "state and time: an order that changes after many calls, or with what was called long before, "
    "would not have been found";

struct ClassPlan {
  std::int64_t n_max = 0;
  std::int64_t every_to = 4200;            // every n up to here is tried
  std::int64_t elements = 30'000'000;      // of all sizes besides
  int telling = 12;                        // vectors made for the tree (telling_data.h) at every n
  int classes = 2;                         // and of classes, in turn
  std::int64_t far_elements = 60'000'000;  // of the sizes above every_to (far_sizes.h)
  // The target puts vectors where calls say: where y is x, they may be one vector.
  bool has_places = false;
  std::uint64_t seed = 1;
};

// Every class at small sizes, on both sides of thresholds and at log-uniform sizes up to n_max;
// then every size up to every_to, with vectors made for its tree, or a hostile one, and classes in
// turn; then far sizes. The sizes come in random order, so that what depends on the call before
// shows. Stops at the first mismatch.
ClassResult check_classes(Target& target, const Call& context, const spec::Order& order,
                          const ClassPlan& plan);

// Why: bits that vary, one size alone (RefusedAt, unknown_rule), a class (input_dependent), one
// vector for both (address_dependent).
// May run the target some hundred times more.
RefusedAt explain(Target& target, const spec::Order& order, const ClassMismatch& wrong,
                  std::uint64_t seed);

}  // namespace reprosum::reveal
