// Programs that fork, that end while threads call, and that have small stacks: with kernels that
// have yet to be made, with kernels on disk, by the interpreter, and in the exact mode.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "command.h"
#include "tests/src/runtime/sample_products.h"

namespace reprosum {
namespace {

namespace fs = std::filesystem;

class Survival : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "reprosum-survival-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
    spec::Spec spec = samples::product_spec();
    for (spec::Entry entry : samples::plain_spec().entries) {
      entry.regimes[0].classes[0].order += spec.orders.size();
      spec.entries.push_back(entry);
    }
    const spec::Spec sums = samples::plain_spec();
    spec.orders.insert(spec.orders.end(), sums.orders.begin(), sums.orders.end());
    samples::write_spec(root_ + "/spec.json", spec);
  }
  void TearDown() override { fs::remove_all(root_); }

  void forget_kernels() const { fs::remove_all(root_ + "/kernels"); }

  samples::Said survive(const std::string& settings, const std::string& arguments) const {
    return samples::run("env REPROSUM_NUM_THREADS=2 REPROSUM_SPEC=" + root_ +
                        "/spec.json REPROSUM_CACHE_DIR=" + root_ + "/kernels " + settings +
                        " timeout 250 " SURVIVOR " " + arguments);
  }
  void expect_survival(const std::string& settings, const std::string& arguments) const {
    const samples::Said said = survive(settings, arguments);
    EXPECT_EQ(said.exit_code, 0) << settings << " " << arguments << ": " << said.text;
  }

  std::string root_;
};

TEST_F(Survival, ForkWhileAnotherThreadMakesKernels) {
  for (int round = 0; round < 3; ++round) {
    forget_kernels();
    expect_survival("", "fork 25");
  }
  expect_survival("", "fork 25");  // kernels on disk
  expect_survival("REPROSUM_ISA=interpreter", "fork 10");
}

TEST_F(Survival, ForkWhileAnotherThreadSumsExactly) {
  expect_survival("REPROSUM_MODE=exact", "fork 50");
}

TEST_F(Survival, TheSmallestStacks) {
  for (const char* isa : {"avx512", "avx2", "interpreter"}) {
    const std::string settings = std::string("REPROSUM_ISA=") + isa;
    forget_kernels();
    const samples::Said said = survive(settings, "stack 300");
    if (said.text.find("cannot run") != std::string::npos) continue;  // this host has it not
    EXPECT_EQ(said.exit_code, 0) << isa << ": " << said.text;
    expect_survival(settings, "stack 300");  // kernels on disk
  }
  for (const char* threads : {"1", "2"})
    expect_survival(std::string("REPROSUM_MODE=exact REPROSUM_NUM_THREADS=") + threads,
                    "stack 700");
}

// At any moment of the first kernels: before the thread, while LLVM starts, between two of them.
TEST_F(Survival, ExitWhileThreadsMakeKernels) {
  for (int round = 0; round < 30; ++round) {
    forget_kernels();
    expect_survival("", "exit " + std::to_string(round * round * 200));
  }
  for (int round = 0; round < 10; ++round)
    expect_survival("", "exit " + std::to_string(round * 2000));
  expect_survival("REPROSUM_MODE=exact", "exit 3000");
}

TEST_F(Survival, CallsAfterTheEndOfTheirThreadsObjects) {
  for (const char* isa : {"avx2", "interpreter"}) {  // memory that is freed is filled
    const samples::Said said =
        survive(std::string("MALLOC_PERTURB_=165 REPROSUM_ISA=") + isa, "end 0");
    if (said.text.find("cannot run") != std::string::npos) continue;  // this host has it not
    EXPECT_EQ(said.exit_code, 0) << isa << ": " << said.text;
  }
}

}  // namespace
}  // namespace reprosum
