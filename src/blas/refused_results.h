// What a forwarded call that is refused leaves where its result belongs.
#pragma once

namespace reprosum::blas {

// A function with the arguments of the symbol that writes NaN to every scalar result passed by
// address: the dot products of CBLAS's complex ..._sub, the rotations of ?rotg and ?rotmg. Null for
// routines without such results; they return theirs, or have arrays, which stay as they are.
void* refused_result(const char* symbol);

}  // namespace reprosum::blas
