// A capture as a value: what it is asked for, what it gives, its report. Nothing here knows a
// terminal.
#pragma once

#include <cstdint>
#include <string>

#include "reveal/capture.h"
#include "spec/spec.h"
#include "src/report/probing.h"
#include "src/report/wording.h"

namespace reprosum::report {

// Lists as the command line has them.
struct CaptureRequest {
  ProbingOptions probing;
  std::string routines, threads = "1", increments, transposes, n_max = "10M",
                        reach = std::to_string(kReach);
  std::int64_t small_products = 0;
  bool alpha_one = false;
};

struct Captured {
  spec::Spec spec;                 // canonical, with its provenance
  reveal::CaptureOptions options;  // that it was captured with
  std::int64_t calls = 0;          // of all that was probed, certified or not
  double seconds = 0;
};

// The reason of contexts that the run did not reach before its time was over or the user ended it.
inline constexpr const char* kNotReached = "not_reached";

// Some libraries compute no sum for increments of zero or less. Every capture of such a library
// refuses these increments, and no other run could do better.
bool is_known_gap(const spec::Refusal& refusal);

inline bool covers_something(const spec::Spec& spec) { return !spec.entries.empty(); }

// "OPENBLAS_CORETYPE=Zen was not taken: the library says that it runs Haswell" where the provenance
// has another core than was asked for; "" otherwise, or where the library does not say.
std::string core_not_taken(const spec::Spec& spec);

// Throws UserError for a request that cannot be, TargetError for a target that failed in every
// routine for one reason.
Captured capture(const CaptureRequest& request, const Watch& watch);

// `output`: the file that the spec was written to, or null.
Json capture_json(const CaptureRequest& request, const Captured& captured, bool interrupted,
                  const Json& output);

}  // namespace reprosum::report
