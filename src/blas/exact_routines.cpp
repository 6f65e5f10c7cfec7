#include "src/blas/exact_routines.h"

#include <atomic>
#include <cstdint>
#include <cstring>

#include "reprosum/exact.h"
#include "src/blas/matrix.h"
#include "src/blas/not_served.h"
#include "src/blas/refuse.h"
#include "src/blas/settings.h"

namespace reprosum::blas {
namespace {

std::string vectors(std::int64_t n, std::int64_t incx) {
  return "n = " + std::to_string(n) + ", incx = " + std::to_string(incx);
}

template <class T>
struct Exact;
template <>
struct Exact<float> {
  static constexpr auto type = REPROSUM_F32;
  static constexpr auto axpy = reprosum_exact_saxpy;
  static constexpr auto add = reprosum_accumulator_sadd;
  static constexpr auto add_products = reprosum_accumulator_sadd_products;
  static constexpr auto round = reprosum_accumulator_sround;
};
template <>
struct Exact<double> {
  static constexpr auto type = REPROSUM_F64;
  static constexpr auto axpy = reprosum_exact_daxpy;
  static constexpr auto add = reprosum_accumulator_dadd;
  static constexpr auto add_products = reprosum_accumulator_dadd_products;
  static constexpr auto round = reprosum_accumulator_dround;
};

// incy = 0: y += alpha * x[0], y += alpha * x[1], ... to one number, rounded once in the end.
template <class T>
reprosum_status add_all(std::int64_t n, T alpha, const T* x, std::int64_t incx, T* y) {
  reprosum_accumulator* sum = nullptr;
  reprosum_status status = reprosum_accumulator_create(Exact<T>::type, &sum);
  if (status == REPROSUM_OK) status = Exact<T>::add(sum, 1, y, 1);
  if (status == REPROSUM_OK) status = Exact<T>::add_products(sum, n, x, incx, &alpha, 0);
  if (status == REPROSUM_OK) status = Exact<T>::round(sum, REPROSUM_NEAREST_EVEN, y);
  reprosum_accumulator_destroy(sum);
  return status;
}

template <class T>
reprosum_status axpy(std::int64_t n, T alpha, const T* x, std::int64_t incx, T* y,
                     std::int64_t incy) {
  if (incy == 0) return is_zero(alpha) ? REPROSUM_OK : add_all(n, alpha, x, incx, y);
  return Exact<T>::axpy(n, alpha, x, incx, y, incy);
}

// What is done for which n and increments is the reference's: of 3.10 and later, whose nrm2 takes
// any increment, while asum and scal do nothing for one that is not positive.
#define AXPY(T, Int, p, fname, cname)                                                 \
  void cname##_exact(Int n, T alpha, const T* x, Int incx, T* y, Int incy) {          \
    if (n <= 0) return;                                                               \
    prepare_exact();                                                                  \
    if (!is_computed(#cname, axpy<T>(n, alpha, x, incx, y, incy),                     \
                     vectors(n, incx) + ", incy = " + std::to_string(incy)))          \
      put_nan(y, n, incy);                                                            \
  }                                                                                   \
  void fname##_exact(const Int* n, const T* alpha, const T* x, const Int* incx, T* y, \
                     const Int* incy) {                                               \
    cname##_exact(*n, *alpha, x, *incx, y, *incy);                                    \
  }
#define SCAL(T, Int, p, fname, cname)                                                        \
  void cname##_exact(Int n, T alpha, T* x, Int incx) {                                       \
    if (n <= 0 || incx <= 0) return;                                                         \
    prepare_exact();                                                                         \
    if (!is_computed(#cname, reprosum_exact_##p##scal(n, alpha, x, incx), vectors(n, incx))) \
      put_nan(x, n, incx);                                                                   \
  }                                                                                          \
  void fname##_exact(const Int* n, const T* alpha, T* x, const Int* incx) {                  \
    cname##_exact(*n, *alpha, x, *incx);                                                     \
  }
#define REDUCTION(T, Int, routine, fname, cname, is_nothing)                                \
  T cname##_exact(Int n, const T* x, Int incx) {                                            \
    T out = 0;                                                                              \
    if (is_nothing) return out;                                                             \
    prepare_exact();                                                                        \
    if (!is_computed(#cname, reprosum_exact_##routine(n, x, incx, &out), vectors(n, incx))) \
      put_nan(&out);                                                                        \
    return out;                                                                             \
  }                                                                                         \
  T fname##_exact(const Int* n, const T* x, const Int* incx) { return cname##_exact(*n, x, *incx); }
#define ASUM(T, Int, p, fname, cname) REDUCTION(T, Int, p##asum, fname, cname, n <= 0 || incx <= 0)
#define NRM2(T, Int, p, fname, cname) REDUCTION(T, Int, p##nrm2, fname, cname, n <= 0)

#define MIXED_DOT(Int, suffix, csuffix)                                                            \
  double cblas_dsdot##csuffix##_exact(Int n, const float* x, Int incx, const float* y, Int incy) { \
    double out = 0;                                                                                \
    if (n <= 0) return out;                                                                        \
    prepare_exact();                                                                               \
    if (!is_computed("dsdot_", reprosum_exact_dsdot(n, x, incx, y, incy, &out),                    \
                     vectors(n, incx) + ", incy = " + std::to_string(incy)))                       \
      put_nan(&out);                                                                               \
    return out;                                                                                    \
  }                                                                                                \
  double dsdot##suffix##_exact(const Int* n, const float* x, const Int* incx, const float* y,      \
                               const Int* incy) {                                                  \
    return cblas_dsdot##csuffix##_exact(*n, x, *incx, y, *incy);                                   \
  }                                                                                                \
  float cblas_sdsdot##csuffix##_exact(Int n, float b, const float* x, Int incx, const float* y,    \
                                      Int incy) {                                                  \
    float out = b;                                                                                 \
    if (n <= 0) return out;                                                                        \
    prepare_exact();                                                                               \
    if (!is_computed("sdsdot_", reprosum_exact_sdsdot(n, b, x, incx, y, incy, &out),               \
                     vectors(n, incx) + ", incy = " + std::to_string(incy)))                       \
      put_nan(&out);                                                                               \
    return out;                                                                                    \
  }                                                                                                \
  float sdsdot##suffix##_exact(const Int* n, const float* b, const float* x, const Int* incx,      \
                               const float* y, const Int* incy) {                                  \
    return cblas_sdsdot##csuffix##_exact(*n, *b, x, *incx, y, *incy);                              \
  }
MIXED_DOT(int, _, )
MIXED_DOT(std::int64_t, _64_, _64)

#define ALL_OF_TYPE(DO, T, p, routine)             \
  DO(T, int, p, p##routine##_, cblas_##p##routine) \
  DO(T, std::int64_t, p, p##routine##_64_, cblas_##p##routine##_64)

ALL_OF_TYPE(AXPY, float, s, axpy)
ALL_OF_TYPE(AXPY, double, d, axpy)
ALL_OF_TYPE(SCAL, float, s, scal)
ALL_OF_TYPE(SCAL, double, d, scal)
ALL_OF_TYPE(ASUM, float, s, asum)
ALL_OF_TYPE(ASUM, double, d, asum)
ALL_OF_TYPE(NRM2, float, s, nrm2)
ALL_OF_TYPE(NRM2, double, d, nrm2)

#define ROUTINE(symbol) \
  { #symbol, reinterpret_cast < void*>(&symbol##_exact) }
#define ROUTINES(name)                                                                      \
  ROUTINE(s##name##_), ROUTINE(d##name##_), ROUTINE(cblas_s##name), ROUTINE(cblas_d##name), \
      ROUTINE(s##name##_64_), ROUTINE(d##name##_64_), ROUTINE(cblas_s##name##_64),          \
      ROUTINE(cblas_d##name##_64)
const ExactRoutine kRoutines[] = {
    ROUTINES(axpy),   ROUTINES(scal),      ROUTINES(asum),        ROUTINES(nrm2),
    ROUTINE(dsdot_),  ROUTINE(dsdot_64_),  ROUTINE(cblas_dsdot),  ROUTINE(cblas_dsdot_64),
    ROUTINE(sdsdot_), ROUTINE(sdsdot_64_), ROUTINE(cblas_sdsdot), ROUTINE(cblas_sdsdot_64)};

void* find(std::span<const ExactRoutine> routines, const char* name) {
  for (const ExactRoutine& one : routines)
    if (std::strcmp(one.name, name) == 0) return one.address;
  return nullptr;
}

}  // namespace

void* exact_routine(const char* name) {
  void* found = find(kRoutines, name);
  if (found == nullptr) found = find(exact_matrix_routines(), name);
  return found != nullptr ? found : find(exact_structured_routines(), name);
}

bool has_exact(const char* name) {
  if (std::strncmp(name, "scipy_", 6) == 0) name += 6;
  return exact_routine(name) != nullptr;
}

void prepare_exact() {
  static std::atomic<bool> prepared{false};
  if (prepared.load(std::memory_order_acquire)) return;
  const int workers = settings().workers;
  if (workers != 0) static_cast<void>(reprosum_exact_set_workers(workers));
  prepared.store(true, std::memory_order_release);
}

bool is_computed(const char* symbol, reprosum_status status, const std::string& arguments) {
  if (status == REPROSUM_OK) return true;
  const std::string routine = routine_of(symbol);
  refuse(routine, routine + "(" + arguments + ")", "computed", reprosum_last_error(nullptr), 0);
  return false;
}

}  // namespace reprosum::blas
