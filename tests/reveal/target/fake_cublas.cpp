// A cuBLAS whose GPU is this processor: every product is added one summand after the other, in the
// arithmetic that the math mode names.
#include <cstddef>
#include <vector>

#include "tests/reveal/emulated_products.h"

namespace {

using namespace reprosum::reveal::testing;

constexpr int kInvalid = 7, kTf32 = 3, kBf16x9 = 4, kFixedPoint = 8;

struct Handle {
  int math = 0, pointers = 0;
  void* stream = nullptr;
};
Handle handle;

float product(const Handle& of, int n, const float* x, const float* y) {
  if (of.math == kTf32) return dot_of_tf32(n, x, y, 0);
  if (of.math == kBf16x9) return dot_of_bf16x9(n, x, y, 0);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum = std::fma(x[k], y[k], sum);
  return sum;
}
double product(const Handle& of, int n, const double* x, const double* y) {
  if (of.math == kFixedPoint) return dot_in_fixed_point(n, x, y, 0);
  double sum = 0;
  for (int k = 0; k < n; ++k) sum = std::fma(x[k], y[k], sum);
  return sum;
}

// Element k of op(row) * op(column), each of its stride.
template <class T>
T strided(const Handle& of, int n, const T* x, std::ptrdiff_t step_x, const T* y,
          std::ptrdiff_t step_y) {
  std::vector<T> a(static_cast<std::size_t>(n)), b(a.size());
  for (int k = 0; k < n; ++k) {
    a[static_cast<std::size_t>(k)] = x[k * step_x];
    b[static_cast<std::size_t>(k)] = y[k * step_y];
  }
  return product(of, n, a.data(), b.data());
}

// The first summand, which is the farthest one if the vector runs backwards.
template <class T>
const T* first_of(const T* x, int n, int increment) {
  return increment < 0 ? x - static_cast<std::ptrdiff_t>(n - 1) * increment : x;
}

template <class T>
int dot(const Handle* of, int n, const T* x, int incx, const T* y, int incy, T* result) {
  if (of->pointers != 1) return kInvalid;  // the result is on the device
  *result = n < 1 ? T(0) : strided(*of, n, first_of(x, n, incx), incx, first_of(y, n, incy), incy);
  return 0;
}

template <class T>
void update(T& c, T alpha, T beta, T sum) {
  c = beta == 0 ? alpha * sum : std::fma(alpha, sum, beta * c);
}

template <class T>
int gemv(const Handle* of, int trans, int m, int n, const T* alpha, const T* a, int lda, const T* x,
         int incx, const T* beta, T* y, int incy) {
  if (of->pointers != 0 || lda < m || incx == 0 || incy == 0) return kInvalid;
  const int outputs = trans == 0 ? m : n, summands = trans == 0 ? n : m;
  T* const out = const_cast<T*>(first_of(y, outputs, incy));
  for (int i = 0; i < outputs; ++i)
    update(out[static_cast<std::ptrdiff_t>(i) * incy], *alpha, *beta,
           strided(*of, summands, trans == 0 ? a + i : a + static_cast<std::ptrdiff_t>(i) * lda,
                   trans == 0 ? lda : 1, first_of(x, summands, incx), incx));
  return 0;
}

template <class T>
int gemm(const Handle* of, int trans_a, int trans_b, int m, int n, int k, const T* alpha,
         const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {
  if (of->pointers != 0 || lda < (trans_a == 0 ? m : k) || ldb < (trans_b == 0 ? k : n) || ldc < m)
    return kInvalid;
  for (std::ptrdiff_t j = 0; j < n; ++j)
    for (std::ptrdiff_t i = 0; i < m; ++i)
      update(c[i + j * ldc], *alpha, *beta,
             strided(*of, k, trans_a == 0 ? a + i : a + i * lda, trans_a == 0 ? lda : 1,
                     trans_b == 0 ? b + j * ldb : b + j, trans_b == 0 ? 1 : ldb));
  return 0;
}

}  // namespace

extern "C" {

int cublasCreate_v2(Handle** to) {
  *to = &handle;
  return 0;
}
int cublasSetStream_v2(Handle* of, void* stream) {
  of->stream = stream;
  return 0;
}
int cublasSetMathMode(Handle* of, int mode) {
  of->math = mode;
  return 0;
}
int cublasSetPointerMode_v2(Handle* of, int mode) {
  of->pointers = mode;
  return 0;
}
int cublasGetVersion_v2(Handle*, int* version) {
  *version = 130102;
  return 0;
}
int cublasSetWorkspace_v2(Handle*, void* memory, std::size_t bytes) {
  return (memory == nullptr) == (bytes == 0) ? 0 : kInvalid;
}

#define FUNCTIONS(letter, T)                                                                   \
  int cublas##letter##dot_v2(Handle* of, int n, const T* x, int incx, const T* y, int incy,    \
                             T* result) {                                                      \
    return dot(of, n, x, incx, y, incy, result);                                               \
  }                                                                                            \
  int cublas##letter##gemv_v2(Handle* of, int trans, int m, int n, const T* alpha, const T* a, \
                              int lda, const T* x, int incx, const T* beta, T* y, int incy) {  \
    return gemv(of, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);                       \
  }                                                                                            \
  int cublas##letter##gemm_v2(Handle* of, int trans_a, int trans_b, int m, int n, int k,       \
                              const T* alpha, const T* a, int lda, const T* b, int ldb,        \
                              const T* beta, T* c, int ldc) {                                  \
    return gemm(of, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);           \
  }
FUNCTIONS(S, float)
FUNCTIONS(D, double)

}  // extern "C"
