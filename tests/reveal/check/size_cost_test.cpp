// Targets that make code for each size: what that costs is noticed, and fewer sizes are tried.
#include "reveal/check/size_cost.h"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <thread>

#include "reveal/target/function_target.h"

namespace reprosum::reveal {
namespace {

double cost_of(std::chrono::milliseconds of_new_size) {
  std::set<std::int64_t> known;
  FunctionTarget target([&known, of_new_size](const Call& call, const double* x, const double*) {
    if (known.insert(call.k).second) std::this_thread::sleep_for(of_new_size);
    double sum = 0;
    for (std::int64_t k = 0; k < call.k; ++k) sum += x[k];
    return sum;
  });
  Call call;
  call.routine = spec::Routine::sum;
  return seconds_of_new_size(target, call, 1'000'000);
}

TEST(SizeCost, IsThatOfTheFirstCall) {
  EXPECT_GE(cost_of(std::chrono::milliseconds(200)), 0.1);
  EXPECT_LT(cost_of(std::chrono::milliseconds(0)), 0.1);
}

TEST(SizeCost, DearSizesAreFewer) {
  EXPECT_EQ(sizes_worth_trying(0, 4200), 4200);
  EXPECT_EQ(sizes_worth_trying(0.01, 4200), 4200);
  // How dear they are changes nothing: load would choose.
  EXPECT_EQ(sizes_worth_trying(0.05, 4200), 1000);
  EXPECT_EQ(sizes_worth_trying(5, 4200), 1000);
  EXPECT_EQ(sizes_worth_trying(5, 50), 50);
}

}  // namespace
}  // namespace reprosum::reveal
