// libreprosum_blas.so as a program sees it: bits, coverage, xerbla_, threads.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "command.h"
#include "spec/evaluate/evaluate.h"
#include "test_data.h"

namespace reprosum {
namespace {

class BlasSymbols : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "blas_symbols_" + std::to_string(getpid()) + ".json";
    samples::write_spec(path_, samples::strided_spec());
    for (int i = 0; i < DATA_SIZE; ++i) {
      x_.push_back(data_x(i));
      y_.push_back(data_y(i));
    }
    xs_.assign(x_.begin(), x_.end());
    ys_.assign(y_.begin(), y_.end());
  }
  void TearDown() override { std::remove(path_.c_str()); }

  samples::Said call(const std::string& program, const std::string& arguments,
                     const std::string& environment = "") {
    return samples::run("env REPROSUM_SPEC=" + path_ + " " + environment + " " + program + " " +
                        arguments);
  }

  template <class T>
  static T value(const spec::Order& order, std::int64_t n, const std::vector<T>& x,
                 std::int64_t incx, const std::vector<T>* y, std::int64_t incy) {
    const T* const x0 = x.data() + (incx < 0 ? (1 - n) * incx : 0);
    const T* const y0 = y == nullptr ? nullptr : y->data() + (incy < 0 ? (1 - n) * incy : 0);
    return spec::evaluate<T>(order, n, x0, incx, y0, incy);
  }

  std::string path_;
  std::vector<double> x_, y_;
  std::vector<float> xs_, ys_;
};

TEST_F(BlasSymbols, EverySymbolReplaysTheSpec) {
  for (const auto& [n, incx, incy] :
       {std::tuple{1, 1, 1}, {1000, 1, 1}, {1999, 2, -1}, {777, -3, 1}, {50, 0, 1}, {33, -1, -2}}) {
    const bool unit = incx == 1 && incy == 1;
    const spec::Order strided = samples::sequential(samples::kLargest);
    const spec::Order dot =
        unit ? samples::lanes(8, samples::kLargest, spec::Leaf::fused) : strided;
    const spec::Order sum = incx == 1 ? samples::lanes(8, samples::kLargest) : strided;
    const double wanted[] = {value(dot, n, x_, incx, &y_, incy),
                             static_cast<double>(value(dot, n, xs_, incx, &ys_, incy)),
                             value<double>(sum, n, x_, incx, nullptr, 0),
                             static_cast<double>(value<float>(sum, n, xs_, incx, nullptr, 0))};
    std::ostringstream arguments;
    arguments << n << " " << incx << " " << incy;
    for (const char* const program :
         {BLAS_CALLER, BLAS_CALLER_64, BLAS_CALLER_WHEEL, BLAS_CALLER_WHEEL_64}) {
      const samples::Said said = call(program, arguments.str());
      EXPECT_EQ(said.exit_code, 0) << said.text;
      std::istringstream lines(said.text);
      std::string line;
      for (int i = 0; i < 8; ++i) {
        ASSERT_TRUE(std::getline(lines, line)) << said.text;
        EXPECT_EQ(std::strtod(line.c_str(), nullptr), wanted[i / 2])
            << program << ", symbol " << i << ", " << arguments.str();
      }
    }
  }
}

// Without summands, a dot product is +0 and a sum -0 in this spec, whatever the increments are.
TEST_F(BlasSymbols, NothingSummedIsWhatTheSpecSays) {
  std::string wanted;
  for (int i = 0; i < 8; ++i) wanted += i < 4 ? "0x0p+0\n" : "-0x0p+0\n";
  EXPECT_EQ(call(BLAS_CALLER, "0 1 1").text, wanted);
  EXPECT_EQ(call(BLAS_CALLER_64, "0 77 0").text, wanted);
  const samples::Said below = call(BLAS_CALLER, "-3 1 1");
  EXPECT_EQ(below.text.find("-0x0p+0\n-0x0p+0\n-0x0p+0\n-0x0p+0\n"), 0u) << below.text;
  EXPECT_NE(below.text.find("dsum with n = -3 was not captured"), std::string::npos) << below.text;
}

TEST_F(BlasSymbols, WithoutASpecNothingIsKnownOfNothing) {
  for (const std::string n : {"0", "-3"}) {
    const samples::Said said = samples::run("env -u REPROSUM_SPEC " BLAS_CALLER " " + n + " 1 1");
    EXPECT_EQ(said.exit_code, EXIT_FAILURE);
    EXPECT_NE(said.text.find("REPROSUM_SPEC names no spec"), std::string::npos) << said.text;
  }
}

TEST_F(BlasSymbols, UncoveredCallStopsWithAMessage) {
  const samples::Said said = call(BLAS_CALLER, "3 9 -2");
  EXPECT_EQ(said.exit_code, EXIT_FAILURE);
  EXPECT_NE(said.text.find("DDOT(n = 3, incx = 9, incy = -2) cannot be replayed"),
            std::string::npos)
      << said.text;
  EXPECT_NE(said.text.find("incx = 9, incy = -2 was not captured"), std::string::npos) << said.text;
}

TEST_F(BlasSymbols, UncoveredCallReachesTheProgramsXerbla) {
  const samples::Said increment = call(BLAS_CALLER_WITH_XERBLA, "3 9 1");
  EXPECT_NE(increment.text.find("xerbla DDOT   3\n"), std::string::npos) << increment.text;
  EXPECT_NE(increment.text.find("xerbla SSUM   3\n"), std::string::npos) << increment.text;
  EXPECT_NE(increment.text.find("nan\n"), std::string::npos) << increment.text;
  EXPECT_EQ(increment.exit_code, 0);
  const samples::Said other = call(BLAS_CALLER_WITH_XERBLA, "3 1 9");
  EXPECT_NE(other.text.find("xerbla SDOT   5\n"), std::string::npos) << other.text;
  const samples::Said size = call(BLAS_CALLER_WITH_XERBLA, "5001 0 0");
  EXPECT_NE(size.text.find("xerbla DDOT   1\n"), std::string::npos) << size.text;
}

TEST_F(BlasSymbols, ASpecThatCannotBeUsedIsSaidAtTheFirstCall) {
  const samples::Said none = samples::run("env -u REPROSUM_SPEC " BLAS_CALLER " 3 1 1");
  EXPECT_EQ(none.exit_code, EXIT_FAILURE);
  EXPECT_NE(none.text.find("REPROSUM_SPEC names no spec"), std::string::npos) << none.text;
  const samples::Said missing =
      samples::run("env REPROSUM_SPEC=/nonexistent.json " BLAS_CALLER_WITH_XERBLA " 3 1 1");
  EXPECT_NE(missing.text.find("/nonexistent.json"), std::string::npos) << missing.text;
  EXPECT_NE(missing.text.find("xerbla DDOT   0\n"), std::string::npos) << missing.text;
  const samples::Said threads = call(BLAS_CALLER, "3 1 1", "REPROSUM_THREADS=2");
  EXPECT_EQ(threads.exit_code, EXIT_FAILURE);
  EXPECT_NE(threads.text.find("threads = 2 was not captured"), std::string::npos) << threads.text;
  const samples::Said word = call(BLAS_CALLER, "3 1 1", "REPROSUM_THREADS=two");
  EXPECT_EQ(word.exit_code, EXIT_FAILURE);
  EXPECT_EQ(call(BLAS_CALLER, "3 1 1", "REPROSUM_THREADS=1").exit_code, 0);
}

TEST_F(BlasSymbols, ThreadsSelectTheOrder) {
  const spec::Order two = samples::lanes(2, 100);
  spec::Spec spec = samples::plain_spec();
  for (spec::Entry& entry : spec.entries) entry.regimes[0].k_max = 100;
  samples::add(spec, spec::Routine::dot, spec::Type::f64, spec::vector_guard({{1, 1}}, {2}), two,
               100);
  samples::write_spec(path_, spec);
  // The other routines were not captured with two threads; only the first line counts.
  const samples::Said said = call(BLAS_CALLER_WITH_XERBLA, "97 1 1", "REPROSUM_THREADS=2");
  EXPECT_EQ(std::strtod(said.text.c_str(), nullptr), value(two, 97, x_, 1, &y_, 1)) << said.text;
}

}  // namespace
}  // namespace reprosum
