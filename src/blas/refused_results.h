// What a forwarded call that is refused leaves where its result belongs.
#pragma once

#include "src/blas/call_reader.h"

namespace reprosum::blas {

// NaN in every element that the call of a routine of BLAS would have written, unless an argument is
// forbidden. A result that is returned is the trampoline's.
void put_nan_in_outputs(const char* symbol, const SavedArguments& saved);

// A driver of LAPACK has too many kinds of output: its INFO, the last of so many arguments, is
// negative, which its callers take for a failure, and all else is as it was.
inline constexpr int kRefusedInfo = -999;
void put_info_of_refused(const char* symbol, int arguments, const SavedArguments& saved);

}  // namespace reprosum::blas
