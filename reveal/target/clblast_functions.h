// What of CLBlast's C interface is called. It is declared here, so that a build needs no CLBlast; a
// test compares the declarations with its header where there is one.
#pragma once

#include <cstddef>

#include "src/base/opencl_driver.h"

namespace reprosum::reveal::clblast {

using Status = int;
inline constexpr int kRowMajor = 101, kColumnMajor = 102, kNoTrans = 111, kTrans = 112;

using Sum = Status (*)(std::size_t n, cl_mem sum, std::size_t sum_offset, cl_mem x,
                       std::size_t x_offset, std::size_t incx, cl_command_queue*, cl_event*);
using Dot = Status (*)(std::size_t n, cl_mem dot, std::size_t dot_offset, cl_mem x,
                       std::size_t x_offset, std::size_t incx, cl_mem y, std::size_t y_offset,
                       std::size_t incy, cl_command_queue*, cl_event*);
template <class T>
using Gemv = Status (*)(int layout, int trans, std::size_t m, std::size_t n, T alpha, cl_mem a,
                        std::size_t a_offset, std::size_t lda, cl_mem x, std::size_t x_offset,
                        std::size_t incx, T beta, cl_mem y, std::size_t y_offset, std::size_t incy,
                        cl_command_queue*, cl_event*);
template <class T>
using Gemm = Status (*)(int layout, int trans_a, int trans_b, std::size_t m, std::size_t n,
                        std::size_t k, T alpha, cl_mem a, std::size_t a_offset, std::size_t lda,
                        cl_mem b, std::size_t b_offset, std::size_t ldb, T beta, cl_mem c,
                        std::size_t c_offset, std::size_t ldc, cl_command_queue*, cl_event*);

}  // namespace reprosum::reveal::clblast
