// The first signal is a request, the same one again is not impatience, a later one is.
#include "src/cli/interrupt.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

namespace reprosum::cli {
namespace {

TEST(Interrupt, IsNotedOnceForAWholeSecond) {
  for (const int number : {SIGINT, SIGTERM}) {
    const Interrupt interrupt;
    EXPECT_FALSE(Interrupt::came());
    raise(number);
    EXPECT_TRUE(Interrupt::came());
    raise(number);
    raise(number);
    EXPECT_TRUE(Interrupt::came());
  }
}

TEST(InterruptDeathTest, ALaterOneEndsTheProcess) {
  EXPECT_EXIT(
      {
        const Interrupt interrupt;
        raise(SIGTERM);
        usleep(1'100'000);
        raise(SIGTERM);
      },
      ::testing::KilledBySignal(SIGTERM), "");
}

TEST(InterruptDeathTest, IsAsBeforeAfterwards) {
  EXPECT_EXIT(
      {
        { const Interrupt interrupt; }
        raise(SIGINT);
      },
      ::testing::KilledBySignal(SIGINT), "");
}

TEST(Interrupt, WhatWasIgnoredStaysIgnored) {
  const auto before = signal(SIGINT, SIG_IGN);
  {
    const Interrupt interrupt;
    raise(SIGINT);
    EXPECT_FALSE(Interrupt::came());
  }
  signal(SIGINT, before);
}

}  // namespace
}  // namespace reprosum::cli
