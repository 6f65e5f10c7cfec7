/* Included before every translation unit: a build whose compiler may reassociate or assume finite
   values would replay another order than the spec says. */
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "libreprosum promises bits: build it without -ffast-math and -ffinite-math-only"
#endif
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0
#error "libreprosum needs FLT_EVAL_METHOD 0 (SSE2 or better on x86)"
#endif
