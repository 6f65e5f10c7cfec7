// Chains out of order against the loop that they stand for, bit for bit. README.md of kernels/chain
// says why they agree; mutations.py beside it takes every check away and wants these tests to fail.
#include "kernels/chain/chain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/kernels/chain_data.h"

namespace reprosum::kernels::chain {
namespace {

constexpr Op kOps[] = {Op::sum, Op::rounded, Op::fused};

// Out of a file without vectors: what the compiler makes of it is the order as written.
template <class T>
T loop(Op op, T a, const T* x, const T* y, std::int64_t n) {
  for (std::int64_t k = 0; k < n; ++k) {
    if (op == Op::fused) {
      a = std::fma(x[k], y[k], a);
    } else {
      const T p = op == Op::sum ? x[k] : x[k] * y[k];
      a = a + p;
    }
  }
  return a;
}

template <class T>
bool same(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

std::vector<Isa> chain_isas() {
  std::vector<Isa> isas;
  for (const Isa isa : host_isas())
    if (code<double>(isa, Op::sum) != nullptr) isas.push_back(isa);
  return isas;
}

// Chains for each code; REPROSUM_CHAIN_CASES: another number of them.
std::int64_t cases(std::int64_t usual) {
  const char* const asked = std::getenv("REPROSUM_CHAIN_CASES");
  return asked == nullptr ? usual : std::atoll(asked);
}

// A vector with gaps, which are NaN and must not be added.
template <class T>
struct Spread {
  std::int64_t increment;
  std::vector<T> room;
  const T* at(std::int64_t k) const {
    const auto size = static_cast<std::int64_t>(room.size());
    return room.data() + (increment < 0 ? size - 1 : 0) + k * increment;
  }
  Spread(const std::vector<T>& values, std::mt19937_64& random)
      : increment(std::vector<std::int64_t>{1, 1, 2, -1, 3, -7}[random() % 6]),
        room(values.empty()
                 ? 1
                 : (values.size() - 1) * static_cast<std::size_t>(std::abs(increment)) + 1,
             std::numeric_limits<T>::quiet_NaN()) {
    for (std::size_t k = 0; k < values.size(); ++k)
      *const_cast<T*>(at(static_cast<std::int64_t>(k))) = values[k];
  }
};

template <class T>
struct Tally {
  std::int64_t chains = 0, summands = 0, one_by_one = 0;
};

// Blocks are tried at once in most chains, and without pauses in many: pauses are speed alone.
template <class T>
State<T> eager(std::mt19937_64& random) {
  State<T> state;
  state.plain = random() % 4 == 0 ? State<T>().plain : static_cast<std::int64_t>(random() % 9);
  if (random() % 2 == 0) state.credit = std::int64_t{1} << 20;
  return state;
}

template <class T>
void check_chains(std::int64_t count, std::uint64_t seed) {
  for (const Isa isa : chain_isas()) {
    for (const Op op : kOps) {
      SCOPED_TRACE(std::string(kernels::name(isa)) + " " + name(op) +
                   (sizeof(T) == 4 ? " f32" : " f64"));
      std::mt19937_64 random(seed);
      std::int64_t summands = 0, one_by_one = 0;
      for (std::int64_t c = 0; c < count; ++c) {
        const auto n = static_cast<std::int64_t>(random() % (random() % 4 == 0 ? 4096 : 700));
        const int kind = static_cast<int>(random() % test::kChainKinds);
        const test::ChainData<T> data = test::chain_data<T>(kind, n, random);
        State<T> state = eager<T>(random);
        const Spread<T> x(data.x, random), y(data.y, random);
        // In up to three parts: an accumulator goes on where it was.
        for (std::int64_t done = 0; done < n;) {
          const std::int64_t part =
              random() % 2 == 0 ? n - done : 1 + static_cast<std::int64_t>(random() % (n - done));
          code<T>(isa, op)(state, x.at(done), x.increment, y.at(done), y.increment, part);
          done += part;
        }
        const T wanted = loop<T>(op, 0, data.x.data(), data.y.data(), n);
        ASSERT_TRUE(same(wanted, state.sum))
            << "chain " << c << " of kind " << kind << ", n = " << n << ", increments "
            << x.increment << ", " << y.increment << ": " << std::hexfloat << wanted << ", got "
            << state.sum;
        summands += n;
        one_by_one += state.one_by_one;
      }
      // Else the blocks were not tested.
      if (count > 100) {
        EXPECT_LT(one_by_one, summands / 4 * 3);
      }
    }
  }
}

TEST(Chain, HostileChainsHaveTheBitsOfTheLoop) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  check_chains<double>(cases(1500), seed);
  check_chains<float>(cases(1500), seed + 1);
}

// Every kind at every place of a block, and none twice in the same way.
TEST(Chain, EachKindAlone) {
  for (const Isa isa : chain_isas()) {
    std::mt19937_64 random(7);
    for (int kind = 0; kind < test::kChainKinds; ++kind) {
      for (int c = 0; c < 20; ++c) {
        const test::ChainData<float> f = test::chain_data<float>(kind, 3000, random);
        const test::ChainData<double> d = test::chain_data<double>(kind, 3000, random);
        for (const Op op : kOps) {
          State<float> of_f = eager<float>(random);
          State<double> of_d = eager<double>(random);
          code<float>(isa, op)(of_f, f.x.data(), 1, f.y.data(), 1, 3000);
          code<double>(isa, op)(of_d, d.x.data(), 1, d.y.data(), 1, 3000);
          ASSERT_TRUE(same(loop<float>(op, 0, f.x.data(), f.y.data(), 3000), of_f.sum)) << kind;
          ASSERT_TRUE(same(loop<double>(op, 0, d.x.data(), d.y.data(), 3000), of_d.sum)) << kind;
        }
      }
    }
  }
}

// Blocks are what makes a chain of positive numbers fast: nearly all of it goes by them.
TEST(Chain, SumsOfOneSignGoByBlocks) {
  std::mt19937_64 random(8);
  const test::ChainData<double> data = test::chain_data<double>(0, 100'000, random);
  for (const Isa isa : chain_isas()) {
    for (const Op op : {Op::sum, Op::fused}) {
      State<double> state;
      code<double>(isa, op)(state, data.x.data(), 1, data.x.data(), 1, 100'000);
      EXPECT_LT(state.one_by_one, 2'000);
    }
  }
}

// Where an accumulator turns in circles nothing is won, and little is tried.
TEST(Chain, GivesUpWhereEveryStepCrosses) {
  std::vector<double> x(100'000);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = k == 0 ? 1 : k % 2 == 1 ? -0.25 : 0.25;
  for (const Isa isa : chain_isas()) {
    State<double> state;
    code<double>(isa, Op::sum)(state, x.data(), 1, x.data(), 1, 100'000);
    EXPECT_EQ(state.sum, loop<double>(Op::sum, 0, x.data(), x.data(), 100'000));
    EXPECT_GT(state.one_by_one, 99'000);
  }
}

TEST(Chain, OtherBackendsHaveNone) {
  EXPECT_EQ(code<float>(Isa::interpreter, Op::sum), nullptr);
  EXPECT_EQ(code<double>(Isa::neon, Op::fused), nullptr);
}

}  // namespace
}  // namespace reprosum::kernels::chain
