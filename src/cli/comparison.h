// What `diff` says about groups of contexts.
#pragma once

#include <string>
#include <vector>

#include "spec/spec.h"
#include "src/cli/output.h"
#include "src/cli/pairing.h"

namespace reprosum::cli {

// One group of contexts of one routine.
struct Comparison {
  std::string routine;   // "sdot", "sgemm NT"
  std::string verdict;   // "same", "differs", "only in A", "only in B", "same, other coverage",
                         // "defined nowhere" (of two orders)
  std::string contexts;  // in one line
  std::string text;      // what there is to say besides, in whole lines; "" if nothing
  std::string brief;     // that in one line, for a routine that was spoken of; "": nothing shorter
  Json json;
  bool same() const { return verdict == "same"; }
};

std::vector<Comparison> compare_vectors(const spec::Spec& a, const spec::Spec& b,
                                        const ThreadPair& threads);  // sum and dot
std::vector<Comparison> compare_matrices(const spec::Spec& a, const spec::Spec& b,
                                         const ThreadPair& threads);  // gemv and gemm
std::vector<Comparison> compare_empty(const spec::Spec& a, const spec::Spec& b,
                                      const ThreadPair& threads);  // calls without summands

}  // namespace reprosum::cli
