// What a reprosum_handle is: a replayer and the messages of failed calls, one per thread.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "reprosum/reprosum.h"
#include "src/runtime/replayer.h"

namespace reprosum::runtime {

// Thread safe. A message stays at its address until the same thread fails again.
class Messages {
 public:
  void set(std::string_view text) noexcept;
  const char* of_this_thread() const noexcept;

 private:
  mutable std::mutex mutex_;
  std::map<std::thread::id, std::string> by_thread_;  // nodes: others' messages never move
};

}  // namespace reprosum::runtime

struct reprosum_handle {
  explicit reprosum_handle(std::unique_ptr<reprosum::runtime::Replayer> made)
      : replayer(std::move(made)) {}
  const std::unique_ptr<reprosum::runtime::Replayer> replayer;
  mutable reprosum::runtime::Messages messages;
};
