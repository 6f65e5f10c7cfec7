// What the environment asks of this library, read once.
#pragma once

#include <string>
#include <vector>

namespace reprosum::blas {

enum class Mode { replay, forward, exact };
enum class OnUncovered { error, forward, exact };
enum class OnForwarded { warn, allow, error };
enum class OnRefused { xerbla, abort };
enum class Trsv { substitution, certified };

struct Settings {
  Mode mode = Mode::replay;                       // REPROSUM_MODE
  OnUncovered on_uncovered = OnUncovered::error;  // REPROSUM_ON_UNCOVERED
  OnForwarded on_forwarded = OnForwarded::warn;   // REPROSUM_ON_FORWARDED
  OnRefused on_refused = OnRefused::xerbla;       // REPROSUM_ON_REFUSED
  Trsv trsv = Trsv::substitution;                 // REPROSUM_TRSV
  int workers = 0;                                // REPROSUM_NUM_THREADS; 0: not asked for
  bool verbose = false;                           // REPROSUM_VERBOSE=1: a line for each call
  bool has_summary = false;                       // the same, or "summary"
  bool deep_bind = false;                         // REPROSUM_BACKING_BIND
  std::string why;     // not empty: a variable has an impossible value, and no call is served
  std::string remark;  // not empty: what is said once, and changes no result

  // A routine that no spec has is computed exactly where the exact mode can.
  bool prefers_exact() const {
    return mode == Mode::exact || (mode == Mode::replay && on_uncovered == OnUncovered::exact);
  }
};

// A line for each name among REPROSUM_... variables that nothing reads, "" without one.
std::string unknown_variables_text(const std::vector<std::string>& names);

// From the variables that `get` gives (null: unset); an empty one counts as unset.
Settings read_settings(const char* (*get)(const char* name));

// Those of the process, read at the first call, which also writes their remark and the names that
// nothing reads to stderr. Thread safe, never freed.
const Settings& settings();

// What a refusal adds where variables are not read at all: "" in a usual process.
const char* privileged_note();

}  // namespace reprosum::blas
