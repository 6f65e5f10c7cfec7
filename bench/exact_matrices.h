// The rows of bench_exact on matrices.
#pragma once

namespace reprosum::bench {

// CBLAS functions of the library that is raced.
struct MatrixPeer {
  void (*dgemm)(int layout, int transa, int transb, int m, int n, int k, double alpha,
                const double* a, int lda, const double* b, int ldb, double beta, double* c,
                int ldc);
  void (*sgemm)(int layout, int transa, int transb, int m, int n, int k, float alpha,
                const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc);
  void (*dgemv)(int layout, int trans, int m, int n, double alpha, const double* a, int lda,
                const double* x, int incx, double beta, double* y, int incy);
  void (*sgemv)(int layout, int trans, int m, int n, float alpha, const float* a, int lda,
                const float* x, int incx, float beta, float* y, int incy);
};

void exact_gemm_rows(const MatrixPeer& peer);
void exact_gemv_rows(const MatrixPeer& peer);

}  // namespace reprosum::bench
