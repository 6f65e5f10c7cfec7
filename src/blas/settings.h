// What the environment asks of this library, read once.
#pragma once

#include <string>

namespace reprosum::blas {

enum class Mode { replay, forward, exact };
enum class OnUncovered { error, forward, exact };
enum class OnForwarded { warn, allow, error };
enum class Trsv { substitution, certified };

struct Settings {
  Mode mode = Mode::replay;                       // REPROSUM_MODE
  OnUncovered on_uncovered = OnUncovered::error;  // REPROSUM_ON_UNCOVERED
  OnForwarded on_forwarded = OnForwarded::warn;   // REPROSUM_ON_FORWARDED
  Trsv trsv = Trsv::substitution;                 // REPROSUM_TRSV
  int workers = 0;                                // REPROSUM_NUM_THREADS; 0: not asked for
  bool verbose = false;                           // REPROSUM_VERBOSE
  bool deep_bind = false;                         // REPROSUM_BACKING_BIND
  std::string why;  // not empty: a variable has a value that is none, and no call is served

  // A routine that no spec has is computed exactly where the exact mode can.
  bool prefers_exact() const {
    return mode == Mode::exact || (mode == Mode::replay && on_uncovered == OnUncovered::exact);
  }
};

// From the variables that `get` gives (null: unset); an empty one counts as unset.
Settings read_settings(const char* (*get)(const char* name));

// Those of the process, read at the first call. Thread safe, never freed.
const Settings& settings();

// What a refusal adds where variables are not read at all: "" in a usual process.
const char* privileged_note();

}  // namespace reprosum::blas
