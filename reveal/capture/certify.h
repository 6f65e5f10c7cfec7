// From an inferred order to a certified one: zero leaves, range, all-node checks, random replay.
//
// Every node of the predicted trees is tested (20 repetitions with random signs and random halves
// of a level) on both sides of each threshold, over two periods and at log-uniform sizes. Hostile
// random data follows at many more sizes, which no inference has seen. A mismatch gets a reason:
// compensated; unknown_arithmetic if masks show the very tree whose bits are not the target's;
// unknown_rule if they show another tree, and then the order is certified and kept below that size.
// Classes of data and every size come last (check/class_check.h).
#pragma once

#include <cstdint>

#include "reveal/capture.h"
#include "reveal/check/class_check.h"
#include "reveal/infer.h"
#include "reveal/target.h"
#include "spec/spec.h"

namespace reprosum::reveal {

struct CertifiedOrder {
  spec::Order order;
  std::int64_t n_max = 0;
  spec::Certificate certificate;
  std::string stopped;  // why n_max is less than what was asked for; may be empty
  std::string stopped_reason = "unknown_rule";  // or not_deterministic, compensated
};

// Infers the order of one context and certifies it. `known`: orders of other contexts, which pieces
// may follow. `flush`: which subnormal numbers two summands show to become zero. Throws Refused if
// no order gives the bits. `has_places`: the target puts vectors where calls say.
CertifiedOrder reveal_and_certify(Target& target, const Call& context, spec::Flush flush,
                                  const CaptureOptions& options, bool has_places,
                                  const std::vector<spec::Order>& known = {});

// All-node checks of the order at sizes on both sides of its thresholds, over two periods and at
// log-uniform sizes; adds to the certificate. Throws Refused on a wrong node.
void certify_nodes(Target& target, const Call& context, const spec::Order& order,
                   std::int64_t n_max, spec::Certificate& certificate);

// What an order must stand before it is certified, or believed in another context, or verified:
// every class of data, every size up to options.every_size_to, and far sizes.
ClassPlan class_plan(std::int64_t n_max, const CaptureOptions& options, std::int64_t elements,
                     int telling, int classes, bool has_places, std::uint64_t seed);

// The order with its last regime stretched to n_max if random replay beyond its end agrees;
// otherwise the order unchanged.
spec::Order stretch(Target& target, const Call& context, const spec::Order& order,
                    std::int64_t n_max, const CaptureOptions& options,
                    spec::Certificate& certificate);

}  // namespace reprosum::reveal
