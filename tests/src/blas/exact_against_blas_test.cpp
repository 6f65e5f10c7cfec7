// REPROSUM_MODE=exact against other libraries, on data whose results are exact in any order: small
// integers. Every routine, both faces, every increment from -2 to 2 and size from -1 to 3: what a
// routine does with odd arguments is the reference's (3.10 and later). Zeros of both signs are
// equal here: the reference starts at +0, an exact sum of terms that all are -0 is -0.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace {

// What error handlers were told, and whether any was.
std::string told;

}  // namespace

extern "C" {
__attribute__((visibility("default"))) void xerbla_(const char* name, const int* argument,
                                                    std::size_t length) {
  told += std::string(name, length) + std::to_string(*argument) + " ";
}
__attribute__((visibility("default"))) void cblas_xerbla(int argument, const char* name,
                                                         const char*, ...) {
  told += std::string(name) + std::to_string(argument) + " ";
}
}

namespace {

class Library {
 public:
  explicit Library(const char* file) : handle_(dlopen(file, RTLD_NOW | RTLD_LOCAL)) {}
  bool is_open() const { return handle_ != nullptr; }
  template <class Function>
  Function* get(const std::string& name) const {
    void* const address = dlsym(handle_, name.c_str());
    EXPECT_NE(address, nullptr) << name;
    return reinterpret_cast<Function*>(address);
  }

 private:
  void* handle_;
};

const Library& ours() {
  static const Library* const opened = [] {
    setenv("REPROSUM_MODE", "exact", 1);
    setenv("REPROSUM_BACKING", REFERENCE_BLAS, 1);
    return new Library(REPROSUM_BLAS_LIBRARY);
  }();
  return *opened;
}

// Everything that one call of a library leaves: results, arrays, complaints.
template <class T>
struct Left {
  std::vector<T> values;
  std::string told;
};

template <class T>
class Calls {
 public:
  // The judge is called with a text that names the call, and with the results of ours and of the
  // other.
  template <class Judge>
  Calls(const Library& other, Judge&& judge) : other_(other), judge_(judge) {}

  void all() {
    for (int n = -1; n <= 3; ++n)
      for (int incx = -2; incx <= 2; ++incx) {
        reductions("asum", n, incx);
        reductions("nrm2", n, incx);
        scal(n, incx);
        triangular("trsv", n, incx, true);
        triangular("trmv", n, incx, true);
        triangular("trmv", n, incx, false);
        for (int incy = -2; incy <= 2; ++incy) {
          dot(n, incx, incy);
          axpy(n, incx, incy);
          symv(n, incx, incy);
          if (sizeof(T) == 4) mixed_dots(n, incx, incy);
          for (int m = -1; m <= 3; ++m) ger(m, n, incx, incy), gemv(m, n, incx, incy);
        }
      }
    for (int m = -1; m <= 3; ++m)
      for (int n = -1; n <= 3; ++n) {
        for (const bool left : {true, false}) symm(left, m, n), triangular_matrices(left, m, n);
        syrk(m, n), syr2k(m, n);
        for (int k = -1; k <= 3; ++k) gemm(m, n, k);
      }
  }

 private:
  static constexpr char kType = sizeof(T) == 4 ? 's' : 'd';
  static constexpr int kLda = 3;

  static std::vector<T> data(int seed) {
    std::vector<T> x(30);
    for (int i = 0; i < 30; ++i) x[i] = static_cast<T>((seed * 7 + i * 5) % 11 - 5);
    return x;
  }
  static std::string fortran(const std::string& name) { return kType + name + "_"; }
  static std::string cblas(const std::string& name) { return std::string("cblas_") + kType + name; }

  // call(library, left) makes the same call of each library.
  template <class Call>
  void compare(const std::string& what, Call&& call) {
    Left<T> left[2];
    const Library* const libraries[] = {&ours(), &other_};
    for (int k = 0; k < 2; ++k) {
      told.clear();
      call(*libraries[k], left[k].values);
      left[k].told = told;
    }
    judge_(what, left[0], left[1]);
  }

  template <class... Arguments>
  static std::string text(const std::string& name, Arguments... arguments) {
    return name + ((" " + std::to_string(arguments)) + ...);
  }

  void reductions(const std::string& name, int n, int incx) {
    const std::vector<T> x = data(1);
    compare(text(fortran(name), n, incx), [&](const Library& library, std::vector<T>& out) {
      out = {library.get<T(const int*, const T*, const int*)>(fortran(name))(&n, x.data(), &incx)};
    });
    compare(text(cblas(name), n, incx), [&](const Library& library, std::vector<T>& out) {
      out = {library.get<T(int, const T*, int)>(cblas(name))(n, x.data(), incx)};
    });
  }

  void dot(int n, int incx, int incy) {
    const std::vector<T> x = data(1), y = data(2);
    compare(text(fortran("dot"), n, incx, incy), [&](const Library& library, std::vector<T>& out) {
      out = {library.get<T(const int*, const T*, const int*, const T*, const int*)>(fortran("dot"))(
          &n, x.data(), &incx, y.data(), &incy)};
    });
    compare(text(cblas("dot"), n, incx, incy), [&](const Library& library, std::vector<T>& out) {
      out = {library.get<T(int, const T*, int, const T*, int)>(cblas("dot"))(n, x.data(), incx,
                                                                             y.data(), incy)};
    });
  }

  void scal(int n, int incx) {
    for (const T alpha : {T(3), T(1), T(0)}) {
      compare(text(fortran("scal"), n, incx, alpha),
              [&](const Library& library, std::vector<T>& out) {
                out = data(1);
                library.get<void(const int*, const T*, T*, const int*)>(fortran("scal"))(
                    &n, &alpha, out.data(), &incx);
              });
      compare(text(cblas("scal"), n, incx, alpha),
              [&](const Library& library, std::vector<T>& out) {
                out = data(1);
                library.get<void(int, T, T*, int)>(cblas("scal"))(n, alpha, out.data(), incx);
              });
    }
  }

  void axpy(int n, int incx, int incy) {
    const std::vector<T> x = data(1);
    for (const T alpha : {T(3), T(0)}) {
      compare(text(fortran("axpy"), n, incx, incy, alpha),
              [&](const Library& library, std::vector<T>& out) {
                out = data(2);
                library.get<void(const int*, const T*, const T*, const int*, T*, const int*)>(
                    fortran("axpy"))(&n, &alpha, x.data(), &incx, out.data(), &incy);
              });
      compare(text(cblas("axpy"), n, incx, incy, alpha),
              [&](const Library& library, std::vector<T>& out) {
                out = data(2);
                library.get<void(int, T, const T*, int, T*, int)>(cblas("axpy"))(
                    n, alpha, x.data(), incx, out.data(), incy);
              });
    }
  }

  void ger(int m, int n, int incx, int incy) {
    const std::vector<T> x = data(1), y = data(2);
    const int lda = kLda;
    const T alpha = 2;
    compare(text(fortran("ger"), m, n, incx, incy), [&](const Library& library, std::vector<T>& a) {
      a = data(3);
      library.get<void(const int*, const int*, const T*, const T*, const int*, const T*, const int*,
                       T*, const int*)>(fortran("ger"))(&m, &n, &alpha, x.data(), &incx, y.data(),
                                                        &incy, a.data(), &lda);
    });
    for (const int layout : {101, 102})
      compare(text(cblas("ger"), layout, m, n, incx, incy), [&](const Library& library,
                                                                std::vector<T>& a) {
        a = data(3);
        library.get<void(int, int, int, T, const T*, int, const T*, int, T*, int)>(cblas("ger"))(
            layout, m, n, alpha, x.data(), incx, y.data(), incy, a.data(), lda);
      });
  }

  static int number(char letter) {
    switch (letter) {
      case 'U':
        return 121;
      case 'l':
        return 122;
      case 'n':
        return 111;
      case 'T':
        return 112;
      default:
        return 113;
    }
  }

  // trsv is asked for unit triangular matrices alone: their solutions are of integers.
  void triangular(const std::string& name, int n, int incx, bool unit) {
    const std::vector<T> a = data(3);
    const int lda = kLda;
    for (const char uplo : {'U', 'l'})
      for (const char trans : {'n', 'T', 'C'}) {
        compare(text(fortran(name), int{uplo}, int{trans}, n, incx), [&](const Library& library,
                                                                         std::vector<T>& x) {
          x = data(1);
          library.get<void(const char*, const char*, const char*, const int*, const T*, const int*,
                           T*, const int*, std::size_t, std::size_t, std::size_t)>(fortran(name))(
              &uplo, &trans, unit ? "U" : "N", &n, a.data(), &lda, x.data(), &incx, 1, 1, 1);
        });
        for (const int layout : {101, 102})
          compare(text(cblas(name), layout, int{uplo}, int{trans}, n, incx),
                  [&](const Library& library, std::vector<T>& x) {
                    x = data(1);
                    library.get<void(int, int, int, int, int, const T*, int, T*, int)>(cblas(name))(
                        layout, number(uplo), number(trans), unit ? 132 : 131, n, a.data(), lda,
                        x.data(), incx);
                  });
      }
  }

  void triangular_matrices(bool left, int m, int n) {
    const std::vector<T> a = data(3);
    const int lda = kLda;
    const char side = left ? 'L' : 'r';
    for (const T alpha : {T(1), T(-2), T(0)})
      for (const char uplo : {'U', 'l'})
        for (const char trans : {'n', 'T', 'C'})
          for (const std::string name : {"trmm", "trsm"}) {
            const char diag = name == "trsm" || trans == 'T' ? 'U' : 'n';
            compare(
                text(fortran(name), left, int{uplo}, int{trans}, m, n, alpha),
                [&](const Library& library, std::vector<T>& b) {
                  b = data(1);
                  library.get<void(const char*, const char*, const char*, const char*, const int*,
                                   const int*, const T*, const T*, const int*, T*, const int*,
                                   std::size_t, std::size_t, std::size_t, std::size_t)>(
                      fortran(name))(&side, &uplo, &trans, &diag, &m, &n, &alpha, a.data(), &lda,
                                     b.data(), &lda, 1, 1, 1, 1);
                });
            for (const int layout : {101, 102})
              compare(
                  text(cblas(name), layout, left, int{uplo}, int{trans}, m, n, alpha),
                  [&](const Library& library, std::vector<T>& b) {
                    b = data(1);
                    library.get<void(int, int, int, int, int, int, int, T, const T*, int, T*, int)>(
                        cblas(name))(layout, left ? 141 : 142, number(uplo), number(trans),
                                     diag == 'U' ? 132 : 131, m, n, alpha, a.data(), lda, b.data(),
                                     lda);
                  });
          }
  }

  void symv(int n, int incx, int incy) {
    const std::vector<T> a = data(3), x = data(1);
    const int lda = kLda;
    for (const auto& [alpha, beta] : {std::pair{T(2), T(3)}, {T(1), T(0)}, {T(0), T(2)}})
      for (const char uplo : {'U', 'l'}) {
        compare(
            text(fortran("symv"), int{uplo}, n, incx, incy, alpha, beta),
            [&, alpha = alpha, beta = beta](const Library& library, std::vector<T>& y) {
              y = data(2);
              library.get<void(const char*, const int*, const T*, const T*, const int*, const T*,
                               const int*, const T*, T*, const int*, std::size_t)>(fortran("symv"))(
                  &uplo, &n, &alpha, a.data(), &lda, x.data(), &incx, &beta, y.data(), &incy, 1);
            });
        for (const int layout : {101, 102})
          compare(text(cblas("symv"), layout, int{uplo}, n, incx, incy, alpha, beta),
                  [&, alpha = alpha, beta = beta](const Library& library, std::vector<T>& y) {
                    y = data(2);
                    library.get<void(int, int, int, T, const T*, int, const T*, int, T, T*, int)>(
                        cblas("symv"))(layout, number(uplo), n, alpha, a.data(), lda, x.data(),
                                       incx, beta, y.data(), incy);
                  });
      }
  }

  void symm(bool left, int m, int n) {
    const std::vector<T> a = data(3), b = data(4);
    const int lda = kLda;
    const char side = left ? 'l' : 'R';
    for (const auto& [alpha, beta] : {std::pair{T(2), T(3)}, {T(1), T(0)}, {T(0), T(2)}})
      for (const char uplo : {'U', 'l'}) {
        compare(text(fortran("symm"), left, int{uplo}, m, n, alpha, beta),
                [&, alpha = alpha, beta = beta](const Library& library, std::vector<T>& c) {
                  c = data(2);
                  library.get<void(const char*, const char*, const int*, const int*, const T*,
                                   const T*, const int*, const T*, const int*, const T*, T*,
                                   const int*, std::size_t, std::size_t)>(fortran("symm"))(
                      &side, &uplo, &m, &n, &alpha, a.data(), &lda, b.data(), &lda, &beta, c.data(),
                      &lda, 1, 1);
                });
        for (const int layout : {101, 102})
          compare(text(cblas("symm"), layout, left, int{uplo}, m, n, alpha, beta),
                  [&, alpha = alpha, beta = beta](const Library& library, std::vector<T>& c) {
                    c = data(2);
                    library.get<void(int, int, int, int, int, T, const T*, int, const T*, int, T,
                                     T*, int)>(cblas("symm"))(
                        layout, left ? 141 : 142, number(uplo), m, n, alpha, a.data(), lda,
                        b.data(), lda, beta, c.data(), lda);
                  });
      }
  }

  void syrk(int n, int k) {
    const std::vector<T> a = data(3);
    const int lda = kLda;
    for (const auto& [alpha, beta] :
         {std::pair{T(2), T(3)}, {T(1), T(0)}, {T(0), T(1)}, {T(0), T(2)}, {T(0), T(0)}})
      for (const char uplo : {'U', 'l'})
        for (const char trans : {'n', 'T', 'C'}) {
          compare(text(fortran("syrk"), int{uplo}, int{trans}, n, k, alpha, beta),
                  [&, alpha = alpha, beta = beta](const Library& library, std::vector<T>& c) {
                    c = data(2);
                    library.get<void(const char*, const char*, const int*, const int*, const T*,
                                     const T*, const int*, const T*, T*, const int*, std::size_t,
                                     std::size_t)>(fortran("syrk"))(
                        &uplo, &trans, &n, &k, &alpha, a.data(), &lda, &beta, c.data(), &lda, 1, 1);
                  });
          for (const int layout : {101, 102})
            compare(text(cblas("syrk"), layout, int{uplo}, int{trans}, n, k, alpha, beta),
                    [&, alpha = alpha, beta = beta](const Library& library, std::vector<T>& c) {
                      c = data(2);
                      library.get<void(int, int, int, int, int, T, const T*, int, T, T*, int)>(
                          cblas("syrk"))(layout, number(uplo), number(trans), n, k, alpha, a.data(),
                                         lda, beta, c.data(), lda);
                    });
        }
  }

  void syr2k(int n, int k) {
    const std::vector<T> a = data(3), b = data(4);
    const int lda = kLda;
    for (const auto& [alpha, beta] :
         {std::pair{T(2), T(3)}, {T(1), T(0)}, {T(0), T(1)}, {T(0), T(0)}})
      for (const char uplo : {'U', 'l'})
        for (const char trans : {'n', 'T', 'C'}) {
          compare(text(fortran("syr2k"), int{uplo}, int{trans}, n, k, alpha, beta),
                  [&, alpha = alpha, beta = beta](const Library& library, std::vector<T>& c) {
                    c = data(2);
                    library.get<void(const char*, const char*, const int*, const int*, const T*,
                                     const T*, const int*, const T*, const int*, const T*, T*,
                                     const int*, std::size_t, std::size_t)>(fortran("syr2k"))(
                        &uplo, &trans, &n, &k, &alpha, a.data(), &lda, b.data(), &lda, &beta,
                        c.data(), &lda, 1, 1);
                  });
          for (const int layout : {101, 102})
            compare(text(cblas("syr2k"), layout, int{uplo}, int{trans}, n, k, alpha, beta),
                    [&, alpha = alpha, beta = beta](const Library& library, std::vector<T>& c) {
                      c = data(2);
                      library.get<void(int, int, int, int, int, T, const T*, int, const T*, int, T,
                                       T*, int)>(cblas("syr2k"))(
                          layout, number(uplo), number(trans), n, k, alpha, a.data(), lda, b.data(),
                          lda, beta, c.data(), lda);
                    });
        }
  }

  // These exist for floats alone.
  void mixed_dots(int n, int incx, int incy) {
    const std::vector<T> one = data(1), two = data(2);
    const std::vector<float> x(one.begin(), one.end()), y(two.begin(), two.end());
    const float b = 5;
    compare(text("dsdot", n, incx, incy), [&](const Library& library, std::vector<T>& out) {
      out = {
          static_cast<T>(
              library.get<double(const int*, const float*, const int*, const float*, const int*)>(
                  "dsdot_")(&n, x.data(), &incx, y.data(), &incy)),
          static_cast<T>(library.get<double(int, const float*, int, const float*, int)>(
              "cblas_dsdot")(n, x.data(), incx, y.data(), incy))};
    });
    compare(text("sdsdot", n, incx, incy), [&](const Library& library, std::vector<T>& out) {
      out = {library.get<float(const int*, const float*, const float*, const int*, const float*,
                               const int*)>("sdsdot_")(&n, &b, x.data(), &incx, y.data(), &incy),
             library.get<float(int, float, const float*, int, const float*, int)>("cblas_sdsdot")(
                 n, b, x.data(), incx, y.data(), incy)};
    });
  }

  void gemv(int m, int n, int incx, int incy) {
    const std::vector<T> a = data(3), x = data(1);
    const int lda = kLda;
    for (const auto& [alpha, beta] :
         {std::pair{T(2), T(3)}, {T(1), T(0)}, {T(0), T(1)}, {T(0), T(2)}, {T(0), T(0)}})
      for (const int trans : {111, 112}) {
        const char letter = trans == 111 ? 'N' : 't';
        compare(
            text(fortran("gemv"), trans, m, n, incx, incy, alpha, beta),
            [&, alpha = alpha, beta = beta](const Library& library, std::vector<T>& y) {
              y = data(2);
              library.get<void(const char*, const int*, const int*, const T*, const T*, const int*,
                               const T*, const int*, const T*, T*, const int*, std::size_t)>(
                  fortran("gemv"))(&letter, &m, &n, &alpha, a.data(), &lda, x.data(), &incx, &beta,
                                   y.data(), &incy, 1);
            });
        for (const int layout : {101, 102})
          compare(
              text(cblas("gemv"), layout, trans, m, n, incx, incy, alpha, beta),
              [&, alpha = alpha, beta = beta](const Library& library, std::vector<T>& y) {
                y = data(2);
                library.get<void(int, int, int, int, T, const T*, int, const T*, int, T, T*, int)>(
                    cblas("gemv"))(layout, trans, m, n, alpha, a.data(), lda, x.data(), incx, beta,
                                   y.data(), incy);
              });
      }
  }

  void gemm(int m, int n, int k) {
    const std::vector<T> a = data(3), b = data(4);
    const int lda = kLda;
    for (const auto& [alpha, beta] :
         {std::pair{T(2), T(3)}, {T(1), T(0)}, {T(0), T(1)}, {T(0), T(2)}, {T(0), T(0)}})
      for (const int ta : {111, 112})
        for (const int tb : {111, 113}) {
          const char of_a = ta == 111 ? 'n' : 'T', of_b = tb == 111 ? 'N' : 'c';
          compare(text(fortran("gemm"), ta, tb, m, n, k, alpha, beta),
                  [&, alpha = alpha, beta = beta](const Library& library, std::vector<T>& c) {
                    c = data(2);
                    library.get<void(const char*, const char*, const int*, const int*, const int*,
                                     const T*, const T*, const int*, const T*, const int*, const T*,
                                     T*, const int*, std::size_t, std::size_t)>(fortran("gemm"))(
                        &of_a, &of_b, &m, &n, &k, &alpha, a.data(), &lda, b.data(), &lda, &beta,
                        c.data(), &lda, 1, 1);
                  });
          for (const int layout : {101, 102})
            compare(text(cblas("gemm"), layout, ta, tb, m, n, k, alpha, beta),
                    [&, alpha = alpha, beta = beta](const Library& library, std::vector<T>& c) {
                      c = data(2);
                      library.get<void(int, int, int, int, int, int, T, const T*, int, const T*,
                                       int, T, T*, int)>(cblas("gemm"))(
                          layout, ta, tb, m, n, k, alpha, a.data(), lda, b.data(), lda, beta,
                          c.data(), lda);
                    });
        }
  }

  const Library& other_;
  std::function<void(const std::string&, const Left<T>&, const Left<T>&)> judge_;
};

template <class T>
std::string shown(const Left<T>& left) {
  std::string out = "{" + left.told + "}";
  for (const T value : left.values) out += " " + testing::PrintToString(value);
  return out;
}

template <class T>
void expect_as_reference() {
  int calls = 0, different = 0;
  const Library reference(REFERENCE_BLAS);
  ASSERT_TRUE(reference.is_open());
  Calls<T>(reference, [&](const std::string& what, const Left<T>& got, const Left<T>& wanted) {
    ++calls;
    if ((got.values == wanted.values && got.told == wanted.told) || ++different > 20) return;
    ADD_FAILURE() << what << ":\n  exact     " << shown(got) << "\n  reference " << shown(wanted);
  }).all();
  EXPECT_EQ(different, 0) << "of " << calls;
}

TEST(ExactAgainstBlas, IsAsTheReference) {
  expect_as_reference<float>();
  expect_as_reference<double>();
}

// BLIS's error exits are its own. So is what its asum and scal do with an increment that is not
// positive: it takes it for a vector, where the reference does nothing.
template <class T>
void expect_as_blis() {
  int different = 0;
  const Library blis(BLIS_BLAS);
  ASSERT_TRUE(blis.is_open());
  Calls<T>(blis, [&](const std::string& what, const Left<T>& got, const Left<T>& wanted) {
    const bool is_own =
        (what.find("asum") != std::string::npos || what.find("scal") != std::string::npos) &&
        (what.find(" -") != std::string::npos || what.find(" 0") != std::string::npos);
    if (is_own) return;
    if (got.values == wanted.values || ++different > 20) return;
    ADD_FAILURE() << what << ":\n  exact " << shown(got) << "\n  BLIS  " << shown(wanted);
  }).all();
  EXPECT_EQ(different, 0);
}

TEST(ExactAgainstBlas, IsAsBlis) {
  if (std::string(BLIS_BLAS).empty()) GTEST_SKIP() << "BLIS is not installed";
  expect_as_blis<float>();
  expect_as_blis<double>();
}

// The choice that reprosum/exact.h documents, which is not the reference's.
TEST(ExactAgainstBlas, TrsvTakesZeroTimesNanForNan) {
  auto* const trsv =
      ours()
          .get<void(const char*, const char*, const char*, const int*, const double*, const int*,
                    double*, const int*, std::size_t, std::size_t, std::size_t)>("dtrsv_");
  const double nan = std::nan("");
  const double a[] = {2, nan, nan, 2};
  const int n = 2, inc = 1;
  for (const char* const trans : {"N", "T"})
    for (const char* const uplo : {"L", "U"}) {
      const bool is_forward = (*uplo == 'L') == (*trans == 'N');  // x[0] is found first
      double x[] = {is_forward ? 0.0 : 4.0, is_forward ? 4.0 : 0.0};
      trsv(uplo, trans, "N", &n, a, &n, x, &inc, 1, 1, 1);
      EXPECT_EQ(x[is_forward ? 0 : 1], 0) << uplo << trans;
      EXPECT_TRUE(std::isnan(x[is_forward ? 1 : 0])) << uplo << trans;
    }
}

}  // namespace
