// Does on a device what kernels/launch says.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "kernels/device/open_device.h"
#include "kernels/launch/launch.h"

namespace reprosum::kernels::device {

// Any thread. Keeps the lists that launches read (which pieces, which sums) on the device, as long
// as they are not too many.
class LaunchRunner {
 public:
  explicit LaunchRunner(OpenDevice& device) : device_(device) {}

  // Makes what the launches need, so that run() can fail only where the device does: compiles.
  void prepare(const launch::Launches& launches) const;

  // Enqueues the launches. Returns before they are done, unless they need memory besides the
  // operands: then when all on the queue is done.
  // @pre as many operands as the launches name.
  void run(const launch::Launches& launches, Queue& queue, std::span<const Buffer* const> operands);

 private:
  using List = std::shared_ptr<const std::vector<std::int64_t>>;
  std::shared_ptr<const Buffer> content(const List& list, Queue& queue);

  OpenDevice& device_;
  std::mutex mutex_;
  std::map<List, std::shared_ptr<const Buffer>> kept_;
  std::size_t kept_bytes_ = 0;
};

}  // namespace reprosum::kernels::device
