#include "src/blas/matrix.h"

#include <algorithm>

#include "src/blas/refuse.h"

namespace reprosum::blas {
namespace {

constexpr std::int64_t kOne = 1;

bool known(int transpose) { return transpose >= kPlain && transpose <= kConjugated; }

}  // namespace

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
    default:
      return 0;
  }
}

int swapped(int transpose) {
  if (!known(transpose)) return 0;
  return transpose == kPlain ? kTransposed : kPlain;
}

int forbidden_in_gemv(int trans, std::int64_t m, std::int64_t n, std::int64_t lda,
                      std::int64_t incx, std::int64_t incy) {
  if (!known(trans)) return 1;
  if (m < 0) return 2;
  if (n < 0) return 3;
  if (lda < std::max(kOne, m)) return 6;
  if (incx == 0) return 8;
  if (incy == 0) return 11;
  return 0;
}

int forbidden_in_gemm(int transa, int transb, std::int64_t m, std::int64_t n, std::int64_t k,
                      std::int64_t lda, std::int64_t ldb, std::int64_t ldc) {
  if (!known(transa)) return 1;
  if (!known(transb)) return 2;
  if (m < 0) return 3;
  if (n < 0) return 4;
  if (k < 0) return 5;
  if (lda < std::max(kOne, transa == kPlain ? m : k)) return 8;
  if (ldb < std::max(kOne, transb == kPlain ? k : n)) return 10;
  if (ldc < std::max(kOne, m)) return 13;
  return 0;
}

bool known_cblas(Symbol symbol, int layout, int transa, const int* transb) {
  const std::string routine = routine_of(name_of(symbol));
  if (layout != kRowMajor && layout != kColumnMajor) {
    report_cblas(routine, 1, false, "Illegal layout setting, %d\n", layout);
    return false;
  }
  if (!known(transa)) {
    report_cblas(routine, 2, layout == kRowMajor, "Illegal TransA setting, %d\n", transa);
    return false;
  }
  if (transb != nullptr && !known(*transb)) {
    report_cblas(routine, 3, layout == kRowMajor, "Illegal TransB setting, %d\n", *transb);
    return false;
  }
  return true;
}

void report_forbidden(Symbol symbol, Face face, int layout, int argument) {
  const std::string routine = routine_of(name_of(symbol));
  if (face == Face::fortran)
    report_fortran(routine, argument);
  else
    report_cblas(routine, argument + 1, layout == kRowMajor, "", 0);
}

std::string product_kernels(const reprosum_handle* handle, const reprosum_product& product) {
  char names[512] = "";
  int threads = 0;
  if (reprosum_product_kernels(handle, &product, names, sizeof names) != REPROSUM_OK) return "";
  if (reprosum_get_threads(handle, &threads) != REPROSUM_OK) return names;
  return std::string(names) + " threads=" + std::to_string(threads);
}

}  // namespace reprosum::blas
