// Devices that are trusted, those that are not, and how their programs are kept.
#include "kernels/device/self_test.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cfenv>
#include <filesystem>
#include <fstream>

#include "kernels/device/devices.h"
#include "kernels/device/open_device.h"
#include "kernels/text/device_text.h"
#include "spec/error.h"

namespace reprosum::kernels::device {
namespace {

namespace fs = std::filesystem;

std::string with_options(Device& device, const std::string& more,
                         const std::string& macros = text::device_macros()) {
  return self_test([&](const std::string& text) { return device.compile(text, more); }, device,
                   macros);
}

class SelfTest : public testing::TestWithParam<Dialect> {
 protected:
  void SetUp() override {
    std::string why;
    all_ = devices(GetParam(), &why);
    if (all_.empty()) GTEST_SKIP() << why;
    directory_ = fs::temp_directory_path() / ("reprosum-self-test-" + std::to_string(::getpid()));
  }
  void TearDown() override { fs::remove_all(directory_); }
  std::vector<std::unique_ptr<Device>> all_;
  fs::path directory_;
};
INSTANTIATE_TEST_SUITE_P(Dialects, SelfTest, testing::Values(Dialect::opencl, Dialect::cuda),
                         [](const auto& info) { return std::string(name(info.param)); });

TEST_P(SelfTest, DevicesOfThisHostPass) {
  for (const auto& device : all_) EXPECT_EQ(with_options(*device, ""), "") << device->facts().name;
}

// Each of these changes bits, and the words say which operation.
TEST_P(SelfTest, PlantedOptionsAreRefused) {
  struct Planted {
    const char* option;
    const char* words;
  };
  const std::vector<Planted> planted =
      GetParam() == Dialect::opencl
          ? std::vector<Planted>{{"-cl-denorms-are-zero", "float:"},
                                 {"-cl-fast-relaxed-math", ""},
                                 {"-cl-unsafe-math-optimizations", ""},
                                 {"-cl-finite-math-only", "of NaN"}}
          : std::vector<Planted>{{"--ftz=true", "float:"}, {"--prec-div=false", "a / b"}};
  for (const Planted& plant : planted) {
    const std::string wrong = with_options(*all_.front(), plant.option);
    EXPECT_NE(wrong, "") << plant.option;
    EXPECT_NE(wrong.find(plant.words), std::string::npos) << plant.option << ": " << wrong;
  }
}

// A text whose operations may be fused, as compilers do unless they are told not to.
TEST_P(SelfTest, ContractionIsRefused) {
  if (GetParam() != Dialect::opencl) GTEST_SKIP() << "CUDA's operations name their rounding";
  std::string macros = text::device_macros();
  const std::string off = "#pragma OPENCL FP_CONTRACT OFF";
  const std::size_t at = macros.find(off);
  ASSERT_NE(at, std::string::npos);
  macros.replace(at, off.size(), "#pragma OPENCL FP_CONTRACT ON");
  const std::string wrong = with_options(*all_.front(), "-cl-mad-enable", macros);
  EXPECT_NE(wrong.find("float: a*b + c, rounded twice,"), std::string::npos) << wrong;
}

// What the caller has set does not change what is right.
TEST_P(SelfTest, TheCallersEnvironmentDoesNotMatter) {
  std::fesetround(FE_UPWARD);
  const std::string wrong = with_options(*all_.front(), "");
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(wrong, "");
}

TEST_P(SelfTest, OpeningKeepsProgramsOnDisk) {
  const auto opened = [&] {
    const auto device = open_device(GetParam(), 0, directory_.string());
    return device->programs().counts();
  };
  const ProgramStore::Counts first = opened(), second = opened();
  EXPECT_GT(first.compiled, 0);
  EXPECT_EQ(first.loaded, 0);
  EXPECT_EQ(second.compiled, 0);
  EXPECT_EQ(second.loaded, first.compiled);

  // One byte of each file is changed: no damaged program is given to the driver.
  for (const fs::directory_entry& file : fs::directory_iterator(directory_)) {
    std::fstream bytes(file.path(), std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(static_cast<std::streamoff>(fs::file_size(file.path()) / 2));
    bytes.put('#');
  }
  EXPECT_EQ(opened().compiled, first.compiled);
  EXPECT_EQ(opened().loaded, first.compiled);
}

// Whole files whose content the driver does not take.
TEST_P(SelfTest, ForeignProgramsAreMadeAgain) {
  Device& device = *all_.front();
  const std::string text =
      text::device_macros() + "\nKERNEL(1) void f(GLOBAL float *x) { x[0] = 1; }";
  ObjectCache(directory_.string())
      .store(program_key(device.facts(), device.options(), text), "no program");
  ProgramStore store(device, directory_.string());
  const auto program = store.get(text);
  EXPECT_EQ(store.get(text), program);
  EXPECT_EQ(store.counts().compiled, 1);
  const auto queue = device.make_queue();
  const auto x = device.allocate(4);
  queue->launch(*program, "f", {1}, {1}, std::vector<Argument>{x.get()});
  float one = 0;
  queue->read(*x, 0, &one, 4);
  EXPECT_EQ(one, 1);
}

// A device that compiles and has no more to say.
struct Mute : Device {
  struct Made : Program {
    explicit Made(int& asked) : asked(asked) {}
    std::string binary() const override {
      ++asked;
      throw EnvironmentError("no binary");
    }
    int& asked;
  };
  [[noreturn]] static void refuse() { throw InternalError("not asked for"); }
  const Facts& facts() const override { return own; }
  void check_process() const override {}
  std::unique_ptr<Buffer> allocate(std::size_t) override { refuse(); }
  std::unique_ptr<Queue> make_queue() override { refuse(); }
  std::shared_ptr<const Program> compile(const std::string&, const std::string&) override {
    return std::make_shared<Made>(asked);
  }
  std::string options() const override { return ""; }
  std::unique_ptr<Buffer> adopt(void*) override { refuse(); }
  std::unique_ptr<Queue> adopt_queue(void*) override { refuse(); }
  std::shared_ptr<const Program> load(const std::string&) override { refuse(); }
  Facts own;
  int asked = 0;
};

TEST(ProgramStore, WantsABinaryOnlyToKeepItAndDoesWithoutOne) {
  Mute device;
  EXPECT_NE(ProgramStore(device, "").get("text"), nullptr);
  EXPECT_EQ(device.asked, 0);
  EXPECT_NE(ProgramStore(device, "/nonexistent/reprosum").get("text"), nullptr);
  EXPECT_EQ(device.asked, 1);
}

TEST_P(SelfTest, ANumberBeyondTheLastIsRefusedInWords) {
  try {
    open_device(GetParam(), 1000, "");
    FAIL();
  } catch (const EnvironmentError& e) {
    EXPECT_NE(std::string(e.what()).find("device number 1000"), std::string::npos) << e.what();
  }
}

TEST(ProgramKey, NamesAllThatAProgramDependsOn) {
  Facts facts;
  facts.target = "sm_90";
  facts.compiler = "NVRTC 13.0";
  const std::string key = program_key(facts, "-x", "text");
  Facts other = facts;
  other.target = "sm_100";
  EXPECT_NE(program_key(other, "-x", "text"), key);
  other = facts;
  other.compiler = "NVRTC 13.1";
  EXPECT_NE(program_key(other, "-x", "text"), key);
  other = facts;
  other.dialect = Dialect::cuda;
  EXPECT_NE(program_key(other, "-x", "text"), key);
  EXPECT_NE(program_key(facts, "-y", "text"), key);
  EXPECT_NE(program_key(facts, "-x", "text "), key);
  other = facts;
  other.name = "another card of the same kind";
  EXPECT_EQ(program_key(other, "-x", "text"), key);
}

}  // namespace
}  // namespace reprosum::kernels::device
