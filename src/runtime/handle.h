// What a reprosum_handle is: a replayer and the messages of failed calls, one per thread.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

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

class ForcedDevice;

}  // namespace reprosum::runtime

struct reprosum_handle {
  explicit reprosum_handle(std::unique_ptr<reprosum::runtime::Replayer> made);
  ~reprosum_handle();

  // That backend replays, where it can: kernels of this host, or a device, which is opened.
  // Throws EnvironmentError, in words, for one that is not to be had here.
  void choose(reprosum::kernels::Isa isa);
  void choose_best();

  const std::unique_ptr<reprosum::runtime::Replayer> replayer;
  // Where calls are sent; null: nowhere, the replayer does them.
  std::atomic<const reprosum::runtime::ForcedDevice*> device{nullptr};
  mutable reprosum::runtime::Messages messages;

 private:
  const reprosum::runtime::ForcedDevice& device_of(reprosum::kernels::Isa isa);
  std::mutex mutex_;
  // One for each backend that was chosen: calls may be there while another is chosen.
  std::vector<std::unique_ptr<const reprosum::runtime::ForcedDevice>> opened_;
};
