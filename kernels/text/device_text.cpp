#include "kernels/text/device_text.h"

#include <fmt/format.h>

#include "kernels/text/comment.h"

namespace reprosum::kernels::text {
namespace {

// NVRTC and PoCL contract a*b+c unless they are told not to. The operations of CUDA that name their
// rounding are never contracted, whatever the options are.
constexpr const char* kMacros = R"(#ifdef __OPENCL_VERSION__
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
#define KERNEL(items) __kernel __attribute__((reqd_work_group_size(items, 1, 1)))
#define GLOBAL __global
#define LOCAL __local __attribute__((aligned(16)))
#define TABLE __constant
#define RESTRICT restrict
#define I64 long
#define FUNCTION static
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
#define FUNCTION static __device__
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

// spec::Flushed, in the operations of the macros. The numbers are the least normal one, the scale
// and their product.
constexpr const char* kFlushed = R"(
FUNCTION {0} magnitude({0} v) {{ return v < 0 ? -v : v; }}
FUNCTION {0} without_subnormal({0} v) {{ return magnitude(v) < {2} ? MUL{1}(v, 0) : v; }}
FUNCTION {0} operand({0} v) {{ return {5} ? without_subnormal(v) : v; }}
/* The least normal number may be what a tiny value was rounded to: `scaled` tells. */
FUNCTION {0} result({0} v, {0} scaled) {{ return magnitude(scaled) < {4} ? MUL{1}(v, 0) : v; }}
FUNCTION {0} flushed_add({0} a, {0} b) {{
  const {0} sum = ADD{1}(operand(a), operand(b));
  return {6} ? without_subnormal(sum) : sum;
}}
FUNCTION {0} flushed_multiply({0} a, {0} b) {{
  const {0} x = operand(a), y = operand(b), product = MUL{1}(x, y);
  if (!{6}) return product;
  if (magnitude(product) != {2}) return without_subnormal(product);
  return magnitude(x) < magnitude(y) ? result(product, MUL{1}(MUL{1}(x, {3}), y))
                                     : result(product, MUL{1}(x, MUL{1}(y, {3})));
}}
FUNCTION {0} flushed_fuse({0} a, {0} b, {0} c) {{
  const {0} x = operand(a), y = operand(b), sum = operand(c), value = FMA{1}(x, y, sum);
  if (!{6}) return value;
  if (magnitude(value) != {2}) return without_subnormal(value);
  return magnitude(x) < magnitude(y)
             ? result(value, FMA{1}(MUL{1}(x, {3}), y, MUL{1}(sum, {3})))
             : result(value, FMA{1}(x, MUL{1}(y, {3}), MUL{1}(sum, {3})));
}}
#undef ADD{1}
#undef MUL{1}
#undef FMA{1}
#define ADD{1}(a, b) flushed_add(a, b)
#define MUL{1}(a, b) flushed_multiply(a, b)
#define FMA{1}(a, b, c) flushed_fuse(a, b, c)
)";

}  // namespace

std::string device_flush(spec::Flush flush, spec::Type type) {
  if (flush == spec::Flush::none) return "";
  const int inputs = spec::flushes_inputs(flush) ? 1 : 0;
  const int results = spec::flushes_results(flush) ? 1 : 0;
  return spec::is_f32(type) ? fmt::format(kFlushed, "float", "F", "0x1p-126f", "0x1p64f",
                                          "0x1p-62f", inputs, results)
                            : fmt::format(kFlushed, "double", "D", "0x1p-1022", "0x1p200",
                                          "0x1p-822", inputs, results);
}

std::string device_macros() { return kMacros; }

std::string device_comment(const std::string& text) { return comment_lines(text, "//", 96); }

}  // namespace reprosum::kernels::text
