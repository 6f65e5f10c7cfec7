// The C API of exact vectors and matrices: BLAS's arguments, statuses, messages, the caller's
// environment.
#include <gtest/gtest.h>
#include <reprosum/exact.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace {

constexpr double kTiny = std::numeric_limits<double>::denorm_min();

TEST(RoutinesC, Vectors) {
  double x[3] = {1, 2, 3}, y[5] = {10, -1, 20, -1, 30};
  EXPECT_EQ(reprosum_exact_daxpy(3, 2, x, -1, y, 2), REPROSUM_OK);
  EXPECT_EQ(std::vector<double>(y, y + 5), (std::vector<double>{16, -1, 24, -1, 32}));
  EXPECT_EQ(reprosum_exact_dscal(2, 3, x, -2), REPROSUM_OK);
  EXPECT_EQ(std::vector<double>(x, x + 3), (std::vector<double>{3, 2, 9}));
  EXPECT_EQ(reprosum_exact_dinvscal(3, 3, x, 1), REPROSUM_OK);
  EXPECT_EQ(std::vector<double>(x, x + 3), (std::vector<double>{1, 2.0 / 3, 3}));
  float out = 0, s[3] = {-3e38f, 3.2e38f, 0};
  EXPECT_EQ(reprosum_exact_snrm2(2, s, 1, &out), REPROSUM_OK);
  EXPECT_EQ(out, std::numeric_limits<float>::infinity());
  s[0] = 3e-45f, s[1] = -4e-45f;
  EXPECT_EQ(reprosum_exact_sasum(3, s, 1, &out), REPROSUM_OK);
  EXPECT_EQ(out, 3e-45f + 4e-45f);
  EXPECT_EQ(reprosum_exact_daxpy(3, 1, nullptr, 1, y, 1), REPROSUM_BAD_ARGUMENT);
  EXPECT_EQ(reprosum_exact_daxpy(0, 1, nullptr, 1, nullptr, 1), REPROSUM_OK);
}

// Layouts, transposes, leading dimensions and increments name the same entries.
TEST(RoutinesC, MatricesInEveryStorage) {
  // [1 2 3; 4 5 6] by rows with a gap, and by columns.
  const double rows[8] = {1, 2, 3, -9, 4, 5, 6, -9}, columns[6] = {1, 4, 2, 5, 3, 6};
  const double x[3] = {1, 10, 100};
  for (const bool by_rows : {false, true}) {
    const reprosum_layout layout = by_rows ? REPROSUM_ROW_MAJOR : REPROSUM_COLUMN_MAJOR;
    const double* const a = by_rows ? rows : columns;
    const int lda = by_rows ? 4 : 2;
    double y[2] = {1000, 2000};
    EXPECT_EQ(reprosum_exact_dgemv(layout, REPROSUM_NO_TRANS, 2, 3, 1, a, lda, x, 1, 1, y, 1),
              REPROSUM_OK);
    EXPECT_EQ(y[0], 1321);
    EXPECT_EQ(y[1], 2654);
    EXPECT_EQ(reprosum_exact_dgemv(layout, REPROSUM_NO_TRANS, 2, 3, 2, a, lda, x, -1, 0, y, -1),
              REPROSUM_OK);
    EXPECT_EQ(y[1], 246);
    EXPECT_EQ(y[0], 912);
    double z[3] = {};
    EXPECT_EQ(reprosum_exact_dgemv(layout, REPROSUM_CONJ_TRANS, 2, 3, -1, a, lda, x, 1, 0, z, 1),
              REPROSUM_OK);
    EXPECT_EQ(std::vector<double>(z, z + 3), (std::vector<double>{-41, -52, -63}));
    double c[4] = {};  // A * A' and A' * A
    EXPECT_EQ(reprosum_exact_dgemm(layout, REPROSUM_NO_TRANS, REPROSUM_TRANS, 2, 2, 3, 1, a, lda, a,
                                   lda, 0, c, 2),
              REPROSUM_OK);
    EXPECT_EQ(std::vector<double>(c, c + 4), (std::vector<double>{14, 32, 32, 77}));
    double d[9] = {};
    EXPECT_EQ(reprosum_exact_dgemm(layout, REPROSUM_TRANS, REPROSUM_NO_TRANS, 3, 3, 2, 1, a, lda, a,
                                   lda, 0, d, 3),
              REPROSUM_OK);
    EXPECT_EQ(std::vector<double>(d, d + 9),
              (std::vector<double>{17, 22, 27, 22, 29, 36, 27, 36, 45}));
    double g[6] = {};
    EXPECT_EQ(reprosum_exact_dger(layout, 2, 3, 0.5, y, 1, x, 1, g, by_rows ? 3 : 2), REPROSUM_OK);
    EXPECT_EQ(g[by_rows ? 3 : 1], 123);    // row 1, column 0
    EXPECT_EQ(g[by_rows ? 2 : 4], 45600);  // row 0, column 2
  }
}

// Every triangle, transpose, diagonal and layout: a product with small integers is solved back, and
// what is not of the triangle is NaN.
TEST(RoutinesC, TrsvInEveryVariant) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr int kN = 4, kLda = 6;
  for (int variant = 0; variant < 16; ++variant) {
    const bool lower = variant & 1, transposed = variant & 2, unit = variant & 4,
               rows = variant & 8;
    std::vector<double> a(kN * kLda, kNan), x = {3, -1, 2, 5}, b(kN);
    const auto at = [&](int i, int j) -> double& {
      return a[static_cast<std::size_t>(rows ? i * kLda + j : i + j * kLda)];
    };
    for (int i = 0; i < kN; ++i) {
      for (int j = 0; j < kN; ++j) {
        if (i == j && unit) continue;
        if (lower ? j <= i : j >= i) at(i, j) = i == j ? 2 : i - 2 * j + 1;
      }
    }
    const auto op = [&](int i, int j) {
      if (i == j && unit) return 1.0;
      const double value = transposed ? at(j, i) : at(i, j);
      return value == value ? value : 0.0;
    };
    for (int i = 0; i < kN; ++i)
      for (int j = 0; j < kN; ++j)
        b[static_cast<std::size_t>(i)] += op(i, j) * x[static_cast<std::size_t>(j)];
    std::vector<double> backwards(2 * kN - 1, 7);
    for (std::size_t i = 0; i < kN; ++i) backwards[2 * (kN - 1 - i)] = b[i];
    const auto layout = rows ? REPROSUM_ROW_MAJOR : REPROSUM_COLUMN_MAJOR;
    const auto uplo = lower ? REPROSUM_LOWER : REPROSUM_UPPER;
    const auto trans = transposed ? REPROSUM_TRANS : REPROSUM_NO_TRANS;
    const auto diag = unit ? REPROSUM_UNIT : REPROSUM_NON_UNIT;
    EXPECT_EQ(reprosum_exact_dtrsv(layout, uplo, trans, diag, kN, a.data(), kLda, b.data(), 1),
              REPROSUM_OK);
    EXPECT_EQ(b, x) << variant;
    std::vector<double> certified(2 * kN - 1, 7);
    for (std::size_t i = 0; i < kN; ++i) certified[2 * i] = backwards[2 * (kN - 1 - i)];
    EXPECT_EQ(reprosum_exact_dtrsv_certified(layout, uplo, trans, diag, kN, a.data(), kLda,
                                             certified.data(), 2),
              REPROSUM_OK);
    for (std::size_t i = 0; i < kN; ++i) EXPECT_EQ(certified[2 * i], x[i]) << variant;
    std::vector<double> refined = backwards;
    EXPECT_EQ(reprosum_exact_dtrsv_refined(layout, uplo, trans, diag, kN, a.data(), kLda,
                                           refined.data(), -2, 2),
              REPROSUM_OK);
    for (std::size_t i = 0; i < kN; ++i) EXPECT_EQ(refined[2 * (kN - 1 - i)], x[i]) << variant;
    EXPECT_EQ(
        reprosum_exact_dtrsv(layout, uplo, trans, diag, kN, a.data(), kLda, backwards.data(), -2),
        REPROSUM_OK);
    for (std::size_t i = 0; i < kN; ++i) EXPECT_EQ(backwards[2 * (kN - 1 - i)], x[i]) << variant;
    EXPECT_EQ(backwards[1], 7);
  }
}

// Forbidden, and without a right result; but rows are swapped inside B all the same.
TEST(RoutinesC, PivotsInsideTheRightSidesReachNoOtherMemory) {
  constexpr int kN = 8, kColumns = 3, kAround = 512;
  const int64_t pivots[kN] = {3, 2, 8, 4, 7, 8, 7, 8};
  double a[kN * kN] = {};
  for (int i = 0; i < kN; ++i) a[i + kN * i] = 1;
  for (const reprosum_transpose trans : {REPROSUM_NO_TRANS, REPROSUM_TRANS}) {
    std::vector<double> memory(2 * kAround + kN * kColumns, 7);
    double* const b = memory.data() + kAround;
    std::memcpy(b + kN / 2, pivots, sizeof pivots);
    EXPECT_EQ(reprosum_exact_dgetrs(REPROSUM_COLUMN_MAJOR, trans, kN, kColumns, a, kN,
                                    reinterpret_cast<const int64_t*>(b + kN / 2), b, kN),
              REPROSUM_OK);
    for (int i = 0; i < kAround; ++i) {
      EXPECT_EQ(memory[static_cast<std::size_t>(i)], 7);
      EXPECT_EQ(memory[memory.size() - 1 - static_cast<std::size_t>(i)], 7);
    }
  }
}

// Both layouts are the same matrix, so the same factors and pivots; getrs solves with them.
TEST(RoutinesC, GetrfAndGetrs) {
  const double a[9] = {1, 2, 4, 2, 8, 3, 8, 4, 1};  // by columns: [1 2 8; 2 8 4; 4 3 1]
  double columns[12], rows[12];
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) columns[i + 4 * j] = rows[4 * i + j] = a[i + 3 * j];
    columns[3 + 4 * i] = rows[3 + 4 * i] = -1;
  }
  int64_t pivots[3], same[3], info = -1;
  EXPECT_EQ(reprosum_exact_dgetrf(REPROSUM_COLUMN_MAJOR, 3, 3, columns, 4, pivots, &info),
            REPROSUM_OK);
  EXPECT_EQ(info, 0);
  EXPECT_EQ(pivots[0], 3);
  EXPECT_EQ(pivots[1], 2);
  EXPECT_EQ(reprosum_exact_dgetrf(REPROSUM_ROW_MAJOR, 3, 3, rows, 4, same, &info), REPROSUM_OK);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(pivots[i], same[i]);
    for (int j = 0; j < 3; ++j) EXPECT_EQ(columns[i + 4 * j], rows[4 * i + j]);
  }
  double b[3] = {11, 14, 8};  // of (1, 1, 1)
  EXPECT_EQ(reprosum_exact_dgetrs(REPROSUM_COLUMN_MAJOR, REPROSUM_NO_TRANS, 3, 1, columns, 4,
                                  pivots, b, 3),
            REPROSUM_OK);
  for (const double v : b) EXPECT_NEAR(v, 1, 1e-14);
  double c[3] = {7, 13, 13};  // of its transpose
  EXPECT_EQ(reprosum_exact_dgetrs(REPROSUM_ROW_MAJOR, REPROSUM_TRANS, 3, 1, rows, 4, pivots, c, 1),
            REPROSUM_OK);
  for (const double v : c) EXPECT_NEAR(v, 1, 1e-14);
  double singular[4] = {1, 2, 2, 4};
  EXPECT_EQ(reprosum_exact_dgetrf(REPROSUM_COLUMN_MAJOR, 2, 2, singular, 2, pivots, &info),
            REPROSUM_OK);
  EXPECT_EQ(info, 2);
  EXPECT_EQ(reprosum_exact_dgetrf(REPROSUM_COLUMN_MAJOR, 0, 2, nullptr, 1, nullptr, &info),
            REPROSUM_OK);
  EXPECT_EQ(info, 0);
}

TEST(RoutinesC, ScalarsThatAreZero) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const double a[4] = {1, 2, 3, 4};
  double c[4] = {kNan, 1, 2, kNan};
  EXPECT_EQ(reprosum_exact_dgemm(REPROSUM_COLUMN_MAJOR, REPROSUM_NO_TRANS, REPROSUM_NO_TRANS, 2, 2,
                                 2, 1, a, 2, a, 2, 0, c, 2),
            REPROSUM_OK);
  EXPECT_EQ(std::vector<double>(c, c + 4), (std::vector<double>{7, 10, 15, 22}));
  const double n[4] = {kNan, kNan, kNan, kNan};
  EXPECT_EQ(reprosum_exact_dgemm(REPROSUM_COLUMN_MAJOR, REPROSUM_NO_TRANS, REPROSUM_NO_TRANS, 2, 2,
                                 2, 0, n, 2, n, 2, 0.5, c, 2),
            REPROSUM_OK);
  EXPECT_EQ(std::vector<double>(c, c + 4), (std::vector<double>{3.5, 5, 7.5, 11}));
  EXPECT_EQ(
      reprosum_exact_dgemv(REPROSUM_COLUMN_MAJOR, REPROSUM_NO_TRANS, 2, 2, 0, n, 2, n, 1, 0, c, 1),
      REPROSUM_OK);
  EXPECT_EQ(c[0], 0);
  EXPECT_EQ(c[1], 0);
  EXPECT_EQ(c[2], 7.5);
  EXPECT_EQ(reprosum_exact_dgemm(REPROSUM_COLUMN_MAJOR, REPROSUM_NO_TRANS, REPROSUM_NO_TRANS, 2, 2,
                                 0, 1, nullptr, 2, nullptr, 1, 2, c, 2),
            REPROSUM_OK);
  EXPECT_EQ(c[2], 15);
}

// Programs pass NULL for what alpha == 0 leaves unread.
TEST(RoutinesC, NothingUnreadIsLookedAt) {
  const auto column = REPROSUM_COLUMN_MAJOR;
  const auto no = REPROSUM_NO_TRANS;
  double c[4] = {1, 2, 3, 4};
  float s[2] = {1, 2};
  EXPECT_EQ(reprosum_exact_dgemm(column, no, no, 2, 2, 2, 0, nullptr, 2, nullptr, 2, 2, c, 2),
            REPROSUM_OK);
  EXPECT_EQ(std::vector<double>(c, c + 4), (std::vector<double>{2, 4, 6, 8}));
  for (const int64_t inc : {1, -1}) {
    EXPECT_EQ(reprosum_exact_dgemv(column, no, 2, 2, -0.0, nullptr, 2, nullptr, inc, 2, c, 1),
              REPROSUM_OK);
    EXPECT_EQ(reprosum_exact_dger(column, 2, 2, 0, nullptr, inc, nullptr, inc, c, 2), REPROSUM_OK);
    EXPECT_EQ(reprosum_exact_daxpy(2, 0, nullptr, inc, c, 1), REPROSUM_OK);
    EXPECT_EQ(reprosum_exact_saxpy(2, 0, nullptr, inc, s, 1), REPROSUM_OK);
  }
  EXPECT_EQ(std::vector<double>(c, c + 4), (std::vector<double>{8, 16, 6, 8}));
  EXPECT_EQ(reprosum_exact_dgemv(column, no, 2, 2, 0, nullptr, 2, nullptr, 1, 2, nullptr, 1),
            REPROSUM_BAD_ARGUMENT);
  EXPECT_EQ(reprosum_exact_dgemm(column, no, no, 2, 2, 2, 0, nullptr, 2, nullptr, 2, 2, nullptr, 2),
            REPROSUM_BAD_ARGUMENT);
}

TEST(RoutinesC, Refusals) {
  double x[4] = {1, 2, 3, 4}, out = 42;
  const auto refused = [](reprosum_status status, const char* words) {
    EXPECT_EQ(status, REPROSUM_BAD_ARGUMENT) << words;
    EXPECT_NE(std::string(reprosum_last_error(nullptr)).find(words), std::string::npos)
        << reprosum_last_error(nullptr);
  };
  const auto column = REPROSUM_COLUMN_MAJOR;
  const auto no = REPROSUM_NO_TRANS;
  refused(reprosum_exact_daxpy(-1, 1, x, 1, x, 1), "n = -1 is negative");
  refused(reprosum_exact_daxpy(1, 1, x, 1, x, 0), "incy is 0");
  refused(reprosum_exact_daxpy(1, 1, nullptr, 1, x, 1), "x is null");
  refused(reprosum_exact_dscal(1, 1, x, 0), "incx is 0");
  refused(reprosum_exact_dinvscal(1, 1, nullptr, 1), "x is null");
  refused(reprosum_exact_dasum(1, x, 1, nullptr), "out is null");
  refused(reprosum_exact_dnrm2(-2, x, 1, &out), "n = -2 is negative");
  refused(reprosum_exact_dger(column, 2, 2, 1, x, 1, x, 1, x, 1), "lda = 1 is less than 2");
  refused(reprosum_exact_dger(column, 2, 2, 1, x, 0, x, 1, x, 2), "incx is 0");
  refused(reprosum_exact_dger(static_cast<reprosum_layout>(103), 2, 2, 1, x, 1, x, 1, x, 2),
          "unknown layout 103");
  refused(reprosum_exact_dgemv(column, no, -1, 2, 1, x, 2, x, 1, 1, x, 1), "m = -1 is negative");
  refused(reprosum_exact_dgemv(column, no, 2, 2, 1, nullptr, 2, x, 1, 1, x, 1), "a is null");
  refused(reprosum_exact_dgemv(column, static_cast<reprosum_transpose>(110), 2, 2, 1, x, 2, x, 1, 1,
                               x, 1),
          "unknown transpose 110");
  refused(reprosum_exact_dgemm(column, no, REPROSUM_TRANS, 2, 2, 3, 1, x, 2, x, 1, 0, x, 2),
          "ldb = 1 is less than 2");
  refused(reprosum_exact_dgemm(column, no, no, 2, 2, int64_t{1} << 40, 1, x, 2, x, 2, 0, x, 2),
          "k = 1099511627776 is too large");
  refused(reprosum_exact_dgemm(column, no, no, 2, 2, 2, 1, x, 2, x, 2, 0, nullptr, 2), "c is null");
  refused(reprosum_exact_dtrsv(column, static_cast<reprosum_uplo>(120), no, REPROSUM_UNIT, 2, x, 2,
                               x, 1),
          "unknown uplo 120");
  refused(reprosum_exact_dtrsv(column, REPROSUM_UPPER, no, static_cast<reprosum_diag>(133), 2, x, 2,
                               x, 1),
          "unknown diag 133");
  refused(reprosum_exact_dtrsv(column, REPROSUM_UPPER, no, REPROSUM_UNIT, 2, x, 1, x, 1),
          "lda = 1 is less than 2");
  const double zero[4] = {1, 0, 0, 0};
  refused(reprosum_exact_dtrsv_certified(column, REPROSUM_UPPER, no, REPROSUM_NON_UNIT, 2, zero, 2,
                                         x, 1),
          "element 2 of the diagonal is zero");
  refused(
      reprosum_exact_dtrsv_refined(column, REPROSUM_UPPER, no, REPROSUM_UNIT, 2, x, 2, x, 1, -1),
      "steps = -1 is negative");
  int64_t pivots[2] = {1, 3}, info = 0;
  refused(reprosum_exact_dgetrf(column, 2, 2, x, 2, pivots, nullptr), "info is null");
  refused(reprosum_exact_dgetrf(column, 2, 2, x, 2, nullptr, &info), "ipiv is null");
  refused(reprosum_exact_dgetrs(column, no, 2, 1, x, 2, pivots, &out, 2),
          "ipiv[1] = 3 is not a row from 2 to 2");
  refused(reprosum_exact_set_workers(0), "workers = 0");
  EXPECT_EQ(out, 42);
  EXPECT_EQ(x[0], 1);
}

#if defined(__SSE2__)
// Every routine under every rounding mode, flushing, unmasked exceptions and flags.
class CallersEnvironment : public testing::Test {
 protected:
  static constexpr int kN = 40;

  // One routine under `mode_`; `v` is what it wrote.
  template <class T, class Call>
  void call(std::vector<T> v, Call&& routine) {
    T* const data = v.data();
    _mm_setcsr(mode_);
    routine(data);
    const unsigned after = _mm_getcsr();
    _mm_setcsr(own_);
    EXPECT_EQ(after, mode_);
    for (const T one : v) out_.push_back(std::bit_cast<std::uint64_t>(static_cast<double>(one)));
  }

  template <class T>
  std::vector<T> vector(std::size_t n) const {
    std::vector<T> x(n, static_cast<T>(0x1.23456789abcdep-3));
    for (std::size_t i = 0; i < n; i += 5) x[i] = -3 * std::numeric_limits<T>::denorm_min();
    x[1] = 1, x[2] = static_cast<T>(0x1p-60), x[3] = std::numeric_limits<T>::denorm_min();
    return x;
  }

  std::vector<std::uint64_t> calls(unsigned mode) {
    mode_ = mode;
    out_.clear();
    const auto column = REPROSUM_COLUMN_MAJOR;
    const auto no = REPROSUM_NO_TRANS;
    const std::vector<double> x = vector<double>(kN), a = vector<double>(kN * kN);
    const std::vector<float> s = vector<float>(kN), b = vector<float>(kN * kN);
    for (const double alpha : {1.0, 0.1, kTiny}) {
      call(x, [&](double* y) { reprosum_exact_daxpy(kN, alpha, x.data(), 1, y, 1); });
      call(x, [&](double* y) { reprosum_exact_dscal(kN, alpha, y, 1); });
      call(x, [&](double* y) { reprosum_exact_dinvscal(kN, alpha, y, 1); });
      call(x, [&](double* y) { reprosum_exact_dasum(kN, x.data(), 1, y); });
      call(x, [&](double* y) { reprosum_exact_dnrm2(kN, x.data(), 1, y); });
      call(a, [&](double* y) {
        reprosum_exact_dger(column, kN, 3, alpha, x.data(), 1, x.data(), 1, y, kN);
      });
      call(x, [&](double* y) {
        reprosum_exact_dgemv(column, no, kN, kN, alpha, a.data(), kN, x.data(), 1, 0.3, y, 1);
      });
      call(a, [&](double* y) {
        reprosum_exact_dgemm(column, no, no, 4, 4, kN, 0.7, a.data(), kN, a.data(), kN, alpha, y,
                             kN);
      });
      call(x, [&](double* y) {
        reprosum_exact_dtrsv(column, REPROSUM_LOWER, no, REPROSUM_NON_UNIT, kN, a.data(), kN, y, 1);
      });
      call(x, [&](double* y) {
        reprosum_exact_dtrsv_certified(column, REPROSUM_LOWER, no, REPROSUM_UNIT, 6, a.data() + 1,
                                       kN, y, 1);
      });
      call(x, [&](double* y) {
        reprosum_exact_dtrsv_refined(column, REPROSUM_LOWER, no, REPROSUM_UNIT, 6, a.data() + 1, kN,
                                     y, 1, 2);
      });
      call(a, [&](double* y) {
        std::int64_t pivots[kN], info = 0;
        reprosum_exact_dgetrf(column, 9, 5, y, kN, pivots, &info);
      });
    }
    for (const float alpha : {1.0f, 0.1f, std::numeric_limits<float>::denorm_min()}) {
      call(s, [&](float* y) { reprosum_exact_saxpy(kN, alpha, s.data(), 1, y, 1); });
      call(s, [&](float* y) { reprosum_exact_sscal(kN, alpha, y, 1); });
      call(s, [&](float* y) { reprosum_exact_sinvscal(kN, alpha, y, 1); });
      call(s, [&](float* y) { reprosum_exact_sasum(kN, s.data(), 1, y); });
      call(s, [&](float* y) { reprosum_exact_snrm2(kN, s.data(), 1, y); });
      call(b, [&](float* y) {
        reprosum_exact_sger(column, kN, 3, alpha, s.data(), 1, s.data(), 1, y, kN);
      });
      call(s, [&](float* y) {
        reprosum_exact_sgemv(column, no, kN, kN, alpha, b.data(), kN, s.data(), 1, 0.3f, y, 1);
      });
      call(b, [&](float* y) {
        reprosum_exact_sgemm(column, no, no, 4, 4, kN, 0.7f, b.data(), kN, b.data(), kN, alpha, y,
                             kN);
      });
      call(s, [&](float* y) {
        reprosum_exact_strsv(column, REPROSUM_UPPER, no, REPROSUM_NON_UNIT, kN, b.data(), kN, y, 1);
      });
    }
    return out_;
  }

  const unsigned own_ = _mm_getcsr();
  unsigned mode_ = 0;
  std::vector<std::uint64_t> out_;
};

TEST_F(CallersEnvironment, ChangesNoBitAndIsLeftAsItWas) {
  const std::vector<std::uint64_t> wanted = calls(0x1f80);
  for (const unsigned rounding : {0x0000u, 0x2000u, 0x4000u, 0x6000u}) {
    for (const unsigned flushing : {0x0000u, 0x8000u, 0x0040u, 0x8040u}) {
      for (const unsigned masks : {0x1f80u, 0x0000u}) {
        for (const unsigned flags : {0x00u, 0x3fu}) {
          const unsigned mode = rounding | flushing | masks | flags;
          ASSERT_EQ(calls(mode), wanted) << std::hex << mode;
        }
      }
    }
  }
}
#endif

}  // namespace
