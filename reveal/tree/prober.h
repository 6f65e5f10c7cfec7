// Probes of one context, whichever operand can be varied in it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reveal/target.h"

namespace reprosum::reveal {

// A base id that no other user of a target has.
std::uint64_t fresh_base_id();

// The summands' values are put into the `varied` operand: x, or y where all summands share x[0]
// (incx = 0). The other operand is one, or, in a probe's `other` edits, something else.
class Prober {
 public:
  // Throws Refused("unmaskable") if no operand can be varied.
  Prober(Target& target, const Call& call);

  const Call& call() const { return call_; }
  std::int64_t n() const { return call_.k; }
  bool is_dot() const { return call_.routine == spec::Routine::dot; }
  // All summands share one number of the other operand, so it cannot be edited for one of them.
  bool other_is_shared() const;

  // In Probe, x means the varied and y the other operand. `base` holds n values; `other` is the
  // value of the other operand everywhere. One output per probe (one for an empty list).
  std::vector<double> run(std::span<const double> base, std::span<const Probe> probes,
                          double other = 1, std::uint64_t base_id = 0);
  // rows * n values of the varied operand; one output per row.
  std::vector<double> run_rows(std::span<const double> rows);

 private:
  std::vector<double> ask(const Batch& batch);

  Target& target_;
  Call call_;
  bool varies_y_ = false;
  std::vector<double> others_;
};

}  // namespace reprosum::reveal
