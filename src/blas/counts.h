// How many calls of each symbol were replayed, computed exactly, forwarded and refused, and what
// REPROSUM_VERBOSE prints: a line for each call, and the counts when the process ends.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace reprosum::blas {

// The C++ entries; a name and its twin are one symbol.
enum class Symbol {
#define REPLAYED(name, twin) name,
#include REPROSUM_BLAS_REPLAYED
#undef REPLAYED
  count
};

const char* name_of(Symbol symbol);
// "" for names that have none.
const char* twin_of(Symbol symbol);

// In the order of the summary's columns.
enum class End { replayed, exact, forwarded, refused };
inline constexpr std::size_t kEnds = 4;

// What becomes of most calls in this mode: the trampolines count all.
End usual_end();
void count(Symbol symbol, End end);

// "REPROSUM ddot_(...) 1.23us replayed NOTE", in one write.
void print_call(const std::string& call, std::chrono::nanoseconds taken, End end,
                const std::string& note);
// Where the end of the call is not seen: no time.
void print_call(const std::string& call, End end);

}  // namespace reprosum::blas
