// What is asked of the CUDA driver, by one that looks at every call (fake_cuda.cpp): a GPU is not
// needed. What a GPU itself does is in device_test.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "kernels/device/cuda.h"
#include "kernels/device/nvrtc.h"
#include "kernels/device/packed_programs.h"
#include "kernels/device/program_store.h"
#include "spec/error.h"
#include "tests/kernels/fake_cuda.h"

namespace reprosum::kernels::device {
namespace {

namespace fs = std::filesystem;

template <class Error, class Do>
std::string message(Do&& what) {
  try {
    what();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

class CudaDriverTest : public testing::Test {
 protected:
  void SetUp() override {
    void* const library = ::dlopen("libcuda.so.1", RTLD_NOW);
    ASSERT_NE(library, nullptr) << ::dlerror();
    const auto get = reinterpret_cast<FakeCuda* (*)()>(::dlsym(library, "fake_cuda"));
    ASSERT_NE(get, nullptr) << "a real driver was loaded: LD_LIBRARY_PATH is not the test's";
    get_ = get;
    *get_() = FakeCuda{0, 0, 0, 0, 0, 1, 90, nullptr, 0};
  }
  // Nothing is left, and no call came without its context.
  void TearDown() override {
    const FakeCuda& state = *get_();
    EXPECT_EQ(state.faults, 0);
    EXPECT_EQ(state.contexts_retained, 0);
    EXPECT_EQ(state.modules, 0);
    EXPECT_EQ(state.streams, 0);
    EXPECT_EQ(state.bytes, 0U);
    EXPECT_EQ(state.depth, 0);
  }
  std::vector<std::unique_ptr<Device>> open() {
    std::string why;
    auto all = cuda_devices(&why);
    EXPECT_FALSE(all.empty()) << why;
    return all;
  }
  FakeCuda* (*get_)() = nullptr;
};

TEST_F(CudaDriverTest, SaysWhatTheDeviceIs) {
  get_()->devices = 2;
  const auto all = open();
  ASSERT_EQ(all.size(), 2U);
  const Facts& facts = all[1]->facts();
  EXPECT_EQ(facts.name, "Fake GPU");
  EXPECT_EQ(facts.driver, "CUDA driver 12.4");
  EXPECT_EQ(facts.target, "sm_90");
  EXPECT_EQ(facts.units, 132);
  EXPECT_EQ(facts.local_bytes, 49152);
  EXPECT_EQ(facts.group_sizes.z, 64);
  EXPECT_EQ(facts.groups.y, 65535);
  EXPECT_TRUE(facts.has_f64);
}

TEST_F(CudaDriverTest, CopiesAndLaunchesInItsContext) {
  const auto all = open();
  const auto program = all[0]->load("module scale");
  EXPECT_EQ(program->binary(), "module scale");
  const auto queue = all[0]->make_queue();
  const auto x = all[0]->allocate(400), out = all[0]->allocate(400);
  std::vector<float> host(100, 3);
  queue->write(*x, 0, host.data(), 400);
  queue->launch(*program, "scale", {1}, {64},
                std::vector<Argument>{x.get(), out.get(), std::int64_t{100}, 0.5F});
  queue->copy(*out, 0, *x, 200, 200);
  queue->finish();
  queue->read(*x, 196, host.data(), 8);
  EXPECT_EQ(host[0], 3);
  EXPECT_EQ(host[1], 1.5F);
}

TEST_F(CudaDriverTest, AdoptsMemoryAndStreamsOfTheUser) {
  const auto all = open();
  const auto program = all[0]->load("module scale");
  void* const library = ::dlopen("libcuda.so.1", RTLD_NOW);
  const auto push = reinterpret_cast<int (*)(void*)>(::dlsym(library, "cuCtxPushCurrent_v2"));
  const auto pop = reinterpret_cast<int (*)(void**)>(::dlsym(library, "cuCtxPopCurrent_v2"));
  const auto retain =
      reinterpret_cast<int (*)(void**, int)>(::dlsym(library, "cuDevicePrimaryCtxRetain"));
  const auto release =
      reinterpret_cast<int (*)(int)>(::dlsym(library, "cuDevicePrimaryCtxRelease_v2"));
  const auto allocate =
      reinterpret_cast<int (*)(char**, std::size_t)>(::dlsym(library, "cuMemAlloc_v2"));
  const auto free = reinterpret_cast<int (*)(char*)>(::dlsym(library, "cuMemFree_v2"));
  const auto stream =
      reinterpret_cast<int (*)(void**, unsigned)>(::dlsym(library, "cuStreamCreate"));
  const auto destroy = reinterpret_cast<int (*)(void*)>(::dlsym(library, "cuStreamDestroy_v2"));
  void *context = nullptr, *users = nullptr;
  char* memory = nullptr;
  ASSERT_EQ(retain(&context, 0), 0);
  ASSERT_EQ(push(context), 0);
  ASSERT_EQ(allocate(&memory, 64), 0);
  ASSERT_EQ(stream(&users, 0), 0);
  {
    const auto buffer = all[0]->adopt(memory + 16);
    EXPECT_EQ(buffer->bytes(), 48U);
    const auto queue = all[0]->adopt_queue(users);
    float host[4] = {1, 2, 3, 4};
    queue->write(*buffer, 0, host, 16);
    queue->launch(*program, "scale", {1}, {1},
                  std::vector<Argument>{buffer.get(), buffer.get(), std::int64_t{4}, 2.0F});
    queue->read(*buffer, 0, host, 16);
    EXPECT_EQ(host[3], 8);
    float own = 0;
    EXPECT_NE(message<UserError>([&] { all[0]->adopt(&own); }), "");
    EXPECT_NE(message<UserError>([&] { all[0]->adopt(nullptr); }), "");
  }
  EXPECT_EQ(get_()->bytes, 64U);  // the user's is still there
  EXPECT_EQ(get_()->streams, 1);
  EXPECT_EQ(free(memory), 0);
  EXPECT_EQ(destroy(users), 0);
  EXPECT_EQ(pop(&context), 0);
  EXPECT_EQ(release(0), 0);
}

// What is made keeps the context, whatever goes first.
TEST_F(CudaDriverTest, ThingsOutliveTheDevice) {
  auto all = open();
  auto program = all[0]->load("module scale");
  auto queue = all[0]->make_queue();
  auto buffer = all[0]->allocate(16);
  all.clear();
  EXPECT_EQ(get_()->contexts_retained, 1);
  queue->finish();
  program.reset();
  queue.reset();
  buffer.reset();
  EXPECT_EQ(get_()->contexts_retained, 0);
}

TEST_F(CudaDriverTest, WhatIsNeverRightIsAnErrorOfOurs) {
  const auto all = open(), others = open();
  const auto program = all[0]->load("module scale");
  const auto queue = all[0]->make_queue();
  const auto x = all[0]->allocate(16), other = others[0]->allocate(16);
  float host[4] = {};
  const auto launch = [&](const char* entry, Extent groups, Extent size,
                          std::vector<Argument> arguments) {
    return message<InternalError>([&] { queue->launch(*program, entry, groups, size, arguments); });
  };
  const std::int64_t n = 4;
  EXPECT_NE(launch("missing", {1}, {1}, {}).find("no entry \"missing\""), std::string::npos);
  EXPECT_NE(launch("scale", {1}, {1}, {x.get(), x.get(), n}).find("takes more than 3"),
            std::string::npos);
  EXPECT_NE(launch("scale", {1}, {1}, {x.get(), x.get(), n, 1.0F, n}).find("takes fewer than 5"),
            std::string::npos);
  EXPECT_NE(launch("scale", {1}, {1}, {x.get(), x.get(), n, 1.0}).find("argument 3"),
            std::string::npos);
  EXPECT_NE(launch("scale", {1}, {1}, {x.get(), other.get(), n, 1.0F}).find("another device"),
            std::string::npos);
  EXPECT_NE(launch("scale", {1}, {1025}, {x.get(), x.get(), n, 1.0F}), "");
  EXPECT_NE(launch("scale", {1, 65536}, {1}, {x.get(), x.get(), n, 1.0F}), "");
  EXPECT_NE(message<InternalError>([&] { queue->read(*x, 8, host, 12); }), "");
  EXPECT_NE(message<InternalError>([&] { queue->read(*other, 0, host, 4); }), "");
}

TEST_F(CudaDriverTest, EveryFailureIsInWords) {
  const auto all = open();
  for (const char* const fails : {"cuMemAlloc_v2", "cuCtxPushCurrent_v2"}) {
    get_()->fails = fails;
    const std::string said = message<EnvironmentError>([&] { all[0]->allocate(16); });
    EXPECT_NE(said.find("on Fake GPU: CUDA_ERROR_OUT_OF_MEMORY, out of memory"), std::string::npos)
        << fails << ": " << said;
  }
  get_()->fails = "cuStreamCreate";
  EXPECT_NE(message<EnvironmentError>([&] { all[0]->make_queue(); }), "");
  get_()->fails = "cuModuleLoadData";
  EXPECT_NE(message<EnvironmentError>([&] { all[0]->load("module scale"); }), "");
  get_()->fails = nullptr;
  EXPECT_NE(message<EnvironmentError>([&] { all[0]->load("no module"); }).find("error 200"),
            std::string::npos);
  EXPECT_NE(message<EnvironmentError>([&] { all[0]->load(""); }), "");
  const auto program = all[0]->load("module scale");
  const auto queue = all[0]->make_queue();
  const auto x = all[0]->allocate(16);
  float host[4] = {};
  get_()->fails = "cuLaunchKernel";
  EXPECT_NE(message<EnvironmentError>([&] {
              queue->launch(*program, "scale", {1}, {1},
                            std::vector<Argument>{x.get(), x.get(), std::int64_t{4}, 1.0F});
            }).find("\"scale\" was not started"),
            std::string::npos);
  get_()->fails = "cuStreamSynchronize";
  EXPECT_NE(message<EnvironmentError>([&] { queue->read(*x, 0, host, 16); }), "");
  get_()->fails = nullptr;
}

TEST_F(CudaDriverTest, NoGpuIsAReason) {
  std::string why;
  get_()->devices = 0;
  EXPECT_TRUE(cuda_devices(&why).empty());
  EXPECT_NE(why.find("finds no GPU"), std::string::npos) << why;
  get_()->devices = 1;
  get_()->fails = "cuInit";
  EXPECT_TRUE(cuda_devices(&why).empty());
  EXPECT_NE(why.find("out of memory"), std::string::npos) << why;
  get_()->fails = "cuDevicePrimaryCtxRetain";
  EXPECT_NE(message<EnvironmentError>([&] { cuda_devices(&why); }), "");
  get_()->fails = nullptr;
}

class PackedTest : public CudaDriverTest {
 protected:
  void SetUp() override {
    CudaDriverTest::SetUp();
    directory_ = fs::temp_directory_path() / ("reprosum-packed-" + std::to_string(::getpid()));
    PackedPrograms(directory_.string(), "NVRTC 13.0").add("text", 90, cuda_options(), kCode);
    for (const auto& file : fs::directory_iterator(directory_))
      if (file.path().extension() == ".kernel") program_ = file.path();
    ::setenv("REPROSUM_PROGRAMS", directory_.c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("REPROSUM_PROGRAMS");
    fs::remove_all(directory_);
    CudaDriverTest::TearDown();
  }
  // What compile() throws; "" if it gives the program.
  std::string refusal(const std::string& text = "text", const std::string& more = "") {
    const auto all = open();
    return message<EnvironmentError>(
        [&] { EXPECT_EQ(all[0]->compile(text, more)->binary(), kCode); });
  }
  std::string content() const {
    std::ifstream file(program_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void put(const std::string& content) const {
    std::ofstream(program_, std::ios::binary) << content;
  }
  static constexpr const char* kCode = "module scale";
  fs::path directory_, program_;
};

TEST_F(PackedTest, StandsForTheCompilerAndSaysSo) {
  EXPECT_EQ(open()[0]->facts().compiler, "NVRTC 13.0, packed");
  EXPECT_EQ(refusal(), "");
  const auto all = open();
  ProgramStore store(*all[0], "");
  EXPECT_EQ(store.get("text")->binary(), kCode);
}

// Nothing else compiles while the directory is named, NVRTC being here or not.
TEST_F(PackedTest, WhatIsNotThereIsRefusedInWords) {
  for (const std::string& said : {refusal("another text"), refusal("text", "--fmad=true")})
    EXPECT_NE(said.find("no packed program in " + directory_.string()), std::string::npos) << said;
  EXPECT_NE(refusal("text", "--fmad=true").find("--fmad=true"), std::string::npos);
  std::ofstream(directory_ / "compiler") << "NVRTC 13.1\n";
  EXPECT_NE(refusal().find("by NVRTC 13.1"), std::string::npos) << refusal();
}

// Machine code runs on GPUs of its major number from its minor number on.
TEST_F(PackedTest, CodeIsTakenWhereItRuns) {
  for (const auto& [capability, runs] :
       {std::pair{90, true}, {92, true}, {89, false}, {100, false}, {75, false}}) {
    get_()->capability = capability;
    EXPECT_EQ(refusal().empty(), runs) << capability << ": " << refusal();
  }
}

TEST_F(PackedTest, WhatIsDamagedIsNeverLoaded) {
  const std::string whole = content();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    put(damaged);
    EXPECT_NE(refusal().find("is damaged"), std::string::npos) << at << ": " << refusal();
  }
  for (const std::string& other : {whole.substr(0, whole.size() - 1), whole + "#", std::string()}) {
    put(other);
    EXPECT_NE(refusal().find("is damaged"), std::string::npos) << refusal();
  }
  put(whole);
  EXPECT_EQ(refusal(), "");
  fs::permissions(program_, fs::perms::others_write, fs::perm_options::add);
  EXPECT_NE(refusal().find("others than its user may write it"), std::string::npos) << refusal();
  fs::permissions(program_, fs::perms::others_write, fs::perm_options::remove);

  // A whole program under the name of another text.
  PackedPrograms(directory_.string(), "NVRTC 13.0").add("other", 90, cuda_options(), "module x");
  for (const auto& file : fs::directory_iterator(directory_))
    if (file.path().extension() == ".kernel" && file.path() != program_)
      fs::copy_file(file.path(), program_, fs::copy_options::overwrite_existing);
  EXPECT_NE(refusal().find("is damaged"), std::string::npos) << refusal();
}

TEST_F(PackedTest, ADirectoryThatIsNoneIsRefused) {
  ::setenv("REPROSUM_PROGRAMS", "/nonexistent/programs", 1);
  std::string why;
  EXPECT_NE(message<EnvironmentError>([&] { cuda_devices(&why); }).find("/nonexistent/programs"),
            std::string::npos);
  EXPECT_NE(message<EnvironmentError>([&] {
              PackedPrograms(directory_.string(), "NVRTC 12.9");
            }).find("has programs by NVRTC 13.0"),
            std::string::npos);
}

}  // namespace
}  // namespace reprosum::kernels::device
