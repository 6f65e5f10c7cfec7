// The C API: exact trsv, getrf and getrs.
#include <algorithm>
#include <string>
#include <vector>

#include "src/exact/factor/factor.h"
#include "src/exact/solve/certified.h"
#include "src/exact/solve/refined.h"
#include "src/exact/solve/triangular.h"
#include "src/exact/sums/blocks.h"
#include "src/runtime/errors.h"
#include "src/runtime/exact_arguments.h"

namespace reprosum::runtime {
namespace {

// solve(system, b) for what the arguments of trsv name.
template <class T, class Solve>
reprosum_status trsv(Solve&& solve, reprosum_layout layout, reprosum_uplo uplo,
                     reprosum_transpose trans, reprosum_diag diag, std::int64_t n, const T* a,
                     std::int64_t lda, T* x, std::int64_t incx) noexcept {
  return exact_call([&] {
    const bool rows = is_row_major(layout), transposed = is_transposed(trans);
    const bool lower = is_lower(uplo), unit = is_unit(diag);
    check_size("n", n);
    check_leading("lda", lda, n, n, rows);
    check_not_zero("incx", incx);
    if (n == 0) return;
    check_matrix_pointer("a", a, sizeof(T));
    check_vector("x", x, incx, n);
    const exact::View<const T> stored = view_of(a, lda, rows);
    const exact::Triangular<T> system{n, transposed ? stored.transposed() : stored,
                                      lower != transposed, unit};
    solve(system, column_of(x, n, incx));
  });
}

constexpr auto substituted = [](const auto& system, auto b) {
  exact::substitute(exact::best_kernels(), system, b);
};
constexpr auto certified = [](const auto& system, auto b) {
  const std::string why = exact::solve_certified(exact::best_kernels(), system, b);
  if (!why.empty()) throw BadArgument(why);
};

template <class T>
reprosum_status refined_trsv(reprosum_layout layout, reprosum_uplo uplo, reprosum_transpose trans,
                             reprosum_diag diag, std::int64_t n, const T* a, std::int64_t lda, T* x,
                             std::int64_t incx, std::int64_t steps) noexcept {
  const reprosum_status status = exact_call([&] { check_size("steps", steps); });
  if (status != REPROSUM_OK) return status;
  const auto refined = [&](const auto& system, auto b) {
    exact::solve_refined(exact::best_kernels(), system, b, steps);
  };
  return trsv(refined, layout, uplo, trans, diag, n, a, lda, x, incx);
}

template <class T>
reprosum_status getrf(reprosum_layout layout, std::int64_t m, std::int64_t n, T* a,
                      std::int64_t lda, std::int64_t* pivots, std::int64_t* info) noexcept {
  return exact_call([&] {
    const bool rows = is_row_major(layout);
    check_size("m", m);
    check_size("n", n);
    check_leading("lda", lda, m, n, rows);
    require(info, "info");
    std::int64_t singular = 0;
    if (m > 0 && n > 0) {
      check_matrix_pointer("a", a, sizeof(T));
      check_matrix_pointer("ipiv", pivots, sizeof(std::int64_t));
      // Rows are found by these numbers: the caller's may lie in A.
      std::vector<std::int64_t> own(static_cast<std::size_t>(std::min(m, n)));
      singular = exact::factor(exact::best_kernels(), m, n, view_of(a, lda, rows), own.data(),
                               exact_workers());
      std::copy(own.begin(), own.end(), pivots);
    }
    *info = singular;
  });
}

template <class T>
reprosum_status getrs(reprosum_layout layout, reprosum_transpose trans, std::int64_t n,
                      std::int64_t columns, const T* a, std::int64_t lda,
                      const std::int64_t* pivots, T* b, std::int64_t ldb) noexcept {
  return exact_call([&] {
    const bool rows = is_row_major(layout), transposed = is_transposed(trans);
    check_size("n", n);
    check_size("nrhs", columns);
    check_leading("lda", lda, n, n, rows);
    check_leading("ldb", ldb, n, columns, rows);
    if (n == 0 || columns == 0) return;
    check_matrix_pointer("a", a, sizeof(T));
    check_matrix_pointer("ipiv", pivots, sizeof(std::int64_t));
    check_matrix_pointer("b", b, sizeof(T));
    // A copy is what is checked and used: the caller's may lie in B, which is written.
    const std::vector<std::int64_t> own(pivots, pivots + n);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t row = own[static_cast<std::size_t>(i)];
      if (row < i + 1 || row > n) {
        throw BadArgument("ipiv[" + std::to_string(i) + "] = " + std::to_string(row) +
                          " is not a row from " + std::to_string(i + 1) + " to " +
                          std::to_string(n));
      }
    }
    exact::solve_factored(exact::best_kernels(), transposed, n, view_of(a, lda, rows), own.data(),
                          columns, view_of(b, ldb, rows), exact_workers());
  });
}

}  // namespace
}  // namespace reprosum::runtime

using namespace reprosum::runtime;

extern "C" {

reprosum_status reprosum_exact_strsv(reprosum_layout layout, reprosum_uplo uplo,
                                     reprosum_transpose trans, reprosum_diag diag, int64_t n,
                                     const float* a, int64_t lda, float* x, int64_t incx) {
  return trsv(substituted, layout, uplo, trans, diag, n, a, lda, x, incx);
}
reprosum_status reprosum_exact_dtrsv(reprosum_layout layout, reprosum_uplo uplo,
                                     reprosum_transpose trans, reprosum_diag diag, int64_t n,
                                     const double* a, int64_t lda, double* x, int64_t incx) {
  return trsv(substituted, layout, uplo, trans, diag, n, a, lda, x, incx);
}

reprosum_status reprosum_exact_strsv_certified(reprosum_layout layout, reprosum_uplo uplo,
                                               reprosum_transpose trans, reprosum_diag diag,
                                               int64_t n, const float* a, int64_t lda, float* x,
                                               int64_t incx) {
  return trsv(certified, layout, uplo, trans, diag, n, a, lda, x, incx);
}
reprosum_status reprosum_exact_dtrsv_certified(reprosum_layout layout, reprosum_uplo uplo,
                                               reprosum_transpose trans, reprosum_diag diag,
                                               int64_t n, const double* a, int64_t lda, double* x,
                                               int64_t incx) {
  return trsv(certified, layout, uplo, trans, diag, n, a, lda, x, incx);
}

reprosum_status reprosum_exact_strsv_refined(reprosum_layout layout, reprosum_uplo uplo,
                                             reprosum_transpose trans, reprosum_diag diag,
                                             int64_t n, const float* a, int64_t lda, float* x,
                                             int64_t incx, int64_t steps) {
  return refined_trsv(layout, uplo, trans, diag, n, a, lda, x, incx, steps);
}
reprosum_status reprosum_exact_dtrsv_refined(reprosum_layout layout, reprosum_uplo uplo,
                                             reprosum_transpose trans, reprosum_diag diag,
                                             int64_t n, const double* a, int64_t lda, double* x,
                                             int64_t incx, int64_t steps) {
  return refined_trsv(layout, uplo, trans, diag, n, a, lda, x, incx, steps);
}

reprosum_status reprosum_exact_sgetrf(reprosum_layout layout, int64_t m, int64_t n, float* a,
                                      int64_t lda, int64_t* ipiv, int64_t* info) {
  return getrf(layout, m, n, a, lda, ipiv, info);
}
reprosum_status reprosum_exact_dgetrf(reprosum_layout layout, int64_t m, int64_t n, double* a,
                                      int64_t lda, int64_t* ipiv, int64_t* info) {
  return getrf(layout, m, n, a, lda, ipiv, info);
}

reprosum_status reprosum_exact_sgetrs(reprosum_layout layout, reprosum_transpose trans, int64_t n,
                                      int64_t nrhs, const float* a, int64_t lda,
                                      const int64_t* ipiv, float* b, int64_t ldb) {
  return getrs(layout, trans, n, nrhs, a, lda, ipiv, b, ldb);
}
reprosum_status reprosum_exact_dgetrs(reprosum_layout layout, reprosum_transpose trans, int64_t n,
                                      int64_t nrhs, const double* a, int64_t lda,
                                      const int64_t* ipiv, double* b, int64_t ldb) {
  return getrs(layout, trans, n, nrhs, a, lda, ipiv, b, ldb);
}

}  // extern "C"
