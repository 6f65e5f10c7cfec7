// The C API: the reductions.
#include "src/runtime/border.h"
#include "src/runtime/forced_device.h"

namespace reprosum::runtime {
namespace {

constexpr spec::Routine kSum = spec::Routine::sum;
constexpr spec::Routine kDot = spec::Routine::dot;

// Rows by the device, or by here() where it does not do them. Apart, so that nothing of it is in
// the way of short calls of the host's kernels.
template <class T, class Here>
[[gnu::noinline, gnu::cold]] void run(const ForcedDevice& device, const RowsContext& rows,
                                      const T* x, const T* y, T* out, const Here& here) {
  device.run(
      rows.n > 0 && rows.rows > 0,
      [&](const DeviceOrders& orders) { orders.sums.reduce_host(rows, x, y, out); }, here);
}

template <class T>
[[gnu::noinline, gnu::cold]] void one_on_device(const ForcedDevice& device,
                                                const Replayer& replayer, spec::Routine routine,
                                                std::int64_t n, const T* x, std::int64_t incx,
                                                const T* y, std::int64_t incy, T* out) {
  run(device, RowsContext{routine, spec::type_of<T>(), n, 1, {0, incx, 0}, {0, incy, 0}}, x, y, out,
      [&] { *out = replayer.call<T>(routine, n, x, incx, y, incy); });
}

template <class T>
reprosum_status one(const reprosum_handle* handle, spec::Routine routine, std::int64_t n,
                    const T* x, std::int64_t incx, const T* y, std::int64_t incy, T* out) noexcept {
  return with_handle(handle, [&](const Replayer& replayer) {
    require(out, "out");
    if (const auto* device = handle->device.load(std::memory_order_acquire)) [[unlikely]]
      return one_on_device(*device, replayer, routine, n, x, incx, y, incy, out);
    *out = replayer.call<T>(routine, n, x, incx, y, incy);
  });
}

template <class T>
reprosum_status many(const reprosum_handle* handle, spec::Routine routine, std::int64_t n,
                     std::int64_t rows, const T* x, std::int64_t incx, std::int64_t ldx, const T* y,
                     std::int64_t incy, std::int64_t ldy, T* out) noexcept {
  return with_handle(handle, [&](const Replayer& replayer) {
    if (rows > 0) require(out, "out");
    const auto here = [&] { replayer.batch<T>(routine, n, rows, x, incx, ldx, y, incy, ldy, out); };
    if (const auto* device = handle->device.load(std::memory_order_acquire)) [[unlikely]]
      return run(*device,
                 RowsContext{routine, spec::type_of<T>(), n, rows, {0, incx, ldx}, {0, incy, ldy}},
                 x, y, out, here);
    here();
  });
}

}  // namespace
}  // namespace reprosum::runtime

using namespace reprosum::runtime;

extern "C" {

reprosum_status reprosum_ssum(const reprosum_handle* handle, int64_t n, const float* x,
                              int64_t incx, float* out) {
  return one<float>(handle, kSum, n, x, incx, nullptr, 0, out);
}

reprosum_status reprosum_dsum(const reprosum_handle* handle, int64_t n, const double* x,
                              int64_t incx, double* out) {
  return one<double>(handle, kSum, n, x, incx, nullptr, 0, out);
}

reprosum_status reprosum_sdot(const reprosum_handle* handle, int64_t n, const float* x,
                              int64_t incx, const float* y, int64_t incy, float* out) {
  return one<float>(handle, kDot, n, x, incx, y, incy, out);
}

reprosum_status reprosum_ddot(const reprosum_handle* handle, int64_t n, const double* x,
                              int64_t incx, const double* y, int64_t incy, double* out) {
  return one<double>(handle, kDot, n, x, incx, y, incy, out);
}

reprosum_status reprosum_ssum_batch(const reprosum_handle* handle, int64_t n, int64_t rows,
                                    const float* x, int64_t incx, int64_t ldx, float* out) {
  return many<float>(handle, kSum, n, rows, x, incx, ldx, nullptr, 0, 0, out);
}

reprosum_status reprosum_dsum_batch(const reprosum_handle* handle, int64_t n, int64_t rows,
                                    const double* x, int64_t incx, int64_t ldx, double* out) {
  return many<double>(handle, kSum, n, rows, x, incx, ldx, nullptr, 0, 0, out);
}

reprosum_status reprosum_sdot_batch(const reprosum_handle* handle, int64_t n, int64_t rows,
                                    const float* x, int64_t incx, int64_t ldx, const float* y,
                                    int64_t incy, int64_t ldy, float* out) {
  return many<float>(handle, kDot, n, rows, x, incx, ldx, y, incy, ldy, out);
}

reprosum_status reprosum_ddot_batch(const reprosum_handle* handle, int64_t n, int64_t rows,
                                    const double* x, int64_t incx, int64_t ldx, const double* y,
                                    int64_t incy, int64_t ldy, double* out) {
  return many<double>(handle, kDot, n, rows, x, incx, ldx, y, incy, ldy, out);
}

}  // extern "C"
