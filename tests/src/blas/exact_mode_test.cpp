// REPROSUM_MODE=exact: every symbol gives the bits of the C API, through each of its names.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <reprosum/exact.h>

#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#if defined(__SSE2__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace {

constexpr int kM = 9, kN = 7, kLda = 11;

void* symbol(const std::string& name) {
  static void* const library = [] {
    setenv("REPROSUM_MODE", "exact", 1);
    setenv("REPROSUM_NUM_THREADS", "2", 1);
    setenv("REPROSUM_VERBOSE", "1", 1);  // printing numbers is also arithmetic
    return dlopen(REPROSUM_BLAS_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  }();
  void* const address = library != nullptr ? dlsym(library, name.c_str()) : nullptr;
  EXPECT_NE(address, nullptr) << name;
  return address;
}

template <class Function>
Function* as(const std::string& name) {
  return reinterpret_cast<Function*>(symbol(name));
}

template <class T>
std::vector<T> data(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> x(n);
  for (T& v : x) v = static_cast<T>(static_cast<double>(random() >> 20) * 0x1p-40 - 8);
  return x;
}

template <class T, class Int>
class Symbols {
 public:
  static constexpr bool kSingle = sizeof(T) == 4;
  template <class Single, class Double>
  static auto pick(Single single, Double twice) {
    if constexpr (kSingle)
      return single;
    else
      return twice;
  }

  void check() {
    const std::string p = kSingle ? "s" : "d";
    if (sizeof(Int) == 4) {
      fortran([&](const std::string& name) { return p + name + "_"; });
      cblas([&](const std::string& name) { return "cblas_" + p + name; });
      fortran([&](const std::string& name) { return "scipy_" + p + name + "_"; });
      cblas([&](const std::string& name) { return "scipy_cblas_" + p + name; });
      return;
    }
    fortran([&](const std::string& name) { return p + name + "_64_"; });
    fortran([&](const std::string& name) { return p + name + "_64"; });
    cblas([&](const std::string& name) { return "cblas_" + p + name + "_64"; });
    cblas([&](const std::string& name) { return "cblas_" + p + name + "64_"; });
    fortran([&](const std::string& name) { return "scipy_" + p + name + "_64_"; });
    cblas([&](const std::string& name) { return "scipy_cblas_" + p + name + "64_"; });
  }

 private:
  const std::vector<T> x_ = data<T>(40, 1), y_ = data<T>(40, 2), a_ = data<T>(kLda * kLda, 3),
                       b_ = data<T>(kLda * kLda, 4);
  const T alpha_ = T(0.3), beta_ = T(-1.7);

  // The C API's results, in the order of the calls below.
  std::vector<T> wanted(reprosum_layout layout) const {
    std::vector<T> all;
    T out = 0;
    const auto keep = [&](const std::vector<T>& v) { all.insert(all.end(), v.begin(), v.end()); };
    pick(reprosum_exact_sdot, reprosum_exact_ddot)(kM, x_.data(), 2, y_.data(), -1, &out);
    all.push_back(out);
    pick(reprosum_exact_ssum, reprosum_exact_dsum)(kM, x_.data(), 2, &out);
    all.push_back(out);
    pick(reprosum_exact_sasum, reprosum_exact_dasum)(kM, x_.data(), 2, &out);
    all.push_back(out);
    pick(reprosum_exact_snrm2, reprosum_exact_dnrm2)(kM, x_.data(), 2, &out);
    all.push_back(out);
    std::vector<T> v = y_;
    pick(reprosum_exact_saxpy, reprosum_exact_daxpy)(kM, alpha_, x_.data(), 2, v.data(), -3);
    pick(reprosum_exact_sscal, reprosum_exact_dscal)(kM, alpha_, v.data(), 2);
    keep(v);
    std::vector<T> a = a_;
    pick(reprosum_exact_sger, reprosum_exact_dger)(layout, kM, kN, alpha_, x_.data(), -1, y_.data(),
                                                   2, a.data(), kLda);
    keep(a);
    v = y_;
    pick(reprosum_exact_strsv, reprosum_exact_dtrsv)(layout, REPROSUM_LOWER, REPROSUM_TRANS,
                                                     REPROSUM_NON_UNIT, kN, a_.data(), kLda,
                                                     v.data(), 2);
    keep(v);
    v = y_;
    pick(reprosum_exact_sgemv, reprosum_exact_dgemv)(
        layout, REPROSUM_TRANS, kM, kN, alpha_, a_.data(), kLda, x_.data(), -1, beta_, v.data(), 2);
    keep(v);
    a = b_;
    pick(reprosum_exact_sgemm, reprosum_exact_dgemm)(layout, REPROSUM_NO_TRANS, REPROSUM_TRANS, kM,
                                                     kN, 5, alpha_, a_.data(), kLda, b_.data(),
                                                     kLda, beta_, a.data(), kLda);
    keep(a);
    add_structured(layout, all);
    return all;
  }

  // One of each routine with a symmetric or triangular matrix.
  void add_structured(reprosum_layout layout, std::vector<T>& all) const {
    const auto keep = [&](const std::vector<T>& v) { all.insert(all.end(), v.begin(), v.end()); };
    const T *const x = x_.data(), *const m = a_.data(), *const b = b_.data();
    std::vector<T> a = b_;
    pick(reprosum_exact_ssyrk, reprosum_exact_dsyrk)(layout, REPROSUM_UPPER, REPROSUM_TRANS, kN, 5,
                                                     alpha_, m, kLda, beta_, a.data(), kLda);
    pick(reprosum_exact_ssyr2k, reprosum_exact_dsyr2k)(layout, REPROSUM_LOWER, REPROSUM_NO_TRANS,
                                                       kN, 5, alpha_, m, kLda, b, kLda, beta_,
                                                       a.data(), kLda);
    for (int names = 0; names < 2; ++names)
      pick(reprosum_exact_sgemmt, reprosum_exact_dgemmt)(layout, REPROSUM_LOWER, REPROSUM_NO_TRANS,
                                                         REPROSUM_TRANS, kN, 5, alpha_, m, kLda, b,
                                                         kLda, beta_, a.data(), kLda);
    pick(reprosum_exact_ssymm, reprosum_exact_dsymm)(layout, REPROSUM_RIGHT, REPROSUM_UPPER, kM, kN,
                                                     alpha_, m, kLda, b, kLda, beta_, a.data(),
                                                     kLda);
    pick(reprosum_exact_strmm, reprosum_exact_dtrmm)(layout, REPROSUM_LEFT, REPROSUM_LOWER,
                                                     REPROSUM_TRANS, REPROSUM_UNIT, kM, kN, alpha_,
                                                     m, kLda, a.data(), kLda);
    pick(reprosum_exact_strsm, reprosum_exact_dtrsm)(layout, REPROSUM_RIGHT, REPROSUM_UPPER,
                                                     REPROSUM_NO_TRANS, REPROSUM_NON_UNIT, kM, kN,
                                                     alpha_, m, kLda, a.data(), kLda);
    keep(a);
    std::vector<T> v = y_;
    pick(reprosum_exact_ssymv, reprosum_exact_dsymv)(layout, REPROSUM_UPPER, kN, alpha_, m, kLda, x,
                                                     -1, beta_, v.data(), 2);
    pick(reprosum_exact_strmv, reprosum_exact_dtrmv)(layout, REPROSUM_LOWER, REPROSUM_TRANS,
                                                     REPROSUM_NON_UNIT, kN, m, kLda, v.data(), 2);
    keep(v);
  }

  void compare(const std::vector<T>& got, reprosum_layout layout, const std::string& name) const {
    const std::vector<T> expected = wanted(layout);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], expected[i]) << name << i;
  }

  template <class Name>
  void fortran(Name&& name) {
    const Int two = 2, minus = -1, back = -3, m = kM, n = kN, k = 5, lda = kLda;
    std::vector<T> all;
    const auto keep = [&](const std::vector<T>& v) { all.insert(all.end(), v.begin(), v.end()); };
    const T *const x = x_.data(), *const y = y_.data();
    all.push_back(as<T(const Int*, const T*, const Int*, const T*, const Int*)>(name("dot"))(
        &m, x, &two, y, &minus));
    for (const char* const norm : {"sum", "asum", "nrm2"})
      all.push_back(as<T(const Int*, const T*, const Int*)>(name(norm))(&m, x, &two));
    std::vector<T> v = y_;
    as<void(const Int*, const T*, const T*, const Int*, T*, const Int*)>(name("axpy"))(
        &m, &alpha_, x, &two, v.data(), &back);
    as<void(const Int*, const T*, T*, const Int*)>(name("scal"))(&m, &alpha_, v.data(), &two);
    keep(v);
    std::vector<T> a = a_;
    as<void(const Int*, const Int*, const T*, const T*, const Int*, const T*, const Int*, T*,
            const Int*)>(name("ger"))(&m, &n, &alpha_, x, &minus, y, &two, a.data(), &lda);
    keep(a);
    v = y_;
    as<void(const char*, const char*, const char*, const Int*, const T*, const Int*, T*,
            const Int*)>(name("trsv"))("l", "T", "N", &n, a_.data(), &lda, v.data(), &two);
    keep(v);
    v = y_;
    as<void(const char*, const Int*, const Int*, const T*, const T*, const Int*, const T*,
            const Int*, const T*, T*, const Int*)>(name("gemv"))(
        "t", &m, &n, &alpha_, a_.data(), &lda, x, &minus, &beta_, v.data(), &two);
    keep(v);
    a = b_;
    as<void(const char*, const char*, const Int*, const Int*, const Int*, const T*, const T*,
            const Int*, const T*, const Int*, const T*, T*, const Int*)>(name("gemm"))(
        "N", "C", &m, &n, &k, &alpha_, a_.data(), &lda, b_.data(), &lda, &beta_, a.data(), &lda);
    keep(a);
    using C = const char*;
    using I = const Int*;
    using R = const T*;
    const R am = a_.data(), b = b_.data();
    a = b_;
    T* const c = a.data();
    as<void(C, C, I, I, R, R, I, R, T*, I)>(name("syrk"))("U", "t", &n, &k, &alpha_, am, &lda,
                                                          &beta_, c, &lda);
    as<void(C, C, I, I, R, R, I, R, I, R, T*, I)>(name("syr2k"))("l", "N", &n, &k, &alpha_, am,
                                                                 &lda, b, &lda, &beta_, c, &lda);
    for (const char* const gemmt : {"gemmt", "gemmtr"})
      as<void(C, C, C, I, I, R, R, I, R, I, R, T*, I)>(name(gemmt))(
          "L", "N", "C", &n, &k, &alpha_, am, &lda, b, &lda, &beta_, c, &lda);
    as<void(C, C, I, I, R, R, I, R, I, R, T*, I)>(name("symm"))("r", "u", &m, &n, &alpha_, am, &lda,
                                                                b, &lda, &beta_, c, &lda);
    as<void(C, C, C, C, I, I, R, R, I, T*, I)>(name("trmm"))("L", "L", "T", "U", &m, &n, &alpha_,
                                                             am, &lda, c, &lda);
    as<void(C, C, C, C, I, I, R, R, I, T*, I)>(name("trsm"))("R", "U", "N", "N", &m, &n, &alpha_,
                                                             am, &lda, c, &lda);
    keep(a);
    v = y_;
    as<void(C, I, R, R, I, R, I, R, T*, I)>(name("symv"))("U", &n, &alpha_, am, &lda, x, &minus,
                                                          &beta_, v.data(), &two);
    as<void(C, C, C, I, R, I, T*, I)>(name("trmv"))("L", "T", "N", &n, am, &lda, v.data(), &two);
    keep(v);
    compare(all, REPROSUM_COLUMN_MAJOR, name("routines, value "));
  }

  template <class Name>
  void cblas(Name&& name) {
    for (const reprosum_layout layout : {REPROSUM_COLUMN_MAJOR, REPROSUM_ROW_MAJOR}) {
      std::vector<T> all;
      const auto keep = [&](const std::vector<T>& v) { all.insert(all.end(), v.begin(), v.end()); };
      const T *const x = x_.data(), *const y = y_.data();
      all.push_back(as<T(Int, const T*, Int, const T*, Int)>(name("dot"))(kM, x, 2, y, -1));
      for (const char* const norm : {"sum", "asum", "nrm2"})
        all.push_back(as<T(Int, const T*, Int)>(name(norm))(kM, x, 2));
      std::vector<T> v = y_;
      as<void(Int, T, const T*, Int, T*, Int)>(name("axpy"))(kM, alpha_, x, 2, v.data(), -3);
      as<void(Int, T, T*, Int)>(name("scal"))(kM, alpha_, v.data(), 2);
      keep(v);
      std::vector<T> a = a_;
      as<void(int, Int, Int, T, const T*, Int, const T*, Int, T*, Int)>(name("ger"))(
          layout, kM, kN, alpha_, x, -1, y, 2, a.data(), kLda);
      keep(a);
      v = y_;
      as<void(int, int, int, int, Int, const T*, Int, T*, Int)>(name("trsv"))(
          layout, 122, 112, 131, kN, a_.data(), kLda, v.data(), 2);
      keep(v);
      v = y_;
      as<void(int, int, Int, Int, T, const T*, Int, const T*, Int, T, T*, Int)>(name("gemv"))(
          layout, 112, kM, kN, alpha_, a_.data(), kLda, x, -1, beta_, v.data(), 2);
      keep(v);
      a = b_;
      as<void(int, int, int, Int, Int, Int, T, const T*, Int, const T*, Int, T, T*, Int)>(
          name("gemm"))(layout, 111, 112, kM, kN, 5, alpha_, a_.data(), kLda, b_.data(), kLda,
                        beta_, a.data(), kLda);
      keep(a);
      const T *const m = a_.data(), *const b = b_.data();
      a = b_;
      T* const c = a.data();
      as<void(int, int, int, Int, Int, T, const T*, Int, T, T*, Int)>(name("syrk"))(
          layout, 121, 112, kN, 5, alpha_, m, kLda, beta_, c, kLda);
      as<void(int, int, int, Int, Int, T, const T*, Int, const T*, Int, T, T*, Int)>(name("syr2k"))(
          layout, 122, 111, kN, 5, alpha_, m, kLda, b, kLda, beta_, c, kLda);
      for (const char* const gemmt : {"gemmt", "gemmtr"})
        as<void(int, int, int, int, Int, Int, T, const T*, Int, const T*, Int, T, T*, Int)>(
            name(gemmt))(layout, 122, 111, 113, kN, 5, alpha_, m, kLda, b, kLda, beta_, c, kLda);
      as<void(int, int, int, Int, Int, T, const T*, Int, const T*, Int, T, T*, Int)>(name("symm"))(
          layout, 142, 121, kM, kN, alpha_, m, kLda, b, kLda, beta_, c, kLda);
      as<void(int, int, int, int, int, Int, Int, T, const T*, Int, T*, Int)>(name("trmm"))(
          layout, 141, 122, 112, 132, kM, kN, alpha_, m, kLda, c, kLda);
      as<void(int, int, int, int, int, Int, Int, T, const T*, Int, T*, Int)>(name("trsm"))(
          layout, 142, 121, 111, 131, kM, kN, alpha_, m, kLda, c, kLda);
      keep(a);
      v = y_;
      as<void(int, int, Int, T, const T*, Int, const T*, Int, T, T*, Int)>(name("symv"))(
          layout, 121, kN, alpha_, m, kLda, x, -1, beta_, v.data(), 2);
      as<void(int, int, int, int, Int, const T*, Int, T*, Int)>(name("trmv"))(
          layout, 122, 112, 131, kN, m, kLda, v.data(), 2);
      keep(v);
      compare(all, layout, name("routines, value "));
    }
  }
};

TEST(ExactMode, EverySymbolHasTheBitsOfTheCApi) {
  Symbols<float, int>().check();
  Symbols<double, int>().check();
  Symbols<float, std::int64_t>().check();
  Symbols<double, std::int64_t>().check();
}

// Dot products of floats: exact as a double, and with a float added.
TEST(ExactMode, MixedDotProductsAreRoundedOnce) {
  const std::vector<float> x = {0x1p60F, 1, -0x1p60F}, y = {0x1p60F, 0x1.8p-30F, 0x1p60F};
  const int n = 3, one = 1;
  const std::int64_t wide = 3, wide_one = 1;
  const float b = 1;
  for (const std::string wheel : {"", "scipy_"}) {
    EXPECT_EQ((as<double(const int*, const float*, const int*, const float*, const int*)>(
                  wheel + "dsdot_")(&n, x.data(), &one, y.data(), &one)),
              0x1.8p-30);
    EXPECT_EQ((as<double(int, const float*, int, const float*, int)>(wheel + "cblas_dsdot")(
                  n, x.data(), 1, y.data(), 1)),
              0x1.8p-30);
    EXPECT_EQ(
        (as<float(const int*, const float*, const float*, const int*, const float*, const int*)>(
            wheel + "sdsdot_")(&n, &b, x.data(), &one, y.data(), &one)),
        1.0F);
    EXPECT_EQ(
        (as<float(std::int64_t, float, const float*, std::int64_t, const float*, std::int64_t)>(
            wheel + "cblas_sdsdot64_")(3, 0x1p-7F, x.data(), 1, y.data(), 1)),
        0x1p-7F + 0x1.8p-30F);
    EXPECT_EQ((as<double(const std::int64_t*, const float*, const std::int64_t*, const float*,
                         const std::int64_t*)>(wheel + "dsdot_64_")(&wide, x.data(), &wide_one,
                                                                    y.data(), &wide_one)),
              0x1.8p-30);
  }
}

// What the caller's environment says of exceptions while and after `call` runs. With SSE, traps of
// all of them are open: one that is raised ends this process.
template <class Call>
void expect_no_exception(Call&& call, const char* what) {
#if defined(__SSE2__)
  const unsigned before = _mm_getcsr(), open = 0;
  _mm_setcsr(open);
  call();
  const unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_EQ(after, open) << what;
#else
  std::feclearexcept(FE_ALL_EXCEPT);
  call();
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), 0) << what;
#endif
}

template <class T>
void ask_scalars(T wild, const char* what) {
  const std::string p = sizeof(T) == 4 ? "s" : "d";
  const auto gemv = as<void(int, int, int, int, T, const T*, int, const T*, int, T, T*, int)>(
      "cblas_" + p + "gemv");
  const auto gemm =
      as<void(int, int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int)>(
          "cblas_" + p + "gemm");
  const auto axpy = as<void(int, T, const T*, int, T*, int)>("cblas_" + p + "axpy");
  const auto ger =
      as<void(int, int, int, T, const T*, int, const T*, int, T*, int)>("cblas_" + p + "ger");
  const auto scal = as<void(int, T, T*, int)>("cblas_" + p + "scal");
  const auto syrk =
      as<void(int, int, int, int, int, T, const T*, int, T, T*, int)>("cblas_" + p + "syrk");
  const auto trmm =
      as<void(int, int, int, int, int, int, int, T, const T*, int, T*, int)>("cblas_" + p + "trmm");
  const auto trsm =
      as<void(int, int, int, int, int, int, int, T, const T*, int, T*, int)>("cblas_" + p + "trsm");
  const std::vector<T> a(16, T(2));
  for (const T alpha : {T(0), T(1), wild}) {
    std::vector<T> c(16, T(3));
    const auto call = [&] {
      gemv(102, 111, 4, 4, alpha, a.data(), 4, a.data(), 1, wild, c.data(), 1);
      gemm(102, 111, 111, 4, 4, 4, alpha, a.data(), 4, a.data(), 4, wild, c.data(), 4);
      gemm(102, 111, 111, 4, 4, 0, alpha, a.data(), 4, a.data(), 4, wild, c.data(), 4);
      gemv(102, 111, 4, 4, wild, a.data(), 4, a.data(), 1, alpha, c.data(), 1);
      gemm(102, 111, 111, 4, 4, 4, wild, a.data(), 4, a.data(), 4, alpha, c.data(), 4);
      axpy(4, wild, a.data(), 1, c.data(), 1);
      ger(102, 4, 4, wild, a.data(), 1, a.data(), 1, c.data(), 4);
      scal(4, wild, c.data(), 1);
      syrk(102, 121, 111, 4, 4, alpha, a.data(), 4, wild, c.data(), 4);
      syrk(102, 121, 111, 4, 4, wild, a.data(), 4, alpha, c.data(), 4);
      trmm(102, 141, 121, 111, 131, 4, 4, wild, a.data(), 4, c.data(), 4);
      trsm(102, 141, 121, 111, 131, 4, 4, wild, a.data(), 4, c.data(), 4);
      trsm(102, 141, 121, 111, 131, 4, 4, alpha, a.data(), 4, c.data(), 4);
    };
    call();  // what a first call finds out is not asked here
    expect_no_exception(call, what);
  }
}

TEST(ExactMode, AsksScalarsWithoutFloatingPointExceptions) {
  ask_scalars(std::numeric_limits<float>::denorm_min(), "subnormal float");
  ask_scalars(std::numeric_limits<double>::denorm_min(), "subnormal double");
  ask_scalars(std::numeric_limits<float>::signaling_NaN(), "signalling float");
  ask_scalars(std::numeric_limits<double>::signaling_NaN(), "signalling double");
}

}  // namespace
