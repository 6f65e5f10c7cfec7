// From signatures of a few shapes to one rule over all shapes: which output has which order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reveal/target.h"
#include "spec/region.h"

namespace reprosum::reveal {

// If small products are learned apart and a search for rules of all sizes covers a smaller share of
// all shapes, it is not started again, and the orders of these rules get little time.
inline constexpr double kHardlyAny = 0.25;

// Tells outputs apart. Equal hash at equal k = same order and arithmetic, across all m and n.
class SignatureSource {
 public:
  virtual ~SignatureSource() = default;
  // m*n hashes, output (i, j) at i + j*m.
  virtual std::vector<std::uint64_t> signatures(const spec::Shape3& shape) = 0;
  // Fewer probes per output from now on, or all of them again. Hashes of the two lengths cannot be
  // compared. False if the source has one length only.
  virtual bool set_short(bool) { return false; }
  virtual std::int64_t calls() const = 0;
};

// Which alpha the outputs are told apart with. A library may choose where alpha acts by the shape
// (ATLAS: on the smaller operand) while the order of the sums is the same: alpha = 1 hides that.
enum class Alphas : std::uint8_t { any, one };

// Signatures of one context of a target from random cancelling data, alpha and beta at work, and
// signs of zero. The data depend on k and the seed only. `call`'s m, n, k are ignored.
// The target must outlive the source.
std::unique_ptr<SignatureSource> make_signature_source(Target& target, const Call& call,
                                                       std::uint64_t seed,
                                                       Alphas alphas = Alphas::any);

// What calls cost, each of so many products m*n*k, in seconds of a usual machine: time limits are
// counted in these, so that what is found does not depend on the machine.
double counted_seconds(double calls, double products);

struct LearnedRegions;

struct RegionOptions {
  bool is_gemv = false;  // n is 1 throughout
  spec::Shape3 largest{2048, 2048, 2048};
  // m, n and k up to here are learned apart; for gemv only where rules of all sizes cover few
  // shapes. 0: none are.
  std::int64_t small = 0;
  bool is_small_sure = false;   // gemv's small sizes are learned apart in any case
  double largest_work = 3.2e7;  // m*n*k of one shape at most (what a signature may cost)
  std::int64_t held_out = 400;  // random shapes checked at the end, both sides of every guard
  double time_limit_s = 60;     // of a usual machine: it is counted in calls and their products
  double patience = 1;          // the part of it that may be spent on rules of all sizes
  std::uint64_t seed = 1;
  const LearnedRegions* similar = nullptr;  // of a context that may have some rules in common
  // Regions of other contexts. Their rules are tried before a new one is learned.
  std::vector<const LearnedRegions*> others;
  std::function<void(const std::string&)> log;  // one line per step, may be empty
};

// One regime as the learner knows it: the roles of outputs, not yet their orders.
struct LearnedRegime {
  // Classes are numbered and have no order yet (order == class number). Without any it covers
  // nothing and keeps its shapes from the regimes after it.
  spec::MatrixRegime rule;
  std::int64_t k_ref = 0;  // where the classes were told apart
  // A shape, and an output of it, for each class: for revelations. k is k_ref.
  struct Witness {
    spec::Shape3 shape;
    std::int64_t i = 0, j = 0;
  };
  std::vector<Witness> witnesses;
};

struct LearnedRegions {
  std::vector<LearnedRegime> regimes;  // the first whose guard holds decides
  std::int64_t shapes = 0, calls = 0;
  std::int64_t checked = 0;  // held-out shapes, all of them right
  double covered = 0;        // the share of random shapes that the regimes cover
  // The same share for the rules that were not learned from small products alone.
  double covered_by_all_sizes = 0;
  std::size_t small = 0;   // the first so many regimes were learned from these
  bool all_small = false;  // asked for small products, nearly all of them are covered
  std::string stopped;     // empty, or why part of the shapes is not covered
  std::vector<std::string> not_checked;
};

// Only what was right on every held-out shape is returned; other regimes are left out (a shape that
// falls into none is not covered) and `stopped` says why.
LearnedRegions learn_regions(SignatureSource& source, const RegionOptions& options);

// The same regions in another context, if no held-out shape contradicts them; half as many are
// asked as by learn_regions(). nullopt if one does, or if nothing was known. The rules of small
// products of gemm are learned anew (gemv has few).
std::optional<LearnedRegions> confirm_regions(SignatureSource& source, const LearnedRegions& known,
                                              const RegionOptions& options);

}  // namespace reprosum::reveal
