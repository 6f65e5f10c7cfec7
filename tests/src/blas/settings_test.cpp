// The variables, each value of each.
#include "src/blas/settings.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>

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
            "REPROSUM_ON_REFUSED", "REPROSUM_TRSV", "REPROSUM_NUM_THREADS",
            "REPROSUM_BACKING_BIND"})
        set[name] = "";
    const Settings settings = read(set);
    EXPECT_EQ(settings.mode, Mode::replay);
    EXPECT_EQ(settings.on_uncovered, OnUncovered::error);
    EXPECT_EQ(settings.on_forwarded, OnForwarded::warn);
    EXPECT_EQ(settings.trsv, Trsv::substitution);
    EXPECT_EQ(settings.workers, 0);
    EXPECT_EQ(settings.on_refused, OnRefused::xerbla);
    EXPECT_FALSE(settings.verbose);
    EXPECT_FALSE(settings.has_summary);
    EXPECT_FALSE(settings.deep_bind);
    EXPECT_EQ(settings.why, "");
    EXPECT_EQ(settings.remark, "");
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
  EXPECT_EQ(read({{"REPROSUM_ON_REFUSED", "xerbla"}}).on_refused, OnRefused::xerbla);
  EXPECT_EQ(read({{"REPROSUM_ON_REFUSED", "abort"}}).on_refused, OnRefused::abort);
  for (const auto& [value, verbose, has_summary] :
       {std::tuple{"0", false, false}, {"1", true, true}, {"summary", false, true}}) {
    EXPECT_EQ(read({{"REPROSUM_VERBOSE", value}}).verbose, verbose) << value;
    EXPECT_EQ(read({{"REPROSUM_VERBOSE", value}}).has_summary, has_summary) << value;
  }
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
  EXPECT_EQ(read({{"REPROSUM_ON_REFUSED", "exit"}}).why,
            "REPROSUM_ON_REFUSED = \"exit\" is not xerbla or abort");
}

// What is printed is no reason to refuse a call.
TEST(Settings, ABadVerboseIsARemark) {
  const Settings settings = read({{"REPROSUM_VERBOSE", "2"}});
  EXPECT_EQ(settings.why, "");
  EXPECT_EQ(settings.remark,
            "REPROSUM_VERBOSE = \"2\" is not 0, 1 or summary; calls are served, and nothing is "
            "printed of them");
  EXPECT_FALSE(settings.verbose || settings.has_summary);
}

TEST(Settings, NamesThatNothingReadsAreSaid) {
  EXPECT_EQ(unknown_variables_text({}), "");
  const std::string said = " is set, and no variable of that name is read";
  EXPECT_EQ(unknown_variables_text({"REPROSUM_MODES", "REPROSUM_ON_COFFEE_BREAK"}),
            "libreprosum_blas: REPROSUM_MODES" + said + "; did you mean REPROSUM_MODE?\n" +
                "libreprosum_blas: REPROSUM_ON_COFFEE_BREAK" + said + "\n");
  EXPECT_EQ(unknown_variables_text({"REPROSUM_COFFEE"}).find("mean"), std::string::npos);
  EXPECT_NE(unknown_variables_text({"REPROSUM_NUMTHREADS"}).find("mean REPROSUM_NUM_THREADS?"),
            std::string::npos);
}

}  // namespace
}  // namespace reprosum::blas
