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
    setenv("REPROSUM_VERBOSE", "1", 1);  // printing numbers is arithmetic, too
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
    return all;
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
