#include "src/cli/interrupt.h"

#include <time.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace reprosum::cli {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;  // in nanoseconds, as is the time of the first one
std::atomic<std::int64_t> g_came{0};
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "a signal handler sets it");

// Calls only what a signal handler may.
void note(int number) {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  const std::int64_t now = time.tv_sec * kSecond + time.tv_nsec;
  std::int64_t first = 0;
  if (g_came.compare_exchange_strong(first, now) || now - first < kSecond) return;
  signal(number, SIG_DFL);
  raise(number);
}

}  // namespace

Interrupt::Interrupt() {
  g_came = 0;
  struct sigaction noted = {};
  noted.sa_handler = note;
  noted.sa_flags = SA_RESTART;
  sigemptyset(&noted.sa_mask);
  for (std::size_t k = 0; k < std::size(kSignals); ++k) {
    sigaction(kSignals[k], nullptr, &before_[k]);
    if (before_[k].sa_handler != SIG_IGN) sigaction(kSignals[k], &noted, nullptr);
  }
}

Interrupt::~Interrupt() {
  for (std::size_t k = 0; k < std::size(kSignals); ++k)
    sigaction(kSignals[k], &before_[k], nullptr);
}

bool Interrupt::came() { return g_came.load() != 0; }

}  // namespace reprosum::cli
