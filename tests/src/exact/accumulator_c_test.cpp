// The C API of superaccumulators: life, statuses, messages, increments, the caller's environment.
#include <gtest/gtest.h>
#include <reprosum/exact.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

extern "C" double sum_from_c(void);

namespace {

// A value that the enumeration does not have, as a C caller may pass it.
template <class Enum>
Enum wild(int value) {
  Enum result;
  std::memcpy(&result, &value, sizeof result);
  return result;
}

struct Held {
  explicit Held(reprosum_type type) {
    EXPECT_EQ(reprosum_accumulator_create(type, &pointer), REPROSUM_OK);
  }
  ~Held() { reprosum_accumulator_destroy(pointer); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  operator reprosum_accumulator*() const { return pointer; }
  double rounded(reprosum_rounding mode = REPROSUM_NEAREST_EVEN) const {
    double out = -1;
    EXPECT_EQ(reprosum_accumulator_dround(pointer, mode, &out), REPROSUM_OK);
    return out;
  }
  reprosum_accumulator* pointer = nullptr;
};

TEST(AccumulatorC, StreamsAndMerges) {
  const std::vector<double> x = {1e300, 1, 2, -1e300, 0x1p-1000};
  Held a(REPROSUM_F64), b(REPROSUM_F64);
  ASSERT_EQ(reprosum_accumulator_dadd(a, 3, x.data(), 1), REPROSUM_OK);
  ASSERT_EQ(reprosum_accumulator_dadd(b, 2, x.data() + 3, 1), REPROSUM_OK);
  ASSERT_EQ(reprosum_accumulator_merge(a, b), REPROSUM_OK);
  EXPECT_EQ(a.rounded(), 3);
  EXPECT_EQ(a.rounded(REPROSUM_UPWARD), std::nextafter(3.0, 4.0));
  float single = 0;
  ASSERT_EQ(reprosum_accumulator_sround(a, REPROSUM_UPWARD, &single), REPROSUM_OK);
  EXPECT_EQ(single, std::nextafter(3.0f, 4.0f));
  ASSERT_EQ(reprosum_accumulator_negate(a), REPROSUM_OK);
  EXPECT_EQ(a.rounded(), -3);

  std::size_t size = 0;
  ASSERT_EQ(reprosum_accumulator_size(a, &size), REPROSUM_OK);
  std::vector<unsigned char> bytes(size);
  ASSERT_EQ(reprosum_accumulator_save(a, bytes.data(), size), REPROSUM_OK);
  reprosum_accumulator* loaded = nullptr;
  ASSERT_EQ(reprosum_accumulator_load(bytes.data(), size, &loaded), REPROSUM_OK);
  reprosum_type type = REPROSUM_F32;
  EXPECT_EQ(reprosum_accumulator_type(loaded, &type), REPROSUM_OK);
  EXPECT_EQ(type, REPROSUM_F64);
  ASSERT_EQ(reprosum_accumulator_merge(loaded, a), REPROSUM_OK);
  double twice = 0;
  ASSERT_EQ(reprosum_accumulator_dround(loaded, REPROSUM_NEAREST_EVEN, &twice), REPROSUM_OK);
  EXPECT_EQ(twice, -6);
  reprosum_accumulator_destroy(loaded);
  ASSERT_EQ(reprosum_accumulator_clear(a), REPROSUM_OK);
  EXPECT_EQ(a.rounded(), 0);
}

// Increments of both signs and zero reach the elements that BLAS names.
TEST(AccumulatorC, Increments) {
  const std::vector<double> x = {1, 10, 100, 1000, 10000, 100000}, y = {3, 5, 7, 11, 13, 17};
  const struct {
    int n;
    int incx, incy;
    double sum, dot;
  } cases[] = {{3, 2, 1, 10101, 1 * 3 + 100 * 5 + 10000 * 7},
               {3, -2, 1, 10101, 10000 * 3 + 100 * 5 + 1 * 7},
               {2, 3, -4, 1001, 1 * 13 + 1000 * 3},
               {4, 0, 1, 4, 3 + 5 + 7 + 11},
               {0, 1, 1, 0, 0}};
  for (const auto& c : cases) {
    Held sum(REPROSUM_F64), dot(REPROSUM_F64);
    ASSERT_EQ(reprosum_accumulator_dadd(sum, c.n, x.data(), c.incx), REPROSUM_OK);
    ASSERT_EQ(reprosum_accumulator_dadd_products(dot, c.n, x.data(), c.incx, y.data(), c.incy),
              REPROSUM_OK);
    EXPECT_EQ(sum.rounded(), c.sum);
    EXPECT_EQ(dot.rounded(), c.dot);
  }
}

TEST(AccumulatorC, HeaderIsC) { EXPECT_EQ(sum_from_c(), 3); }

TEST(AccumulatorC, Refusals) {
  Held f(REPROSUM_F32), d(REPROSUM_F64);
  const double x = 1;
  const float s = 1;
  double out = 42;
  const auto refused = [](reprosum_status status, const char* words) {
    EXPECT_EQ(status, REPROSUM_BAD_ARGUMENT) << words;
    EXPECT_NE(std::string(reprosum_last_error(nullptr)).find(words), std::string::npos)
        << reprosum_last_error(nullptr);
  };
  reprosum_accumulator* made = nullptr;
  refused(reprosum_accumulator_create(wild<reprosum_type>(2), &made), "unknown type 2");
  EXPECT_EQ(made, nullptr);
  refused(reprosum_accumulator_create(REPROSUM_F32, nullptr), "null");
  refused(reprosum_accumulator_dadd(f, 1, &x, 1), "cannot take doubles");
  refused(reprosum_accumulator_dadd(nullptr, 1, &x, 1), "accumulator is null");
  refused(reprosum_accumulator_sadd(f, -1, &s, 1), "negative");
  refused(reprosum_accumulator_sadd(f, 1, nullptr, 1), "x is null");
  refused(reprosum_accumulator_sadd_products(d, 1, &s, 1, nullptr, 1), "y is null");
  refused(reprosum_accumulator_merge(f, d), "different types");
  refused(reprosum_accumulator_merge(d, nullptr), "null");
  refused(reprosum_accumulator_dround(d, wild<reprosum_rounding>(4), &out), "rounding 4");
  EXPECT_EQ(out, 42);
  unsigned char bytes[544] = {};
  refused(reprosum_accumulator_save(d, bytes, 543), "544 are needed");
  refused(reprosum_accumulator_load(bytes, 544, &made), "not those of an accumulator");
  refused(reprosum_accumulator_load(nullptr, 544, &made), "null");
  EXPECT_EQ(made, nullptr);
  reprosum_accumulator_destroy(nullptr);
}

#if defined(__SSE2__)
TEST(AccumulatorC, CallersEnvironment) {
  const unsigned own = _mm_getcsr();
  const double x[3] = {std::numeric_limits<double>::denorm_min(), 1, 0x1p-53};
  const float s[2] = {std::numeric_limits<float>::denorm_min(), 0x1p-140f};
  for (const unsigned mode : {0x1f80u, 0xffc0u, 0x5fa5u, 0x2000u}) {
    Held a(REPROSUM_F64), b(REPROSUM_F32);
    double wide = 0;
    float narrow = 0;
    _mm_setcsr(mode);
    reprosum_accumulator_dadd(a, 3, x, 1);
    reprosum_accumulator_sadd(a, 2, s, 1);
    reprosum_accumulator_dround(a, REPROSUM_NEAREST_EVEN, &wide);
    reprosum_accumulator_sadd(b, 2, s, 1);
    reprosum_accumulator_sround(b, REPROSUM_NEAREST_EVEN, &narrow);
    const unsigned after = _mm_getcsr();
    _mm_setcsr(own);
    EXPECT_EQ(after, mode);
    EXPECT_EQ(wide, 1 + 0x1p-52);
    EXPECT_EQ(narrow, 0x1p-140f + 0x1p-149f);
  }
}
#endif

}  // namespace
