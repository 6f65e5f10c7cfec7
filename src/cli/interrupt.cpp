#include "src/cli/interrupt.h"

#include <atomic>
#include <cstddef>
#include <iterator>

namespace reprosum::cli {
namespace {

std::atomic<bool> g_came{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

void note(int) { g_came.store(true, std::memory_order_relaxed); }

}  // namespace

Interrupt::Interrupt() {
  g_came = false;
  struct sigaction noted = {};
  noted.sa_handler = note;
  noted.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
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

bool Interrupt::came() { return g_came.load(std::memory_order_relaxed); }

}  // namespace reprosum::cli
