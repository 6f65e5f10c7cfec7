// The C API: gemv and gemm.
#include <algorithm>
#include <cstring>

#include "src/runtime/border.h"
#include "src/runtime/c_values.h"
#include "src/runtime/forced_device.h"

namespace reprosum::runtime {
namespace {

// Apart, so that nothing of it is in the way of short products by the host's kernels.
template <class T>
[[gnu::noinline, gnu::cold]] void on_device(const ForcedDevice& device, const Replayer& replayer,
                                            const MatrixCall<T>& call) {
  const bool has_summands = call.routine == spec::Routine::gemv || call.k > 0;
  device.run(
      call.m > 0 && call.n > 0 && has_summands,
      [&](const DeviceOrders& orders) { orders.products.multiply_host(call, {}); },
      [&] { replayer.product(call); });
}

// By the handle's device, if it has one that does it.
template <class T>
void run(const reprosum_handle& handle, const Replayer& replayer, const MatrixCall<T>& call) {
  if (const auto* device = handle.device.load(std::memory_order_acquire)) [[unlikely]]
    return on_device(*device, replayer, call);
  replayer.product(call);
}

template <class T>
reprosum_status gemv(const reprosum_handle* handle, reprosum_layout layout,
                     reprosum_transpose trans, std::int64_t m, std::int64_t n, T alpha, const T* a,
                     std::int64_t lda, const T* x, std::int64_t incx, T beta, T* y,
                     std::int64_t incy) noexcept {
  return with_handle(handle, [&](const Replayer& replayer) {
    MatrixCall<T> call;
    call.routine = spec::Routine::gemv;
    call.layout = layout_of(layout);
    call.trans_a = trans_of(trans);
    call.m = m;
    call.n = n;
    call.alpha = alpha;
    call.a = a;
    call.lda = lda;
    call.b = x;
    call.ldb = incx;
    call.beta = beta;
    call.c = y;
    call.ldc = incy;
    run(*handle, replayer, call);
  });
}

template <class T>
reprosum_status gemm(const reprosum_handle* handle, reprosum_layout layout,
                     reprosum_transpose transa, reprosum_transpose transb, std::int64_t m,
                     std::int64_t n, std::int64_t k, T alpha, const T* a, std::int64_t lda,
                     const T* b, std::int64_t ldb, T beta, T* c, std::int64_t ldc) noexcept {
  return with_handle(handle, [&](const Replayer& replayer) {
    MatrixCall<T> call;
    call.layout = layout_of(layout);
    call.trans_a = trans_of(transa);
    call.trans_b = trans_of(transb);
    call.m = m;
    call.n = n;
    call.k = k;
    call.alpha = alpha;
    call.a = a;
    call.lda = lda;
    call.b = b;
    call.ldb = ldb;
    call.beta = beta;
    call.c = c;
    call.ldc = ldc;
    run(*handle, replayer, call);
  });
}

std::string product_kernels(const reprosum_handle& handle, const spec::Context& context) {
  if (const ForcedDevice* const device = handle.device.load())
    if (const auto names = device->product_kernels(context)) return *names;
  return handle.replayer->product_kernels(context);
}

spec::Context context_of(const Replayer& replayer, const reprosum_product* product) {
  require(product, "product");
  spec::Context context;
  const int routine = number_of(product->routine), type = number_of(product->type);
  if (routine != REPROSUM_GEMV && routine != REPROSUM_GEMM)
    throw BadArgument("routine " + std::to_string(routine) + " is neither gemv nor gemm");
  if (type != REPROSUM_F32 && type != REPROSUM_F64)
    throw BadArgument("unknown type " + std::to_string(type));
  if (product->threads < 0) throw BadArgument("threads is negative");
  context.routine = routine == REPROSUM_GEMV ? spec::Routine::gemv : spec::Routine::gemm;
  context.type = type == REPROSUM_F32 ? spec::Type::f32 : spec::Type::f64;
  context.trans_a = trans_of(product->transa);
  context.shape = {product->m, product->n, product->k};
  if (context.routine == spec::Routine::gemm) {
    context.trans_b = trans_of(product->transb);
  } else {
    context.shape.n = 1;
    context.incx = product->incx;
    context.incy = product->incy;
  }
  if (context.shape.m < 1 || context.shape.n < 1 || context.shape.k < 1)
    throw BadArgument("no kernel runs for a product of size 0");
  context.threads = product->threads == 0 ? replayer.threads() : product->threads;
  return context;
}

}  // namespace
}  // namespace reprosum::runtime

using namespace reprosum::runtime;

extern "C" {

reprosum_status reprosum_sgemv(const reprosum_handle* handle, reprosum_layout layout,
                               reprosum_transpose trans, int64_t m, int64_t n, float alpha,
                               const float* a, int64_t lda, const float* x, int64_t incx,
                               float beta, float* y, int64_t incy) {
  return gemv(handle, layout, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
}

reprosum_status reprosum_dgemv(const reprosum_handle* handle, reprosum_layout layout,
                               reprosum_transpose trans, int64_t m, int64_t n, double alpha,
                               const double* a, int64_t lda, const double* x, int64_t incx,
                               double beta, double* y, int64_t incy) {
  return gemv(handle, layout, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
}

reprosum_status reprosum_sgemm(const reprosum_handle* handle, reprosum_layout layout,
                               reprosum_transpose transa, reprosum_transpose transb, int64_t m,
                               int64_t n, int64_t k, float alpha, const float* a, int64_t lda,
                               const float* b, int64_t ldb, float beta, float* c, int64_t ldc) {
  return gemm(handle, layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

reprosum_status reprosum_dgemm(const reprosum_handle* handle, reprosum_layout layout,
                               reprosum_transpose transa, reprosum_transpose transb, int64_t m,
                               int64_t n, int64_t k, double alpha, const double* a, int64_t lda,
                               const double* b, int64_t ldb, double beta, double* c, int64_t ldc) {
  return gemm(handle, layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

reprosum_status reprosum_set_workers(reprosum_handle* handle, int workers) {
  return with_handle(handle, [&](Replayer& replayer) {
    if (workers < 1 || workers > 1024)
      throw BadArgument("workers = " + std::to_string(workers) + " is not in 1..1024");
    replayer.set_workers(workers);
  });
}

reprosum_status reprosum_product_kernels(const reprosum_handle* handle,
                                         const reprosum_product* product, char* names,
                                         size_t size) {
  return with_handle(handle, [&](const Replayer& replayer) {
    require(names, "names");
    if (size == 0) throw BadArgument("size is 0: there is no room for a name");
    const std::string text = product_kernels(*handle, context_of(replayer, product));
    const size_t length = std::min(size - 1, text.size());
    std::memcpy(names, text.data(), length);
    names[length] = '\0';
  });
}

}  // extern "C"
