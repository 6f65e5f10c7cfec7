// The compiler of CUDA text, which needs no GPU.
#include "kernels/device/nvrtc.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/device/self_test.h"
#include "kernels/text/device_text.h"
#include "spec/error.h"
#include "src/base/cuda_driver.h"

namespace reprosum::kernels::device {
namespace {

constexpr const char* kText =
    "extern \"C\" __global__ void twice(float* x, float y) { x[threadIdx.x] = 2 * y * x[0] + y; }";

std::string refusal(const std::string& text, int capability, const std::string& more = "") {
  try {
    compile_cuda(text, capability, more);
  } catch (const EnvironmentError& e) {
    return e.what();
  }
  return "";
}

class NvrtcTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (nvrtc_version(&why).empty()) GTEST_SKIP() << why;
  }
};

TEST_F(NvrtcTest, MakesMachineCodeForWhatItKnows) {
  for (const int capability : {75, 80, 90, 100, 120}) {
    const auto known = nvrtc_architectures();
    if (std::find(known.begin(), known.end(), capability) == known.end()) continue;
    EXPECT_TRUE(compile_cuda(kText, capability)
                    .starts_with("\x7f"
                                 "ELF"))
        << capability;
  }
}

// The text of a GPU that is newer than the compiler.
TEST_F(NvrtcTest, MakesPtxForANewerGpu) {
  const std::string ptx = compile_cuda(kText, 999);
  EXPECT_NE(ptx.find(".entry twice"), std::string::npos) << ptx;
  EXPECT_NE(ptx.find("mul.rn.f32"), std::string::npos) << ptx;
  EXPECT_EQ(ptx.find("fma"), std::string::npos) << ptx;
  EXPECT_EQ(ptx.find(".ftz"), std::string::npos) << ptx;
}

// As the self-test plants them on a GPU: the last one counts, so that what is planted is at work.
TEST_F(NvrtcTest, LaterOptionsWin) {
  const std::string text = self_test_texts(text::device_macros()).f32;
  const std::string right = compile_cuda(text, 999);
  const std::string planted = compile_cuda(text, 999, "--ftz=true --prec-div=false");
  for (const char* const changed : {"fma.rn.ftz", "add.rn.ftz", "mul.rn.ftz", "div.full"}) {
    EXPECT_EQ(right.find(changed), std::string::npos) << changed;
    EXPECT_NE(planted.find(changed), std::string::npos) << changed;
  }
}

TEST_F(NvrtcTest, TellsWhyTextIsRefused) {
  EXPECT_NE(refusal("__global__ void f(float* x) { x[0] = no_such_name; }", 90)
                .find("\"no_such_name\" is undefined"),
            std::string::npos);
  EXPECT_NE(refusal(kText, 90, "--no-such-option").find("--no-such-option"), std::string::npos);
  EXPECT_NE(refusal(kText, 10).find("compute capability 1.0"), std::string::npos);
}

TEST_F(NvrtcTest, CompilesTheSelfTest) {
  const SelfTestTexts texts = self_test_texts(text::device_macros());
  for (const std::string& text : {texts.f32, texts.f64, texts.narrowing})
    EXPECT_TRUE(
        compile_cuda(text, 90).starts_with("\x7f"
                                           "ELF"))
        << text;
}

TEST(NvrtcSearch, LooksWhereTheVariableSaysFirst) {
  ::setenv("REPROSUM_NVRTC", "/somewhere/libnvrtc.so.99", 1);
  const auto candidates = base::nvrtc_candidates();
  ::unsetenv("REPROSUM_NVRTC");
  EXPECT_EQ(candidates.front(), "/somewhere/libnvrtc.so.99");
  EXPECT_NE(std::find(candidates.begin(), candidates.end(), "libnvrtc.so.12"), candidates.end());
}

}  // namespace
}  // namespace reprosum::kernels::device
