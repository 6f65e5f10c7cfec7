#include "src/runtime/handle.h"

#include "src/base/fork_gate.h"

namespace reprosum::runtime {

void Messages::set(std::string_view text) noexcept {
  try {
    const base::ForkSafeLock lock(mutex_);
    by_thread_[std::this_thread::get_id()] = text;
  } catch (...) {
    // No memory for a message: the status has to do.
  }
}

const char* Messages::of_this_thread() const noexcept {
  try {
    const base::ForkSafeLock lock(mutex_);
    const auto found = by_thread_.find(std::this_thread::get_id());
    return found == by_thread_.end() ? "" : found->second.c_str();
  } catch (...) {
    return "";
  }
}

}  // namespace reprosum::runtime
