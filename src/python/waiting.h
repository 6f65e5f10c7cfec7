// Long jobs of the library under a Python thread that stays in charge.
//
// The job runs on a thread of its own. The caller's thread waits without Python's lock, wakes some
// ten times a second, hands the latest progress to the caller's function and lets Python look at
// signals: Ctrl-C ends the job within one probe, and so does an exception of the function.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "reprosum/capture.h"

namespace reprosum::python {

class Waiting {
 public:
  // `progress(stage, calls, seconds)` or None.
  explicit Waiting(nanobind::object progress) : progress_(std::move(progress)) {}

  // Runs job() and waits for it. What it returns is the status of a call of the C API, whose
  // message is read on the job's thread.
  // @throws what the progress function raised, KeyboardInterrupt, or the fault of the status.
  void run(const std::function<reprosum_status()>& job);

  // Where the caller's thread is in the job itself: shows progress and looks at signals, once some
  // time has passed since the last look. Throws as run() does, and the job is ended.
  void look();
  // Ends the job: its next progress says so.
  void cancel();

  // For reprosum_capture and reprosum_verify: with `this` as the user's pointer.
  static int on_progress(void* self, const reprosum_progress* progress) noexcept;

 private:
  void look_now();

  const nanobind::object progress_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_done_ = false, is_cancelled_ = false, has_news_ = false;
  std::string stage_;
  std::int64_t calls_ = 0;
  double seconds_ = 0;
  std::chrono::steady_clock::time_point looked_{};
};

}  // namespace reprosum::python
