// Parsing of the lists that verbs take. All throw UserError naming the option and the bad part.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "spec/spec.h"

namespace reprosum::report {

using RoutineType = std::pair<spec::Routine, spec::Type>;

// "sdot,ddot" -> those; "" -> empty.
std::vector<RoutineType> parse_routines(const std::string& text);
RoutineType parse_routine(const std::string& text);

// "1,2" -> {1, 2}, ascending without repetition.
std::vector<int> parse_threads(const std::string& text);

// "NN,tn" -> those of A and B, "" -> empty; one letter: of A, with any of B.
std::vector<std::pair<spec::Trans, spec::Trans>> parse_transposes(const std::string& text);

// "1:1,2..:-1" -> those in the order given, without repetition; "2.." is of x and of y.
std::vector<spec::Increments> parse_increments(const std::string& text);
// "8:0:8:0" -> {8, 0, 8, 0}, not empty.
std::vector<std::int64_t> parse_integers(const std::string& option, const std::string& text);
std::pair<std::int64_t, std::int64_t> parse_pair(const std::string& option,
                                                 const std::string& text);

// "65536", "1e6" or "16M" (10^6) -> integer >= 1.
std::int64_t parse_count(const std::string& option, const std::string& text);

}  // namespace reprosum::report
