// <immintrin.h> without what GCC 12 says of _mm512_undefined_* in it (GCC bug 105593), where they
// are inlined.
#pragma once

#include <immintrin.h>

#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
