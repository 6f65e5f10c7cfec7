// Oclgrind runs device text work-item by work-item and says which of them race, and which reach
// outside a buffer.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "kernels/launch/matrix_launches.h"
#include "kernels/launch/sum_launches.h"
#include "spec/error.h"
#include "spec/expand.h"
#include "spec/surface.h"
#include "tests/kernels/device_calls.h"
#include "tests/kernels/update_orders.h"

namespace reprosum::kernels::launch {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOclgrind = "/usr/lib/oclgrind/liboclgrind-rt-icd.so";

class DeviceRace : public testing::Test {
 protected:
  // Before OpenCL is first asked: Oclgrind is the only device then.
  void SetUp() override {
    if (!fs::exists(kOclgrind)) GTEST_SKIP() << "Oclgrind is not installed";
    folder_ = (fs::temp_directory_path() / "reprosum-races-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
    std::ofstream(folder_ + "/oclgrind.icd") << kOclgrind << "\n";
    setenv("OCL_ICD_VENDORS", folder_.c_str(), 1);
    setenv("OCLGRIND_DATA_RACES", "1", 1);
    setenv("OCLGRIND_LOG", (folder_ + "/log").c_str(), 1);
    std::string why;
    runner_ = test::opencl_runner(&why);
    if (why.starts_with("libOpenCL.so.1 was not loaded")) GTEST_SKIP() << why;
    ASSERT_NE(runner_, nullptr) << why;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string reports() const {
    std::ifstream log(folder_ + "/log");
    std::stringstream all;
    all << log.rdbuf();
    return all.str();
  }

  std::string folder_;
  std::unique_ptr<test::LaunchRunner> runner_;
};

template <class T>
void run_sum(test::LaunchRunner& runner, const Launches& launches, test::Rows<T>& rows,
             bool has_y) {
  std::vector<T> out(static_cast<std::size_t>(rows.call.rows));
  std::vector<test::Memory> operands{test::memory_of(rows.x)};
  if (has_y) operands.push_back(test::memory_of(rows.y));
  operands.push_back(test::memory_of(out));
  runner.run(launches, operands);
}

// Whatever an order is, its kernels read and write what the call has and nothing else.
TEST_F(DeviceRace, NoKernelRacesAndAMissingBarrierIsFound) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  auto orders = test::library_orders();
  for (std::size_t k = 0; k < 6; ++k) orders.push_back(test::random_order(random));
  for (std::size_t k = random() % 6; k < orders.size(); k += k < orders.size() - 7 ? 6 : 1) {
    const spec::Order order = spec::parse_order(orders[k].text);
    const bool has_y = orders[k].routine == spec::Routine::dot;
    const SumLaunches launches(order, orders[k].routine, orders[k].type);
    const std::int64_t most = std::min<std::int64_t>(299, spec::covered_to(order));
    const auto run = [&]<class T>(T, std::int64_t n) {
      test::Rows<T> rows(random, n, 5, 1, -1, false);
      try {
        run_sum(*runner_, launches.call(rows.call), rows, has_y);
      } catch (const UserError&) {  // not defined at n
      }
    };
    for (const std::int64_t n : {most, 1 + static_cast<std::int64_t>(random() % 64)})
      spec::is_f32(orders[k].type) ? run(0.0F, n) : run(0.0, n);
    ASSERT_EQ(reports(), "") << orders[k].text;
  }
  std::vector<test::NamedUpdate> updates{test::library_updates()[0], test::library_updates()[5]};
  for (const spec::Type type : {spec::Type::f32, spec::Type::f64, spec::Type::f32})
    updates.push_back(test::random_update(random, type));
  for (const test::NamedUpdate& named : updates) {
    spec::Spec spec;
    spec.orders = {spec::parse_order(named.text)};
    spec::Entry entry;
    entry.type = named.type;
    entry.regimes = {test::uniform_regime({}, 400)};
    const MatrixLaunches launches(spec, entry);
    MatrixCall shape;
    shape.m = 53, shape.n = 49, shape.k = 21;
    const spec::MatrixRegime& regime = entry.regimes[0];
    const spec::RegionMap map{&regime, *spec::stretches(regime.rows, 53),
                              *spec::stretches(regime.columns, 49)};
    const auto run = [&]<class T>(T) {
      test::Product<T> call(random, shape);
      try {
        runner_->run(launches.call(map, call.call),
                     {test::memory_of(call.a), test::memory_of(call.b), test::memory_of(call.c)});
      } catch (const UserError&) {  // wide values
      }
    };
    spec::is_f32(named.type) ? run(0.0F) : run(0.0);
    ASSERT_EQ(reports(), "") << named.text;
  }

  test::Rows<float> rows(random, 299, 5, 1, 1, false);
  const Launches right = test::lanes_that_meet()->call(rows.call);
  run_sum(*runner_, right, rows, true);
  ASSERT_EQ(reports(), "");
  run_sum(*runner_, test::without_barrier(right), rows, true);
  EXPECT_NE(reports().find("data race"), std::string::npos) << reports();
}

}  // namespace
}  // namespace reprosum::kernels::launch
