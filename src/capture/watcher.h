// A caller's progress function, asked by whoever works.
#pragma once

#include <cxxabi.h>

#include <atomic>
#include <chrono>
#include <mutex>

#include "reprosum/capture.h"
#include "src/report/probing.h"

namespace reprosum::capture {

class Watcher {
 public:
  Watcher(reprosum_progress_function function, void* user) : function_(function), user_(user) {}

  // Empty functions where the caller gave none. It must not outlive this.
  report::Watch watch() {
    if (function_ == nullptr) return {};
    return {[this](const reveal::Progress& progress) { tell(progress); },
            [this] { return is_over(); }};
  }
  // Has the caller ended the run?
  bool is_cancelled() const { return is_cancelled_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kBetween{100};

  void tell(const reveal::Progress& progress) {
    const std::lock_guard lock(mutex_);
    last_ = progress;
    ask();
  }
  // Before every probe: the caller is asked where nothing was told for a while.
  bool is_over() {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock.owns_lock() && !is_cancelled_ && Clock::now() - asked_ > kBetween) ask();
    return is_cancelled_;
  }
  void ask() {
    const std::chrono::duration<double> seconds = Clock::now() - start_;
    const reprosum_progress progress{last_.stage.c_str(), last_.calls, seconds.count()};
    try {
      if (function_(user_, &progress) != 0) is_cancelled_ = true;
    } catch (const abi::__forced_unwind&) {
      throw;  // the end of the thread, which nobody may hold up
    } catch (...) {
      is_cancelled_ = true;  // a C++ caller's; it cannot go on through the threads that ask
    }
    asked_ = Clock::now();
  }

  const reprosum_progress_function function_;
  void* const user_;
  const Clock::time_point start_ = Clock::now();
  std::mutex mutex_;
  reveal::Progress last_;
  Clock::time_point asked_;
  std::atomic<bool> is_cancelled_{false};
};

}  // namespace reprosum::capture
