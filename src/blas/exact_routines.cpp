#include "src/blas/exact_routines.h"

#include <cstdint>
#include <cstring>

#include "reprosum/exact.h"
#include "src/blas/refuse.h"
#include "src/blas/settings.h"

namespace reprosum::blas {
namespace {

std::string vectors(std::int64_t n, std::int64_t incx) {
  return "n = " + std::to_string(n) + ", incx = " + std::to_string(incx);
}

// The reference does nothing for n <= 0, and for an increment that is not positive where there is
// only one vector.
#define AXPY(T, Int, p, fname, cname)                                                 \
  void cname##_exact(Int n, T alpha, const T* x, Int incx, T* y, Int incy) {          \
    if (n <= 0) return;                                                               \
    prepare_exact();                                                                  \
    finish_exact(#cname, reprosum_exact_##p##axpy(n, alpha, x, incx, y, incy),        \
                 vectors(n, incx) + ", incy = " + std::to_string(incy));              \
  }                                                                                   \
  void fname##_exact(const Int* n, const T* alpha, const T* x, const Int* incx, T* y, \
                     const Int* incy) {                                               \
    cname##_exact(*n, *alpha, x, *incx, y, *incy);                                    \
  }
#define SCAL(T, Int, p, fname, cname)                                                    \
  void cname##_exact(Int n, T alpha, T* x, Int incx) {                                   \
    if (n <= 0 || incx <= 0) return;                                                     \
    prepare_exact();                                                                     \
    finish_exact(#cname, reprosum_exact_##p##scal(n, alpha, x, incx), vectors(n, incx)); \
  }                                                                                      \
  void fname##_exact(const Int* n, const T* alpha, T* x, const Int* incx) {              \
    cname##_exact(*n, *alpha, x, *incx);                                                 \
  }
#define NORM(T, Int, routine, fname, cname)                                             \
  T cname##_exact(Int n, const T* x, Int incx) {                                        \
    T out = 0;                                                                          \
    if (n <= 0 || incx <= 0) return out;                                                \
    prepare_exact();                                                                    \
    finish_exact(#cname, reprosum_exact_##routine(n, x, incx, &out), vectors(n, incx)); \
    return out;                                                                         \
  }                                                                                     \
  T fname##_exact(const Int* n, const T* x, const Int* incx) { return cname##_exact(*n, x, *incx); }

#define ALL_OF_TYPE(DO, T, p, routine)             \
  DO(T, int, p, p##routine##_, cblas_##p##routine) \
  DO(T, std::int64_t, p, p##routine##_64_, cblas_##p##routine##_64)

ALL_OF_TYPE(AXPY, float, s, axpy)
ALL_OF_TYPE(AXPY, double, d, axpy)
ALL_OF_TYPE(SCAL, float, s, scal)
ALL_OF_TYPE(SCAL, double, d, scal)
NORM(float, int, sasum, sasum_, cblas_sasum)
NORM(double, int, dasum, dasum_, cblas_dasum)
NORM(float, std::int64_t, sasum, sasum_64_, cblas_sasum_64)
NORM(double, std::int64_t, dasum, dasum_64_, cblas_dasum_64)
NORM(float, int, snrm2, snrm2_, cblas_snrm2)
NORM(double, int, dnrm2, dnrm2_, cblas_dnrm2)
NORM(float, std::int64_t, snrm2, snrm2_64_, cblas_snrm2_64)
NORM(double, std::int64_t, dnrm2, dnrm2_64_, cblas_dnrm2_64)

#define ROUTINE(symbol) \
  { #symbol, reinterpret_cast < void*>(&symbol##_exact) }
#define ROUTINES(name)                                                                      \
  ROUTINE(s##name##_), ROUTINE(d##name##_), ROUTINE(cblas_s##name), ROUTINE(cblas_d##name), \
      ROUTINE(s##name##_64_), ROUTINE(d##name##_64_), ROUTINE(cblas_s##name##_64),          \
      ROUTINE(cblas_d##name##_64)
const ExactRoutine kRoutines[] = {ROUTINES(axpy), ROUTINES(scal), ROUTINES(asum), ROUTINES(nrm2)};

void* find(std::span<const ExactRoutine> routines, const char* name) {
  for (const ExactRoutine& one : routines)
    if (std::strcmp(one.name, name) == 0) return one.address;
  return nullptr;
}

}  // namespace

void* exact_routine(const char* name) {
  void* const found = find(kRoutines, name);
  return found != nullptr ? found : find(exact_matrix_routines(), name);
}

void prepare_exact() {
  static const bool prepared = [] {
    const int workers = settings().workers;
    return workers == 0 || reprosum_exact_set_workers(workers) == REPROSUM_OK;
  }();
  static_cast<void>(prepared);
}

void finish_exact(const char* symbol, reprosum_status status, const std::string& arguments) {
  if (status == REPROSUM_OK) return;
  const std::string routine = routine_of(symbol);
  refuse(routine, routine + "(" + arguments + ")", "computed", reprosum_last_error(nullptr), 0);
}

}  // namespace reprosum::blas
