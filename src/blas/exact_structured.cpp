// Products and solves with symmetric and triangular matrices of REPROSUM_MODE=exact.
#include <cstdint>

#include "reprosum/exact.h"
#include "src/blas/exact_routines.h"
#include "src/blas/matrix.h"
#include "src/blas/not_served.h"
#include "src/blas/structured_faults.h"

namespace reprosum::blas {
namespace {

using Size = std::int64_t;
template <class T>
struct Exact;
template <>
struct Exact<float> {
  static constexpr auto gemmt = reprosum_exact_sgemmt;
  static constexpr auto syrk = reprosum_exact_ssyrk;
  static constexpr auto syr2k = reprosum_exact_ssyr2k;
  static constexpr auto symm = reprosum_exact_ssymm;
  static constexpr auto symv = reprosum_exact_ssymv;
  static constexpr auto trmm = reprosum_exact_strmm;
  static constexpr auto trmv = reprosum_exact_strmv;
  static constexpr auto trsm = reprosum_exact_strsm;
};
template <>
struct Exact<double> {
  static constexpr auto gemmt = reprosum_exact_dgemmt;
  static constexpr auto syrk = reprosum_exact_dsyrk;
  static constexpr auto syr2k = reprosum_exact_dsyr2k;
  static constexpr auto symm = reprosum_exact_dsymm;
  static constexpr auto symv = reprosum_exact_dsymv;
  static constexpr auto trmm = reprosum_exact_dtrmm;
  static constexpr auto trmv = reprosum_exact_dtrmv;
  static constexpr auto trsm = reprosum_exact_dtrsm;
};

reprosum_layout layout_of(int value) { return static_cast<reprosum_layout>(value); }
reprosum_uplo uplo_value(int value) { return static_cast<reprosum_uplo>(value); }
reprosum_side side_value(int value) { return static_cast<reprosum_side>(value); }
reprosum_transpose trans_value(int value) { return static_cast<reprosum_transpose>(value); }
reprosum_diag diag_value(int value) { return static_cast<reprosum_diag>(value); }

// After a computation: NaN where it could not be done.
template <class T>
void finish_triangle(const char* symbol, reprosum_status status, int layout, int uplo, Size n,
                     Size k, T* c, Size ldc) {
  if (!is_computed(symbol, status, "n = " + std::to_string(n) + ", k = " + std::to_string(k)))
    put_nan_in_triangle(c, (uplo == kUpper) != (layout == kRowMajor), n, ldc);
}
template <class T>
void finish_matrix(const char* symbol, reprosum_status status, int layout, Size m, Size n, T* c,
                   Size ldc) {
  if (is_computed(symbol, status, "m = " + std::to_string(m) + ", n = " + std::to_string(n)))
    return;
  const bool rows = layout == kRowMajor;
  put_nan_in_matrix(c, rows ? n : m, rows ? m : n, ldc);
}
template <class T>
void finish_vector(const char* symbol, reprosum_status status, Size n, T* y, Size incy) {
  if (!is_computed(symbol, status, "n = " + std::to_string(n))) put_nan(y, n, incy);
}

// leave(fault) makes the call as it came of the backing, whose error exit that is.
template <class T, class Leave>
void gemmt(const char* symbol, Leave&& leave, int layout, int uplo, int transa, int transb, Size n,
           Size k, T alpha, const T* a, Size lda, const T* b, Size ldb, T beta, T* c, Size ldc) {
  const Fault fault = fault_in_gemmt(layout, uplo, transa, transb, n, k, lda, ldb, ldc);
  if (fault.found) return leave(fault);
  prepare_exact();
  finish_triangle(symbol,
                  Exact<T>::gemmt(layout_of(layout), uplo_value(uplo), trans_value(transa),
                                  trans_value(transb), n, k, alpha, a, lda, b, ldb, beta, c, ldc),
                  layout, uplo, n, k, c, ldc);
}
template <class T, class Leave>
void syrk(const char* symbol, Leave&& leave, int layout, int uplo, int trans, Size n, Size k,
          T alpha, const T* a, Size lda, T beta, T* c, Size ldc) {
  const Fault fault = fault_in_syrk(layout, uplo, trans, n, k, lda, 0, 0, ldc);
  if (fault.found) return leave(fault);
  prepare_exact();
  finish_triangle(symbol,
                  Exact<T>::syrk(layout_of(layout), uplo_value(uplo), trans_value(trans), n, k,
                                 alpha, a, lda, beta, c, ldc),
                  layout, uplo, n, k, c, ldc);
}
template <class T, class Leave>
void syr2k(const char* symbol, Leave&& leave, int layout, int uplo, int trans, Size n, Size k,
           T alpha, const T* a, Size lda, const T* b, Size ldb, T beta, T* c, Size ldc) {
  const Fault fault = fault_in_syrk(layout, uplo, trans, n, k, lda, ldb, 9, ldc);
  if (fault.found) return leave(fault);
  prepare_exact();
  finish_triangle(symbol,
                  Exact<T>::syr2k(layout_of(layout), uplo_value(uplo), trans_value(trans), n, k,
                                  alpha, a, lda, b, ldb, beta, c, ldc),
                  layout, uplo, n, k, c, ldc);
}
template <class T, class Leave>
void symm(const char* symbol, Leave&& leave, int layout, int side, int uplo, Size m, Size n,
          T alpha, const T* a, Size lda, const T* b, Size ldb, T beta, T* c, Size ldc) {
  const Fault fault = fault_in_symm(layout, side, uplo, m, n, lda, ldb, ldc);
  if (fault.found) return leave(fault);
  prepare_exact();
  finish_matrix(symbol,
                Exact<T>::symm(layout_of(layout), side_value(side), uplo_value(uplo), m, n, alpha,
                               a, lda, b, ldb, beta, c, ldc),
                layout, m, n, c, ldc);
}
template <class T, class Leave>
void symv(const char* symbol, Leave&& leave, int layout, int uplo, Size n, T alpha, const T* a,
          Size lda, const T* x, Size incx, T beta, T* y, Size incy) {
  const Fault fault = fault_in_symv(layout, uplo, n, lda, incx, incy);
  if (fault.found) return leave(fault);
  prepare_exact();
  finish_vector(
      symbol,
      Exact<T>::symv(layout_of(layout), uplo_value(uplo), n, alpha, a, lda, x, incx, beta, y, incy),
      n, y, incy);
}
template <class T, class Leave>
void trmv(const char* symbol, Leave&& leave, int layout, int uplo, int trans, int diag, Size n,
          const T* a, Size lda, T* x, Size incx) {
  const Fault fault = fault_in_trmv(layout, uplo, trans, diag, n, lda, incx);
  if (fault.found) return leave(fault);
  prepare_exact();
  finish_vector(symbol,
                Exact<T>::trmv(layout_of(layout), uplo_value(uplo), trans_value(trans),
                               diag_value(diag), n, a, lda, x, incx),
                n, x, incx);
}
#define TRIANGULAR(routine)                                                                   \
  template <class T, class Leave>                                                             \
  void routine(const char* symbol, Leave&& leave, int layout, int side, int uplo, int trans,  \
               int diag, Size m, Size n, T alpha, const T* a, Size lda, T* b, Size ldb) {     \
    const Fault fault = fault_in_trmm(layout, side, uplo, trans, diag, m, n, lda, ldb);       \
    if (fault.found) return leave(fault);                                                     \
    prepare_exact();                                                                          \
    finish_matrix(                                                                            \
        symbol,                                                                               \
        Exact<T>::routine(layout_of(layout), side_value(side), uplo_value(uplo),              \
                          trans_value(trans), diag_value(diag), m, n, alpha, a, lda, b, ldb), \
        layout, m, n, b, ldb);                                                                \
  }
TRIANGULAR(trmm)
TRIANGULAR(trsm)

// The faces. `symbol` is the function's own name; letters are followed by their lengths in Fortran.
#define LEAVE(symbol, ...) \
  [&](const Fault& fault) { blas::leave<Function>(symbol, fault, __VA_ARGS__); }
#define LENGTH \
  std::size_t { 1 }

#define SYRK(T, Int, p, suffix, csuffix)                                                           \
  void p##syrk##suffix(const char* uplo, const char* trans, const Int* n, const Int* k,            \
                       const T* alpha, const T* a, const Int* lda, const T* beta, T* c,            \
                       const Int* ldc) {                                                           \
    using Function = void(const char*, const char*, const Int*, const Int*, const T*, const T*,    \
                          const Int*, const T*, T*, const Int*, std::size_t, std::size_t);         \
    syrk(#p "syrk" #suffix,                                                                        \
         LEAVE(#p "syrk" #suffix, uplo, trans, n, k, alpha, a, lda, beta, c, ldc, LENGTH, LENGTH), \
         kColumnMajor, uplo_of(*uplo), transpose_of(*trans), *n, *k, *alpha, a, *lda, *beta, c,    \
         *ldc);                                                                                    \
  }                                                                                                \
  void cblas_##p##syrk##csuffix(int layout, int uplo, int trans, Int n, Int k, T alpha,            \
                                const T* a, Int lda, T beta, T* c, Int ldc) {                      \
    using Function = decltype(cblas_##p##syrk##csuffix);                                           \
    syrk("cblas_" #p "syrk" #csuffix,                                                              \
         LEAVE("cblas_" #p "syrk" #csuffix, layout, uplo, trans, n, k, alpha, a, lda, beta, c,     \
               ldc),                                                                               \
         layout, uplo, trans, n, k, alpha, a, lda, beta, c, ldc);                                  \
  }

#define SYR2K(T, Int, p, suffix, csuffix)                                                       \
  void p##syr2k##suffix(const char* uplo, const char* trans, const Int* n, const Int* k,        \
                        const T* alpha, const T* a, const Int* lda, const T* b, const Int* ldb, \
                        const T* beta, T* c, const Int* ldc) {                                  \
    using Function =                                                                            \
        void(const char*, const char*, const Int*, const Int*, const T*, const T*, const Int*,  \
             const T*, const Int*, const T*, T*, const Int*, std::size_t, std::size_t);         \
    syr2k(#p "syr2k" #suffix,                                                                   \
          LEAVE(#p "syr2k" #suffix, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc,     \
                LENGTH, LENGTH),                                                                \
          kColumnMajor, uplo_of(*uplo), transpose_of(*trans), *n, *k, *alpha, a, *lda, b, *ldb, \
          *beta, c, *ldc);                                                                      \
  }                                                                                             \
  void cblas_##p##syr2k##csuffix(int layout, int uplo, int trans, Int n, Int k, T alpha,        \
                                 const T* a, Int lda, const T* b, Int ldb, T beta, T* c,        \
                                 Int ldc) {                                                     \
    using Function = decltype(cblas_##p##syr2k##csuffix);                                       \
    syr2k("cblas_" #p "syr2k" #csuffix,                                                         \
          LEAVE("cblas_" #p "syr2k" #csuffix, layout, uplo, trans, n, k, alpha, a, lda, b, ldb, \
                beta, c, ldc),                                                                  \
          layout, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                      \
  }

#define GEMMT_NAMED(routine, T, Int, p, suffix, csuffix)                                           \
  void p##routine##suffix(const char* uplo, const char* transa, const char* transb, const Int* n,  \
                          const Int* k, const T* alpha, const T* a, const Int* lda, const T* b,    \
                          const Int* ldb, const T* beta, T* c, const Int* ldc) {                   \
    using Function = void(const char*, const char*, const char*, const Int*, const Int*, const T*, \
                          const T*, const Int*, const T*, const Int*, const T*, T*, const Int*,    \
                          std::size_t, std::size_t, std::size_t);                                  \
    gemmt(#p #routine #suffix,                                                                     \
          LEAVE(#p #routine #suffix, uplo, transa, transb, n, k, alpha, a, lda, b, ldb, beta, c,   \
                ldc, LENGTH, LENGTH, LENGTH),                                                      \
          kColumnMajor, uplo_of(*uplo), transpose_of(*transa), transpose_of(*transb), *n, *k,      \
          *alpha, a, *lda, b, *ldb, *beta, c, *ldc);                                               \
  }                                                                                                \
  void cblas_##p##routine##csuffix(int layout, int uplo, int transa, int transb, Int n, Int k,     \
                                   T alpha, const T* a, Int lda, const T* b, Int ldb, T beta,      \
                                   T* c, Int ldc) {                                                \
    using Function = decltype(cblas_##p##routine##csuffix);                                        \
    gemmt("cblas_" #p #routine #csuffix,                                                           \
          LEAVE("cblas_" #p #routine #csuffix, layout, uplo, transa, transb, n, k, alpha, a, lda,  \
                b, ldb, beta, c, ldc),                                                             \
          layout, uplo, transa, transb, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                \
  }
#define GEMMT(...) GEMMT_NAMED(gemmt, __VA_ARGS__) GEMMT_NAMED(gemmtr, __VA_ARGS__)

#define SYMM(T, Int, p, suffix, csuffix)                                                           \
  void p##symm##suffix(const char* side, const char* uplo, const Int* m, const Int* n,             \
                       const T* alpha, const T* a, const Int* lda, const T* b, const Int* ldb,     \
                       const T* beta, T* c, const Int* ldc) {                                      \
    using Function =                                                                               \
        void(const char*, const char*, const Int*, const Int*, const T*, const T*, const Int*,     \
             const T*, const Int*, const T*, T*, const Int*, std::size_t, std::size_t);            \
    symm(#p "symm" #suffix,                                                                        \
         LEAVE(#p "symm" #suffix, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc, LENGTH,   \
               LENGTH),                                                                            \
         kColumnMajor, side_of(*side), uplo_of(*uplo), *m, *n, *alpha, a, *lda, b, *ldb, *beta, c, \
         *ldc);                                                                                    \
  }                                                                                                \
  void cblas_##p##symm##csuffix(int layout, int side, int uplo, Int m, Int n, T alpha, const T* a, \
                                Int lda, const T* b, Int ldb, T beta, T* c, Int ldc) {             \
    using Function = decltype(cblas_##p##symm##csuffix);                                           \
    symm("cblas_" #p "symm" #csuffix,                                                              \
         LEAVE("cblas_" #p "symm" #csuffix, layout, side, uplo, m, n, alpha, a, lda, b, ldb, beta, \
               c, ldc),                                                                            \
         layout, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc);                           \
  }

#define SYMV(T, Int, p, suffix, csuffix)                                                           \
  void p##symv##suffix(const char* uplo, const Int* n, const T* alpha, const T* a, const Int* lda, \
                       const T* x, const Int* incx, const T* beta, T* y, const Int* incy) {        \
    using Function = void(const char*, const Int*, const T*, const T*, const Int*, const T*,       \
                          const Int*, const T*, T*, const Int*, std::size_t);                      \
    symv(#p "symv" #suffix,                                                                        \
         LEAVE(#p "symv" #suffix, uplo, n, alpha, a, lda, x, incx, beta, y, incy, LENGTH),         \
         kColumnMajor, uplo_of(*uplo), *n, *alpha, a, *lda, x, *incx, *beta, y, *incy);            \
  }                                                                                                \
  void cblas_##p##symv##csuffix(int layout, int uplo, Int n, T alpha, const T* a, Int lda,         \
                                const T* x, Int incx, T beta, T* y, Int incy) {                    \
    using Function = decltype(cblas_##p##symv##csuffix);                                           \
    symv("cblas_" #p "symv" #csuffix,                                                              \
         LEAVE("cblas_" #p "symv" #csuffix, layout, uplo, n, alpha, a, lda, x, incx, beta, y,      \
               incy),                                                                              \
         layout, uplo, n, alpha, a, lda, x, incx, beta, y, incy);                                  \
  }

#define TRMV(T, Int, p, suffix, csuffix)                                                           \
  void p##trmv##suffix(const char* uplo, const char* trans, const char* diag, const Int* n,        \
                       const T* a, const Int* lda, T* x, const Int* incx) {                        \
    using Function = void(const char*, const char*, const char*, const Int*, const T*, const Int*, \
                          T*, const Int*, std::size_t, std::size_t, std::size_t);                  \
    trmv(#p "trmv" #suffix,                                                                        \
         LEAVE(#p "trmv" #suffix, uplo, trans, diag, n, a, lda, x, incx, LENGTH, LENGTH, LENGTH),  \
         kColumnMajor, uplo_of(*uplo), transpose_of(*trans), diag_of(*diag), *n, a, *lda, x,       \
         *incx);                                                                                   \
  }                                                                                                \
  void cblas_##p##trmv##csuffix(int layout, int uplo, int trans, int diag, Int n, const T* a,      \
                                Int lda, T* x, Int incx) {                                         \
    using Function = decltype(cblas_##p##trmv##csuffix);                                           \
    trmv("cblas_" #p "trmv" #csuffix,                                                              \
         LEAVE("cblas_" #p "trmv" #csuffix, layout, uplo, trans, diag, n, a, lda, x, incx),        \
         layout, uplo, trans, diag, n, a, lda, x, incx);                                           \
  }

#define TRMM_NAMED(routine, T, Int, p, suffix, csuffix)                                            \
  void p##routine##suffix(const char* side, const char* uplo, const char* trans, const char* diag, \
                          const Int* m, const Int* n, const T* alpha, const T* a, const Int* lda,  \
                          T* b, const Int* ldb) {                                                  \
    using Function = void(const char*, const char*, const char*, const char*, const Int*,          \
                          const Int*, const T*, const T*, const Int*, T*, const Int*, std::size_t, \
                          std::size_t, std::size_t, std::size_t);                                  \
    routine(#p #routine #suffix,                                                                   \
            LEAVE(#p #routine #suffix, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb,       \
                  LENGTH, LENGTH, LENGTH, LENGTH),                                                 \
            kColumnMajor, side_of(*side), uplo_of(*uplo), transpose_of(*trans), diag_of(*diag),    \
            *m, *n, *alpha, a, *lda, b, *ldb);                                                     \
  }                                                                                                \
  void cblas_##p##routine##csuffix(int layout, int side, int uplo, int trans, int diag, Int m,     \
                                   Int n, T alpha, const T* a, Int lda, T* b, Int ldb) {           \
    using Function = decltype(cblas_##p##routine##csuffix);                                        \
    routine("cblas_" #p #routine #csuffix,                                                         \
            LEAVE("cblas_" #p #routine #csuffix, layout, side, uplo, trans, diag, m, n, alpha, a,  \
                  lda, b, ldb),                                                                    \
            layout, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb);                         \
  }
#define TRMM(...) TRMM_NAMED(trmm, __VA_ARGS__) TRMM_NAMED(trsm, __VA_ARGS__)

#define EACH_TYPE(DO)                   \
  DO(float, int, s, _, )                \
  DO(double, int, d, _, )               \
  DO(float, std::int64_t, s, _64_, _64) \
  DO(double, std::int64_t, d, _64_, _64)
EACH_TYPE(SYRK)
EACH_TYPE(SYR2K)
EACH_TYPE(GEMMT)
EACH_TYPE(SYMM)
EACH_TYPE(SYMV)
EACH_TYPE(TRMV)
EACH_TYPE(TRMM)

#define ROUTINE(symbol) \
  { #symbol, reinterpret_cast < void*>(&symbol) }
#define ROUTINES(name)                                                                      \
  ROUTINE(s##name##_), ROUTINE(d##name##_), ROUTINE(cblas_s##name), ROUTINE(cblas_d##name), \
      ROUTINE(s##name##_64_), ROUTINE(d##name##_64_), ROUTINE(cblas_s##name##_64),          \
      ROUTINE(cblas_d##name##_64)
const ExactRoutine kRoutines[] = {ROUTINES(syrk),   ROUTINES(syr2k), ROUTINES(gemmt),
                                  ROUTINES(gemmtr), ROUTINES(symm),  ROUTINES(symv),
                                  ROUTINES(trmv),   ROUTINES(trmm),  ROUTINES(trsm)};

}  // namespace

std::span<const ExactRoutine> exact_structured_routines() { return kRoutines; }

}  // namespace reprosum::blas
