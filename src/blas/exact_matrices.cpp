// ger and trsv of REPROSUM_MODE=exact.
#include <algorithm>
#include <cstdint>

#include "reprosum/exact.h"
#include "src/blas/exact_routines.h"
#include "src/blas/matrix.h"
#include "src/blas/not_served.h"
#include "src/blas/refuse.h"
#include "src/blas/settings.h"
#include "src/blas/structured_faults.h"

namespace reprosum::blas {
namespace {

Fault fault_in_ger(int layout, std::int64_t m, std::int64_t n, std::int64_t incx, std::int64_t incy,
                   std::int64_t lda) {
  if (!is_layout(layout)) return kNoLayout;
  if (layout == kRowMajor) return fault_in_ger(kColumnMajor, n, m, incy, incx, lda);
  return judged([&](Rules) {
    if (m < 0) return 1;
    if (n < 0) return 2;
    if (incx == 0) return 5;
    if (incy == 0) return 7;
    if (lda < std::max<std::int64_t>(1, m)) return 9;
    return 0;
  });
}

template <class T>
struct Exact;
template <>
struct Exact<float> {
  static constexpr auto ger = reprosum_exact_sger;
  static constexpr auto trsv = reprosum_exact_strsv;
  static constexpr auto certified_trsv = reprosum_exact_strsv_certified;
};
template <>
struct Exact<double> {
  static constexpr auto ger = reprosum_exact_dger;
  static constexpr auto trsv = reprosum_exact_dtrsv;
  static constexpr auto certified_trsv = reprosum_exact_dtrsv_certified;
};

template <class T>
void compute_ger(const char* symbol, int layout, std::int64_t m, std::int64_t n, T alpha,
                 const T* x, std::int64_t incx, const T* y, std::int64_t incy, T* a,
                 std::int64_t lda) {
  prepare_exact();
  const reprosum_status status =
      Exact<T>::ger(static_cast<reprosum_layout>(layout), m, n, alpha, x, incx, y, incy, a, lda);
  const std::string said =
      "m = " + std::to_string(m) + ", n = " + std::to_string(n) + ", lda = " + std::to_string(lda);
  const bool rows = layout == kRowMajor;
  if (!is_computed(symbol, status, said)) put_nan_in_matrix(a, rows ? n : m, rows ? m : n, lda);
}

template <class T>
void compute_trsv(const char* symbol, int layout, int uplo, int trans, int diag, std::int64_t n,
                  const T* a, std::int64_t lda, T* x, std::int64_t incx) {
  prepare_exact();
  const auto solve = settings().trsv == Trsv::certified ? Exact<T>::certified_trsv : Exact<T>::trsv;
  const reprosum_status status = solve(
      static_cast<reprosum_layout>(layout), static_cast<reprosum_uplo>(uplo),
      static_cast<reprosum_transpose>(trans), static_cast<reprosum_diag>(diag), n, a, lda, x, incx);
  if (!is_computed(symbol, status, "n = " + std::to_string(n) + ", lda = " + std::to_string(lda)))
    put_nan(x, n, incx);
}

#define MATRICES(T, Int, p, suffix, csuffix)                                                       \
  void p##ger##suffix(const Int* m, const Int* n, const T* alpha, const T* x, const Int* incx,     \
                      const T* y, const Int* incy, T* a, const Int* lda) {                         \
    const Fault fault = fault_in_ger(kColumnMajor, *m, *n, *incx, *incy, *lda);                    \
    if (fault.found)                                                                               \
      return leave<decltype(p##ger##suffix)>(#p "ger" #suffix, fault, m, n, alpha, x, incx, y,     \
                                             incy, a, lda);                                        \
    compute_ger(#p "ger" #suffix, kColumnMajor, *m, *n, *alpha, x, *incx, y, *incy, a, *lda);      \
  }                                                                                                \
  void cblas_##p##ger##csuffix(int layout, Int m, Int n, T alpha, const T* x, Int incx,            \
                               const T* y, Int incy, T* a, Int lda) {                              \
    const Fault fault = fault_in_ger(layout, m, n, incx, incy, lda);                               \
    if (fault.found)                                                                               \
      return leave<decltype(cblas_##p##ger##csuffix)>("cblas_" #p "ger" #csuffix, fault, layout,   \
                                                      m, n, alpha, x, incx, y, incy, a, lda);      \
    compute_ger("cblas_" #p "ger" #csuffix, layout, m, n, alpha, x, incx, y, incy, a, lda);        \
  }                                                                                                \
  void p##trsv##suffix(const char* uplo, const char* trans, const char* diag, const Int* n,        \
                       const T* a, const Int* lda, T* x, const Int* incx) {                        \
    using Fortran = void(const char*, const char*, const char*, const Int*, const T*, const Int*,  \
                         T*, const Int*, std::size_t, std::size_t, std::size_t);                   \
    const int up = uplo_of(*uplo), transpose = transpose_of(*trans), unit = diag_of(*diag);        \
    const Fault fault = fault_in_trmv(kColumnMajor, up, transpose, unit, *n, *lda, *incx);         \
    if (fault.found)                                                                               \
      return leave<Fortran>(#p "trsv" #suffix, fault, uplo, trans, diag, n, a, lda, x, incx,       \
                            std::size_t{1}, std::size_t{1}, std::size_t{1});                       \
    compute_trsv(#p "trsv" #suffix, kColumnMajor, up, transpose, unit, *n, a, *lda, x, *incx);     \
  }                                                                                                \
  void cblas_##p##trsv##csuffix(int layout, int uplo, int trans, int diag, Int n, const T* a,      \
                                Int lda, T* x, Int incx) {                                         \
    const Fault fault = fault_in_trmv(layout, uplo, trans, diag, n, lda, incx);                    \
    if (fault.found)                                                                               \
      return leave<decltype(cblas_##p##trsv##csuffix)>("cblas_" #p "trsv" #csuffix, fault, layout, \
                                                       uplo, trans, diag, n, a, lda, x, incx);     \
    compute_trsv("cblas_" #p "trsv" #csuffix, layout, uplo, trans, diag, n, a, lda, x, incx);      \
  }

MATRICES(float, int, s, _, )
MATRICES(double, int, d, _, )
MATRICES(float, std::int64_t, s, _64_, _64)
MATRICES(double, std::int64_t, d, _64_, _64)

#define ROUTINE(symbol) \
  { #symbol, reinterpret_cast < void*>(&symbol) }
#define ROUTINES(name)                                                                      \
  ROUTINE(s##name##_), ROUTINE(d##name##_), ROUTINE(cblas_s##name), ROUTINE(cblas_d##name), \
      ROUTINE(s##name##_64_), ROUTINE(d##name##_64_), ROUTINE(cblas_s##name##_64),          \
      ROUTINE(cblas_d##name##_64)
const ExactRoutine kRoutines[] = {ROUTINES(ger), ROUTINES(trsv)};

}  // namespace

std::span<const ExactRoutine> exact_matrix_routines() { return kRoutines; }

}  // namespace reprosum::blas
