// Work that must be done by the thread that called, while the library's threads need its results.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace reprosum::capture {

// One thread serves; others post and wait. Some functions belong to their thread: an interpreter's
// lock, a device's context and settings of threads come with it.
class CallerDesk {
 public:
  // Runs job() on a thread of its own (own_thread.h) and does here what is posted meanwhile. What
  // job() throws comes out.
  void serve(const std::function<void()>& job);

  // Runs work() on the serving thread, or here if that is this one; comes back when it is done.
  // What work() throws comes out.
  void post(const std::function<void()>& work);

 private:
  void do_what_is_posted();

  const std::thread::id owner_ = std::this_thread::get_id();
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* posted_ = nullptr;
  std::exception_ptr failure_;
  bool is_taken_ = false, is_done_ = false, is_over_ = false;
};

}  // namespace reprosum::capture
