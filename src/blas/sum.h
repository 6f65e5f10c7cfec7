// ssum and dsum, an extension that OpenBLAS has too.
#pragma once

namespace reprosum::blas {

// What a call of that symbol ("cblas_dsum", "scipy_dsum_64_") runs unless a program has something
// else by the name; null for other symbols. They have trampolines, since what a program has may
// have another signature.
void* sum_routine(const char* name);

}  // namespace reprosum::blas
