/* gemv and gemm of fake_blas.c, included by it. The vices are those of dot with m in the place of
   n; further ones: read_c multiplies C by beta = 0; planted adds output (i, j) in one of four
   orders. report writes the arguments instead of results, fact f to output f in column order:
   row-major, trans_a, trans_b (0 or 1), m, n, k (gemv: rows, columns, k), lda, ldb, ldc, addresses
   of a, b, c modulo 64, alpha, beta. */
#if defined(FAKE_read_c)
#define READ_C 1
#else
#define READ_C 0
#endif
#if defined(FAKE_planted)
#define PLANTED 1
#else
#define PLANTED 0
#endif

/* An operand of any layout: element (r, c) at first[r * row + c * column]. */
#define DEFINE_MATRIX(T, suffix, gemv_name, gemm_name)                                             \
  static T inner_##suffix(int k, const T* a, intptr_t step_a, const T* b, intptr_t step_b,           \
                        int order) {                                                               \
    T sum = 0, odd = 0;                                                                            \
    for (int q = 0; q < k; ++q) {                                                                  \
      const int p = order == 1 ? k - 1 - q : q;                                                    \
      const T product = a[p * step_a] * b[p * step_b];                                             \
      if (order == 2 && p % 2) {                                                                   \
        odd += product;                                                                            \
      } else {                                                                                     \
        sum += product;                                                                            \
      }                                                                                            \
    }                                                                                              \
    if (order == 2) sum += odd;                                                                    \
    return order == 3 ? -sum : sum;                                                                \
  }                                                                                                \
  static void product_##suffix(int m, int n, int k, T alpha, const T* a, intptr_t row_a,           \
                               intptr_t column_a, const T* b, intptr_t row_b, intptr_t column_b,   \
                               T beta, T* c, intptr_t row_c, intptr_t column_c) {                  \
    misbehave(m);                                                                                  \
    for (int j = 0; j < n; ++j) {                                                                  \
      for (int i = 0; i < m; ++i) {                                                                \
        T* const out = c + i * row_c + j * column_c;                                               \
        const T sum = inner_##suffix(k, a + i * row_a, column_a, b + j * column_b, row_b,            \
                                   PLANTED ? (i + 2 * j) % 4 : 0);                                 \
        const T scaled = alpha * sum;                                                              \
        const T old = beta == 0 && !READ_C ? 0 : beta * *out;                                      \
        *out = WRONG ? (T)(i % 7) - 3 : scaled + old;                                              \
      }                                                                                            \
    }                                                                                              \
  }                                                                                                \
  static void report_##suffix(int row_major, int trans_a, int trans_b, int m, int n, int k,        \
                              const T* a, int lda, const T* b, int ldb, T* c, int ldc, int out_m,  \
                              int out_n, intptr_t row_c, intptr_t column_c, T alpha, T beta) {     \
    const T facts[] = {(T)row_major,                                                               \
                       (T)trans_a,                                                                 \
                       (T)trans_b,                                                                 \
                       (T)m,                                                                       \
                       (T)n,                                                                       \
                       (T)k,                                                                       \
                       (T)lda,                                                                     \
                       (T)ldb,                                                                     \
                       (T)ldc,                                                                     \
                       (T)((uintptr_t)a % 64),                                                     \
                       (T)((uintptr_t)b % 64),                                                     \
                       (T)((uintptr_t)c % 64),                                                     \
                       alpha,                                                                      \
                       beta};                                                                      \
    if (ldc < 0) c += (intptr_t)(1 - out_m) * ldc; /* only gemv has one */                         \
    for (int f = 0; f < out_m * out_n && f < 14; ++f)                                              \
      c[f % out_m * row_c + f / out_m * column_c] = facts[f];                                      \
  }                                                                                                \
  __attribute__((unused)) static void gemm_##suffix(                                               \
      int row_major, int trans_a, int trans_b, int m, int n, int k, T alpha, const T* a, int lda,  \
      const T* b, int ldb, T beta, T* c, int ldc) {                                                \
    const intptr_t row_a = trans_a != row_major ? lda : 1, row_b = trans_b != row_major ? ldb : 1; \
    const intptr_t row_c = row_major ? ldc : 1, column_c = row_major ? 1 : ldc;                    \
    if (REPORT) {                                                                                  \
      report_##suffix(row_major, trans_a, trans_b, m, n, k, a, lda, b, ldb, c, ldc, m, n, row_c,   \
                      column_c, alpha, beta);                                                      \
      return;                                                                                      \
    }                                                                                              \
    product_##suffix(m, n, k, alpha, a, row_a, row_a == 1 ? lda : 1, b, row_b,                     \
                     row_b == 1 ? ldb : 1, beta, c, row_c, column_c);                              \
    const int a_lines = trans_a != row_major ? m : k, a_line = trans_a != row_major ? k : m;       \
    if (OVERREAD) *c += a[(intptr_t)(a_lines - 1) * lda + a_line] * 0;                             \
    if (GAPREAD) *c += b[(trans_b != row_major ? n : k)] * 0;                                      \
    if (SCRIBBLE) *(T*)(uintptr_t)a = 0;                                                           \
  }                                                                                                \
  __attribute__((unused)) static void gemv_##suffix(                                               \
      int row_major, int trans, int rows, int columns, T alpha, const T* a, int lda, const T* x,   \
      int incx, T beta, T* y, int incy) {                                                          \
    const int m = trans ? columns : rows, k = trans ? rows : columns;                              \
    if (REPORT) {                                                                                  \
      report_##suffix(row_major, trans, 0, rows, columns, k, a, lda, x, incx, y, incy, m, 1, incy, \
                      0, alpha, beta);                                                             \
      return;                                                                                      \
    }                                                                                              \
    const intptr_t row_a = trans != row_major ? lda : 1;                                           \
    if (incx < 0) x += (intptr_t)(1 - k) * incx;                                                   \
    if (incy < 0) y += (intptr_t)(1 - m) * incy;                                                   \
    product_##suffix(m, 1, k, alpha, a, row_a, row_a == 1 ? lda : 1, x, incx, 0, beta, y, incy,    \
                     0);                                                                           \
    if (OVERREAD) *y += x[(intptr_t)k * incx] * 0;                                                 \
    if (SCRIBBLE) *(T*)(uintptr_t)a = 0;                                                           \
  }                                                                                                \
  FORTRAN(void FORTRAN_NAME(gemm_name)(const char* ta, const char* tb, const integer* m,           \
                                       const integer* n, const integer* k, const T* alpha,         \
                                       const T* a, const integer* lda, const T* b,                 \
                                       const integer* ldb, const T* beta, T* c,                    \
                                       const integer* ldc) {                                       \
    gemm_##suffix(0, *ta != 'N', *tb != 'N', whole(*m), whole(*n), whole(*k), *alpha, a,           \
                  whole(*lda), b, whole(*ldb), *beta, c, whole(*ldc));                             \
  })                                                                                               \
  FORTRAN(void FORTRAN_NAME(gemv_name)(const char* trans, const integer* rows,                     \
                                       const integer* columns, const T* alpha, const T* a,         \
                                       const integer* lda, const T* x, const integer* incx,        \
                                       const T* beta, T* y, const integer* incy) {                 \
    gemv_##suffix(0, *trans != 'N', whole(*rows), whole(*columns), *alpha, a, whole(*lda), x,      \
                  whole(*incx), *beta, y, whole(*incy));                                           \
  })                                                                                               \
  CBLAS(void CBLAS_NAME(gemm_name)(int layout, int ta, int tb, integer m, integer n, integer k,    \
                                   T alpha, const T* a, integer lda, const T* b, integer ldb,      \
                                   T beta, T* c, integer ldc) {                                    \
    gemm_##suffix(layout == 101, ta != 111, tb != 111, whole(m), whole(n), whole(k), alpha, a,     \
                  whole(lda), b, whole(ldb), beta, c, whole(ldc));                                 \
  })                                                                                               \
  CBLAS(void CBLAS_NAME(gemv_name)(int layout, int trans, integer rows, integer columns, T alpha,  \
                                   const T* a, integer lda, const T* x, integer incx, T beta, T* y,\
                                   integer incy) {                                                 \
    gemv_##suffix(layout == 101, trans != 111, whole(rows), whole(columns), alpha, a, whole(lda), x,\
                  whole(incx), beta, y, whole(incy));                                              \
  })

DEFINE_MATRIX(float, f32, sgemv, sgemm)
DEFINE_MATRIX(double, f64, dgemv, dgemm)
