// How a C++ entry is declared: what a trampoline of symbols.txt's kind "replayed" goes on to.
#pragma once

#define REPROSUM_BLAS_NAME_OF_ENTRY(name) reprosum_blas_entry_##name
#define REPROSUM_BLAS_ENTRY(Result, name) extern "C" Result REPROSUM_BLAS_NAME_OF_ENTRY(name)
