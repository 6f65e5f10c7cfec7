// The C API: superaccumulators.
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <variant>

#include "include/reprosum/exact.h"
#include "src/exact/sums/terms.h"
#include "src/exact/values/accumulator.h"
#include "src/exact/values/bytes.h"
#include "src/runtime/arguments.h"
#include "src/runtime/border.h"

struct reprosum_accumulator {
  std::variant<reprosum::exact::Accumulator<float>, reprosum::exact::Accumulator<double>> sum;
};

namespace reprosum::runtime {
namespace {

template <class Body>
reprosum_status guarded(Body&& body) noexcept {
  try {
    body();
    return REPROSUM_OK;
  } catch (...) {
    return status_of_current_exception(nullptr, REPROSUM_BAD_ARGUMENT);
  }
}

// body(Accumulator<A>&)
template <class Handle, class Body>
reprosum_status with(Handle* accumulator, Body&& body) noexcept {
  return guarded([&] {
    require(accumulator, "the accumulator");
    std::visit(body, accumulator->sum);
  });
}

// A C caller can put any value in an enum.
template <class Enum>
int value_of(const Enum& wild) {
  static_assert(sizeof(Enum) == sizeof(int));
  int value = 0;
  std::memcpy(&value, &wild, sizeof value);
  return value;
}

std::unique_ptr<reprosum_accumulator> empty_of_type(int type) {
  auto made = std::make_unique<reprosum_accumulator>();
  if (type == REPROSUM_F64)
    made->sum = exact::Accumulator<double>();
  else if (type != REPROSUM_F32)
    throw BadArgument("unknown type " + std::to_string(type));
  return made;
}

template <class T, class Handle, class Body>
reprosum_status add_terms(Handle* accumulator, std::int64_t n, Body&& body) noexcept {
  return with(accumulator, [&]<class A>(exact::Accumulator<A>& sum) {
    if constexpr (std::is_same_v<A, float> && std::is_same_v<T, double>) {
      throw BadArgument("an accumulator of REPROSUM_F32 cannot take doubles");
    } else {
      check_sizes(n, 1);
      if (n > 0) body(sum);
    }
  });
}

template <class T>
reprosum_status add_values(reprosum_accumulator* accumulator, std::int64_t n, const T* x,
                           std::int64_t incx) noexcept {
  return add_terms<T>(accumulator, n, [&](auto& sum) {
    check_vector("x", x, incx, n);
    exact::add_values(sum, n, exact::first_element(x, n, incx), incx);
  });
}

template <class T>
reprosum_status add_products(reprosum_accumulator* accumulator, std::int64_t n, const T* x,
                             std::int64_t incx, const T* y, std::int64_t incy) noexcept {
  return add_terms<T>(accumulator, n, [&](auto& sum) {
    check_vector("x", x, incx, n);
    check_vector("y", y, incy, n);
    exact::add_products(sum, n, exact::first_element(x, n, incx), incx,
                        exact::first_element(y, n, incy), incy);
  });
}

template <class T>
reprosum_status round(const reprosum_accumulator* accumulator, const reprosum_rounding& mode,
                      T* out) noexcept {
  return with(accumulator, [&](const auto& sum) {
    require(out, "out");
    const int value = value_of(mode);
    if (value < 0 || value > 3) throw BadArgument("unknown rounding " + std::to_string(value));
    const T result = sum.template rounded<T>(static_cast<exact::Rounding>(value));
    std::memcpy(out, &result, sizeof result);
  });
}

}  // namespace
}  // namespace reprosum::runtime

using namespace reprosum::runtime;
namespace exact = reprosum::exact;

extern "C" {

reprosum_status reprosum_accumulator_create(reprosum_type type,
                                            reprosum_accumulator** accumulator) {
  return guarded([&] {
    require(accumulator, "the place for the accumulator");
    *accumulator = empty_of_type(value_of(type)).release();
  });
}

void reprosum_accumulator_destroy(reprosum_accumulator* accumulator) { delete accumulator; }

reprosum_status reprosum_accumulator_type(const reprosum_accumulator* accumulator,
                                          reprosum_type* type) {
  return with(accumulator, [&]<class A>(const exact::Accumulator<A>&) {
    require(type, "type");
    *type = std::is_same_v<A, double> ? REPROSUM_F64 : REPROSUM_F32;
  });
}

reprosum_status reprosum_accumulator_clear(reprosum_accumulator* accumulator) {
  return with(accumulator, []<class A>(exact::Accumulator<A>& sum) { sum = {}; });
}

reprosum_status reprosum_accumulator_sadd(reprosum_accumulator* accumulator, int64_t n,
                                          const float* x, int64_t incx) {
  return add_values(accumulator, n, x, incx);
}

reprosum_status reprosum_accumulator_dadd(reprosum_accumulator* accumulator, int64_t n,
                                          const double* x, int64_t incx) {
  return add_values(accumulator, n, x, incx);
}

reprosum_status reprosum_accumulator_sadd_products(reprosum_accumulator* accumulator, int64_t n,
                                                   const float* x, int64_t incx, const float* y,
                                                   int64_t incy) {
  return add_products(accumulator, n, x, incx, y, incy);
}

reprosum_status reprosum_accumulator_dadd_products(reprosum_accumulator* accumulator, int64_t n,
                                                   const double* x, int64_t incx, const double* y,
                                                   int64_t incy) {
  return add_products(accumulator, n, x, incx, y, incy);
}

reprosum_status reprosum_accumulator_negate(reprosum_accumulator* accumulator) {
  return with(accumulator, [](auto& sum) { sum.negate(); });
}

reprosum_status reprosum_accumulator_merge(reprosum_accumulator* accumulator,
                                           const reprosum_accumulator* other) {
  return with(accumulator, [&]<class A>(exact::Accumulator<A>& sum) {
    require(other, "the other accumulator");
    const auto* terms = std::get_if<exact::Accumulator<A>>(&other->sum);
    if (terms == nullptr) throw BadArgument("the accumulators have different types");
    if (!sum.merge(*terms)) throw BadArgument("the sum is beyond what 2^64 terms can reach");
  });
}

reprosum_status reprosum_accumulator_sround(const reprosum_accumulator* accumulator,
                                            reprosum_rounding mode, float* out) {
  return round(accumulator, mode, out);
}

reprosum_status reprosum_accumulator_dround(const reprosum_accumulator* accumulator,
                                            reprosum_rounding mode, double* out) {
  return round(accumulator, mode, out);
}

reprosum_status reprosum_accumulator_size(const reprosum_accumulator* accumulator, size_t* size) {
  return with(accumulator, [&]<class A>(const exact::Accumulator<A>&) {
    require(size, "size");
    *size = exact::kSavedBytes<A>;
  });
}

reprosum_status reprosum_accumulator_save(const reprosum_accumulator* accumulator, void* bytes,
                                          size_t size) {
  return with(accumulator, [&]<class A>(const exact::Accumulator<A>& sum) {
    require(bytes, "bytes");
    if (size < exact::kSavedBytes<A>) {
      throw BadArgument("there is room for " + std::to_string(size) + " bytes; " +
                        std::to_string(exact::kSavedBytes<A>) + " are needed");
    }
    exact::save(sum, static_cast<unsigned char*>(bytes));
  });
}

reprosum_status reprosum_accumulator_load(const void* bytes, size_t size,
                                          reprosum_accumulator** accumulator) {
  return guarded([&] {
    require(accumulator, "the place for the accumulator");
    require(bytes, "bytes");
    const auto* saved = static_cast<const unsigned char*>(bytes);
    int type = -1;
    if (const char* why = exact::check_saved(saved, size, &type)) throw BadArgument(why);
    std::unique_ptr<reprosum_accumulator> made = empty_of_type(type);
    std::visit([&](auto& sum) { exact::load(saved, sum); }, made->sum);
    *accumulator = made.release();
  });
}

}  // extern "C"
