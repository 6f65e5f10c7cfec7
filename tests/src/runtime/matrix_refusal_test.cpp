// gemv and gemm of the C API: a bad argument and a call that is not covered give a status and a
// message, and nothing is written.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <new>

#include "sample_products.h"

namespace reprosum {
namespace {

constexpr double kUntouched = 12345.5;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr auto kColumns = REPROSUM_COLUMN_MAJOR;
constexpr auto kRows = REPROSUM_ROW_MAJOR;
constexpr auto kPlain = REPROSUM_NO_TRANS;
constexpr auto kTrans = REPROSUM_TRANS;

// dgemv or dgemm with arguments that are fine as they are.
struct Gemv {
  reprosum_layout layout = kColumns;
  reprosum_transpose trans = kPlain;
  std::int64_t m = 7, n = 5;
  double alpha = 1;
  const double* a = nullptr;
  std::int64_t lda = 7;
  const double* x = nullptr;
  std::int64_t incx = 1;
  double beta = 0.5;
  double* y = nullptr;
  std::int64_t incy = 1;
  reprosum_status operator()(const reprosum_handle* handle) const {
    return reprosum_dgemv(handle, layout, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
  }
};
struct Gemm {
  reprosum_layout layout = kColumns;
  reprosum_transpose transa = kPlain, transb = kPlain;
  std::int64_t m = 7, n = 6, k = 5;
  double alpha = 1;
  const double* a = nullptr;
  std::int64_t lda = 7;
  const double* b = nullptr;
  std::int64_t ldb = 5;
  double beta = 0.5;
  double* c = nullptr;
  std::int64_t ldc = 7;
  reprosum_status operator()(const reprosum_handle* handle) const {
    return reprosum_dgemm(handle, layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c,
                          ldc);
  }
};

class MatrixRefusal : public testing::Test {
 protected:
  static constexpr std::size_t kCount = 4000;

  void SetUp() override { open(samples::product_spec()); }
  void TearDown() override {
    reprosum_close(handle_);
    ::operator delete (memory_, std::align_val_t{64});
  }

  void open(spec::Spec spec) {
    reprosum_close(handle_);
    handle_ = samples::open(std::move(spec));
    ASSERT_NE(handle_, nullptr) << reprosum_last_error(nullptr);
    for (std::size_t k = 0; k < kCount; ++k)
      data_[k] = k < kOut ? 0.25 * static_cast<double>(k % 7) : kUntouched;
  }
  template <class Change>
  void open_guarded(const Change& change) {
    open(samples::guarded_product_spec([&](spec::Entry& entry) { change(entry.guard); }));
  }

  Gemv gemv() const {
    Gemv call;
    call.a = data_;
    call.x = data_ + 1600;
    call.y = data_ + kOut;
    return call;
  }
  Gemm gemm() const {
    Gemm call;
    call.a = data_;
    call.b = data_ + 1600;
    call.c = data_ + kOut;
    return call;
  }

  template <class Call>
  void expect_served(const Call& call) {
    EXPECT_EQ(call(handle_), REPROSUM_OK) << reprosum_last_error(handle_);
    std::fill(data_ + kOut, data_ + kCount, kUntouched);
  }
  template <class Call>
  void expect(reprosum_status wanted, const std::string& words, const Call& call) {
    const std::vector<double> before(data_, data_ + kCount);
    for (const char* const isa : {"", "interpreter"}) {
      ASSERT_EQ(reprosum_set_isa(handle_, isa), REPROSUM_OK);
      EXPECT_EQ(call(handle_), wanted) << words;
      EXPECT_NE(std::string(reprosum_last_error(handle_)).find(words), std::string::npos)
          << "said: " << reprosum_last_error(handle_) << "\nwanted: " << words;
      EXPECT_EQ(std::memcmp(before.data(), data_, sizeof(double) * kCount), 0) << words;
    }
  }
  // Expects a refusal of one changed call; the unchanged one is served.
  template <class Change>
  void bad_gemm(const std::string& words, const Change& change) {
    Gemm call = gemm();
    change(call);
    expect(REPROSUM_BAD_ARGUMENT, words, call);
  }
  template <class Change>
  void bad_gemv(const std::string& words, const Change& change) {
    Gemv call = gemv();
    change(call);
    expect(REPROSUM_BAD_ARGUMENT, words, call);
  }

  static constexpr std::size_t kOut = 3200;  // outputs from here on
  double* const memory_ =
      static_cast<double*>(::operator new (kCount * sizeof(double), std::align_val_t{64}));
  double* const data_ = memory_;
  reprosum_handle* handle_ = nullptr;
};

template <class Enum>
void set(Enum& to, int value) {
  std::memcpy(&to, &value, sizeof value);
}

TEST_F(MatrixRefusal, BadArgumentsOfGemm) {
  expect_served(gemm());
  bad_gemm("unknown layout 0", [](Gemm& g) { set(g.layout, 0); });
  bad_gemm("unknown transpose 7", [](Gemm& g) { set(g.transa, 7); });
  bad_gemm("unknown transpose -1", [](Gemm& g) { set(g.transb, -1); });
  bad_gemm("m = -1 is negative", [](Gemm& g) { g.m = -1; });
  bad_gemm("n = -2 is negative", [](Gemm& g) { g.n = -2; });
  bad_gemm("k = -3 is negative", [](Gemm& g) { g.k = -3; });
  bad_gemm("lda = 6 is less than 7", [](Gemm& g) { g.lda = 6; });
  bad_gemm("ldb = 4 is less than 5", [](Gemm& g) { g.ldb = 4; });
  bad_gemm("ldc = 6 is less than 7", [](Gemm& g) { g.ldc = 6; });
  bad_gemm("ldb = 5 is less than 6", [](Gemm& g) { g.transb = kTrans; });
  bad_gemm("lda = 4 is less than 5", [](Gemm& g) {
    g.layout = kRows;
    g.ldb = 6;
    g.lda = 4;
  });
  bad_gemm("a is null", [](Gemm& g) { g.a = nullptr; });
  bad_gemm("b is null", [](Gemm& g) { g.b = nullptr; });
  bad_gemm("c is null", [](Gemm& g) { g.c = nullptr; });
  const auto crooked = [](auto* pointer) {
    return reinterpret_cast<decltype(pointer)>(reinterpret_cast<std::uintptr_t>(pointer) + 4);
  };
  bad_gemm("a is not aligned", [&](Gemm& g) { g.a = crooked(g.a); });
  bad_gemm("c is not aligned", [&](Gemm& g) { g.c = crooked(g.c); });
  EXPECT_EQ(gemm()(nullptr), REPROSUM_BAD_ARGUMENT);
  EXPECT_STREQ(reprosum_last_error(nullptr), "the handle is null");
}

// BLAS has calls of these sizes; whoever serves what no spec covers may serve them.
TEST_F(MatrixRefusal, SizesBeyondThirtyTwoBitsAreNotCovered) {
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  const auto beyond = [&](const std::string& words, auto call, auto change) {
    change(call);
    expect(REPROSUM_NOT_COVERED, words + " is larger than 2^31", call);
  };
  beyond("m = 9223372036854775807", gemm(), [](Gemm& g) { g.m = INT64_MAX; });
  beyond("lda = 2147483649", gemm(), [](Gemm& g) { g.lda = kMost + 1; });
  beyond("ldb = 9223372036854775807", gemm(), [](Gemm& g) { g.ldb = INT64_MAX; });
  beyond("ldc = 2147483649", gemm(), [](Gemm& g) { g.ldc = kMost + 1; });
  beyond("lda = 2147483649", gemv(), [](Gemv& g) { g.lda = kMost + 1; });
}

TEST_F(MatrixRefusal, BadArgumentsOfGemv) {
  expect_served(gemv());
  bad_gemv("unknown layout 99", [](Gemv& g) { set(g.layout, 99); });
  bad_gemv("unknown transpose 110", [](Gemv& g) { set(g.trans, 110); });
  bad_gemv("m = -1 is negative", [](Gemv& g) { g.m = -1; });
  bad_gemv("n = -1 is negative", [](Gemv& g) { g.n = -1; });
  bad_gemv("lda = 6 is less than 7", [](Gemv& g) { g.lda = 6; });
  bad_gemv("lda = 4 is less than 5", [](Gemv& g) {
    g.layout = kRows;
    g.lda = 4;
  });
  bad_gemv("incx is 0", [](Gemv& g) { g.incx = 0; });
  bad_gemv("incy is 0", [](Gemv& g) { g.incy = 0; });
  bad_gemv("a is null", [](Gemv& g) { g.a = nullptr; });
  bad_gemv("x is null", [](Gemv& g) { g.x = nullptr; });
  bad_gemv("y is null", [](Gemv& g) { g.y = nullptr; });
  for (const std::int64_t wild :
       {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    bad_gemv("increment of x", [&](Gemv& g) { g.incx = wild; });
    bad_gemv("increment of y", [&](Gemv& g) { g.incy = wild; });
  }
  EXPECT_EQ(reprosum_set_workers(handle_, 0), REPROSUM_BAD_ARGUMENT);
  EXPECT_EQ(reprosum_set_workers(handle_, 1025), REPROSUM_BAD_ARGUMENT);
}

TEST_F(MatrixRefusal, Shapes) {
  Gemm call = gemm();
  call.m = call.lda = call.ldc = 301;
  expect(REPROSUM_NOT_COVERED, "m = 301 is beyond the captured 300", call);
  // The message speaks of the column-major problem.
  call = gemm();
  call.layout = kRows;
  call.m = 301;
  call.ldb = call.ldc = 6;
  expect(REPROSUM_NOT_COVERED, "n = 301 is beyond the captured 300", call);
  call = gemm();
  call.k = call.ldb = 301;
  expect(REPROSUM_NOT_COVERED, "k = 301", call);
  Gemv vector = gemv();
  vector.incx = 2;
  expect(REPROSUM_NOT_COVERED, "dgemv N with incx = 2, incy = 1 was not captured", vector);
}

TEST_F(MatrixRefusal, OtherRoutines) {
  spec::Spec spec = samples::product_spec();
  std::erase_if(spec.entries, [](const spec::Entry& entry) {
    return entry.routine != spec::Routine::gemm || entry.guard.trans_a == spec::Trans::yes;
  });
  open(std::move(spec));
  expect_served(gemm());
  expect(REPROSUM_NOT_COVERED, "dgemv was not captured", gemv());
  Gemm call = gemm();
  call.transa = kTrans;
  expect(REPROSUM_NOT_COVERED, "dgemm TN was not captured", call);
  double result = kUntouched;
  EXPECT_EQ(reprosum_ddot(handle_, 3, data_, 1, data_, 1, &result), REPROSUM_NOT_COVERED);
  EXPECT_NE(std::string(reprosum_last_error(handle_)).find("ddot"), std::string::npos);
  EXPECT_EQ(result, kUntouched);
}

TEST_F(MatrixRefusal, UnknownClasses) {
  open(samples::guarded_product_spec([](spec::Entry& entry) {
    entry.regimes[0].table = {{0, -1}, {0, 1}};
  }));
  Gemm call = gemm();
  call.n = 5;  // less than a whole tile of columns, but whole tiles of rows
  call.m = call.lda = call.ldc = 8;
  expect(REPROSUM_NOT_COVERED, "row type 0", call);
  call.n = 6;
  expect_served(call);
}

TEST_F(MatrixRefusal, Threads) {
  EXPECT_EQ(reprosum_set_threads(handle_, 2), REPROSUM_NOT_COVERED);
  expect_served(gemm());
  reprosum_product product{};
  product.routine = REPROSUM_GEMM;
  product.type = REPROSUM_F64;
  product.transa = product.transb = kPlain;
  product.m = product.n = product.k = 4;
  product.threads = 2;
  char names[200] = "as it was";
  EXPECT_EQ(reprosum_product_kernels(handle_, &product, names, sizeof names), REPROSUM_NOT_COVERED);
  EXPECT_NE(std::string(reprosum_last_error(handle_)).find("threads = 2 was not captured"),
            std::string::npos);
  EXPECT_STREQ(names, "as it was");
}

TEST_F(MatrixRefusal, Layouts) {
  open_guarded([](spec::Guard& guard) { guard.row_major = false; });
  expect_served(gemm());
  Gemm call = gemm();
  call.layout = kRows;
  call.ldb = 6;
  expect(REPROSUM_NOT_COVERED, "row-major calls of dgemm NN were not captured", call);
}

TEST_F(MatrixRefusal, CallsByRowsAreNamedAsTheyWereMade) {
  open_guarded([](spec::Guard& guard) { guard.threads = {2}; });
  Gemm call = gemm();
  call.transb = kTrans;
  call.ldb = 6;
  expect(REPROSUM_NOT_COVERED, "dgemm NT with m = 7, n = 6, k = 5 is not covered: ", call);
  call.layout = kRows;
  call.lda = call.ldb = 5;
  expect(REPROSUM_NOT_COVERED,
         "dgemm NT with m = 7, n = 6, k = 5 by rows is not covered: it is dgemm TN with m = 6, "
         "n = 7, k = 5 by columns, of which: ",
         call);
  Gemv vector = gemv();
  vector.layout = kRows;
  expect(REPROSUM_NOT_COVERED,
         "dgemv N with m = 7, k = 5 by rows is not covered: it is dgemv T with m = 7, k = 5 by "
         "columns, of which: ",
         vector);
}

// Some outputs of a product would be written before such a class is met.
TEST_F(MatrixRefusal, NodesThatFuseSeveralTerms) {
  spec::Spec spec = samples::product_spec();
  for (spec::Order& order : spec.orders)
    if (order == spec::parse_order(samples::kScaledSum))
      order =
          spec::parse_order("1..300: loop 1 { 0: a = fused(terms=4) [f@0 +1 x q]; [*a@0 outf]; }");
  spec::canonicalize(spec);
  open(std::move(spec));
  Gemm call = gemm();
  call.m = call.lda = call.ldc = 20;  // two tiles of the other order, then rows of this one
  expect(REPROSUM_NOT_COVERED, "nodes that fuse several terms", call);
}

TEST_F(MatrixRefusal, LeadingDimensions) {
  open_guarded([](spec::Guard& guard) { guard.leading[0] = spec::Leading::tight; });
  expect_served(gemm());
  Gemm call = gemm();
  call.lda = 8;
  expect(REPROSUM_NOT_COVERED, "that is the least one", call);
  Gemv vector = gemv();
  expect_served(vector);
  vector.lda = 9;
  expect(REPROSUM_NOT_COVERED, "that is the least one", vector);
  // The leading dimension is that of the column-major problem: by rows, B's is asked.
  call = gemm();
  call.layout = kRows;
  call.lda = 9;
  call.ldb = 6;
  expect_served(call);
  call.ldb = 7;
  expect(REPROSUM_NOT_COVERED, "that is the least one", call);
  open_guarded([](spec::Guard& guard) { guard.leading[0] = spec::Leading::padded; });
  expect(REPROSUM_NOT_COVERED, "that is greater than the least one", gemm());
  call = gemm();
  call.lda = 8;
  expect_served(call);
}

TEST_F(MatrixRefusal, LeadingDimensionsOfBAndC) {
  open(samples::guarded_product_spec([](spec::Entry& entry) {
    if (entry.routine == spec::Routine::gemm)
      entry.guard.leading = {spec::Leading::any, spec::Leading::tight, spec::Leading::padded};
  }));
  Gemm call = gemm();
  expect(REPROSUM_NOT_COVERED, "of C that is greater than the least one", call);
  call.ldc += 1;
  expect_served(call);
  call.lda += 1;
  expect_served(call);
  call.ldb += 1;
  expect(REPROSUM_NOT_COVERED, "of B that is the least one", call);
}

TEST_F(MatrixRefusal, Alignment) {
  open_guarded([](spec::Guard& guard) { guard.alignment = 16; });
  Gemm call = gemm();
  call.m = 6;
  call.lda = call.ldb = call.ldc = 8;
  expect_served(call);
  for (int operand = 0; operand < 6; ++operand) {
    Gemm odd = call;
    odd.a += operand == 0;
    odd.b += operand == 1;
    odd.c += operand == 2;
    odd.lda += operand == 3;
    odd.ldb += operand == 4;
    odd.ldc += operand == 5;
    expect(REPROSUM_NOT_COVERED, "that are multiples of 16 bytes, not of 8", odd);
  }
}

// BLAS's pointer is the lowest address, also where the first summand lies at the other end.
TEST_F(MatrixRefusal, AlignmentIsOfThePointers) {
  open_guarded([](spec::Guard& guard) { guard.alignment = 16; });
  Gemv call = gemv();
  call.lda = 8;
  call.incx = call.incy = -1;
  for (const std::int64_t m : {6, 7})
    for (const std::int64_t n : {4, 5}) {
      call.m = m;
      call.n = n;
      expect_served(call);
      Gemv odd = call;
      ++odd.x;
      expect(REPROSUM_NOT_COVERED, "that are multiples of 16 bytes, not of 8", odd);
      odd = call;
      ++odd.y;
      expect(REPROSUM_NOT_COVERED, "that are multiples of 16 bytes, not of 8", odd);
    }
}

// Two entries for two places of y: each call follows its own; a third place is refused.
TEST_F(MatrixRefusal, AddressesOfSingleOperands) {
  spec::Spec spec = samples::guarded_product_spec([](spec::Entry&) {});
  spec.entries.pop_back();  // gemm
  spec::Entry& first = spec.entries[0];
  first.guard.addresses = {{1, 1, 32, 16, 1, 1}, {{0, 0, 0, 0}, {0, 0, 16, 0}}};
  spec.entries.push_back(first);
  spec.entries[1].guard.addresses.residues = {{0, 0, 8, 0}};
  spec.entries[1].regimes[0].table = {{1, 0}, {0, 1}};
  open(spec);
  Gemv call = gemv();
  call.lda = 8;
  call.m = 8;
  call.alpha = 0.7;
  const auto bits = [&](int shift) {
    Gemv moved = call;
    double* out = data_ + kOut + shift;
    moved.y = out;
    for (int k = 0; k < 8; ++k) out[k] = 0.1 * k + 1 / 3.0;
    EXPECT_EQ(moved(handle_), REPROSUM_OK) << reprosum_last_error(handle_);
    return std::vector<double>(out, out + 8);
  };
  const auto expected = [&](bool onto_output) {
    std::vector<double> out;
    for (int i = 0; i < 8; ++i) {
      double row[5];
      for (int p = 0; p < 5; ++p) row[p] = call.a[i + 8 * p];
      out.push_back(samples::product_by_hand(onto_output, 5, row, call.x, call.alpha, call.beta,
                                             0.1 * i + 1 / 3.0));
    }
    return out;
  };
  ASSERT_NE(expected(true), expected(false));
  // Back and forth: the regions of a shape are kept for each place.
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_EQ(bits(0), expected(false));
    EXPECT_EQ(bits(1), expected(true));
    EXPECT_EQ(bits(2), expected(false));
    EXPECT_EQ(bits(4), expected(false));
    EXPECT_EQ(bits(5), expected(true));
  }
  Gemv odd = call;
  odd.y += 3;
  expect(REPROSUM_NOT_COVERED, "(y mod 16, lda mod 16) = (8, 0) bytes", odd);
  odd = call;
  odd.lda = 9;
  expect(REPROSUM_NOT_COVERED, "(y mod 16, lda mod 16) = (0, 8) bytes", odd);
}

TEST_F(MatrixRefusal, Alpha) {
  open_guarded([](spec::Guard& guard) { guard.alpha_one = true; });
  expect_served(gemm());
  expect_served(gemv());
  for (const double alpha : {-1.0, 0.5, 0.0, kNaN}) {
    Gemm call = gemm();
    call.alpha = alpha;
    expect(REPROSUM_NOT_COVERED, "only alpha = 1 was captured", call);
    Gemv vector = gemv();
    vector.alpha = alpha;
    expect(REPROSUM_NOT_COVERED, "only alpha = 1 was captured", vector);
  }
}

// An entry for alpha = 1 does not stand before one for finite data.
TEST_F(MatrixRefusal, AlphaOrFiniteData) {
  spec::Spec spec = samples::guarded_product_spec([](spec::Entry&) {});
  for (std::size_t k = 0, count = spec.entries.size(); k < count; ++k) {
    spec.entries[k].guard.finite_only = true;
    spec.entries.push_back(spec.entries[k]);
    spec.entries.back().guard.finite_only = false;
    spec.entries.back().guard.alpha_one = true;
  }
  open(std::move(spec));
  Gemm product = gemm();
  Gemv vector = gemv();
  for (int turn = 0; turn < 2; ++turn)
    for (const double alpha : {1.0, 0.5}) {
      product.alpha = vector.alpha = alpha;
      expect_served(product);
      expect_served(vector);
      data_[0] = kNaN;
      if (alpha == 1) {
        expect_served(product);
        expect_served(vector);
      } else {
        expect(REPROSUM_NOT_COVERED, "only alpha = 1 was captured", product);
        expect(REPROSUM_NOT_COVERED, "only alpha = 1 was captured", vector);
      }
      data_[0] = 0;
    }
}

TEST_F(MatrixRefusal, Beta) {
  open_guarded([](spec::Guard& guard) { guard.beta = spec::Beta::other; });
  expect_served(gemm());
  expect_served(gemv());
  Gemm call = gemm();
  call.beta = 1;
  expect(REPROSUM_NOT_COVERED, "only for beta other than 1", call);
  Gemv vector = gemv();
  vector.beta = 1;
  expect(REPROSUM_NOT_COVERED, "only for beta other than 1", vector);
}

TEST_F(MatrixRefusal, SpecialData) {
  open_guarded([](spec::Guard& guard) { guard.finite_only = true; });
  const std::string words = "with an Inf or NaN";
  const auto with = [&](std::size_t at, double value, const auto& call, bool refused) {
    const double saved = data_[at];
    data_[at] = value;
    if (refused)
      expect(REPROSUM_NOT_COVERED, words, call);
    else
      EXPECT_EQ(call(handle_), REPROSUM_OK) << reprosum_last_error(handle_);
    data_[at] = saved;
    std::fill(data_ + kOut, data_ + kCount, kUntouched);
  };
  for (const double value :
       {kNaN, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
    const Gemm call = gemm();
    with(34, value, call, true);         // the last element of A
    with(35, value, call, false);        // the first one behind it
    with(1600 + 29, value, call, true);  // B
    with(1600 + 30, value, call, false);
    with(kOut + 41, value, call, true);  // C
    with(kOut + 42, value, call, false);
    Gemm overwriting = call;
    overwriting.beta = 0;
    with(kOut + 41, value, overwriting, false);  // C is not read
    Gemm scaled = call;
    scaled.alpha = value;
    expect(REPROSUM_NOT_COVERED, words, scaled);
    Gemv vector = gemv();
    vector.incx = vector.incy = -1;
    with(1600 + 4, value, vector, true);
    with(1600 + 5, value, vector, false);
    with(kOut + 6, value, vector, true);
    with(kOut + 7, value, vector, false);
  }
  // The largest numbers are finite.
  with(34, std::numeric_limits<double>::max(), gemm(), false);
}

TEST_F(MatrixRefusal, ZeroFactors) {
  open_guarded([](spec::Guard& guard) { guard.nonzero_only = true; });
  std::replace(data_, data_ + kOut, 0.0, 0.125);
  const auto with = [&](std::size_t at, double value, const auto& call, bool refused) {
    const double saved = data_[at];
    data_[at] = value;
    if (refused)
      expect(REPROSUM_NOT_COVERED, "with a zero factor in A or B", call);
    else
      EXPECT_EQ(call(handle_), REPROSUM_OK) << reprosum_last_error(handle_);
    data_[at] = saved;
    std::fill(data_ + kOut, data_ + kCount, kUntouched);
  };
  constexpr double least = std::numeric_limits<double>::denorm_min();
  Gemm half = gemm();
  half.alpha = 0.5;
  for (const double zero : {0.0, -0.0}) {
    const Gemm call = gemm();
    with(34, zero, call, true);          // the last element of A
    with(35, zero, call, false);         // the first one behind it
    with(1600 + 29, zero, call, true);   // B
    with(kOut + 41, zero, call, false);  // C is no factor
    Gemm no_product = call;
    no_product.alpha = zero;
    with(34, zero, no_product, false);  // these classes read no factor then
    expect_served(no_product);
    Gemv vector = gemv();
    vector.incx = vector.incy = -1;
    with(1600 + 4, zero, vector, true);
    with(1600 + 5, zero, vector, false);
  }
  // alpha makes zeros of the least numbers.
  with(34, -least, gemm(), false);
  with(34, -least, half, true);
  with(1600 + 29, least, half, true);
  with(34, 2 * least, half, false);
  with(34, kNaN, gemm(), false);
}

// Each call follows the entry that admits its data.
TEST_F(MatrixRefusal, RulesOfOtherData) {
  spec::Spec spec = samples::guarded_product_spec([](spec::Entry&) {});
  spec.entries.pop_back();  // gemm
  spec.entries[0].guard.finite_only = true;
  spec.entries.push_back(spec.entries[0]);
  spec.entries[1].guard.finite_only = false;
  spec.entries[1].guard.nonzero_only = true;
  open(spec);
  std::replace(data_, data_ + kOut, 0.0, 0.125);
  std::fill(data_ + kOut, data_ + kCount, 1.0);
  Gemv call = gemv();
  const auto status = [&](double a, double x) {
    const double saved[] = {data_[0], data_[1600]};
    data_[0] = a;
    data_[1600] = x;
    const int got = call(handle_);
    std::fill(data_ + kOut, data_ + kCount, 1.0);
    data_[0] = saved[0];
    data_[1600] = saved[1];
    return got;
  };
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_EQ(status(1, 1), REPROSUM_OK);
    EXPECT_EQ(status(0, 1), REPROSUM_OK) << reprosum_last_error(handle_);
    EXPECT_EQ(status(1, kNaN), REPROSUM_OK) << reprosum_last_error(handle_);
    EXPECT_EQ(status(0, kNaN), REPROSUM_NOT_COVERED);
  }
}

}  // namespace
}  // namespace reprosum
