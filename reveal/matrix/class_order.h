// The order of one class of outputs of gemv or gemm, with all its arithmetic.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reveal/refused.h"
#include "reveal/target.h"
#include "spec/evaluate/evaluate_matrix.h"
#include "spec/order.h"
#include "spec/region.h"
#include "spec/spec.h"

namespace reprosum::reveal {

// The outputs of one class at one k: a shape (call.k == k) and cells of it. With several cells in
// distinct rows or distinct columns one call answers several independent probes.
struct Cells {
  Call call{.routine = spec::Routine::gemm};
  std::vector<std::pair<std::int64_t, std::int64_t>> cells{};
};

// nullopt: no shape of this class has this k. The class is then looked at in the first summands of
// the next larger k that has one.
using CellsAt = std::function<std::optional<Cells>(std::int64_t k)>;

// An order with its rules, e.g. one that was found for another class.
struct KnownClassOrder {
  spec::Order order{};
  spec::MatrixClass::BetaZero beta_zero{};
  spec::MatrixClass::AlphaZero alpha_zero{};
  std::int64_t k_max = 0;
  bool alpha_one_only = false, finite_only = false;
  spec::MatrixClass::BetaZeroUpTo beta_zero_up_to{};

  spec::MatrixClass::BetaZero beta_zero_at(std::int64_t k) const {
    return spec::MatrixClass::rule_at(beta_zero_up_to, beta_zero, k);
  }
};

// The order of the sums alone, up to some k.
struct KnownSums {
  spec::Order order{};
  std::int64_t k_max = 0;
};

struct ClassOptions {
  std::vector<KnownClassOrder> known{};  // tried first, in this order
  bool alpha_one = false;                // ask for the bits of alpha = 1 only
  std::optional<KnownSums> sums{};       // of this class: only where alpha and C enter is sought
  std::int64_t k_max = 8192;             // ask for coverage up to here
  std::int64_t random_vectors = 600;     // hostile vectors for the certificate
  double time_limit_s = 20;              // for the inference of the plain order
  std::uint64_t seed = 1;
  std::function<void(const std::string&)> log{};  // one line per step, may be empty
};

struct ClassOrder {
  spec::Order order{};  // an update order: `out` and scales are placed
  spec::MatrixClass::BetaZero beta_zero{};
  spec::MatrixClass::AlphaZero alpha_zero{};
  std::int64_t k_max = 0;            // covers 1..k_max
  std::optional<std::size_t> known;  // index into ClassOptions::known, if it is one of these
  // No known place of alpha explains the bits of alpha != 1, or they were not asked for.
  bool alpha_one_only = false;
  bool finite_only = false;               // outputs with an Inf or NaN among the data differ
  bool is_all_below = false;              // go_on() found it right at every smaller k as well
  std::vector<std::int64_t> revealed{};   // sizes whose whole tree was revealed
  std::vector<std::int64_t> all_nodes{};  // sizes at which every node was tested
  std::int64_t random_vectors = 0;        // outputs of hostile data, bit-equal to the replay
  std::int64_t calls = 0;                 // executions of the probed routine
  spec::MatrixClass::BetaZeroUpTo beta_zero_up_to{};
  std::optional<KnownSums> sums_beyond{};  // go on above k_max, where alpha or C enter otherwise
  std::string stopped{};                   // why k_max is less than what was asked for; or empty
  std::vector<std::string> not_checked{};  // plain sentences
};

// The rules for alpha = 0 up to n and those above are different, and each is known: two classes
// would be found where one is not (class_by_k.h).
struct KBorder : RefusedAt {
  using RefusedAt::RefusedAt;
};

// Finds and certifies the order of one class. Throws Refused (refused.h) if there is none, a
// RefusedAt where one k is to blame, KBorder, and TargetError.
ClassOrder reveal_class(Target& target, const CellsAt& cells, const ClassOptions& options);

}  // namespace reprosum::reveal
