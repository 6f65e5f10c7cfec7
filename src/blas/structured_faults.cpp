#include "src/blas/structured_faults.h"

#include <algorithm>

#include "src/blas/matrix.h"

namespace reprosum::blas {
namespace {

using Size = std::int64_t;
constexpr Size kOne = 1;

int other_uplo(int uplo) { return uplo == kUpper ? kLower : uplo == kLower ? kUpper : uplo; }
int other_side(int side) { return side == kLeft ? kRight : side == kRight ? kLeft : side; }
bool is_uplo(int uplo) { return uplo == kUpper || uplo == kLower; }
bool is_side(int side) { return side == kLeft || side == kRight; }
bool is_diag(int diag) { return diag == kNonUnit || diag == kUnit; }

}  // namespace

Fault fault_in_gemmt(int layout, int uplo, int transa, int transb, Size n, Size k, Size lda,
                     Size ldb, Size ldc) {
  if (!is_layout(layout)) return kNoLayout;
  const bool rows = layout == kRowMajor;
  return judged([&](Rules rules) {
    if (!is_uplo(uplo)) return 1;
    if (!is_known(transa, rules)) return 2;
    if (!is_known(transb, rules)) return 3;
    if (n < 0) return 4;
    if (k < 0) return 5;
    if (lda < std::max(kOne, (transa == kPlain) != rows ? n : k)) return 8;
    if (ldb < std::max(kOne, (transb == kPlain) != rows ? k : n)) return 10;
    if (ldc < std::max(kOne, n)) return 13;
    return 0;
  });
}

Fault fault_in_syrk(int layout, int uplo, int trans, Size n, Size k, Size lda, Size ldb, int second,
                    Size ldc) {
  if (!is_layout(layout)) return kNoLayout;
  const bool rows = layout == kRowMajor;
  return judged([&](Rules rules) {
    const Size least = std::max(kOne, (trans == kPlain) != rows ? n : k);
    if (!is_uplo(uplo)) return 1;
    if (!is_known(trans, rules)) return 2;
    if (n < 0) return 3;
    if (k < 0) return 4;
    if (lda < least) return 7;
    if (second != 0 && ldb < least) return second;
    if (ldc < std::max(kOne, n)) return second != 0 ? 12 : 10;
    return 0;
  });
}

Fault fault_in_symm(int layout, int side, int uplo, Size m, Size n, Size lda, Size ldb, Size ldc) {
  if (!is_layout(layout)) return kNoLayout;
  if (layout == kRowMajor)
    return fault_in_symm(kColumnMajor, other_side(side), other_uplo(uplo), n, m, lda, ldb, ldc);
  return judged([&](Rules) {
    if (!is_side(side)) return 1;
    if (!is_uplo(uplo)) return 2;
    if (m < 0) return 3;
    if (n < 0) return 4;
    if (lda < std::max(kOne, side == kLeft ? m : n)) return 7;
    if (ldb < std::max(kOne, m)) return 9;
    if (ldc < std::max(kOne, m)) return 12;
    return 0;
  });
}

Fault fault_in_trmm(int layout, int side, int uplo, int trans, int diag, Size m, Size n, Size lda,
                    Size ldb) {
  if (!is_layout(layout)) return kNoLayout;
  if (layout == kRowMajor)
    return fault_in_trmm(kColumnMajor, other_side(side), other_uplo(uplo), trans, diag, n, m, lda,
                         ldb);
  return judged([&](Rules rules) {
    if (!is_side(side)) return 1;
    if (!is_uplo(uplo)) return 2;
    if (!is_known(trans, rules)) return 3;
    if (!is_diag(diag)) return 4;
    if (m < 0) return 5;
    if (n < 0) return 6;
    if (lda < std::max(kOne, side == kLeft ? m : n)) return 9;
    if (ldb < std::max(kOne, m)) return 11;
    return 0;
  });
}

Fault fault_in_symv(int layout, int uplo, Size n, Size lda, Size incx, Size incy) {
  if (!is_layout(layout)) return kNoLayout;
  return judged([&](Rules) {
    if (!is_uplo(uplo)) return 1;
    if (n < 0) return 2;
    if (lda < std::max(kOne, n)) return 5;
    if (incx == 0) return 7;
    if (incy == 0) return 10;
    return 0;
  });
}

Fault fault_in_trmv(int layout, int uplo, int trans, int diag, Size n, Size lda, Size incx) {
  if (!is_layout(layout)) return kNoLayout;
  return judged([&](Rules rules) {
    if (!is_uplo(uplo)) return 1;
    if (!is_known(trans, rules)) return 2;
    if (!is_diag(diag)) return 3;
    if (n < 0) return 4;
    if (lda < std::max(kOne, n)) return 6;
    if (incx == 0) return 8;
    return 0;
  });
}

}  // namespace reprosum::blas
