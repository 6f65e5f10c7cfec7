// The same of CBLAS, by rows and by columns, against the reference's own CBLAS: what is NaN after a
// refused call is what the reference would have written, and nothing else.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/src/blas/not_served.h"

#if defined(__x86_64__)

extern "C" __attribute__((visibility("default"))) void xerbla_(const char*, const int*,
                                                               std::size_t) {
  ++not_served::exits;
}
extern "C" __attribute__((visibility("default"))) int cblas_xerbla(int, const char*, const char*,
                                                                   ...) {
  return ++not_served::exits;
}

namespace {

constexpr int kReals = 1600, kLd = 13, kSeeds = 24;

// The arguments of one call, whose arrays outlive it. A form names them: O is a layout, S, U, T and
// D are choices (TH: of Hermitian routines, X: of OpenBLAS's copies), l a leading dimension, i an
// increment, + one that is positive, a a scalar of the routine's type, r a real one, p an array, k
// the width of a band, anything else a size.
template <class T>
class Arguments {
 public:
  Arguments(const std::string& form, bool is_complex, unsigned seed)
      : random_(seed), is_complex_(is_complex) {
    std::istringstream words(form);
    for (std::string word; words >> word;) add(word);
  }

  // Integers and addresses fill registers and then the stack, whatever real numbers stand between.
  void call(void* address) const {
    using I = std::int64_t;
    using R = double;
    std::vector<I> all = whole_;
    all.resize(18);
    std::vector<R> reals = real_;
    reals.resize(2);
    const auto& w = all;
    reinterpret_cast<void (*)(I, I, I, I, I, I, R, R, I, I, I, I, I, I, I, I, I, I, I, I)>(address)(
        w[0], w[1], w[2], w[3], w[4], w[5], reals[0], reals[1], w[6], w[7], w[8], w[9], w[10],
        w[11], w[12], w[13], w[14], w[15], w[16], w[17]);
  }
  const std::deque<std::vector<T>>& arrays() const { return arrays_; }

 private:
  void add(const std::string& word) {
    constexpr int kIncrements[] = {1, 2, -1, -3};
    switch (word[0]) {
      case 'O':
        return whole_.push_back(101 + below(2));
      case 'X':
        return whole_.push_back(111 + below(4));
      case 'S':
        return whole_.push_back(141 + below(2));
      case 'U':
        return whole_.push_back(121 + below(2));
      case 'T':
        return whole_.push_back(word == "TH" ? 111 + 2 * below(2) : 111 + below(2));
      case 'D':  // with a unit diagonal a solution may equal its right-hand side
        return whole_.push_back(131);
      case 'l':
        return whole_.push_back(kLd);
      case 'i':
        return whole_.push_back(kIncrements[below(4)]);
      case '+':
        return whole_.push_back(2);
      case 'a':
        return is_complex_ ? add_array(4) : add_real();
      case 'r':
        return add_real();
      case 'p':
        return add_array(kReals);
      case 'k':
        return whole_.push_back(below(3));
      default:
        return whole_.push_back(1 + below(9));
    }
  }
  void add_real() {
    const T value = static_cast<T>(1.5);
    double held = 0;
    std::memcpy(&held, &value, sizeof value);
    real_.push_back(held);
  }
  void add_array(int count) {
    std::vector<T> made(static_cast<std::size_t>(count));
    for (T& value : made) value = static_cast<T>(1 + static_cast<double>(below(1000)) / 777);
    arrays_.push_back(std::move(made));
    whole_.push_back(reinterpret_cast<std::int64_t>(arrays_.back().data()));
  }
  int below(unsigned limit) { return static_cast<int>(random_() % limit); }

  std::mt19937 random_;
  bool is_complex_;
  std::vector<std::int64_t> whole_;
  std::vector<double> real_;
  std::deque<std::vector<T>> arrays_;
};

template <class T>
void expect_nan_where_the_reference_writes(const std::string& name, const std::string& form,
                                           bool is_complex) {
  not_served::expect_nan_where_the_reference_writes(
      name, kSeeds, [&](unsigned seed) { return Arguments<T>(form, is_complex, seed); });
}

void real(const std::string& routine, const std::string& form) {
  expect_nan_where_the_reference_writes<float>("cblas_s" + routine, form, false);
  expect_nan_where_the_reference_writes<double>("cblas_d" + routine, form, false);
}
void complex(const std::string& routine, const std::string& form) {
  expect_nan_where_the_reference_writes<float>("cblas_c" + routine, form, true);
  expect_nan_where_the_reference_writes<double>("cblas_z" + routine, form, true);
}
void all(const std::string& routine, const std::string& form) {
  real(routine, form);
  complex(routine, form);
}

TEST(NotServedCblas, VectorsAreNaN) {
  all("axpy", "n a p i p i");
  real("rot", "n p i p i r r");
  expect_nan_where_the_reference_writes<float>("cblas_csrot", "n p i p i r r", true);
  expect_nan_where_the_reference_writes<double>("cblas_zdrot", "n p i p i r r", true);
  complex("scal", "n a p +");
}

TEST(NotServedCblas, MatrixVectorProductsAreNaN) {
  all("gemv", "O T m n a p l p i a p i");
  all("gbmv", "O T m n k k a p l p i a p i");
  real("symv", "O U n a p l p i a p i");
  complex("hemv", "O U n a p l p i a p i");
  real("sbmv", "O U n k a p l p i a p i");
  complex("hbmv", "O U n k a p l p i a p i");
  real("spmv", "O U n a p p i a p i");
  complex("hpmv", "O U n a p p i a p i");
  for (const char* const routine : {"trmv", "trsv"}) all(routine, "O U T D n p l p i");
  for (const char* const routine : {"tbmv", "tbsv"}) all(routine, "O U T D n k p l p i");
  for (const char* const routine : {"tpmv", "tpsv"}) all(routine, "O U T D n p p i");
}

TEST(NotServedCblas, UpdatesAreNaN) {
  real("ger", "O m n a p i p i p l");
  complex("geru", "O m n a p i p i p l");
  complex("gerc", "O m n a p i p i p l");
  real("syr", "O U n a p i p l");
  complex("her", "O U n r p i p l");
  real("spr", "O U n a p i p");
  complex("hpr", "O U n r p i p");
  real("syr2", "O U n a p i p i p l");
  complex("her2", "O U n a p i p i p l");
  real("spr2", "O U n a p i p i p");
  complex("hpr2", "O U n a p i p i p");
}

TEST(NotServedCblas, MatrixProductsAreNaN) {
  all("gemm", "O T T m n k a p l p l a p l");
  all("symm", "O S U m n a p l p l a p l");
  complex("hemm", "O S U m n a p l p l a p l");
  all("syrk", "O U T n k a p l a p l");
  complex("herk", "O U TH n k r p l r p l");
  all("syr2k", "O U T n k a p l p l a p l");
  complex("her2k", "O U TH n k a p l p l r p l");
  all("trmm", "O S U T D m n a p l p l");
  all("trsm", "O S U T D m n a p l p l");
}

template <class T>
void expect_nan_where_openblas_writes(const std::string& name, const std::string& form,
                                      bool is_complex) {
  not_served::expect_nan_where_written(
      name, not_served::symbol_of(OPENBLAS_BLAS, name), kSeeds,
      [&](unsigned seed) { return Arguments<T>(form, is_complex, seed); });
}

TEST(NotServedCblas, CopiesOfMatricesAreNaN) {
  if (std::string(OPENBLAS_BLAS).empty()) GTEST_SKIP() << "no OpenBLAS, which has ?omatcopy";
  for (const bool is_complex : {false, true}) {
    const std::string single = is_complex ? "cblas_c" : "cblas_s";
    const std::string twice = is_complex ? "cblas_z" : "cblas_d";
    for (const auto& [routine, form] : {std::pair("omatcopy", "O X m n a p l p l"),
                                        {"imatcopy", "O X m n a p l l"},
                                        {"geadd", "O m n a p l a p l"}}) {
      expect_nan_where_openblas_writes<float>(single + routine, form, is_complex);
      expect_nan_where_openblas_writes<double>(twice + routine, form, is_complex);
    }
  }
}

}  // namespace

#endif
