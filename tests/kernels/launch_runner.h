// Runs launches: on an OpenCL device, and as C++ on this processor with fibres as work-items.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "kernels/launch/launch.h"

namespace reprosum::kernels::test {

struct Memory {
  void* data = nullptr;
  std::size_t bytes = 0;
};

class LaunchRunner {
 public:
  virtual ~LaunchRunner() = default;
  virtual const char* name() const = 0;
  // Reads the operands, runs everything, and writes back what the operands are then.
  virtual void run(const launch::Launches& launches, const std::vector<Memory>& operands) = 0;
};

// The first OpenCL device; nullptr, and why, if there is none.
std::unique_ptr<LaunchRunner> opencl_runner(std::string* why);

// The CUDA text compiled as C++. Work-items of a group run one after the other up to their next
// barrier, in ascending order, and then once more with everything in descending order: what they
// give must be the same bytes. Throws InternalError where it is not, and where work-items do not
// all come to a barrier.
std::unique_ptr<LaunchRunner> fibre_runner();

}  // namespace reprosum::kernels::test
