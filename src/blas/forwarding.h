// REPROSUM_ON_FORWARDED: what is said of a call whose bits are another library's.
#pragma once

namespace reprosum::blas {

// Whether every BLAS gives the routine's result the same bits: nothing is rounded (copy, swap), or
// each number once and not fused with another (scal by a real number, the search for a maximum).
// All else depends on an order, or on what the compiler of the library fused.
bool is_the_same_everywhere(const char* symbol);

// Whether a call of the symbol may reach the library behind. Where it may and that is to be said,
// it is: one line on stderr for each routine and process. Takes no lock.
bool may_forward(const char* symbol);

// Why a call is refused that may not.
const char* not_forwarded_text();

}  // namespace reprosum::blas
