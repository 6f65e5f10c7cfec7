// The options of `reprosum show`.
#pragma once

#include <string>

namespace reprosum::report {

struct ShowArguments {
  std::string spec, routine, n, increments, alignment, isa, output, format = "text";
  std::string trans, m, k, which_class, which_output;  // of gemv and gemm
  int threads = 0;
  std::string gaps;  // "AC": those with gaps
  bool json = false;

  std::string as() const { return json ? "json" : format; }
};

}  // namespace reprosum::report
