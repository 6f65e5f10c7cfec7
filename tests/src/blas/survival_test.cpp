// Programs that fork, that end while threads call, and that have small stacks: with kernels that
// have yet to be made, with kernels on disk, by the interpreter, and in the exact mode.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
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

  samples::Said survive(const std::string& settings, const std::string& arguments,
                        const std::string& program = SURVIVOR) const {
    return samples::run("env REPROSUM_NUM_THREADS=2 REPROSUM_SPEC=" + root_ +
                        "/spec.json REPROSUM_CACHE_DIR=" + root_ + "/kernels " + settings +
                        " timeout 250 " + program + " " + arguments);
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

// Every routine, by the C API and by the drop-in, in whatever runs while threads and the process
// end.
TEST_F(Survival, EveryRoutineAfterTheEndOfTheThreadsObjects) {
  const auto expect_same = [&](const std::string& settings, const std::string& what) {
    for (const bool by_a_thread : {false, true}) {
      const samples::Said said = survive((by_a_thread ? "MALLOC_PERTURB_=165 " : "") + settings,
                                         what + (by_a_thread ? " a-thread" : ""), LATE_CALLER);
      if (said.text.find("cannot run") != std::string::npos) continue;  // this host has it not
      EXPECT_EQ(said.exit_code, 0) << settings << " " << what << by_a_thread << ": " << said.text;
    }
  };
  expect_same("", "exact");
  expect_same("REPROSUM_MODE=exact", "blas");
  for (const char* const isa : {"avx512", "avx2", "interpreter"}) {
    expect_same(std::string("REPROSUM_ISA=") + isa, "replay");
    expect_same(std::string("REPROSUM_ISA=") + isa, "blas");
  }
}

// The header has no routine that the program above does not call.
TEST(LateCaller, CallsEveryExactRoutine) {
  std::ifstream header(EXACT_HEADER);
  const std::string text{std::istreambuf_iterator<char>(header), {}};
  const std::string called = samples::run(LATE_CALLER " list").text;
  const std::regex routine("reprosum_exact_[sd]\\w+(?=\\()");
  int count = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), routine), end; at != end; ++at, ++count)
    if (at->str() != "reprosum_exact_set_workers") {
      EXPECT_NE(called.find(at->str() + "\n"), std::string::npos) << at->str();
    }
  EXPECT_GT(count, 40);
}

}  // namespace
}  // namespace reprosum
