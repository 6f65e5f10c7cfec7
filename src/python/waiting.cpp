#include "src/python/waiting.h"

#include <nanobind/stl/string.h>

#include <chrono>
#include <exception>
#include <thread>
#include <tuple>
#include <utility>

#include "src/python/faults.h"

namespace reprosum::python {
namespace {

namespace nb = nanobind;

constexpr std::chrono::milliseconds kBetweenLooks{100};

}  // namespace

int Waiting::on_progress(void* self, const reprosum_progress* progress) noexcept {
  auto& waiting = *static_cast<Waiting*>(self);
  const std::lock_guard lock(waiting.mutex_);
  try {
    waiting.stage_ = progress->stage;
  } catch (...) {
    // No memory for the words; the numbers are shown all the same.
  }
  waiting.calls_ = progress->calls;
  waiting.seconds_ = progress->seconds;
  waiting.has_news_ = true;
  return waiting.is_cancelled_ ? 1 : 0;
}

void Waiting::cancel() {
  const std::lock_guard lock(mutex_);
  is_cancelled_ = true;
}

void Waiting::look() {
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_ < kBetweenLooks) return;
  looked_ = now;
  look_now();
}

void Waiting::look_now() {
  std::string stage;
  std::int64_t calls = 0;
  double seconds = 0;
  bool is_news = false;
  {
    const std::lock_guard lock(mutex_);
    is_news = std::exchange(has_news_, false);
    std::tie(stage, calls, seconds) = std::tie(stage_, calls_, seconds_);
  }
  try {
    if (is_news && !progress_.is_none()) progress_(stage, calls, seconds);
    if (PyErr_CheckSignals() != 0) nb::raise_python_error();
  } catch (...) {
    cancel();
    throw;
  }
}

void Waiting::run(const std::function<reprosum_status()>& job) {
  reprosum_status status = REPROSUM_INTERNAL;
  std::string message;
  std::thread worker([&] {
    const reprosum_status ended = job();
    std::string why = ended == REPROSUM_OK ? "" : reprosum_capture_last_error();
    const std::lock_guard lock(mutex_);
    status = ended;
    message = std::move(why);
    is_done_ = true;
    changed_.notify_all();
  });
  std::exception_ptr raised;
  for (bool is_done = false; !is_done;) {
    {
      const nb::gil_scoped_release unlocked;
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, kBetweenLooks, [&] { return is_done_; });
      is_done = is_done_;
    }
    if (raised) continue;
    try {
      look_now();
    } catch (...) {
      raised = std::current_exception();
    }
  }
  worker.join();
  if (raised) std::rethrow_exception(raised);
  check(status, message.c_str());
}

}  // namespace reprosum::python
