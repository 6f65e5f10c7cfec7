// What of cuBLAS is called. It is declared here, so that a build needs no toolkit; a test compares
// the declarations with its header where there is one.
#pragma once

#include <cstddef>

#include "src/base/cuda_driver.h"

struct cublasContext;

namespace reprosum::reveal::cublas {

using Status = int;
using Handle = cublasContext*;
inline constexpr int kNoTrans = 0, kTrans = 1;
inline constexpr int kPointersOfDevice = 1;  // a pointer mode; 0 is the host's
inline constexpr Status kInvalidValue = 7;

using Create = Status (*)(Handle*);
using SetStream = Status (*)(Handle, base::cuda::Stream);
using SetMode = Status (*)(Handle, int);  // of pointers, of mathematics
using GetVersion = Status (*)(Handle, int*);
using SetWorkspace = Status (*)(Handle, void*, std::size_t);
template <class T>
using Dot = Status (*)(Handle, int n, const T* x, int incx, const T* y, int incy, T* dot);
template <class T>
using Gemv = Status (*)(Handle, int trans, int m, int n, const T* alpha, const T* a, int lda,
                        const T* x, int incx, const T* beta, T* y, int incy);
template <class T>
using Gemm = Status (*)(Handle, int trans_a, int trans_b, int m, int n, int k, const T* alpha,
                        const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc);

}  // namespace reprosum::reveal::cublas
