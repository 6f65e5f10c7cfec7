#include "src/blas/matrix.h"

#include <algorithm>

namespace reprosum::blas {
namespace {

constexpr std::int64_t kOne = 1;

bool is_plain(int transpose) { return transpose == kPlain || transpose == kConjugatedPlain; }

}  // namespace

bool is_layout(int layout) { return layout == kRowMajor || layout == kColumnMajor; }

bool is_known(int transpose, Rules rules) {
  return transpose >= kPlain &&
         transpose <= (rules == Rules::loosest ? kConjugatedPlain : kConjugated);
}

int transpose_of(char letter) {
  switch (letter) {
    case 'N':
    case 'n':
      return kPlain;
    case 'T':
    case 't':
      return kTransposed;
    case 'C':
    case 'c':
      return kConjugated;
    case 'R':
    case 'r':
      return kConjugatedPlain;
    default:
      return 0;
  }
}

int uplo_of(char letter) {
  return letter == 'U' || letter == 'u' ? kUpper : letter == 'L' || letter == 'l' ? kLower : 0;
}
int diag_of(char letter) {
  return letter == 'N' || letter == 'n' ? kNonUnit : letter == 'U' || letter == 'u' ? kUnit : 0;
}
int side_of(char letter) {
  return letter == 'L' || letter == 'l' ? kLeft : letter == 'R' || letter == 'r' ? kRight : 0;
}

int swapped(int transpose) {
  if (!is_known(transpose, Rules::standard)) return 0;
  return transpose == kPlain ? kTransposed : kPlain;
}

Fault fault_in_gemv(int layout, int trans, std::int64_t m, std::int64_t n, std::int64_t lda,
                    std::int64_t incx, std::int64_t incy) {
  if (!is_layout(layout)) return kNoLayout;
  if (layout == kRowMajor) return fault_in_gemv(kColumnMajor, trans, n, m, lda, incx, incy);
  return judged([&](Rules rules) {
    if (!is_known(trans, rules)) return 1;
    if (m < 0) return 2;
    if (n < 0) return 3;
    if (lda < std::max(kOne, m)) return 6;
    if (incx == 0) return 8;
    if (incy == 0) return 11;
    return 0;
  });
}

Fault fault_in_gemm(int layout, int transa, int transb, std::int64_t m, std::int64_t n,
                    std::int64_t k, std::int64_t lda, std::int64_t ldb, std::int64_t ldc) {
  if (!is_layout(layout)) return kNoLayout;
  if (layout == kRowMajor)
    return fault_in_gemm(kColumnMajor, transb, transa, n, m, k, ldb, lda, ldc);
  return judged([&](Rules rules) {
    // OpenBLAS takes a leading dimension of 0 for a matrix without rows.
    const std::int64_t least = rules == Rules::loosest ? 0 : kOne;
    const bool plain_a = is_plain(transa), plain_b = is_plain(transb);
    if (!is_known(transa, rules)) return 1;
    if (!is_known(transb, rules)) return 2;
    if (m < 0) return 3;
    if (n < 0) return 4;
    if (k < 0) return 5;
    if (lda < std::max(least, plain_a ? m : k)) return 8;
    if (ldb < std::max(least, plain_b ? k : n)) return 10;
    if (ldc < std::max(least, m)) return 13;
    return 0;
  });
}

std::string product_kernels(const reprosum_handle* handle, const reprosum_product& product) {
  char names[1024] = "";
  int threads = 0;
  if (reprosum_product_kernels(handle, &product, names, sizeof names) != REPROSUM_OK) return "";
  if (reprosum_get_threads(handle, &threads) != REPROSUM_OK) return names;
  return std::string(names) + " threads=" + std::to_string(threads);
}

}  // namespace reprosum::blas
