#include "src/base/read_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace reprosum::base {
namespace {

class ReadFile : public testing::Test {
 protected:
  ReadFile() { folder_ = mkdtemp(name_); }
  ~ReadFile() override { std::filesystem::remove_all(folder_); }
  char name_[40] = "/tmp/reprosum_read_file_XXXXXX";
  std::string folder_;
};

TEST_F(ReadFile, GivesTheTextOfARegularFile) {
  const std::string path = folder_ + "/file";
  std::ofstream(path) << std::string("some\0text", 9);
  EXPECT_EQ(read_file(path, 100).text, std::string("some\0text", 9));
  EXPECT_EQ(read_file(path, 9).why, "");
  EXPECT_EQ(read_file(path, 8).why, "it is too large");
  std::filesystem::create_symlink(path, folder_ + "/link");
  EXPECT_EQ(read_file(folder_ + "/link", 100).text.size(), 9u);
  EXPECT_EQ(irregular(path), "");
}

// A wait would be the test's timeout.
TEST_F(ReadFile, NeverWaits) {
  const std::string fifo = folder_ + "/fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(read_file(fifo, 100).why, "it is a FIFO, not a regular file");
  EXPECT_EQ(irregular(fifo), "a FIFO");
  EXPECT_EQ(irregular_library(fifo), "a FIFO");
  EXPECT_EQ(read_file("/dev/zero", 100).why, "it is a device, not a regular file");
  EXPECT_EQ(read_file(folder_, 100).why, "it is a directory, not a regular file");
  EXPECT_EQ(read_file("/proc/self/maps", 100).text, "");
  EXPECT_EQ(read_file(folder_ + "/none", 100).why, "No such file or directory");
  EXPECT_EQ(irregular(folder_ + "/none"), "");
  EXPECT_EQ(irregular_library("libblas.so.3"), "");
}

}  // namespace
}  // namespace reprosum::base
