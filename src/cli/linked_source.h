// The C source that hands objects made ahead of time to the library.
#pragma once

#include <string>
#include <vector>

#include "kernels/ahead.h"

namespace reprosum::cli {

// "x86_64" or "aarch64": the machine of a backend.
std::string architecture_of(kernels::Isa isa);

struct LinkedSource {
  std::string name;       // of the files and of the function
  std::string spec_hash;  // of the spec that the objects are of
  std::vector<kernels::AheadObjects> backends;

  std::string header() const;
  std::string source() const;
};

}  // namespace reprosum::cli
