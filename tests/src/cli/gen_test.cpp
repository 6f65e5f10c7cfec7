// Kernels made ahead of time: linked into a program, found by their orders, and of the same bits.
#include <gtest/gtest.h>

#include <string>

#include "kernels/kernel.h"
#include "tests/src/cli/command.h"
#include "tests/src/runtime/sample_products.h"
#include "tests/src/runtime/sample_specs.h"

namespace reprosum::cli {
namespace {

spec::Spec sums_and_products() {
  spec::Spec spec = samples::strided_spec(), products = samples::product_spec();
  const std::size_t first = spec.orders.size();
  spec.orders.insert(spec.orders.end(), products.orders.begin(), products.orders.end());
  for (spec::Entry& entry : products.entries) {
    for (spec::MatrixRegime& regime : entry.regimes)
      for (spec::MatrixClass& output : regime.classes) output.order += first;
    spec.entries.push_back(entry);
  }
  spec.empty_rules.insert(spec.empty_rules.end(), products.empty_rules.begin(),
                          products.empty_rules.end());
  spec::canonicalize(spec);
  return spec;
}

class Gen : public testing::Test {
 protected:
  Outcome gen(const std::string& options) const {
    return reprosum("gen " + spec + " -o '" + scratch.file("kernels") + "' " + options);
  }
  Scratch scratch;
  std::string spec = scratch.write("spec.json", spec::to_json(sums_and_products()));
};

TEST_F(Gen, LinkedKernelsAreTakenAndGiveTheSameBits) {
  if (!has_program("cc")) GTEST_SKIP() << "no C compiler";
  const Outcome made = gen("--emit object --isa avx2,x86-64-v4 --routines ddot,dgemm --name ours");
  ASSERT_EQ(made.code, 0) << made.err;
  const std::string start = scratch.file("kernels/ours"), program = scratch.file("caller");
  const Outcome built =
      shell("cc -std=c99 -Wall -Wextra -Werror -I " REPROSUM_SOURCE_DIR "/include '" + start +
            ".c' " REPROSUM_SOURCE_DIR "/tests/src/cli/linked_caller.c '" + start +
            "-x86_64.a' " REPROSUM_BINARY_DIR "/libreprosum.so -o '" + program + "'");
  ASSERT_EQ(built.code, 0) << built.err;
  const std::string run = "LD_LIBRARY_PATH=" REPROSUM_BINARY_DIR " '" + program + "' " + spec;
  const Outcome wanted = shell("REPROSUM_ISA=interpreter " + run);
  ASSERT_EQ(wanted.code, 0) << wanted.err;
  EXPECT_EQ(wanted.err, "0\n");
  EXPECT_GT(wanted.out.size(), 10'000u);
  for (const kernels::Isa isa : kernels::host_isas()) {
    if (isa == kernels::Isa::interpreter) continue;
    const Outcome got =
        shell("REPROSUM_CACHE_DIR= REPROSUM_ISA=" + std::string(kernels::name(isa)) + " " + run);
    EXPECT_EQ(got.code, 0) << got.err;
    EXPECT_EQ(got.out, wanted.out) << kernels::name(isa);
    EXPECT_GT(std::stoi(got.err), 5) << kernels::name(isa);
  }
}

// A plugin that brings kernels: calls go on to run them after it was closed.
TEST_F(Gen, LinkedKernelsOfAClosedLibraryStay) {
  if (!has_program("cc")) GTEST_SKIP() << "no C compiler";
  const Outcome made = gen("--emit object --isa avx2,x86-64-v4 --routines ddot,dgemm --name ours");
  ASSERT_EQ(made.code, 0) << made.err;
  const std::string start = scratch.file("kernels/ours"), program = scratch.file("caller");
  const std::string compile = "cc -I " REPROSUM_SOURCE_DIR "/include ",
                    library = REPROSUM_BINARY_DIR "/libreprosum.so ";
  const Outcome built = shell(
      compile + "-shared -fPIC '" + start + ".c' '" + start + "-x86_64.a' " + library + "-o '" +
      scratch.file("plugin.so") + "' && " + compile +
      REPROSUM_SOURCE_DIR "/tests/src/cli/linked_caller.c " + library + "-o '" + program + "'");
  ASSERT_EQ(built.code, 0) << built.err;
  const std::string run = "LD_LIBRARY_PATH=" REPROSUM_BINARY_DIR " '" + program + "' " + spec;
  const Outcome wanted = shell("REPROSUM_ISA=interpreter " + run);
  ASSERT_EQ(wanted.code, 0) << wanted.err;
  const Outcome got = shell("REPROSUM_CACHE_DIR= " + run + " '" + scratch.file("plugin.so") + "'");
  ASSERT_EQ(got.code, 0) << got.err;
  EXPECT_EQ(got.out, wanted.out);
  const bool has_kernels = kernels::host_isas().size() > 1;
  EXPECT_GE(std::stoi(got.err), has_kernels ? 6 : 0);
}

TEST_F(Gen, TheSameSpecGivesTheSameFiles) {
  const std::string options = "--isa avx2 --routines sdot";
  ASSERT_EQ(gen(options).code, 0);
  const std::string start = scratch.file("kernels/reprosum_kernels");
  const std::string source = contents(start + ".c"), objects = contents(start + "-x86_64.a");
  EXPECT_TRUE(objects.starts_with("!<arch>\n"));
  ASSERT_EQ(gen(options).code, 0);
  EXPECT_EQ(contents(start + ".c"), source);
  EXPECT_EQ(contents(start + "-x86_64.a"), objects);
  // A backend that is named twice, by either of its names, is made once.
  ASSERT_EQ(gen("--isa avx2,x86-64-v3,avx2 --routines sdot").code, 0);
  EXPECT_EQ(contents(start + "-x86_64.a"), objects);
}

TEST_F(Gen, SaysWhatItMade) {
  const auto json = json_of(gen("--isa avx2,avx512 --routines ddot --json"));
  ASSERT_FALSE(json.is_discarded());
  EXPECT_EQ(json["schema"], "reprosum-gen/1");
  ASSERT_EQ(json["backends"].size(), 2u);
  EXPECT_EQ(json["backends"][0]["name"], "avx2");
  EXPECT_GT(json["backends"][0]["objects"], 1);
  EXPECT_TRUE(json["backends"][0]["interpreted"].empty());
}

// Fewer objects than for all shapes, each among those of all; either word names a backend.
TEST_F(Gen, MakesTheTilesOfAskedShapes) {
  const auto made = [&](const std::string& options) {
    const auto json = json_of(gen(options + " --routines dgemm --json"));
    return json.is_discarded() ? 0 : json["backends"][0]["objects"].get<int>();
  };
  const int all = made("--isa avx2"), few = made("--backend avx2 --shapes 16x16x16,3x2x5");
  EXPECT_GT(few, 0);
  EXPECT_LT(few, all);
  const std::string source = contents(scratch.file("kernels/reprosum_kernels.c"));
  EXPECT_LT(made("--isa avx2 --shapes 16x16x16"), few + 1);
  ASSERT_EQ(made("--isa avx2"), all);
  // By the names of their objects.
  const std::string whole = contents(scratch.file("kernels/reprosum_kernels.c"));
  for (std::size_t at = source.find("reprosum_"); at != std::string::npos;
       at = source.find("reprosum_", at + 1)) {
    const std::string word = source.substr(
        at, source.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789", at) - at);
    EXPECT_NE(whole.find(word), std::string::npos) << word;
  }
}

TEST_F(Gen, RefusesWhatItCannotMake) {
  for (const char* options :
       {"--isa sse9", "--isa interpreter", "--isa avx2 --routines qdot", "--isa avx2 --name 1a",
        "--isa avx2 --name a/b", "--isa avx2 --shapes 64x64", "--isa avx2 --shapes 0x1x1",
        "--isa avx2 --shapes 4x4x4x4", "--isa avx2 --shapes 4x4xq",
        "--isa avx2 --shapes 9000000x4x4", "--isa avx2 --routines sdot --shapes 4x4x4"}) {
    const Outcome outcome = gen(options);
    EXPECT_EQ(outcome.code, 2) << options;
    EXPECT_EQ(outcome.err.rfind("reprosum: error: ", 0), 0u) << outcome.err;
  }
  EXPECT_EQ(gen("--isa avx2 --emit poetry").code, 2);
  EXPECT_EQ(gen("").code, 2);
}

}  // namespace
}  // namespace reprosum::cli
