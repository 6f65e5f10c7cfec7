// gemv and gemm of the C API: layouts, transposes, increments and sizes against the definition of
// the orders; empty sizes; the caller's floating-point environment; threads.
#include <gtest/gtest.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <atomic>
#include <bit>
#include <cstring>
#include <limits>
#include <random>
#include <thread>
#include <tuple>

#include "sample_products.h"

namespace reprosum {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <class T>
struct Calls;
template <>
struct Calls<float> {
  static constexpr auto gemv = reprosum_sgemv;
  static constexpr auto gemm = reprosum_sgemm;
};
template <>
struct Calls<double> {
  static constexpr auto gemv = reprosum_dgemv;
  static constexpr auto gemm = reprosum_dgemm;
};

// A stored matrix whose element (r, c) stands where CBLAS says; NaN elsewhere.
template <class T>
struct Stored {
  std::int64_t rows, columns, leading;
  bool by_rows;
  std::vector<T> memory;

  Stored(std::int64_t rows, std::int64_t columns, bool by_rows, std::int64_t pad,
         std::uint64_t seed)
      : rows(rows),
        columns(columns),
        leading((by_rows ? columns : rows) + pad),
        by_rows(by_rows),
        memory(static_cast<std::size_t>(leading * (by_rows ? rows : columns)),
               static_cast<T>(kNaN)) {
    const auto data = samples::random_data<T>(static_cast<std::size_t>(rows * columns), seed);
    std::size_t at = 0;
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < columns; ++c) (*this)(r, c) = data[at++];
  }
  T& operator()(std::int64_t r, std::int64_t c) {
    return memory[static_cast<std::size_t>(by_rows ? r * leading + c : c * leading + r)];
  }
};

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

reprosum_transpose trans_of(bool transposed) {
  return transposed ? REPROSUM_TRANS : REPROSUM_NO_TRANS;
}
reprosum_layout layout_of(bool by_rows) {
  return by_rows ? REPROSUM_ROW_MAJOR : REPROSUM_COLUMN_MAJOR;
}

class MatrixCall : public testing::Test {
 protected:
  void SetUp() override {
    handle_ = samples::open(samples::product_spec());
    ASSERT_NE(handle_, nullptr) << reprosum_last_error(nullptr);
  }
  void TearDown() override { reprosum_close(handle_); }

  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n));
  }
  template <class T>
  T scalar() {
    const T values[] = {0, 1, -1, static_cast<T>(0.7), static_cast<T>(-1.3)};
    return values[below(5)];
  }

  template <class T>
  void check_gemm() {
    const bool rows = below(2) == 0, ta = below(2) == 0, tb = below(2) == 0;
    const std::int64_t m = 1 + below(40), n = 1 + below(40), k = 1 + below(30);
    Stored<T> a(ta ? k : m, ta ? m : k, rows, below(3), random_());
    Stored<T> b(tb ? n : k, tb ? k : n, rows, below(3), random_());
    Stored<T> c(m, n, rows, below(3), random_());
    const T alpha = scalar<T>(), beta = scalar<T>();
    Stored<T> wanted = c;
    std::vector<T> x(static_cast<std::size_t>(k)), y(x);
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t p = 0; p < k; ++p) {
          x[static_cast<std::size_t>(p)] = ta ? a(p, i) : a(i, p);
          y[static_cast<std::size_t>(p)] = tb ? b(j, p) : b(p, j);
        }
        // A call by rows is the column-major one on the transposed problem: there i is the column
        // and the factors are exchanged.
        const bool onto =
            rows ? samples::is_onto_output(j, i, n, m) : samples::is_onto_output(i, j, m, n);
        wanted(i, j) = samples::product_by_hand(onto, k, rows ? y.data() : x.data(),
                                                rows ? x.data() : y.data(), alpha, beta, c(i, j));
      }
    ASSERT_EQ(Calls<T>::gemm(handle_, layout_of(rows), trans_of(ta), trans_of(tb), m, n, k, alpha,
                             a.memory.data(), a.leading, b.memory.data(), b.leading, beta,
                             c.memory.data(), c.leading),
              REPROSUM_OK)
        << reprosum_last_error(handle_);
    EXPECT_TRUE(same(c.memory, wanted.memory))
        << "m, n, k = " << m << ", " << n << ", " << k << " rows " << rows << " trans " << ta << tb
        << " alpha " << alpha << " beta " << beta;
  }

  template <class T>
  void check_gemv() {
    const bool rows = below(2) == 0, trans = below(2) == 0;
    const std::int64_t m = 1 + below(60), n = 1 + below(60);
    const std::int64_t outputs = trans ? n : m, k = trans ? m : n;
    const std::pair<std::int64_t, std::int64_t> pairs[] = {{-3, 2}, {-1, -1}, {1, 1}, {2, -2}};
    const auto [incx, incy] = pairs[below(4)];
    Stored<T> a(m, n, rows, below(3), random_());
    // Logical element p of a vector with a negative increment counts from the far end.
    Stored<T> x(1, k, false, std::abs(incx) - 1, random_());
    Stored<T> y(1, outputs, false, std::abs(incy) - 1, random_());
    const auto place = [](std::int64_t at, std::int64_t count, std::int64_t increment) {
      return increment < 0 ? count - 1 - at : at;
    };
    const T alpha = scalar<T>(), beta = scalar<T>();
    Stored<T> wanted = y;
    std::vector<T> row(static_cast<std::size_t>(k)), column(row);
    for (std::int64_t i = 0; i < outputs; ++i) {
      for (std::int64_t p = 0; p < k; ++p) {
        row[static_cast<std::size_t>(p)] = trans ? a(p, i) : a(i, p);
        column[static_cast<std::size_t>(p)] = x(0, place(p, k, incx));
      }
      const std::int64_t at = place(i, outputs, incy);
      wanted(0, at) = samples::product_by_hand(samples::is_onto_output(i, 0, outputs, 1), k,
                                               row.data(), column.data(), alpha, beta, y(0, at));
    }
    ASSERT_EQ(
        Calls<T>::gemv(handle_, layout_of(rows), trans_of(trans), m, n, alpha, a.memory.data(),
                       a.leading, x.memory.data(), incx, beta, y.memory.data(), incy),
        REPROSUM_OK)
        << reprosum_last_error(handle_);
    EXPECT_TRUE(same(y.memory, wanted.memory))
        << "m, n = " << m << ", " << n << " rows " << rows << " trans " << trans << " inc " << incx
        << ":" << incy << " alpha " << alpha << " beta " << beta;
  }

  reprosum_handle* handle_ = nullptr;
  std::mt19937_64 random_{41};
};

TEST_F(MatrixCall, EveryLayoutGivesTheBitsOfTheDefinition) {
  for (const char* const isa : {"", "interpreter"}) {
    ASSERT_EQ(reprosum_set_isa(handle_, isa), REPROSUM_OK);
    for (const int workers : {1, 3}) {
      ASSERT_EQ(reprosum_set_workers(handle_, workers), REPROSUM_OK);
      for (int round = 0; round < 150; ++round) {
        check_gemm<float>();
        check_gemm<double>();
        check_gemv<float>();
        check_gemv<double>();
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(MatrixCall, NothingToDo) {
  double c[4] = {1.5, kNaN, -0.0, 4};
  const double before[4] = {1.5, kNaN, -0.0, 4};
  const auto kept = [&] { return std::memcmp(c, before, sizeof c) == 0; };
  const auto column = REPROSUM_COLUMN_MAJOR;
  const auto plain = REPROSUM_NO_TRANS;
  // Without outputs the pointers are not looked at.
  EXPECT_EQ(
      reprosum_dgemm(handle_, column, plain, plain, 0, 2, 2, 1, nullptr, 1, nullptr, 2, 0, c, 1),
      REPROSUM_OK);
  EXPECT_EQ(
      reprosum_dgemm(handle_, column, plain, plain, 2, 0, 2, 1, nullptr, 2, nullptr, 2, 0, c, 2),
      REPROSUM_OK);
  EXPECT_EQ(reprosum_dgemv(handle_, column, plain, 0, 2, 1, nullptr, 1, nullptr, 1, 0, c, 1),
            REPROSUM_OK);
  // This spec says that a gemv without summands leaves y alone, whatever beta is.
  EXPECT_EQ(reprosum_dgemv(handle_, column, plain, 2, 0, 1, nullptr, 2, nullptr, 1, 0, c, 1),
            REPROSUM_OK);
  EXPECT_EQ(reprosum_dgemv(handle_, column, plain, 2, 0, 1, nullptr, 2, nullptr, 7, 0, nullptr, -9),
            REPROSUM_OK);
  EXPECT_TRUE(kept());
}

// With alpha = 0 these classes read neither A nor B, which need not be there.
TEST_F(MatrixCall, WhatIsNotReadMayBeNull) {
  std::vector<double> c{1, 2, 3, kNaN};
  EXPECT_EQ(reprosum_dgemm(handle_, REPROSUM_COLUMN_MAJOR, REPROSUM_NO_TRANS, REPROSUM_NO_TRANS, 2,
                           2, 3, 0, nullptr, 2, nullptr, 3, 2, c.data(), 2),
            REPROSUM_OK)
      << reprosum_last_error(handle_);
  EXPECT_EQ(reprosum_dgemv(handle_, REPROSUM_COLUMN_MAJOR, REPROSUM_NO_TRANS, 2, 3, -0.0, nullptr,
                           2, nullptr, 1, 1, c.data() + 2, 1),
            REPROSUM_OK)
      << reprosum_last_error(handle_);
  EXPECT_TRUE(same(c, {2, 4, 6, kNaN}));
  spec::Spec reads = samples::product_spec();
  for (spec::Entry& entry : reads.entries)
    for (spec::MatrixClass& output : entry.regimes[0].classes)
      output.alpha_zero = spec::MatrixClass::AlphaZero::compute;
  reprosum_handle* const reading = samples::open(reads);
  EXPECT_EQ(reprosum_dgemm(reading, REPROSUM_COLUMN_MAJOR, REPROSUM_NO_TRANS, REPROSUM_NO_TRANS, 2,
                           2, 3, 0, nullptr, 2, nullptr, 3, 2, c.data(), 2),
            REPROSUM_BAD_ARGUMENT);
  EXPECT_TRUE(same(c, {2, 4, 6, kNaN}));
  reprosum_close(reading);
}

// beta = NaN is what the entry says it is.
TEST_F(MatrixCall, ANanBetaMayBeZero) {
  spec::Spec spec = samples::guarded_product_spec(
      [](spec::Entry& entry) { entry.guard.nan_beta_is_zero = true; });
  reprosum_handle* const zero = samples::open(spec);
  ASSERT_NE(zero, nullptr);
  const double a[] = {1, 2, 3, 4}, x[] = {1, 1};
  for (const char* const isa : {"", "interpreter"})
    for (reprosum_handle* const handle : {zero, handle_}) {
      ASSERT_EQ(reprosum_set_isa(handle, isa), REPROSUM_OK);
      std::vector<double> y{5, kNaN};
      EXPECT_EQ(reprosum_dgemv(handle, REPROSUM_COLUMN_MAJOR, REPROSUM_NO_TRANS, 2, 2, 1, a, 2, x,
                               1, kNaN, y.data(), 1),
                REPROSUM_OK);
      EXPECT_TRUE(same(y, handle == zero ? std::vector<double>{4, 6} : std::vector{kNaN, kNaN}));
    }
  reprosum_close(zero);
}

// Rules for beta = 0 that part where beta is -0: what is stored, what is not there, what is read.
TEST_F(MatrixCall, ANegativeZeroBeta) {
  using BetaZero = spec::MatrixClass::BetaZero;
  for (const auto& [rule, sum, skipped] : {std::tuple{BetaZero::store, 0.0, 0.0},
                                           {BetaZero::store_beta, -0.0, -0.0},
                                           {BetaZero::drop, -0.0, 0.0},
                                           {BetaZero::multiply, kNaN, kNaN}}) {
    spec::Spec spec = samples::guarded_product_spec([&, rule = rule](spec::Entry& entry) {
      for (spec::MatrixClass& output : entry.regimes[0].classes) output.beta_zero = rule;
    });
    reprosum_handle* const handle = samples::open(spec);
    ASSERT_NE(handle, nullptr);
    const std::vector<double> a(20 * 20, -0.0), b(20 * 20, 1.0);
    for (const char* const isa : {"", "interpreter"})
      for (const double alpha : {1.0, 0.0}) {
        ASSERT_EQ(reprosum_set_isa(handle, isa), REPROSUM_OK);
        std::vector<double> c(20 * 20, kNaN);
        EXPECT_EQ(
            reprosum_dgemm(handle, REPROSUM_COLUMN_MAJOR, REPROSUM_NO_TRANS, REPROSUM_NO_TRANS, 20,
                           20, 20, alpha, a.data(), 20, b.data(), 20, -0.0, c.data(), 20),
            REPROSUM_OK);
        EXPECT_TRUE(same(c, std::vector<double>(20 * 20, alpha == 1 ? sum : skipped)))
            << isa << " " << alpha << " " << static_cast<int>(rule);
      }
    reprosum_close(handle);
  }
}

// An entry for finite data also looks at C, where its outputs multiply it by zero.
TEST_F(MatrixCall, AFiniteEntryLooksAtWhatAZeroBetaReads) {
  using BetaZero = spec::MatrixClass::BetaZero;
  const std::vector<double> a(20 * 20, 1.0);
  for (const BetaZero rule : {BetaZero::store, BetaZero::multiply}) {
    reprosum_handle* const handle =
        samples::open(samples::guarded_product_spec([rule](spec::Entry& entry) {
          entry.guard.finite_only = true;
          for (spec::MatrixClass& output : entry.regimes[0].classes) output.beta_zero = rule;
        }));
    ASSERT_NE(handle, nullptr);
    for (const double was : {kNaN, -5.0}) {
      std::vector<double> c(20 * 20, was);
      const bool is_refused = rule == BetaZero::multiply && std::isnan(was);
      EXPECT_EQ(reprosum_dgemm(handle, REPROSUM_COLUMN_MAJOR, REPROSUM_NO_TRANS, REPROSUM_NO_TRANS,
                               20, 20, 20, 1, a.data(), 20, a.data(), 20, 0, c.data(), 20),
                is_refused ? REPROSUM_NOT_COVERED : REPROSUM_OK);
      EXPECT_TRUE(same(c, std::vector<double>(20 * 20, is_refused ? was : 20)));
    }
    reprosum_close(handle);
  }
}

TEST_F(MatrixCall, ASpecThatDoesNotSayRefusesNoSummands) {
  spec::Spec spec = samples::product_spec();
  spec.empty_rules.clear();
  reprosum_handle* const handle = samples::open(spec);
  std::vector<double> c{1, 2, 3, 4};
  EXPECT_EQ(reprosum_dgemm(handle, REPROSUM_COLUMN_MAJOR, REPROSUM_NO_TRANS, REPROSUM_NO_TRANS, 2,
                           2, 0, 1, nullptr, 2, nullptr, 2, 1, c.data(), 2),
            REPROSUM_NOT_COVERED);
  EXPECT_STREQ(reprosum_last_error(handle),
               "dgemm NN with m = 2, n = 2, k = 0 is not covered: dgemm without summands was not "
               "captured with these transposes");
  EXPECT_EQ(reprosum_dgemv(handle, REPROSUM_COLUMN_MAJOR, REPROSUM_NO_TRANS, 2, 0, 1, nullptr, 2,
                           nullptr, 1, 0, c.data(), 1),
            REPROSUM_NOT_COVERED);
  EXPECT_TRUE(same(c, {1, 2, 3, 4}));
  reprosum_close(handle);
}

TEST_F(MatrixCall, WithoutSummandsGemmScales) {
  const auto scaled = [&](reprosum_layout layout, double beta) {
    std::vector<double> c{1.5, kNaN, -0.0, 4, 9, 9};
    EXPECT_EQ(reprosum_dgemm(handle_, layout, REPROSUM_NO_TRANS, REPROSUM_NO_TRANS, 2, 2, 0, 5,
                             nullptr, 2, nullptr, 2, beta, c.data(), 3),
              REPROSUM_OK)
        << reprosum_last_error(handle_);
    return c;
  };
  for (const auto layout : {REPROSUM_ROW_MAJOR, REPROSUM_COLUMN_MAJOR}) {
    // Element 2 is the gap of a leading dimension of 3.
    EXPECT_TRUE(same(scaled(layout, 0), {0, 0, -0.0, 0, 0, 9}));
    EXPECT_TRUE(same(scaled(layout, 1), {1.5, kNaN, -0.0, 4, 9, 9}));
    EXPECT_TRUE(same(scaled(layout, -2), {-3, kNaN, -0.0, -8, -18, 9}));
  }
}

TEST_F(MatrixCall, NamesItsKernels) {
  reprosum_product product{};
  product.routine = REPROSUM_GEMM;
  product.type = REPROSUM_F32;
  product.transa = REPROSUM_TRANS;
  product.transb = REPROSUM_NO_TRANS;
  product.m = 9;
  product.n = 6;
  product.k = 5;
  char names[400];
  ASSERT_EQ(reprosum_product_kernels(handle_, &product, names, sizeof names), REPROSUM_OK);
  if (samples::has_tiles(handle_)) {
    EXPECT_NE(std::string(names).find("; "), std::string::npos) << names;
  }
  ASSERT_EQ(reprosum_set_isa(handle_, "interpreter"), REPROSUM_OK);
  ASSERT_EQ(reprosum_product_kernels(handle_, &product, names, sizeof names), REPROSUM_OK);
  EXPECT_STREQ(names, "interpreter: every output");
  product.m = samples::kLargestProduct + 1;
  EXPECT_EQ(reprosum_product_kernels(handle_, &product, names, sizeof names), REPROSUM_NOT_COVERED);
  EXPECT_STREQ(names, "interpreter: every output");
}

#if defined(__SSE2__)
TEST_F(MatrixCall, CallerKeepsItsFloatEnvironmentAndGetsTheBits) {
  constexpr std::int64_t kSize = 67;
  const auto data = samples::random_data<double>(kSize * kSize * 3, 5);
  const double *a = data.data(), *b = a + kSize * kSize;
  const auto calls = [&] {
    std::vector<double> out(data.end() - kSize * kSize, data.end());
    out[1] = std::numeric_limits<double>::denorm_min();
    EXPECT_EQ(
        reprosum_dgemm(handle_, REPROSUM_COLUMN_MAJOR, REPROSUM_NO_TRANS, REPROSUM_TRANS, kSize,
                       kSize - 1, kSize, 0.7, a, kSize, b, kSize, 0.3, out.data(), kSize),
        REPROSUM_OK);
    EXPECT_EQ(reprosum_dgemv(handle_, REPROSUM_ROW_MAJOR, REPROSUM_TRANS, kSize, kSize, -1.1, a,
                             kSize, b, 1, 0.3, out.data() + kSize * (kSize - 1), 1),
              REPROSUM_OK);
    // k = 0: subnormals are halved.
    EXPECT_EQ(reprosum_dgemm(handle_, REPROSUM_COLUMN_MAJOR, REPROSUM_NO_TRANS, REPROSUM_TRANS, 1,
                             1, 0, 1, a, 1, b, 1, 3, out.data() + 1, 1),
              REPROSUM_OK);
    return out;
  };
  const unsigned saved = _mm_getcsr();
  _mm_setcsr(0x1f80);
  const std::vector<double> wanted = calls();
  for (const int workers : {1, 3}) {
    ASSERT_EQ(reprosum_set_workers(handle_, workers), REPROSUM_OK);
    // Rounding upwards, to zero; flushing; traps; flags.
    for (const unsigned mode : {0x1f80u, 0x5fbfu, 0xffc0u, 0x0000u, 0x8040u, 0x601fu}) {
      _mm_setcsr(mode);
      const std::vector<double> got = calls();
      const unsigned after = _mm_getcsr();
      _mm_setcsr(0x1f80);
      EXPECT_EQ(after, mode) << std::hex << mode;
      EXPECT_TRUE(same(got, wanted)) << std::hex << mode << ", workers " << workers;
    }
  }
  _mm_setcsr(saved);
}
#endif

TEST_F(MatrixCall, OneHandleIsSharedByThreads) {
  constexpr std::int64_t kSize = 40;
  const auto data = samples::random_data<float>(kSize * kSize * 2, 6);
  const auto product = [&](std::int64_t size) {
    std::vector<float> c(static_cast<std::size_t>(size * size), 1);
    const reprosum_status status = reprosum_sgemm(
        handle_, REPROSUM_ROW_MAJOR, REPROSUM_TRANS, REPROSUM_NO_TRANS, size, size, size, 0.7F,
        data.data(), size, data.data() + kSize * kSize, size, 0.3F, c.data(), size);
    if (status != REPROSUM_OK) c.clear();
    return c;
  };
  // The referee is another handle's interpreter: here nothing is generated yet.
  std::vector<std::vector<float>> wanted{{}};
  reprosum_handle* const own = handle_;
  handle_ = samples::open(samples::product_spec());
  ASSERT_EQ(reprosum_set_isa(handle_, "interpreter"), REPROSUM_OK);
  for (std::int64_t size = 1; size <= kSize; ++size) wanted.push_back(product(size));
  reprosum_close(handle_);
  handle_ = own;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 60; ++round) {
        const auto size = static_cast<std::size_t>(1 + (round + 5 * t) % kSize);
        wrong += !same(product(static_cast<std::int64_t>(size)), wanted[size]);
        // Each thread sees its own message.
        const std::int64_t beyond = 1000 + t;
        float out = 0;
        const std::vector<float> none(1);
        wrong +=
            reprosum_sgemv(handle_, REPROSUM_COLUMN_MAJOR, REPROSUM_NO_TRANS, beyond, 1, 1,
                           data.data(), beyond, none.data(), 1, 0, &out, 1) != REPROSUM_NOT_COVERED;
        wrong += std::string(reprosum_last_error(handle_)).find("m = " + std::to_string(beyond)) ==
                 std::string::npos;
        if (round % 8 == 0) reprosum_set_workers(handle_, 1 + round / 8 % 3);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace reprosum
