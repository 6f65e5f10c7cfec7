// One look at a rule over all k: where does it fail?
#pragma once

#include <vector>

#include "reveal/region/borders.h"

namespace reprosum::reveal::region {

constexpr double sample_work = 4e6;  // m*n*k of usual samples
constexpr int samples_per_k = 9;

// k at which a rule is looked at: its own and far ones first, all small ones by turns, the K blocks
// of usual libraries, the end.
std::vector<std::int64_t> sample_ks(const Rule& rule, const Maps& maps);

// What one look over all k says about a rule.
struct Step {
  bool holds = true;
  std::int64_t failing_k = 0;       // the rule fails at this k for every shape
  std::vector<spec::Shape3> wrong;  // other contradictions, k_ref first
};
// `caps` restrict the rule besides its own guard.
Step look(Maps& maps, Rule& rule, const std::vector<spec::Atom>& caps);

// Borders of contradictions at one k: as many as show whether panels are compared, which no product
// with k can be taken for.
std::vector<Border> trace_at(Prober& prober, std::int64_t k,
                             const std::vector<spec::Shape3>& wrong);

// Borders from the first contradictions of each k, and at other k where all have one.
std::vector<Border> trace_some(Prober& prober, std::int64_t k_ref,
                               const std::vector<spec::Shape3>& wrong);

}  // namespace reprosum::reveal::region
