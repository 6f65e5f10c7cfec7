// A spec's orders on one device.
#pragma once

#include <memory>
#include <utility>

#include "src/runtime/device_products.h"
#include "src/runtime/device_replayer.h"
#include "src/runtime/device_work.h"

namespace reprosum::runtime {

// Any thread.
struct DeviceOrders {
  // The replayer must outlive this.
  DeviceOrders(const Replayer& of, std::shared_ptr<kernels::device::OpenDevice> device)
      : work(std::move(device)), sums(of, work), products(of, work) {}
  kernels::device::Device& device() const { return work.device->device(); }
  const kernels::device::Facts& facts() const { return work.device->facts(); }

  DeviceWork work;
  const DeviceReplayer sums;
  const DeviceProducts products;
};

}  // namespace reprosum::runtime
