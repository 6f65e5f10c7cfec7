#include "src/runtime/handle.h"

#include "src/base/fork_gate.h"
#include "src/runtime/forced_device.h"

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

using reprosum::runtime::ForcedDevice;

reprosum_handle::reprosum_handle(std::unique_ptr<reprosum::runtime::Replayer> made)
    : replayer(std::move(made)) {}
reprosum_handle::~reprosum_handle() = default;

void reprosum_handle::choose(reprosum::kernels::Isa isa) {
  if (!reprosum::kernels::backend(isa).on_device) {
    reprosum::runtime::check_host(isa);
    replayer->set_isa(isa);
    device.store(nullptr);
    return;
  }
  device.store(&device_of(isa));
  replayer->set_best_isa();  // of what a device does not do
}

void reprosum_handle::choose_best() {
  replayer->set_best_isa();
  device.store(nullptr);
}

// Opened without the lock, which drivers that fork or wait for others would hold too long.
const ForcedDevice& reprosum_handle::device_of(reprosum::kernels::Isa isa) {
  const auto known = [&]() -> const ForcedDevice* {
    for (const auto& one : opened_)
      if (one->isa() == isa) return one.get();
    return nullptr;
  };
  {
    const reprosum::base::ForkSafeLock lock(mutex_);
    if (const ForcedDevice* const there = known()) return *there;
  }
  auto made = std::make_unique<const ForcedDevice>(*replayer, isa);
  const reprosum::base::ForkSafeLock lock(mutex_);
  if (const ForcedDevice* const there = known()) return *there;
  return *opened_.emplace_back(std::move(made));
}
