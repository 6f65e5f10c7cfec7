// gemv and gemm as device text: on OpenCL, and as CUDA C++ by fibres, they have the interpreter's
// bits.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iterator>
#include <limits>
#include <random>

#include "kernels/launch/matrix_launches.h"
#include "spec/error.h"
#include "spec/surface.h"
#include "tests/kernels/launch_runner.h"
#include "tests/kernels/orders.h"
#include "tests/kernels/update_orders.h"

namespace reprosum::kernels::launch {
namespace {

using spec::MatrixClass;
using spec::Trans;

// A call whose operands have gaps, and something before their first element.
template <class T>
struct Call {
  MatrixCall call;
  std::vector<T> a, b, c;

  Call(std::mt19937_64& random, std::int64_t most, std::int64_t most_k) {
    const auto below = [&](std::int64_t limit) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
    };
    constexpr T infinity = std::numeric_limits<T>::infinity();
    const T scalars[] = {T(0),  T(-0.0),  T(1),
                         T(-1), T(0.7),   T(-1.3),
                         T(3),  infinity, std::numeric_limits<T>::denorm_min()};
    call.m = 1 + below(below(3) == 0 ? 6 : most);
    call.n = 1 + below(below(3) == 0 ? 6 : most);
    call.k = 1 + below(below(3) == 0 ? 20 : most_k);
    call.trans_a = static_cast<Trans>(below(2));
    call.trans_b = static_cast<Trans>(below(2));
    call.alpha = static_cast<double>(scalars[below(std::ssize(scalars))]);
    call.beta = static_cast<double>(scalars[below(std::ssize(scalars))]);
    const bool gemv = below(4) == 0;
    if (gemv) {
      const std::int64_t increments[] = {1, 1, 2, -1, -3};
      call.routine = spec::Routine::gemv;
      call.n = 1;
      call.trans_b = Trans::no;
      call.incb = increments[below(5)];
      call.incc = increments[below(5)];
    }
    const bool ta = call.trans_a == Trans::yes, tb = call.trans_b == Trans::yes;
    call.lda = (ta ? call.k : call.m) + below(3);
    call.ldb = (tb ? call.n : call.k) + below(3);
    call.ldc = call.m + below(3);
    const auto extent = [](std::int64_t rows, std::int64_t columns, std::int64_t ld) {
      return rows + (columns - 1) * ld;
    };
    const std::int64_t b_size = gemv ? extent(1, call.k, std::abs(call.incb))
                                     : extent(tb ? call.n : call.k, tb ? call.k : call.n, call.ldb);
    const std::int64_t c_size =
        gemv ? extent(1, call.m, std::abs(call.incc)) : extent(call.m, call.n, call.ldc);
    const std::int64_t a_size = extent(ta ? call.k : call.m, ta ? call.m : call.k, call.lda);
    const bool special = below(3) == 0;
    call.a_at = below(3), call.b_at = below(3), call.c_at = below(3);
    a = test::hostile_data<T>(random, a_size + call.a_at, special);
    b = test::hostile_data<T>(random, b_size + call.b_at, special);
    c = test::hostile_data<T>(random, c_size + call.c_at, true);
    if (call.incb < 0) call.b_at += (1 - call.k) * call.incb;
    if (call.incc < 0) call.c_at += (1 - call.m) * call.incc;
  }

  MatrixArguments<T> arguments() {
    MatrixArguments<T> all;
    all.routine = call.routine;
    all.trans_a = call.trans_a;
    all.trans_b = call.trans_b;
    all.m = call.m, all.n = call.n, all.k = call.k;
    all.alpha = static_cast<T>(call.alpha), all.beta = static_cast<T>(call.beta);
    all.a = a.data() + call.a_at, all.lda = call.lda;
    all.b = b.data() + call.b_at, all.ldb = call.ldb, all.incb = call.incb;
    all.c = c.data() + call.c_at, all.ldc = call.ldc, all.incc = call.incc;
    return all;
  }
};

struct Problem {
  spec::Spec spec;
  spec::MatrixEntry entry;

  Problem(const std::vector<spec::Order>& orders, spec::MatrixRegime regime, spec::Type type) {
    spec.orders = orders;
    entry.type = type;
    entry.regimes = {std::move(regime)};
  }
  spec::RegionMap map(const MatrixCall& call) const {
    const spec::MatrixRegime& regime = entry.regimes[0];
    return {&regime, *spec::stretches(regime.rows, call.m),
            *spec::stretches(regime.columns, call.n)};
  }
};

// How many outputs were compared.
template <class T>
std::int64_t expect_bits(test::LaunchRunner& runner, const Problem& problem,
                         const MatrixLaunches& launches, Call<T> call) {
  const spec::RegionMap map = problem.map(call.call);
  const Launches made = launches.call(map, call.call);
  const std::vector<T> before = call.c;
  interpret_matrix(map, problem.spec.orders, call.arguments());
  const std::vector<T> wanted = call.c;
  call.c = before;
  const auto memory = [](std::vector<T>& data) {
    return test::Memory{data.data(), data.size() * sizeof(T)};
  };
  runner.run(made, {memory(call.a), memory(call.b), memory(call.c)});
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    EXPECT_TRUE(test::same(wanted[k], call.c[k]))
        << runner.name() << ": m, n, k = " << call.call.m << ", " << call.call.n << ", "
        << call.call.k << ", trans " << static_cast<int>(call.call.trans_a)
        << static_cast<int>(call.call.trans_b)
        << (call.call.routine == spec::Routine::gemv ? " gemv" : " gemm") << ", alpha "
        << call.call.alpha << ", beta " << call.call.beta << ", incx " << call.call.incb
        << ", incy " << call.call.incc << ", element " << k << ": wanted " << wanted[k] << ", got "
        << call.c[k];
    if (testing::Test::HasFailure()) {
      for (const auto& launch : made.launches)
        std::printf("%s\n",
                    made.texts[launch.text]->text.substr(text::device_macros().size()).c_str());
      return 0;
    }
  }
  return call.call.m * call.call.n;
}

template <class T>
std::int64_t expect_all(test::LaunchRunner& runner, const Problem& problem, std::mt19937_64& random,
                        int calls, std::int64_t most) {
  const MatrixLaunches launches(problem.spec, problem.entry);
  std::int64_t outputs = 0;
  for (int k = 0; k < calls && !testing::Test::HasFailure(); ++k)
    outputs +=
        expect_bits(runner, problem, launches, Call<T>(random, most, k % 4 == 3 ? 700 : 100));
  return outputs;
}

void expect_library(test::LaunchRunner& runner, std::uint64_t seed, int calls) {
  std::mt19937_64 random(seed);
  int printed = 0, refused = 0;
  std::int64_t outputs = 0;
  for (const test::NamedUpdate& named : test::library_updates()) {
    const auto beta_zero = static_cast<MatrixClass::BetaZero>(random() % 4);
    SCOPED_TRACE(named.name + ": " + named.text + " seed " + std::to_string(seed));
    const Problem problem({spec::parse_order(named.text)},
                          test::uniform_regime({0, beta_zero, {}}, 400), named.type);
    try {
      outputs += named.type == spec::Type::f32
                     ? expect_all<float>(runner, problem, random, calls, 90)
                     : expect_all<double>(runner, problem, random, calls, 90);
      ++printed;
    } catch (const UserError& error) {
      const bool is_known =
          !named.generated ||
          (MatrixClass::drops(beta_zero) &&
           std::string(error.what()) == "what takes the place of C depends on the data");
      EXPECT_TRUE(is_known) << error.what();
      ++refused;
    }
    if (testing::Test::HasFailure()) return;
  }
  std::printf("%d orders, %d refused, %lld outputs\n", printed, refused,
              static_cast<long long>(outputs));
  EXPECT_GT(printed, 20);
}

void expect_random(test::LaunchRunner& runner, std::uint64_t seed, int orders) {
  std::mt19937_64 random(seed);
  int printed = 0;
  for (int k = 0; k < orders; ++k) {
    const spec::Type type = k % 2 == 0 ? spec::Type::f32 : spec::Type::f64;
    std::vector<spec::Order> classes;
    std::string all;
    for (int c = 0; c < 3; ++c) {
      const test::NamedUpdate named = test::random_update(random, type);
      classes.push_back(spec::parse_order(named.text));
      all += named.text + "\n";
    }
    SCOPED_TRACE(all + "seed " + std::to_string(seed));
    const Problem problem(classes, test::random_regime(random, classes.size(), 400), type);
    try {
      type == spec::Type::f32 ? expect_all<float>(runner, problem, random, 3, 60)
                              : expect_all<double>(runner, problem, random, 3, 60);
      ++printed;
    } catch (const UserError& error) {
      std::printf("refused: %s\n", error.what());
    }
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(printed, orders / 4);
}

TEST(DeviceMatrix, LibraryOrdersOnOpenCl) {
  std::string why;
  const auto runner = test::opencl_runner(&why);
  if (runner == nullptr) GTEST_SKIP() << why;
  expect_library(*runner, std::random_device{}(), 4);
}

TEST(DeviceMatrix, LibraryOrdersByFibres) {
  expect_library(*test::fibre_runner(), std::random_device{}(), 4);
}

TEST(DeviceMatrix, RandomOrdersAndRegions) {
  expect_random(*test::fibre_runner(), std::random_device{}(), 8);
  std::string why;
  const auto runner = test::opencl_runner(&why);
  if (runner == nullptr) GTEST_SKIP() << why;
  expect_random(*runner, std::random_device{}(), 4);
}

}  // namespace
}  // namespace reprosum::kernels::launch
