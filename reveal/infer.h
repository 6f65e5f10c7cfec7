// From trees at a few n to one rule for every n.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "reveal/oracle.h"
#include "spec/order.h"

namespace reprosum::reveal {

struct InferOptions {
  std::int64_t n_max = 1'000'000;
  int probes = 24;                   // random mask probes per verified size
  std::int64_t reveal_max = 70'000;  // largest tree revealed in full
  double time_limit_s = 60;  // of a usual machine: counted in calls, so load changes nothing
  std::uint64_t seed = 1;
  bool lanes =
      true;  // lanes may have orders of their own (spec::Shape::sub): no matrix update's do
  bool blocks_go_on = true;  // blocks may go on from the sum before them: matrix updates go on from
                             // C, which reveal/matrix looks for
  std::vector<spec::Order> known{};  // orders that pieces may follow, of other contexts say
  std::function<void(const std::string&)> log;  // one line per step, may be empty
};

struct Inference {
  spec::Order order;         // defined on 1..reached (and nothing else), zero leaves absent
  std::int64_t reached = 0;  // every n in 1..reached is covered
  std::string stopped;       // empty if reached == n_max, else why it gave up there
  std::string stopped_reason = "unknown_rule";  // of a Refused (refused.h), if one ended it
  std::vector<std::int64_t> revealed;           // sizes whose full tree was revealed
  std::vector<std::int64_t> probed;             // sizes tested with random masks only
  std::int64_t calls = 0;
};

// @post order is valid (spec::validate) and covers exactly 1..reached.
Inference infer(Oracle& oracle, const InferOptions& options);

// infer() of a box that is known not to be exact (check_box): masks that leave every unit all the
// same mean that the additions recover what they round off, and are refused as `compensated`.
Inference infer_of_rounded(Oracle& oracle, const InferOptions& options);

// Rules that cut the sums of these sizes in contiguous pieces and add these from the left, as far
// as the last addition of each size says, simplest first; `child` is unset. For sums whose pieces
// are known from elsewhere.
std::vector<spec::Parts> parts_of(Oracle& oracle, std::span<const std::int64_t> sizes,
                                  std::uint64_t seed);

}  // namespace reprosum::reveal
