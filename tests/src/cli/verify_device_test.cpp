// verify --backend: the bits of a device against the interpreter's.
#include <gtest/gtest.h>

#include "command.h"
#include "tests/paths.h"

namespace reprosum::cli {
namespace {

const std::string kReference = REPROSUM_SOURCE_DIR "/spec/library/reference-3.11.0.json";

bool has_opencl() {
  const auto json = json_of(reprosum("list --json"));
  for (const auto& device : json["devices"])
    if (device["backend"] == "opencl") return true;
  return false;
}

TEST(VerifyDevice, TheReferenceHoldsOnOpenCl) {
  if (!has_opencl()) GTEST_SKIP() << "no OpenCL device";
  const Outcome outcome =
      reprosum("verify " + kReference + " --backend opencl --vectors 20 --seed 5 --json");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const auto json = json_of(outcome);
  EXPECT_EQ(json["schema"], "reprosum-verify-device/1");
  EXPECT_EQ(json["holds"], true);
  EXPECT_EQ(json["backend"], "opencl");
  EXPECT_GT(json["entries"].size(), 10U);
  for (const auto& entry : json["entries"]) EXPECT_EQ(entry["verdict"], "holds") << entry;
}

TEST(VerifyDevice, RefusesInOneLine) {
  const auto refused = [](const std::string& options, const char* words,
                          const std::string& environment = "") {
    const Outcome outcome = reprosum("verify " + kReference + options, environment);
    EXPECT_EQ(outcome.code, 2) << options;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  };
  refused("", "--target or --backend");
  refused(" --backend opencl -t blas:libblas.so.3", "--target");
  refused(" --backend metal", "neither opencl nor cuda");
  refused(" --device 1", "--backend");
  refused(" --backend opencl", "no opencl device", "OCL_ICD_VENDORS=/nonexistent");
  if (!has_opencl()) return;
  refused(" --backend opencl --device 77", "device number 77");
  refused(" --backend opencl --vectors 1 --timeout 1e-9", "groups of contexts not reached");
}

}  // namespace
}  // namespace reprosum::cli
