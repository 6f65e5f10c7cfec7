#include "kernels/text/device_text.h"

#include "kernels/text/comment.h"

namespace reprosum::kernels::text {
namespace {

// NVRTC contracts a*b+c and PoCL does, too, unless they are told not to. The operations of CUDA
// that name their rounding are never contracted, whatever the options are.
constexpr const char* kMacros = R"(#ifdef __OPENCL_VERSION__
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
#define KERNEL(items) __kernel __attribute__((reqd_work_group_size(items, 1, 1)))
#define GLOBAL __global
#define LOCAL __local __attribute__((aligned(16)))
#define TABLE __constant
#define RESTRICT restrict
#define I64 long
#define ITEM ((int)get_local_id(0))
#define GROUP ((long)get_group_id(0))
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define UNROLL
#define ADDF(a, b) ((float)(a) + (float)(b))
#define ADDD(a, b) ((double)(a) + (double)(b))
#define MULF(a, b) ((float)(a) * (float)(b))
#define MULD(a, b) ((double)(a) * (double)(b))
#define FMAF(a, b, c) fma((float)(a), (float)(b), (float)(c))
#define FMAD(a, b, c) fma((double)(a), (double)(b), (double)(c))
#define NARROW(a) convert_float_rte(a)
#else
#define KERNEL(items) extern "C" __global__ __launch_bounds__(items)
#define GLOBAL
#define LOCAL __shared__ __align__(16)
#define TABLE static __constant__
#define RESTRICT __restrict__
#define I64 long long
#define ITEM ((int)threadIdx.x)
#define GROUP ((long long)blockIdx.x)
#define BARRIER() __syncthreads()
#define UNROLL _Pragma("unroll 8")
#define ADDF(a, b) __fadd_rn(a, b)
#define ADDD(a, b) __dadd_rn(a, b)
#define MULF(a, b) __fmul_rn(a, b)
#define MULD(a, b) __dmul_rn(a, b)
#define FMAF(a, b, c) __fmaf_rn(a, b, c)
#define FMAD(a, b, c) __fma_rn(a, b, c)
#define NARROW(a) __double2float_rn(a)
#endif
)";

}  // namespace

std::string device_macros() { return kMacros; }

std::string device_comment(const std::string& text) { return comment_lines(text, "//", 96); }

}  // namespace reprosum::kernels::text
