// gemv and gemm as device text: on OpenCL, and as CUDA C++ by fibres, they have the interpreter's
// bits.
#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "spec/error.h"
#include "spec/surface.h"
#include "tests/kernels/device_calls.h"
#include "tests/kernels/orders.h"
#include "tests/kernels/update_orders.h"

namespace reprosum::kernels::launch {
namespace {

using spec::MatrixClass;
using spec::Trans;

struct Problem {
  spec::Spec spec;
  spec::Entry entry;

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
                         const MatrixLaunches& launches, test::Product<T> call) {
  const spec::RegionMap map = problem.map(call.call);
  const Launches made = launches.call(map, call.call);
  const std::vector<T> before = call.c;
  spec::interpret_matrix(map, problem.spec.orders, call.arguments());
  const std::vector<T> wanted = call.c;
  call.c = before;
  runner.run(made, {test::memory_of(call.a), test::memory_of(call.b), test::memory_of(call.c)});
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
    outputs += expect_bits(
        runner, problem, launches,
        test::Product<T>(random, test::random_shape(random, most, k % 4 == 3 ? 700 : 100)));
  return outputs;
}

// Runs each `stride`th of the library's orders, beginning at a random one.
void expect_library(test::LaunchRunner& runner, std::uint64_t seed, int calls, std::size_t stride) {
  std::mt19937_64 random(seed);
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);  // a compiler of a device that does not end is to be found again
  const auto updates = test::library_updates();
  int printed = 0, refused = 0;
  std::int64_t outputs = 0;
  for (std::size_t k = random() % stride; k < updates.size(); k += stride) {
    const test::NamedUpdate& named = updates[k];
    const auto beta_zero = static_cast<MatrixClass::BetaZero>(random() % 5);
    SCOPED_TRACE(named.name + ": " + named.text + " seed " + std::to_string(seed));
    const Problem problem({spec::parse_order(named.text)},
                          test::uniform_regime({0, beta_zero, {}}, 400), named.type);
    try {
      outputs += spec::is_f32(named.type) ? expect_all<float>(runner, problem, random, calls, 90)
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
  EXPECT_GT(printed, static_cast<int>(updates.size() / stride / 2));
}

// As many orders as are wanted, however many are drawn that are refused.
void expect_random(test::LaunchRunner& runner, std::uint64_t seed, int orders) {
  std::mt19937_64 random(seed);
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  int printed = 0;
  for (int k = 0; printed < orders && k < 8 * orders; ++k) {
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
      spec::is_f32(type) ? expect_all<float>(runner, problem, random, 3, 60)
                         : expect_all<double>(runner, problem, random, 3, 60);
      ++printed;
    } catch (const UserError& error) {
      std::printf("refused: %s\n", error.what());
    }
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_EQ(printed, orders);
}

TEST(DeviceMatrix, LibraryOrdersOnOpenCl) {
  std::string why;
  const auto runner = test::opencl_runner(&why);
  if (runner == nullptr) GTEST_SKIP() << why;
  expect_library(*runner, std::random_device{}(), 4, 8);
}

TEST(DeviceMatrix, LibraryOrdersByFibres) {
  expect_library(*test::fibre_runner(), std::random_device{}(), 4, 2);
}

TEST(DeviceMatrix, RandomOrdersAndRegions) {
  expect_random(*test::fibre_runner(), std::random_device{}(), 8);
  std::string why;
  const auto runner = test::opencl_runner(&why);
  if (runner == nullptr) GTEST_SKIP() << why;
  expect_random(*runner, std::random_device{}(), 4);
}

// PoCL doubles what follows a barrier under a condition: the time that its compiler takes would
// grow by 2 for each such barrier. Loops that a compiler turns into a condition count as one.
TEST(DeviceMatrix, NoBarrierIsUnderACondition) {
  int barriers = 0;
  for (const test::NamedUpdate& named : test::library_updates()) {
    if (!named.generated) continue;
    const Problem problem({spec::parse_order(named.text)}, test::uniform_regime({}, 400),
                          named.type);
    MatrixCall shape;
    shape.m = 70, shape.n = 50, shape.k = 300;
    const Launches made =
        MatrixLaunches(problem.spec, problem.entry).call(problem.map(shape), shape);
    for (const auto& text : made.texts) {
      std::vector<std::string> blocks;
      std::istringstream lines(text->text.substr(text::device_macros().size()));
      for (std::string line; std::getline(lines, line);) {
        const std::string code = line.substr(std::min(line.find_first_not_of(' '), line.size()));
        if (code.starts_with("//")) continue;
        if (code.starts_with("BARRIER")) {
          ++barriers;
          for (const std::string& block : blocks)
            EXPECT_TRUE(block == "do {" || block == "{" || block.starts_with("KERNEL"))
                << named.name << ": a barrier within " << block;
        }
        if (code.starts_with("}") && !blocks.empty()) blocks.pop_back();
        if (code.ends_with("{")) blocks.push_back(code);
      }
      EXPECT_TRUE(blocks.empty()) << text->text;
    }
  }
  EXPECT_GT(barriers, 50);
}

// Where the summands of an output are neighbours, lanes of the order are work-items.
TEST(DeviceMatrix, TransposedProductsByAVector) {
  const std::uint64_t seed = std::random_device{}();
  std::mt19937_64 random(seed);
  std::string why;
  const auto fibres = test::fibre_runner(), opencl = test::opencl_runner(&why);
  int by_lanes = 0;
  for (const test::NamedUpdate& named : test::library_updates()) {
    SCOPED_TRACE(named.name + ": " + named.text + " seed " + std::to_string(seed));
    const Problem problem({spec::parse_order(named.text)}, test::uniform_regime({}, 400),
                          named.type);
    const MatrixLaunches launches(problem.spec, problem.entry);
    MatrixCall shape;
    shape.routine = spec::Routine::gemv;
    shape.trans_a = Trans::yes;
    shape.m = 1 + std::int64_t(random() % 150), shape.n = 1,
    shape.k = 1 + std::int64_t(random() % 300);
    const auto compare = [&]<class T>(T, test::LaunchRunner& runner) {
      const test::Product<T> call(random, shape);
      try {
        for (const auto& text : launches.call(problem.map(call.call), call.call).texts)
          by_lanes += text->entries[0].name == "tile_rows";
        expect_bits(runner, problem, launches, call);
      } catch (const UserError& refused) {
        EXPECT_FALSE(named.generated) << refused.what();
      }
    };
    spec::is_f32(named.type) ? compare(0.0F, *fibres) : compare(0.0, *fibres);
    if (opencl != nullptr && named.name == "dot lanes")
      spec::is_f32(named.type) ? compare(0.0F, *opencl) : compare(0.0, *opencl);
    if (HasFailure()) return;
  }
  EXPECT_GT(by_lanes, 4);
}

// Large tiles have eight by eight outputs.
TEST(DeviceMatrix, LargeProducts) {
  const std::uint64_t seed = std::random_device{}();
  std::mt19937_64 random(seed);
  const auto runner = test::fibre_runner();
  for (const test::NamedUpdate& named : test::library_updates()) {
    if (named.type != spec::Type::f32 ||
        (named.name != "blocks fused onto C" && named.name != "two accumulators"))
      continue;
    SCOPED_TRACE(named.name + " seed " + std::to_string(seed));
    const Problem problem({spec::parse_order(named.text)}, test::uniform_regime({}, 2000),
                          named.type);
    MatrixCall shape;
    shape.m = 530, shape.n = 515, shape.k = 43;
    shape.trans_a = static_cast<Trans>(random() % 2);
    shape.trans_b = static_cast<Trans>(random() % 2);
    expect_bits(*runner, problem, MatrixLaunches(problem.spec, problem.entry),
                test::Product<float>(random, shape));
  }
}

}  // namespace
}  // namespace reprosum::kernels::launch
