// What BLAS says of a call's arguments before it computes anything.
#pragma once

namespace reprosum::blas {

struct Fault {
  bool found = false;
  int argument = 0;       // Fortran's number of the first one at fault; 0: CBLAS's layout
  bool disputed = false;  // the reference forbids it, another BLAS computes with it all the same
};

// The reference's, and what at least one of the known libraries lets pass.
enum class Rules { standard, loosest };

// check(rules) gives the first argument at fault, or 0.
template <class Check>
Fault judged(Check&& check) {
  const int argument = check(Rules::standard);
  return {argument != 0, argument, argument != 0 && check(Rules::loosest) == 0};
}

// The function of the backing whose error exit a call of `symbol` with a forbidden argument takes;
// null if there is none.
void* error_exit(const char* symbol, const char* twin);

// Why a disputed call is refused.
const char* disputed_text();

}  // namespace reprosum::blas
