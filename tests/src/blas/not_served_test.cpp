// What a call leaves behind that was not served when its error exit returns: NaN in every element
// that the reference would have written, and nothing else. The referee is the reference itself.
#include "tests/src/blas/not_served.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

extern "C" __attribute__((visibility("default"))) void xerbla_(const char*, const int*,
                                                               std::size_t) {
  ++not_served::exits;
}

namespace {

using not_served::exits;
using not_served::ours;

constexpr int kReals = 1200, kLd = 13, kSeeds = 8;

// A driver of LAPACK has a version that only dlvsym finds.
void* dlvsym_in_ours(const std::string& name) {
  void* const library =
      ours("ddot_") == nullptr ? nullptr : dlopen(REPROSUM_BLAS_LIBRARY, RTLD_NOW);
  EXPECT_EQ(dlsym(library, name.c_str()), nullptr) << name;
  return dlvsym(library, name.c_str(), "REPROSUM_COUNTED");
}

// The arguments of one Fortran call, whose arrays outlive it. A form names them: S, U, T and D are
// letters, O that of a layout, X a transpose of OpenBLAS's copies, l a leading dimension, i an
// increment, + one that is positive, a a scalar, p an array, k the width of a band, anything else a
// size.
template <class T, class Int = int>
class Arguments {
 public:
  Arguments(const std::string& form, unsigned seed) {
    std::mt19937 random(seed);
    const auto one_of = [&](const char* letters) {
      return letters[random() % std::char_traits<char>::length(letters)];
    };
    std::istringstream words(form);
    for (std::string word; words >> word;) {
      switch (word[0]) {
        case 'O':
          add(letters_, one_of("CR"));
          break;
        case 'X':
          add(letters_, one_of("NTRC"));
          break;
        case 'S':
          add(letters_, one_of("LR"));
          break;
        case 'U':
          add(letters_, one_of("UL"));
          break;
        case 'T':  // TH: of Hermitian routines
          add(letters_, one_of(word == "TH" ? "NC" : "NT"));
          break;
        case 'D':  // with a unit diagonal a solution may equal its right-hand side
          add(letters_, 'N');
          break;
        case 'l':
          add(numbers_, Int{kLd});
          break;
        case 'i': {
          constexpr Int kIncrements[] = {1, 2, -1, -3};
          add(numbers_, kIncrements[random() % 4]);
          break;
        }
        case '+':
          add(numbers_, Int{2});
          break;
        case 'a':
          add(arrays_, values(4, random));
          break;
        case 'p':
          add(arrays_, values(kReals, random));
          break;
        case 'k':
          add(numbers_, static_cast<Int>(random() % 3));
          break;
        default:
          add(numbers_, 1 + static_cast<Int>(random() % 9));
      }
    }
  }

  void call(void* address) const {
    using P = const void*;
    std::vector<P> all = pointers_;
    all.resize(14);
    reinterpret_cast<void (*)(P, P, P, P, P, P, P, P, P, P, P, P, P, P)>(address)(
        all[0], all[1], all[2], all[3], all[4], all[5], all[6], all[7], all[8], all[9], all[10],
        all[11], all[12], all[13]);
  }
  const std::deque<std::vector<T>>& arrays() const { return arrays_; }

 private:
  static std::vector<T> values(int count, std::mt19937& random) {
    std::vector<T> made(static_cast<std::size_t>(count));
    for (T& value : made) value = static_cast<T>(1 + static_cast<double>(random() % 1000) / 777);
    return made;
  }
  template <class Kept, class Value>
  void add(std::deque<Kept>& kept, Value value) {
    kept.push_back(std::move(value));
    if constexpr (std::is_same_v<Kept, std::vector<T>>)
      pointers_.push_back(kept.back().data());
    else
      pointers_.push_back(&kept.back());
  }

  std::deque<char> letters_;
  std::deque<Int> numbers_;
  std::deque<std::vector<T>> arrays_;
  std::vector<const void*> pointers_;
};

template <class T>
void expect_nan_where_the_reference_writes(const std::string& name, const std::string& form) {
  not_served::expect_nan_where_the_reference_writes(
      name, kSeeds, [&](unsigned seed) { return Arguments<T>(form, seed); });
}

void expect_nan_of_real(const std::string& routine, const std::string& form) {
  expect_nan_where_the_reference_writes<float>("s" + routine + "_", form);
  expect_nan_where_the_reference_writes<double>("d" + routine + "_", form);
}

TEST(NotServed, ProductsAreNaN) {
  expect_nan_of_real("gemv", "T m n a p l p i a p i");
  expect_nan_of_real("gemm", "T T m n n a p l p l a p l");
}

void expect_nan_of_complex(const std::string& routine, const std::string& form) {
  expect_nan_where_the_reference_writes<float>("c" + routine + "_", form);
  expect_nan_where_the_reference_writes<double>("z" + routine + "_", form);
}

void expect_nan_of_all(const std::string& routine, const std::string& form) {
  expect_nan_of_real(routine, form);
  expect_nan_of_complex(routine, form);
}

TEST(NotServed, ForwardedVectorsAreNaN) {
  expect_nan_of_all("axpy", "n a p i p i");
  expect_nan_of_real("rot", "n p i p i a a");
  expect_nan_where_the_reference_writes<float>("csrot_", "n p i p i a a");
  expect_nan_where_the_reference_writes<double>("zdrot_", "n p i p i a a");
  expect_nan_of_complex("scal", "n a p +");
}

TEST(NotServed, ForwardedMatrixVectorProductsAreNaN) {
  expect_nan_of_complex("gemv", "T m n a p l p i a p i");
  expect_nan_of_all("gbmv", "T m n k k a p l p i a p i");
  expect_nan_of_real("symv", "U n a p l p i a p i");
  expect_nan_of_complex("hemv", "U n a p l p i a p i");
  expect_nan_of_real("sbmv", "U n k a p l p i a p i");
  expect_nan_of_complex("hbmv", "U n k a p l p i a p i");
  expect_nan_of_real("spmv", "U n a p p i a p i");
  expect_nan_of_complex("hpmv", "U n a p p i a p i");
  for (const char* const routine : {"trmv", "trsv"}) expect_nan_of_all(routine, "U T D n p l p i");
  for (const char* const routine : {"tbmv", "tbsv"})
    expect_nan_of_all(routine, "U T D n k p l p i");
  for (const char* const routine : {"tpmv", "tpsv"}) expect_nan_of_all(routine, "U T D n p p i");
}

TEST(NotServed, ForwardedUpdatesAreNaN) {
  expect_nan_of_real("ger", "m n a p i p i p l");
  expect_nan_of_complex("geru", "m n a p i p i p l");
  expect_nan_of_complex("gerc", "m n a p i p i p l");
  expect_nan_of_real("syr", "U n a p i p l");
  expect_nan_of_complex("her", "U n a p i p l");
  expect_nan_of_real("spr", "U n a p i p");
  expect_nan_of_complex("hpr", "U n a p i p");
  expect_nan_of_real("syr2", "U n a p i p i p l");
  expect_nan_of_complex("her2", "U n a p i p i p l");
  expect_nan_of_real("spr2", "U n a p i p i p");
  expect_nan_of_complex("hpr2", "U n a p i p i p");
}

TEST(NotServed, ForwardedMatrixProductsAreNaN) {
  expect_nan_of_complex("gemm", "T T m n n a p l p l a p l");
  expect_nan_of_all("symm", "S U m n a p l p l a p l");
  expect_nan_of_complex("hemm", "S U m n a p l p l a p l");
  expect_nan_of_all("syrk", "U T n m a p l a p l");
  expect_nan_of_complex("herk", "U TH n m a p l a p l");
  expect_nan_of_all("syr2k", "U T n m a p l p l a p l");
  expect_nan_of_complex("her2k", "U TH n m a p l p l a p l");
  expect_nan_of_all("trmm", "S U T D m n a p l p l");
  expect_nan_of_all("trsm", "S U T D m n a p l p l");
}

template <class T>
void expect_nan_where_openblas_writes(const std::string& name, const std::string& form) {
  not_served::expect_nan_where_written(name, not_served::symbol_of(OPENBLAS_BLAS, name), kSeeds,
                                       [&](unsigned seed) { return Arguments<T>(form, seed); });
}

TEST(NotServed, CopiesOfMatricesAreNaN) {
  if (std::string(OPENBLAS_BLAS).empty()) GTEST_SKIP() << "no OpenBLAS, which has ?omatcopy";
  for (const std::string type : {"s", "c"}) {
    expect_nan_where_openblas_writes<float>(type + "omatcopy_", "O X m n a p l p l");
    expect_nan_where_openblas_writes<float>(type + "imatcopy_", "O X m n a p l l");
  }
  for (const std::string type : {"d", "z"}) {
    expect_nan_where_openblas_writes<double>(type + "omatcopy_", "O X m n a p l p l");
    expect_nan_where_openblas_writes<double>(type + "imatcopy_", "O X m n a p l l");
  }
}

// No library here has it in a width of its own, so only the elements of the row-major call are
// asked for: numbers pass by value, and the triangles are turned.
TEST(NotServed, ForwardedCblasCallsAreNaN) {
  const auto syrk = reinterpret_cast<void (*)(int, int, int, int, int, double, const double*, int,
                                              double, double*, int)>(ours("cblas_dsyrk"));
  const auto trsm =
      reinterpret_cast<void (*)(int, int, int, int, int, std::int64_t, std::int64_t, float,
                                const float*, std::int64_t, float*, std::int64_t)>(
          ours("cblas_strsm_64"));
  const auto gemm =
      reinterpret_cast<void (*)(int, int, int, int, int, int, const double*, const double*, int,
                                const double*, int, const double*, double*, int)>(
          ours("cblas_zgemm"));
  ASSERT_TRUE(syrk != nullptr && trsm != nullptr && gemm != nullptr);
  const std::vector<double> a(100, 1.0);
  std::vector<double> c(100, 2.0);
  syrk(101, 122, 111, 4, 2, 1, a.data(), 2, 0, c.data(), 7);  // the lower triangle, in rows
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(std::isnan(c[static_cast<std::size_t>(i)]), i / 7 < 4 && i % 7 <= i / 7) << i;
  const std::vector<float> t(100, 1.0F);
  std::vector<float> b(100, 2.0F);
  trsm(101, 141, 121, 111, 131, 3, 5, 1, t.data(), 3, b.data(), 7);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(std::isnan(b[static_cast<std::size_t>(i)]), i / 7 < 3 && i % 7 < 5) << i;
  c.assign(100, 2.0);
  gemm(102, 111, 111, 2, 3, 1, a.data(), a.data(), 2, a.data(), 1, a.data(), c.data(), 4);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(std::isnan(c[static_cast<std::size_t>(i)]), i / 8 < 3 && i % 8 < 4) << i;
  c.assign(100, 2.0);
  syrk(101, 122, 111, 4, 2, 1, a.data(), 1, 0, c.data(), 7);  // lda is too small
  syrk(101, 120, 111, 4, 2, 1, a.data(), 2, 0, c.data(), 7);
  for (const double value : c) EXPECT_EQ(value, 2.0);
}

// INFO alone says that it failed.
TEST(NotServed, ARefusedDriverFails) {
  const auto potrf =
      reinterpret_cast<void (*)(const char*, const int*, double*, const int*, int*, std::size_t)>(
          dlvsym_in_ours("dpotrf_"));
  ASSERT_NE(potrf, nullptr);
  const int n = 2;
  double a[] = {4, 2, 2, 3};
  int info = 0;
  const int before = exits;
  potrf("L", &n, a, &n, &info, 1);
  EXPECT_EQ(exits, before + 1);
  EXPECT_LT(info, 0);
  EXPECT_EQ(a[0], 4);
  const auto gesv_64 = reinterpret_cast<void (*)(
      const std::int64_t*, const std::int64_t*, double*, const std::int64_t*, std::int64_t*,
      double*, const std::int64_t*, std::int64_t*)>(dlvsym_in_ours("dgesv_64_"));
  ASSERT_NE(gesv_64, nullptr);
  const std::int64_t two = 2;
  std::int64_t pivots[2] = {7, 7}, wide_info = 0;
  gesv_64(&two, &two, a, &two, pivots, a, &two, &wide_info);
  EXPECT_LT(wide_info, 0);
  EXPECT_EQ(pivots[0], 7);
}

// C's rows lie side by side.
TEST(NotServed, RowMajorProductsAreNaN) {
  const auto gemm =
      reinterpret_cast<void (*)(int, int, int, int, int, int, double, const double*, int,
                                const double*, int, double, double*, int)>(ours("cblas_dgemm"));
  const auto gemv =
      reinterpret_cast<void (*)(int, int, int, int, double, const double*, int, const double*, int,
                                double, double*, int)>(ours("cblas_dgemv"));
  ASSERT_TRUE(gemm != nullptr && gemv != nullptr);
  const std::vector<double> a(100, 1.0);
  std::vector<double> c(100, 2.0);
  gemm(101, 111, 111, 3, 5, 2, 1, a.data(), 2, a.data(), 5, 0, c.data(), 7);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(std::isnan(c[static_cast<std::size_t>(i)]), i / 7 < 3 && i % 7 < 5) << i;
  c.assign(100, 2.0);
  gemv(101, 112, 3, 5, 1, a.data(), 5, a.data(), 1, 0, c.data(), -2);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(std::isnan(c[static_cast<std::size_t>(i)]), i < 10 && i % 2 == 0) << i;
}

TEST(NotServed, ForbiddenArgumentsWriteNothing) {
  const auto gemm = reinterpret_cast<void (*)(
      const char*, const char*, const int*, const int*, const int*, const double*, const double*,
      const int*, const double*, const int*, const double*, double*, const int*)>(ours("dgemm_"));
  ASSERT_NE(gemm, nullptr);
  const double one = 1;
  const std::vector<double> a(100, 1.0);
  std::vector<double> c(100, 2.0);
  const int n = 3, negative = -1, small = 2;
  const int before = exits;
  gemm("N", "N", &n, &n, &n, &one, a.data(), &n, a.data(), &n, &one, c.data(), &small);
  gemm("N", "N", &n, &n, &negative, &one, a.data(), &n, a.data(), &n, &one, c.data(), &n);
  gemm("R", "N", &n, &n, &n, &one, a.data(), &n, a.data(), &n, &one, c.data(), &n);
  EXPECT_EQ(exits, before + 3);
  for (const double value : c) EXPECT_EQ(value, 2.0);
}

}  // namespace
