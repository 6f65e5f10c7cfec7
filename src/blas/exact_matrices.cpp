// ger and trsv of REPROSUM_MODE=exact.
#include <algorithm>
#include <cstdint>

#include "reprosum/exact.h"
#include "src/blas/exact_routines.h"
#include "src/blas/matrix.h"
#include "src/blas/refuse.h"

namespace reprosum::blas {
namespace {

constexpr int kUpper = 121, kLower = 122, kNonUnit = 131, kUnit = 132;

// An argument that BLAS forbids, in Fortran's numbering; 0: there is none.
int forbidden_in_ger(std::int64_t m, std::int64_t n, std::int64_t incx, std::int64_t incy,
                     std::int64_t lda) {
  if (m < 0) return 1;
  if (n < 0) return 2;
  if (incx == 0) return 5;
  if (incy == 0) return 7;
  if (lda < std::max<std::int64_t>(1, m)) return 9;
  return 0;
}

int forbidden_in_trsv(int uplo, int trans, int diag, std::int64_t n, std::int64_t lda,
                      std::int64_t incx) {
  if (uplo != kUpper && uplo != kLower) return 1;
  if (trans < kPlain || trans > kConjugated) return 2;
  if (diag != kNonUnit && diag != kUnit) return 3;
  if (n < 0) return 4;
  if (lda < std::max<std::int64_t>(1, n)) return 6;
  if (incx == 0) return 8;
  return 0;
}

int uplo_of(char letter) {
  return letter == 'U' || letter == 'u' ? kUpper : letter == 'L' || letter == 'l' ? kLower : 0;
}
int diag_of(char letter) {
  return letter == 'N' || letter == 'n' ? kNonUnit : letter == 'U' || letter == 'u' ? kUnit : 0;
}

bool known_layout(const char* symbol, int layout) {
  if (layout == kRowMajor || layout == kColumnMajor) return true;
  report_cblas(routine_of(symbol), 1, false, "Illegal layout setting, %d\n", layout);
  return false;
}

// What a CBLAS call says of a setting that is none, as the reference; an empty text if it is one of
// the others.
struct Setting {
  const char* form;
  int value;
};

template <class T>
struct Exact;
template <>
struct Exact<float> {
  static constexpr auto ger = reprosum_exact_sger;
  static constexpr auto trsv = reprosum_exact_strsv;
};
template <>
struct Exact<double> {
  static constexpr auto ger = reprosum_exact_dger;
  static constexpr auto trsv = reprosum_exact_dtrsv;
};

template <class T>
void compute_ger(const char* symbol, int layout, std::int64_t m, std::int64_t n, T alpha,
                 const T* x, std::int64_t incx, const T* y, std::int64_t incy, T* a,
                 std::int64_t lda) {
  prepare_exact();
  finish_exact(
      symbol,
      Exact<T>::ger(static_cast<reprosum_layout>(layout), m, n, alpha, x, incx, y, incy, a, lda),
      "m = " + std::to_string(m) + ", n = " + std::to_string(n) + ", lda = " + std::to_string(lda));
}

template <class T>
void compute_trsv(const char* symbol, int layout, int uplo, int trans, int diag, std::int64_t n,
                  const T* a, std::int64_t lda, T* x, std::int64_t incx) {
  prepare_exact();
  finish_exact(
      symbol,
      Exact<T>::trsv(static_cast<reprosum_layout>(layout), static_cast<reprosum_uplo>(uplo),
                     static_cast<reprosum_transpose>(trans), static_cast<reprosum_diag>(diag), n, a,
                     lda, x, incx),
      "n = " + std::to_string(n) + ", lda = " + std::to_string(lda));
}

template <class T>
void fortran_ger(const char* symbol, std::int64_t m, std::int64_t n, T alpha, const T* x,
                 std::int64_t incx, const T* y, std::int64_t incy, T* a, std::int64_t lda) {
  if (const int argument = forbidden_in_ger(m, n, incx, incy, lda))
    return report_fortran(routine_of(symbol), argument);
  compute_ger(symbol, kColumnMajor, m, n, alpha, x, incx, y, incy, a, lda);
}

template <class T>
void cblas_ger(const char* symbol, int layout, std::int64_t m, std::int64_t n, T alpha, const T* x,
               std::int64_t incx, const T* y, std::int64_t incy, T* a, std::int64_t lda) {
  if (!known_layout(symbol, layout)) return;
  const bool rows = layout == kRowMajor;
  const int argument =
      rows ? forbidden_in_ger(n, m, incy, incx, lda) : forbidden_in_ger(m, n, incx, incy, lda);
  if (argument != 0) return report_cblas(routine_of(symbol), argument + 1, rows, "", 0);
  compute_ger(symbol, layout, m, n, alpha, x, incx, y, incy, a, lda);
}

template <class T>
void fortran_trsv(const char* symbol, char uplo, char trans, char diag, std::int64_t n, const T* a,
                  std::int64_t lda, T* x, std::int64_t incx) {
  const int up = uplo_of(uplo), transpose = transpose_of(trans), unit = diag_of(diag);
  if (const int argument = forbidden_in_trsv(up, transpose, unit, n, lda, incx))
    return report_fortran(routine_of(symbol), argument);
  compute_trsv(symbol, kColumnMajor, up, transpose, unit, n, a, lda, x, incx);
}

template <class T>
void cblas_trsv(const char* symbol, int layout, int uplo, int trans, int diag, std::int64_t n,
                const T* a, std::int64_t lda, T* x, std::int64_t incx) {
  if (!known_layout(symbol, layout)) return;
  if (const int argument = forbidden_in_trsv(uplo, trans, diag, n, lda, incx)) {
    const Setting settings[] = {{"", 0},
                                {"Illegal Uplo setting, %d\n", uplo},
                                {"Illegal TransA setting, %d\n", trans},
                                {"Illegal Diag setting, %d\n", diag}};
    const Setting& said = settings[argument <= 3 ? argument : 0];
    return report_cblas(routine_of(symbol), argument + 1, layout == kRowMajor, said.form,
                        said.value);
  }
  compute_trsv(symbol, layout, uplo, trans, diag, n, a, lda, x, incx);
}

#define MATRICES(T, Int, p, suffix, csuffix)                                                   \
  void p##ger##suffix(const Int* m, const Int* n, const T* alpha, const T* x, const Int* incx, \
                      const T* y, const Int* incy, T* a, const Int* lda) {                     \
    fortran_ger(#p "ger" #suffix, *m, *n, *alpha, x, *incx, y, *incy, a, *lda);                \
  }                                                                                            \
  void cblas_##p##ger##csuffix(int layout, Int m, Int n, T alpha, const T* x, Int incx,        \
                               const T* y, Int incy, T* a, Int lda) {                          \
    cblas_ger("cblas_" #p "ger" #csuffix, layout, m, n, alpha, x, incx, y, incy, a, lda);      \
  }                                                                                            \
  void p##trsv##suffix(const char* uplo, const char* trans, const char* diag, const Int* n,    \
                       const T* a, const Int* lda, T* x, const Int* incx) {                    \
    fortran_trsv(#p "trsv" #suffix, *uplo, *trans, *diag, *n, a, *lda, x, *incx);              \
  }                                                                                            \
  void cblas_##p##trsv##csuffix(int layout, int uplo, int trans, int diag, Int n, const T* a,  \
                                Int lda, T* x, Int incx) {                                     \
    cblas_trsv("cblas_" #p "trsv" #csuffix, layout, uplo, trans, diag, n, a, lda, x, incx);    \
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
