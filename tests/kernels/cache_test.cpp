// Kernels kept on disk: verified, regenerated when damaged, refused from unsafe places.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "kernels/code_store.h"
#include "kernels/kernel.h"
#include "kernels/object_cache.h"
#include "spec/evaluate/evaluate.h"
#include "spec/surface.h"
#include "tests/kernels/orders.h"

namespace reprosum::kernels {
namespace {

namespace fs = std::filesystem;

class Cache : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "reprosum-cache-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
    directory_ = root_ / "kernels";
    if (host_isas().size() == 1) GTEST_SKIP() << "this host runs no generated code";
  }
  void TearDown() override { fs::remove_all(root_); }

  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    if (fs::exists(directory_))
      for (const auto& entry : fs::directory_iterator(directory_)) all.push_back(entry.path());
    return all;
  }
  // The object of the order, past the cache in memory.
  bool load() const {
    const auto named = test::library_orders()[5];
    const spec::Order order = spec::parse_order(named.text);
    const CodeStore store(order, named.routine, named.type, spec::meaning_hash(order),
                          host_isas().back(), directory_.string());
    std::string why;
    const auto object = store.load(CodePart::single, &why);
    if (object == nullptr || !why.empty()) return false;
    using Function = double (*)(const double*, const double*, std::int64_t);
    const auto f = reinterpret_cast<Function>(object->find(piece_name(0, false)));
    const std::vector<double> x(77, 1.5), y(77, 2.0);
    return f != nullptr && f(x.data(), y.data(), 77) == 231.0;
  }
  static std::string read(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void write(const fs::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }

  fs::path root_, directory_;
};

TEST_F(Cache, KeepsOneVerifiedFileInAPrivateDirectory) {
  EXPECT_TRUE(load());
  ASSERT_EQ(files().size(), 1u);
  struct stat status {};
  ASSERT_EQ(::stat(directory_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  ASSERT_EQ(::stat(files()[0].c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  const auto written = fs::last_write_time(files()[0]);
  EXPECT_TRUE(load());
  EXPECT_EQ(fs::last_write_time(files()[0]), written);  // read, not made again
}

TEST_F(Cache, RegeneratesWhatIsDamaged) {
  ASSERT_TRUE(load());
  const fs::path file = files()[0];
  const std::string good = read(file);
  std::string flipped = good, truncated = good.substr(0, good.size() / 2);
  flipped[good.size() - 100] = static_cast<char>(flipped[good.size() - 100] ^ 1);
  // What a power cut may leave of a file that was not synced: its length without (all of) its data.
  const std::string zeros(good.size(), '\0');
  const std::string torn = good.substr(0, 128) + zeros.substr(128);
  for (const std::string& bad :
       {flipped, truncated, zeros, torn, std::string(), std::string("foreign\n")}) {
    write(file, bad);
    EXPECT_TRUE(load());
    EXPECT_EQ(read(file), good);
  }
}

// Whole by its hashes, and still nothing that can be run: text, an object of another machine, one
// that needs what is not there, one that ends in the middle.
TEST_F(Cache, WhatCannotBeLoadedIsMadeAgain) {
  ASSERT_TRUE(load());
  const fs::path file = files()[0];
  const std::string good = read(file);
  const std::size_t key_ends = good.find('\n', good.find('\n') + 1) + 1;
  const std::string content = good.substr(key_ends + 65);
  std::string other_machine = content;
  other_machine[1 + 18] = static_cast<char>(0xb7);  // e_machine, behind the line `why`
  for (const std::string& bad :
       {std::string("\nno object"), std::string("no line"),
        std::string("\n\x7f"
                    "ELF"),
        other_machine, content.substr(0, content.size() / 2), content.substr(0, 1 + 64)}) {
    write(file, good.substr(0, key_ends) + sha256(bad) + "\n" + bad);
    EXPECT_TRUE(load()) << bad.size();
    EXPECT_EQ(read(file), good) << bad.size();
  }
}

// A writer that is killed leaves its file; one that is at work keeps it.
TEST_F(Cache, LeftOversAreSwept) {
  fs::create_directory(directory_);
  fs::permissions(directory_, fs::perms::owner_all);
  const fs::path old = directory_ / ".writing-aaaaaa", fresh = directory_ / ".writing-bbbbbb";
  write(old, "half a ker");
  write(fresh, "half a ker");
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
  EXPECT_TRUE(load());
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(fresh));
}

TEST_F(Cache, AFileUnderAnotherKeyIsNotRead) {
  const ObjectCache cache(directory_.string());
  cache.store("one", "content");
  EXPECT_EQ(cache.load("one"), "content");
  fs::rename(files()[0], directory_ / (sha256("two") + ".kernel"));
  EXPECT_EQ(cache.load("two"), std::nullopt);
}

TEST_F(Cache, UnsafePlacesAreNotTrusted) {
  const ObjectCache cache(directory_.string());
  cache.store("key", "content");
  const fs::path file = files()[0];
  ::chmod(file.c_str(), 0666);
  EXPECT_EQ(cache.load("key"), std::nullopt);
  ::chmod(file.c_str(), 0600);
  EXPECT_EQ(cache.load("key"), "content");
  ::chmod(directory_.c_str(), 0777);
  EXPECT_EQ(cache.load("key"), std::nullopt);
  ::chmod(directory_.c_str(), 0700);
  fs::rename(file, root_ / "elsewhere");
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_EQ(cache.load("key"), std::nullopt);  // and is not waited for
  fs::remove(file);
  fs::create_symlink(root_ / "elsewhere", file);
  EXPECT_EQ(cache.load("key"), std::nullopt);
}

TEST_F(Cache, AnUnwritableDirectoryIsNoError) {
  directory_ = "/proc/reprosum-cannot-write-here";
  EXPECT_TRUE(load());
}

TEST(Concurrency, CompileAndCallFromManyThreads) {
  std::mt19937_64 random(7);
  const auto orders = test::library_orders();
  const auto x = test::hostile_data<double>(random, 4 * 5000, false),
             y = test::hostile_data<double>(random, 4 * 5000, false);
  std::vector<std::thread> threads;
  std::vector<const void*> made(8);
  std::vector<int> wrong(8, 0);
  for (std::size_t t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (const auto& named : orders) {
        if (named.type != spec::Type::f64) continue;
        const spec::Order order = spec::parse_order(named.text);
        // An ISA of its own cache key per test run: the same for all threads.
        const auto kernel = compile<double>(order, named.routine, {host_isas().back(), ""});
        made[t] = kernel.get();
        const std::int64_t n = 4000 + static_cast<std::int64_t>(t);
        const double* second = named.routine == spec::Routine::dot ? y.data() : nullptr;
        const double wanted = spec::evaluate<double>(order, n, x.data(), 1, second, 1);
        for (int i = 0; i < 20; ++i)
          wrong[t] += test::same(wanted, kernel->call(n, x.data(), second)) ? 0 : 1;
        double out[4];
        kernel->batch(5000, 4, x.data(), 5000, second, 5000, out);
        for (int i = 0; i < 4; ++i) {
          const double* row = second == nullptr ? nullptr : y.data() + i * 5000;
          const double expected =
              spec::evaluate<double>(order, 5000, x.data() + i * 5000, 1, row, 1);
          wrong[t] += test::same(expected, out[i]) ? 0 : 1;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(8, 0));
  if (host_isas().size() == 1) return;  // the interpreter has nothing to make
  for (const void* kernel : made) EXPECT_EQ(kernel, made[0]);  // made once
}

TEST(Fallback, WhatCannotBeGeneratedIsInterpretedAndSaysWhy) {
  const spec::Order order =
      spec::parse_order("1..100000: loop 5000 { 0..4999: [.@0 +1 x (5000q+r)]; }");
  std::string why;
  const auto kernel = compile<double>(order, spec::Routine::dot, {host_isas().back(), ""}, &why);
  EXPECT_EQ(kernel->isa(), Isa::interpreter);
  if (host_isas().size() > 1) {
    EXPECT_NE(why.find("a long block"), std::string::npos) << why;
  }
}

TEST(Fallback, ASchemaThatLeavesItsPieceIsNotGenerated) {
  // Summand 8q+8 does not exist: generated code would read outside, the interpreter refuses.
  const spec::Order order =
      spec::parse_order("1..100: loop 8 { 0..7: [.@0 +1 x 8q .@(8q+1) +1 x r]; }");
  std::string why;
  const auto kernel = compile<double>(order, spec::Routine::dot, {host_isas().back(), ""}, &why);
  EXPECT_EQ(kernel->isa(), Isa::interpreter);
  const std::vector<double> x(32, 1.0);
  EXPECT_THROW(kernel->call(9, x.data(), x.data()), std::runtime_error);
}

}  // namespace
}  // namespace reprosum::kernels
