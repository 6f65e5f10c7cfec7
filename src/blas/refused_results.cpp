#include "src/blas/refused_results.h"

#include <cstring>
#include <iterator>
#include <string>
#include <string_view>

#include "src/blas/refuse.h"
#include "src/blas/refused_extensions.h"

namespace reprosum::blas {
namespace {

using In = CallReader;

// ---- level 1 ----

void of_copy(In& in) {
  const auto n = in.size();
  in.array();
  in.any_increment();
  void* const y = in.array();
  in.put_vector(y, n, in.any_increment());
}

void of_swap(In& in) {
  const auto n = in.size();
  void* const x = in.array();
  const auto incx = in.any_increment();
  void* const y = in.array();
  in.put_vector(y, n, in.any_increment());
  in.put_vector(x, n, incx);
}

// Nothing is scaled by an increment that is not positive.
void scaled(In& in, std::int64_t n) {
  void* const x = in.array();
  const auto incx = in.any_increment();
  if (incx > 0) in.put_vector(x, n, incx);
}
void of_scal(In& in) {
  const auto n = in.size();
  in.scalar();
  scaled(in, n);
}
void of_real_scal(In& in) {
  const auto n = in.size();
  in.real_scalar();
  scaled(in, n);
}

void of_axpy(In& in) {
  const auto n = in.size();
  in.scalar();
  in.array();
  in.any_increment();
  void* const y = in.array();
  in.put_vector(y, n, in.any_increment());
}

void of_axpby(In& in) {
  const auto n = in.size();
  in.scalar();
  in.array();
  in.any_increment();
  in.scalar();
  void* const y = in.array();
  in.put_vector(y, n, in.any_increment());
}

void of_rotg(In& in) {
  void *const a = in.array(), *const b = in.array(), *const c = in.array(), *const s = in.array();
  in.put_vector(a, 1, 1);
  in.put_vector(b, 1, 1);
  in.put(c, 1);
  in.put_vector(s, 1, 1);
}

void of_rotmg(In& in) {
  for (int i = 0; i < 3; ++i) in.put(in.array(), 1);
  in.scalar();
  in.put(in.array(), 5);
}

void of_dot_sub(In& in) {
  in.size();
  for (int i = 0; i < 2; ++i) {
    in.array();
    in.any_increment();
  }
  in.put_vector(in.array(), 1, 1);
}

// ---- level 2 ----

// x and incx, beta, y and incy.
void into_y(In& in, std::int64_t n) {
  in.array();
  in.increment();
  in.scalar();
  void* const y = in.array();
  in.put_vector(y, n, in.increment());
}

void of_gemv(In& in) {
  in.layout();
  const bool plain = in.is_plain();
  const auto m = in.size(), n = in.size();
  in.scalar();
  in.array();
  in.leading(m, n);
  into_y(in, plain ? m : n);
}

void of_gbmv(In& in) {
  in.layout();
  const bool plain = in.is_plain();
  const auto m = in.size(), n = in.size(), below = in.size(), above = in.size();
  in.scalar();
  in.array();
  in.leading(below + above + 1);
  into_y(in, plain ? m : n);
}

void of_symv(In& in) {
  in.layout();
  in.is_upper();
  const auto n = in.size();
  in.scalar();
  in.array();
  in.leading(n);
  into_y(in, n);
}

void of_sbmv(In& in) {
  in.layout();
  in.is_upper();
  const auto n = in.size(), k = in.size();
  in.scalar();
  in.array();
  in.leading(k + 1);
  into_y(in, n);
}

void of_spmv(In& in) {
  in.layout();
  in.is_upper();
  const auto n = in.size();
  in.scalar();
  in.array();
  into_y(in, n);
}

// trmv and trsv, with a full, a band or a packed matrix.
enum class Stored { full, band, packed };
template <Stored kStored>
void of_triangular(In& in) {
  in.layout();
  in.is_upper();
  in.is_plain();
  in.diagonal();
  const auto n = in.size();
  const auto k = kStored == Stored::band ? in.size() : 0;
  in.array();
  if (kStored != Stored::packed) in.leading(kStored == Stored::band ? k + 1 : n);
  void* const x = in.array();
  in.put_vector(x, n, in.increment());
}

void of_ger(In& in) {
  in.layout();
  const auto m = in.size(), n = in.size();
  in.scalar();
  for (int i = 0; i < 2; ++i) {
    in.array();
    in.increment();
  }
  void* const a = in.array();
  in.put_matrix(a, m, n, in.leading(m, n));
}

// syr, syr2 and the same of a packed matrix; in her and hpr alpha is real.
template <int kVectors, bool kRealScalar, Stored kStored>
void of_rank(In& in) {
  in.layout();
  const bool upper = in.is_upper();
  const auto n = in.size();
  kRealScalar ? in.real_scalar() : in.scalar();
  for (int i = 0; i < kVectors; ++i) {
    in.array();
    in.increment();
  }
  void* const a = in.array();
  if (kStored == Stored::packed)
    in.put_packed(a, n);
  else
    in.put_triangle(a, upper, n, in.leading(n));
}

// ---- level 3 ----

void of_gemmt(In& in) {
  in.layout();
  const bool upper = in.is_upper(), plain_a = in.is_plain(), plain_b = in.is_plain();
  const auto n = in.size(), k = in.size();
  in.scalar();
  in.array();
  plain_a ? in.leading(n, k) : in.leading(k, n);
  in.array();
  plain_b ? in.leading(k, n) : in.leading(n, k);
  in.scalar();
  void* const c = in.array();
  in.put_triangle(c, upper, n, in.leading(n));
}

void of_symm(In& in) {
  in.layout();
  const bool left = in.is_left();
  in.is_upper();
  const auto m = in.size(), n = in.size();
  in.scalar();
  in.array();
  in.leading(left ? m : n);
  in.array();
  in.leading(m, n);
  in.scalar();
  void* const c = in.array();
  in.put_matrix(c, m, n, in.leading(m, n));
}

// syrk and syr2k. In herk both scalars are real, in her2k beta is.
template <int kMatrices, bool kRealAlpha, bool kRealBeta>
void of_rank_k(In& in) {
  in.layout();
  const bool upper = in.is_upper(), plain = in.is_plain();
  const auto n = in.size(), k = in.size();
  kRealAlpha ? in.real_scalar() : in.scalar();
  for (int i = 0; i < kMatrices; ++i) {
    in.array();
    plain ? in.leading(n, k) : in.leading(k, n);
  }
  kRealBeta ? in.real_scalar() : in.scalar();
  void* const c = in.array();
  in.put_triangle(c, upper, n, in.leading(n));
}

// trmm and trsm.
void of_triangular_matrix(In& in) {
  in.layout();
  const bool left = in.is_left();
  in.is_upper();
  in.is_plain();
  in.diagonal();
  const auto m = in.size(), n = in.size();
  in.scalar();
  in.array();
  in.leading(left ? m : n);
  void* const b = in.array();
  in.put_matrix(b, m, n, in.leading(m, n));
}

void of_geadd(In& in) {
  in.layout();
  const auto m = in.size(), n = in.size();
  in.scalar();
  in.array();
  in.leading(m, n);
  in.scalar();
  void* const c = in.array();
  in.put_matrix(c, m, n, in.leading(m, n));
}

// By the name without its letter of type.
struct Row {
  std::string_view routine;
  void (*outputs)(In&);
};
constexpr Row kRows[] = {
    {"COPY", of_copy},
    {"SWAP", of_swap},
    {"SCAL", of_scal},
    {"SSCAL", of_real_scal},
    {"DSCAL", of_real_scal},
    {"AXPY", of_axpy},
    {"AXPYC", of_axpy},
    {"AXPBY", of_axpby},
    {"ROT", of_swap},
    {"SROT", of_swap},
    {"DROT", of_swap},
    {"ROTM", of_swap},
    {"ROTG", of_rotg},
    {"ROTMG", of_rotmg},
    {"DOTC_SUB", of_dot_sub},
    {"DOTU_SUB", of_dot_sub},
    {"GEMV", of_gemv},
    {"GBMV", of_gbmv},
    {"SYMV", of_symv},
    {"HEMV", of_symv},
    {"SBMV", of_sbmv},
    {"HBMV", of_sbmv},
    {"SPMV", of_spmv},
    {"HPMV", of_spmv},
    {"TRMV", of_triangular<Stored::full>},
    {"TRSV", of_triangular<Stored::full>},
    {"TBMV", of_triangular<Stored::band>},
    {"TBSV", of_triangular<Stored::band>},
    {"TPMV", of_triangular<Stored::packed>},
    {"TPSV", of_triangular<Stored::packed>},
    {"GER", of_ger},
    {"GERU", of_ger},
    {"GERC", of_ger},
    {"SYR", of_rank<1, false, Stored::full>},
    {"HER", of_rank<1, true, Stored::full>},
    {"SPR", of_rank<1, false, Stored::packed>},
    {"HPR", of_rank<1, true, Stored::packed>},
    {"SYR2", of_rank<2, false, Stored::full>},
    {"HER2", of_rank<2, false, Stored::full>},
    {"SPR2", of_rank<2, false, Stored::packed>},
    {"HPR2", of_rank<2, false, Stored::packed>},
    {"GEMM", nan_of_gemm},
    {"GEMM3M", nan_of_gemm},
    {"GEMM_BATCH", nan_of_gemm_batch},
    {"GEMMT", of_gemmt},
    {"GEMMTR", of_gemmt},
    {"SYMM", of_symm},
    {"HEMM", of_symm},
    {"SYRK", of_rank_k<1, false, false>},
    {"HERK", of_rank_k<1, true, true>},
    {"SYR2K", of_rank_k<2, false, false>},
    {"HER2K", of_rank_k<2, false, true>},
    {"TRMM", of_triangular_matrix},
    {"TRSM", of_triangular_matrix},
    {"GEADD", of_geadd},
    {"OMATCOPY", nan_of_omatcopy},
    {"IMATCOPY", nan_of_imatcopy},
};

bool is_wide(const char* symbol) { return std::strstr(symbol, "64") != nullptr; }

}  // namespace

void nan_of_gemm(In& in) {
  in.layout();
  const bool plain_a = in.is_plain(), plain_b = in.is_plain();
  const auto m = in.size(), n = in.size(), k = in.size();
  in.scalar();
  in.array();
  plain_a ? in.leading(m, k) : in.leading(k, m);
  in.array();
  plain_b ? in.leading(k, n) : in.leading(n, k);
  in.scalar();
  void* const c = in.array();
  in.put_matrix(c, m, n, in.leading(m, n));
}

void put_nan_in_outputs(const char* symbol, const SavedArguments& saved) {
  const std::string name = routine_of(symbol);
  const std::string_view routine = std::string_view(name).substr(1);
  for (const Row& row : kRows) {
    if (row.routine != routine) continue;
    CallReader in(saved, std::strstr(symbol, "cblas_") != nullptr, is_wide(symbol), name[0]);
    return row.outputs(in);
  }
}

void put_info_of_refused(const char* symbol, int arguments, const SavedArguments& saved) {
  CallReader(saved, false, is_wide(symbol), 'S').put_info(arguments, kRefusedInfo);
}

}  // namespace reprosum::blas
