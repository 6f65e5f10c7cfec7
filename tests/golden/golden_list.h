// Golden lists: what calls give, as text that is made on one host and checked on another.
//
//   reprosum golden 1
//   spec numpy-1.24-sum.json <hash of its meaning>
//   sum <entry> <n> <rows> <kind> <seed> <hash of the operands> <hash of the values>
//   product <entry> <m> <n> <k> <kind> <seed> <hash of the operands> <hash of C>
#pragma once

#include <string>
#include <vector>

#include "tests/golden/golden_call.h"

namespace reprosum::golden {

struct OfSpec {
  std::string file, meaning;  // its name without a directory, spec::meaning_hash
  std::vector<Call> calls;
};

std::string print(const std::vector<OfSpec>& list);
// Throws UserError that names the line.
std::vector<OfSpec> parse(const std::string& text);

}  // namespace reprosum::golden
