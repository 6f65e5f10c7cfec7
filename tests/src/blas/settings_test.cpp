// The variables, each value of each.
#include "src/blas/settings.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace reprosum::blas {
namespace {

std::map<std::string, std::string>& variables() {
  static std::map<std::string, std::string> set;
  return set;
}

Settings read(const std::map<std::string, std::string>& set) {
  variables() = set;
  return read_settings([](const char* name) -> const char* {
    const auto found = variables().find(name);
    return found == variables().end() ? nullptr : found->second.c_str();
  });
}

TEST(Settings, DefaultsWhereNothingIsSet) {
  for (const bool empty : {false, true}) {
    std::map<std::string, std::string> set;
    if (empty)
      for (const char* const name :
           {"REPROSUM_MODE", "REPROSUM_ON_UNCOVERED", "REPROSUM_VERBOSE", "REPROSUM_ON_FORWARDED",
            "REPROSUM_TRSV", "REPROSUM_NUM_THREADS", "REPROSUM_BACKING_BIND"})
        set[name] = "";
    const Settings settings = read(set);
    EXPECT_EQ(settings.mode, Mode::replay);
    EXPECT_EQ(settings.on_uncovered, OnUncovered::error);
    EXPECT_EQ(settings.on_forwarded, OnForwarded::warn);
    EXPECT_EQ(settings.trsv, Trsv::substitution);
    EXPECT_EQ(settings.workers, 0);
    EXPECT_FALSE(settings.verbose);
    EXPECT_FALSE(settings.deep_bind);
    EXPECT_EQ(settings.why, "");
  }
}

TEST(Settings, EveryValue) {
  EXPECT_EQ(read({{"REPROSUM_MODE", "replay"}}).mode, Mode::replay);
  EXPECT_EQ(read({{"REPROSUM_MODE", "forward"}}).mode, Mode::forward);
  EXPECT_EQ(read({{"REPROSUM_MODE", "exact"}}).mode, Mode::exact);
  EXPECT_EQ(read({{"REPROSUM_ON_UNCOVERED", "error"}}).on_uncovered, OnUncovered::error);
  EXPECT_EQ(read({{"REPROSUM_ON_UNCOVERED", "forward"}}).on_uncovered, OnUncovered::forward);
  EXPECT_EQ(read({{"REPROSUM_ON_UNCOVERED", "exact"}}).on_uncovered, OnUncovered::exact);
  EXPECT_EQ(read({{"REPROSUM_ON_FORWARDED", "warn"}}).on_forwarded, OnForwarded::warn);
  EXPECT_EQ(read({{"REPROSUM_ON_FORWARDED", "allow"}}).on_forwarded, OnForwarded::allow);
  EXPECT_EQ(read({{"REPROSUM_ON_FORWARDED", "error"}}).on_forwarded, OnForwarded::error);
  EXPECT_EQ(read({{"REPROSUM_TRSV", "substitution"}}).trsv, Trsv::substitution);
  EXPECT_EQ(read({{"REPROSUM_TRSV", "certified"}}).trsv, Trsv::certified);
  EXPECT_FALSE(read({{"REPROSUM_VERBOSE", "0"}}).verbose);
  EXPECT_TRUE(read({{"REPROSUM_VERBOSE", "1"}}).verbose);
  EXPECT_FALSE(read({{"REPROSUM_BACKING_BIND", "global"}}).deep_bind);
  EXPECT_TRUE(read({{"REPROSUM_BACKING_BIND", "deep"}}).deep_bind);
  EXPECT_EQ(read({{"REPROSUM_NUM_THREADS", "1"}}).workers, 1);
  EXPECT_EQ(read({{"REPROSUM_NUM_THREADS", "1024"}}).workers, 1024);
}

TEST(Settings, WhatIsNoValueIsSaid) {
  for (const char* const text : {"0", "-1", "1025", "two", "2 ", " 2", "0x2", "99999999999"}) {
    const Settings settings = read({{"REPROSUM_NUM_THREADS", text}});
    EXPECT_EQ(settings.why, std::string("REPROSUM_NUM_THREADS = \"") + text +
                                "\" is not a number from 1 to 1024");
  }
  EXPECT_EQ(read({{"REPROSUM_MODE", "Forward"}}).why,
            "REPROSUM_MODE = \"Forward\" is not replay, forward or exact");
  EXPECT_EQ(read({{"REPROSUM_MODE", "x"}, {"REPROSUM_VERBOSE", "2"}}).why,
            "REPROSUM_MODE = \"x\" is not replay, forward or exact");
}

}  // namespace
}  // namespace reprosum::blas
