// Generated kernels against the interpreter, bit for bit, for every instruction set of this host.
#include "kernels/kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "spec/evaluate/evaluate.h"
#include "spec/surface.h"
#include "tests/kernels/orders.h"

namespace reprosum::kernels {
namespace {

using test::NamedOrder;

constexpr std::int64_t kAwkward[] = {301,  333,  511,  512,  513,   1000,  1023,  1025, 2047,
                                     4097, 8191, 8192, 8193, 10000, 10001, 16385, 30011};

std::vector<std::int64_t> sizes(bool long_ones) {
  std::vector<std::int64_t> all;
  for (std::int64_t n = 1; n <= 300; ++n) all.push_back(n);
  all.insert(all.end(), std::begin(kAwkward), std::end(kAwkward));
  if (long_ones) all.insert(all.end(), {99991, 100000, 131071});
  return all;
}

// Data that starts `bytes` (a multiple of the element) after a 64-byte boundary.
template <class T>
class Misaligned {
 public:
  Misaligned(const std::vector<T>& data, std::size_t bytes)
      : storage_(data.size() * sizeof(T) + 192) {
    const auto at = reinterpret_cast<std::uintptr_t>(storage_.data());
    data_ = reinterpret_cast<T*>(storage_.data() + (64 - at % 64) + bytes);
    std::memcpy(data_, data.data(), data.size() * sizeof(T));
  }
  const T* data() const { return data_; }

 private:
  std::vector<unsigned char> storage_;
  T* data_ = nullptr;
};

template <class T>
void check(const NamedOrder& named, const std::vector<std::int64_t>& at, std::mt19937_64& random,
           bool must_generate) {
  const spec::Order order = spec::parse_order(named.text);
  for (const Isa isa : host_isas()) {
    std::string why;
    const auto kernel = compile<T>(order, named.routine, {isa, ""}, &why);
    SCOPED_TRACE(kernel->name() + " " + why);
    if (must_generate) {
      ASSERT_EQ(kernel->isa(), isa) << why;
      ASSERT_EQ(why, "");
    }
    for (const std::int64_t n : at) {
      if (n > named.n_max) continue;
      const std::size_t shift_x = random() % (64 / sizeof(T)) * sizeof(T);
      const std::size_t shift_y = random() % (64 / sizeof(T)) * sizeof(T);
      const Misaligned<T> x(test::hostile_data<T>(random, n, true), shift_x);
      const Misaligned<T> y(test::hostile_data<T>(random, n, true), shift_y);
      const T* second = named.routine == spec::Routine::dot ? y.data() : nullptr;
      const T wanted = spec::evaluate<T>(order, n, x.data(), 1, second, 1);
      const T got = kernel->call(n, x.data(), second);
      ASSERT_TRUE(test::same(wanted, got)) << "n = " << n << ": " << wanted << ", got " << got;
    }
  }
}

void check(const NamedOrder& named, const std::vector<std::int64_t>& at, std::mt19937_64& random,
           bool must_generate) {
  SCOPED_TRACE(named.name + ": " + named.text);
  spec::is_f32(named.type) ? check<float>(named, at, random, must_generate)
                           : check<double>(named, at, random, must_generate);
}

TEST(Kernel, LibraryOrders) {
  std::mt19937_64 random(2);
  for (const auto& named : test::library_orders()) {
    check(named, sizes(true), random, true);
    if (HasFatalFailure()) return;
  }
}

TEST(Kernel, AMillionSummands) {
  std::mt19937_64 random(3);
  const auto orders = test::library_orders();
  for (const std::size_t k : {std::size_t{4}, std::size_t{5}, std::size_t{11}})
    check(orders[k], {1000003}, random, true);
}

TEST(Kernel, SyntheticOrders) {
  std::mt19937_64 random(4);
  for (const auto& named : test::synthetic_orders()) {
    check(named, sizes(false), random, true);
    if (HasFatalFailure()) return;
  }
}

TEST(Kernel, LanesThatASubOrderAddsAreInterpreted) {
  std::mt19937_64 random(6);
  for (const auto& named : test::lane_orders()) {
    check(named, sizes(false), random, false);
    if (HasFatalFailure()) return;
  }
  std::string why;
  (void)compile<float>(spec::parse_order(test::lane_orders()[0].text), spec::Routine::sum,
                       {host_isas().back(), ""}, &why);
  if (host_isas().back() != Isa::interpreter) {
    EXPECT_NE(why.find("lanes that a sub-order adds"), std::string::npos) << why;
  }
}

// Some of the sizes begin or end a block of lanes, a row or a piece.
TEST(Kernel, ManyLanes) {
  std::mt19937_64 random(5);
  for (const auto& named : test::many_lanes_orders()) {
    std::vector<std::int64_t> at;
    for (const std::int64_t edge : {1, 256, 2100, 4200, 4352, 4608, 5000, 8192, 9216, 50'000})
      for (std::int64_t n = edge - 1; n <= edge + 2; ++n)
        at.push_back(std::max<std::int64_t>(1, n));
    for (int k = 0; k < 10; ++k) at.push_back(1 + std::int64_t(random() % 60'000));
    std::erase_if(at, [&](std::int64_t n) { return n > named.n_max; });
    check(named, at, random, true);
    if (HasFatalFailure()) return;
  }
}

TEST(Kernel, RandomOrders) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  int generated = 0;
  for (int i = 0; i < 60; ++i) {
    const NamedOrder named = test::random_order(random);
    std::vector<std::int64_t> at;
    for (std::int64_t n = 1; n < 40; ++n) at.push_back(n);
    for (int k = 0; k < 40; ++k) at.push_back(1 + std::int64_t(random() % 700));
    at.push_back(1 + std::int64_t(random() % 20000));
    check(named, at, random, false);
    if (HasFatalFailure()) return;
    std::string why;
    const CompileOptions options{host_isas().back(), ""};
    const spec::Order order = spec::parse_order(named.text);
    spec::is_f32(named.type) ? (void)compile<float>(order, named.routine, options, &why)
                             : (void)compile<double>(order, named.routine, options, &why);
    generated += why.empty() ? 1 : 0;
  }
  if (host_isas().size() > 1) {
    EXPECT_GE(generated, 50);
  }
}

template <class T>
void check_batch(const NamedOrder& named, std::mt19937_64& random) {
  const spec::Order order = spec::parse_order(named.text);
  for (const Isa isa : host_isas()) {
    const auto kernel = compile<T>(order, named.routine, {isa, ""});
    for (const std::int64_t n : {1, 3, 7, 31, 64, 101, 512, 1001}) {
      for (const std::int64_t rows : {1, 2, 7, 8, 19, 31}) {
        // Rows a page apart may be taken in smaller groups.
        const bool pages = n == 101, shared = !pages && random() % 2 == 0;
        const std::int64_t ldx = pages ? 1024 : n + 3, ldy = shared ? 0 : pages ? 1024 : n + 5;
        const auto x = test::hostile_data<T>(random, rows * ldx, true);
        const auto y = test::hostile_data<T>(random, rows * ldx + 2 * rows, true);
        std::vector<T> out(static_cast<std::size_t>(rows));
        kernel->batch(n, rows, x.data(), ldx, y.data(), ldy, out.data());
        for (std::int64_t i = 0; i < rows; ++i) {
          const T* second = named.routine == spec::Routine::dot ? y.data() + i * ldy : nullptr;
          const T wanted = spec::evaluate<T>(order, n, x.data() + i * ldx, 1, second, 1);
          ASSERT_TRUE(test::same(wanted, out[static_cast<std::size_t>(i)]))
              << kernel->name() << " row " << i << " of " << rows << ", n = " << n;
        }
      }
    }
  }
}

// Summands with increments are those of copies without: nothing between them is a summand.
template <class T>
void check_strided(const NamedOrder& named, std::mt19937_64& random, int* served) {
  const spec::Order order = spec::parse_order(named.text);
  const bool with_y = named.routine == spec::Routine::dot;
  const std::int64_t increments[] = {2, -2, -1, 3, -7, 1, 0, 64};
  for (const Isa isa : host_isas()) {
    const auto kernel = compile<T>(order, named.routine, {isa, ""});
    SCOPED_TRACE(kernel->name());
    for (std::int64_t n = 1; n <= named.n_max && n < 3000; n += 1 + n / 2 + n % 3) {
      const std::int64_t incx = increments[random() % 8], incy = increments[random() % 8];
      const auto x = test::hostile_data<T>(random, (n - 1) * std::abs(incx) + 1, true);
      const auto y = test::hostile_data<T>(random, (n - 1) * std::abs(incy) + 1, true);
      const T* const first_x = x.data() + (incx < 0 ? (1 - n) * incx : 0);
      const T* const first_y = y.data() + (incy < 0 ? (1 - n) * incy : 0);
      std::vector<T> packed_x, packed_y;
      for (std::int64_t k = 0; k < n; ++k) {
        packed_x.push_back(first_x[k * incx]);
        packed_y.push_back(first_y[k * incy]);
      }
      const T wanted =
          spec::evaluate<T>(order, n, packed_x.data(), 1, with_y ? packed_y.data() : nullptr, 1);
      T got{};
      const bool done =
          kernel->call_strided(n, first_x, incx, with_y ? first_y : nullptr, incy, &got);
      if (!done) continue;  // an order of several pieces, or the interpreter
      ++*served;
      ASSERT_TRUE(test::same(wanted, got)) << "n = " << n << ", increments " << incx << " " << incy
                                           << ": " << wanted << ", got " << got;
    }
  }
}

// The walk adds them, by the interpreter, inside whatever else has code.
TEST(Kernel, PiecesThatGoOn) {
  std::mt19937_64 random(4);
  for (const auto& named : test::running_orders()) {
    check(named, sizes(false), random, false);
    if (HasFatalFailure()) return;
  }
}

TEST(Kernel, Increments) {
  std::mt19937_64 random(6);
  for (const auto& orders :
       {test::library_orders(), test::synthetic_orders(), test::many_lanes_orders()})
    for (const auto& named : orders) {
      SCOPED_TRACE(named.name + ": " + named.text);
      int served = 0;
      spec::is_f32(named.type) ? check_strided<float>(named, random, &served)
                               : check_strided<double>(named, random, &served);
      if (HasFatalFailure()) return;
      const bool is_loop = spec::parse_order(named.text).regimes.size() == 1 &&
                           named.text.find("split") == std::string::npos &&
                           named.text.find("parts") == std::string::npos;
      EXPECT_TRUE(served > 0 || !is_loop || host_isas().size() == 1);
    }
}

TEST(Kernel, Batches) {
  std::mt19937_64 random(5);
  auto orders = test::library_orders();
  for (const auto& named : test::synthetic_orders()) orders.push_back(named);
  for (const auto& named : test::many_lanes_orders()) orders.push_back(named);
  for (const auto& named : orders) {
    SCOPED_TRACE(named.name);
    spec::is_f32(named.type) ? check_batch<float>(named, random)
                             : check_batch<double>(named, random);
    if (HasFatalFailure()) return;
  }
}

// Plans of one order are counted: the first regimes get code, the others the interpreter.
TEST(Kernel, AnOrderBeyondItsBudgetIsGeneratedInPart) {
  std::string text;
  for (int regime = 0; regime < 16; ++regime) {
    text += std::to_string(1000 * regime + 1) + ".." + std::to_string(1000 * regime + 1000) +
            ": loop 64 {";
    for (int r = 0; r < 16; ++r)  // one tree, written for ranges of residues apart
      text += std::to_string(4 * r) + ".." + std::to_string(4 * r + 3) +
              ": L = [.@0 +64 x q]; [L@0 +1 x 64 .@64q +1 x r];";
    text += "}";
  }
  const spec::Order order = spec::parse_order(text);
  std::mt19937_64 random(6);
  for (const Isa isa : host_isas()) {
    if (isa == Isa::interpreter) continue;
    std::string why;
    const auto kernel = compile<double>(order, spec::Routine::sum, {isa, ""}, &why);
    EXPECT_EQ(kernel->isa(), isa);
    EXPECT_NE(why.find("more code than one order is given"), std::string::npos) << why;
    for (const std::int64_t n : {1, 63, 999, 1001, 8191, 15999, 16000}) {
      const auto x = test::hostile_data<double>(random, n, true);
      EXPECT_TRUE(test::same(spec::evaluate<double>(order, n, x.data(), 1, nullptr, 1),
                             kernel->call(n, x.data(), nullptr)))
          << n;
    }
  }
}

// A document of 272 KB that took 104 s and 2 GB at its first call.
TEST(Kernel, ManyResiduesOfManyLanesAreInterpretedAtOnce) {
  std::string text = "1..1000000: loop 2048 {";
  for (int r = 0; r < 2048; ++r)
    text += std::to_string(r) + ": L = [.@0 +2048 x q]; [L@0 +1 x 2048 .@2048q +1 x " +
            std::to_string(r) + "];";
  const spec::Order order = spec::parse_order(text + "}");
  std::string why;
  const auto kernel = compile<double>(order, spec::Routine::sum, {host_isas().back(), ""}, &why);
  EXPECT_EQ(kernel->isa(), Isa::interpreter);
  if (host_isas().size() > 1) {
    EXPECT_NE(why.find("too many nodes"), std::string::npos) << why;
  }
  const std::vector<double> x(5000, 1.0);
  EXPECT_EQ(kernel->call(5000, x.data(), nullptr), 5000.0);
}

TEST(Kernel, NamesAndCoverage) {
  const auto named = test::library_orders()[5];
  const spec::Order order = spec::parse_order(named.text);
  const auto kernel = compile<double>(order, spec::Routine::dot, {Isa::interpreter, ""});
  EXPECT_EQ(kernel->name(), "ddot_" + spec::meaning_hash(order).substr(0, 12) + "_interpreter");
  EXPECT_EQ(kernel->n_max(), 1 << 20);
}

}  // namespace
}  // namespace reprosum::kernels
