#include "src/blas/reduction.h"

#include <cstdint>
#include <cstdlib>

namespace reprosum::blas {

namespace {

bool is_beyond_addresses(std::int64_t n, std::int64_t increment, int element) {
  if (increment == INT64_MIN) return true;
  return __int128{n - 1} * std::abs(increment) >= INT64_MAX / element;
}

}  // namespace

int reduction_at_fault(const reprosum_handle* handle, const reprosum_reduction& call) {
  const auto largest = [&](const reprosum_reduction& asked) {
    std::int64_t n = 0;
    return reprosum_largest_n(handle, &asked, &n) == REPROSUM_OK ? n : 0;
  };
  if (call.n <= 0) return 1;
  const int element = call.type == REPROSUM_F32 ? 4 : 8;
  if (call.align_x % element != 0) return 2;
  if (is_beyond_addresses(call.n, call.incx, element)) return 3;
  if (call.routine == REPROSUM_DOT && call.align_y % element != 0) return 4;
  if (call.routine == REPROSUM_DOT && is_beyond_addresses(call.n, call.incy, element)) return 5;
  if (largest(call) > 0) return 1;  // the context is covered, only not up to this n
  reprosum_reduction unit = call;
  unit.incx = unit.incy = 1;
  if (largest(unit) == 0) return 0;
  unit.incx = call.incx;
  return largest(unit) == 0 ? 3 : 5;
}

std::string reduction_kernel(const reprosum_handle* handle, const reprosum_reduction& call) {
  char name[128] = "";
  int threads = 0;
  if (reprosum_kernel_name(handle, &call, name, sizeof name, nullptr) != REPROSUM_OK) return "";
  if (reprosum_get_threads(handle, &threads) != REPROSUM_OK) return name;
  return std::string(name) + " threads=" + std::to_string(threads);
}

}  // namespace reprosum::blas
