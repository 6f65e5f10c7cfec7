// Does an order hold for every class of data, and at every size? Capture and verify ask the same.
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
  ClassCounts counts;
  std::optional<ClassMismatch> wrong;
};

// Of a certificate's not_checked.
inline constexpr const char* kStateAndTime =
    "state and time: an order that changes after many calls, or with what was called long before, "
    "would not have been found";

struct ClassPlan {
  std::int64_t n_max = 0;
  std::int64_t every_to = 4200;        // every n up to here is tried
  std::int64_t elements = 30'000'000;  // of all sizes besides
  int telling = 12;                    // vectors made for the tree (telling_data.h) at every n
  int classes = 2;                     // and of classes, in turn
  std::uint64_t seed = 1;
};

// Every class at small sizes, on both sides of thresholds and at log-uniform sizes up to n_max;
// then every size up to every_to, with vectors made for its tree, or a hostile one, and classes in
// turn. The sizes come in random order, so that what depends on the call before shows. Stops at the
// first mismatch.
ClassResult check_classes(Target& target, const Call& context, const spec::Order& order,
                          const Replay& replay, const ClassPlan& plan);

// Why: bits that vary, one size alone (RefusedAt, unknown_rule), a class (input_dependent).
// May run the target some hundred times more.
RefusedAt explain(Target& target, const spec::Order& order, const Replay& replay,
                  const ClassMismatch& wrong, std::uint64_t seed);

}  // namespace reprosum::reveal
