// One of the rules between which divide() seeks conditions.
#pragma once

#include <cstdint>
#include <set>

#include "reveal/region/maps.h"
#include "reveal/region/rule.h"

namespace reprosum::reveal::region {

constexpr double usual_work = 4e6;  // of one look at most

// A rule and the hashes of its classes at the k that it was asked about.
class Candidate {
 public:
  Candidate(Maps& maps, Rule rule);

  const Rule& rule() const { return rule_; }

  // Compares with hashes that were learned from shapes which the rule's own guard admits.
  Verdict test(const spec::Shape3& shape);

 private:
  int count_shown(std::int64_t k) const;
  void show_classes(std::int64_t k);

  Maps& maps_;
  Rule rule_;
  std::set<std::int64_t> asked_;
};

}  // namespace reprosum::reveal::region
