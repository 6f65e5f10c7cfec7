// What refused calls of extensions leave: matrices that are copied, and many products at once.
#pragma once

#include "src/blas/call_reader.h"

namespace reprosum::blas {

// NaN in the outputs of one call. The reader stands at its first argument.
void nan_of_gemm(CallReader& in);  // refused_results.cpp
void nan_of_omatcopy(CallReader& in);
void nan_of_imatcopy(CallReader& in);
void nan_of_gemm_batch(CallReader& in);

}  // namespace reprosum::blas
