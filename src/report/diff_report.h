// Two specs compared, as a value.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "spec/spec.h"
#include "src/report/comparison.h"

namespace reprosum::report {

// A spec with what messages call it.
struct NamedSpec {
  const spec::Spec& spec;
  const std::string& name;
};

struct Difference {
  ThreadPair threads;
  std::vector<Comparison> comparisons;
  std::int64_t same = 0;  // of them
  bool is_none() const { return same == static_cast<std::int64_t>(comparisons.size()); }
};

// `threads`: "X:Y" compares X threads of A with Y of B, "" equal ones. Throws UserError for other
// text, and for a count that a spec does not have.
Difference compare(const NamedSpec& a, const NamedSpec& b, const std::string& threads);

// Keys of provenance whose values differ; the date says nothing about a library.
std::set<std::string> differing_provenance(const spec::Spec& a, const spec::Spec& b);

Json diff_json(const NamedSpec& a, const NamedSpec& b, const Difference& difference);

}  // namespace reprosum::report
