// Families of trees whose rule is known: the referee of the inference.
#pragma once

#include <string>
#include <vector>

#include "tests/reveal/infer/synthetic_oracle.h"

namespace reprosum::reveal::test {

struct Family {
  std::string name;
  Generator generate;
  std::int64_t n_max = 1'000'000;
};

std::vector<Family> plain_families();      // trees alone: every leaf rounded, every node narrow
std::vector<Family> annotated_families();  // fused leaves, wide nodes, tails of their own
std::vector<Family> ruleless_families();   // no finite rule, or one outside the language
Family family(const std::string& name);

}  // namespace reprosum::reveal::test
