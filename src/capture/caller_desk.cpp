#include "src/capture/caller_desk.h"

#include <exception>
#include <utility>

#include "src/capture/own_thread.h"

namespace reprosum::capture {

void CallerDesk::do_what_is_posted() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return is_over_ || (posted_ != nullptr && !is_done_); });
    if (posted_ == nullptr || is_done_) return;  // over
    const std::function<void()>& work = *posted_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    failure_ = failure;
    is_done_ = true;
    changed_.notify_all();
  }
}

void CallerDesk::serve(const std::function<void()>& job) {
  on_own_thread(
      [&] {
        struct Over {
          CallerDesk& desk;
          ~Over() {
            const std::lock_guard lock(desk.mutex_);
            desk.is_over_ = true;
            desk.changed_.notify_all();
          }
        } over{*this};
        job();
      },
      [this] { do_what_is_posted(); });
}

void CallerDesk::post(const std::function<void()>& work) {
  if (std::this_thread::get_id() == owner_) return work();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !is_taken_; });
  is_taken_ = true;
  posted_ = &work;
  is_done_ = false;
  changed_.notify_all();
  changed_.wait(lock, [&] { return is_done_; });
  posted_ = nullptr;
  is_taken_ = false;
  const std::exception_ptr failure = std::exchange(failure_, nullptr);
  changed_.notify_all();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace reprosum::capture
