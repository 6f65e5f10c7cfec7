#include "kernels/device/launch_checks.h"

#include "spec/error.h"

namespace reprosum::kernels::device {
namespace {

bool within(Extent extent, Extent most) {
  return extent.x >= 0 && extent.y >= 0 && extent.z >= 0 && extent.x <= most.x &&
         extent.y <= most.y && extent.z <= most.z;
}

std::string words(Extent extent) {
  return std::to_string(extent.x) + " x " + std::to_string(extent.y) + " x " +
         std::to_string(extent.z);
}

}  // namespace

const char* name(Dialect dialect) { return dialect == Dialect::opencl ? "opencl" : "cuda"; }

bool check_launch(const Facts& facts, const std::string& entry, Extent groups, Extent group_size) {
  const Extent most{facts.group_size, facts.group_size, facts.group_size};
  if (!within(group_size, facts.group_sizes) || !within(group_size, most) || group_size.x < 1 ||
      group_size.y < 1 || group_size.z < 1 ||
      group_size.x * group_size.y * group_size.z > facts.group_size)
    throw InternalError("the entry \"" + entry + "\" is started in groups of " + words(group_size) +
                        ", which " + facts.name + " has not");
  if (!within(groups, facts.groups))
    throw InternalError("the entry \"" + entry + "\" is started in " + words(groups) +
                        " groups, which " + facts.name + " has not");
  return groups.x > 0 && groups.y > 0 && groups.z > 0;
}

bool check_copy(const Buffer& buffer, std::size_t offset, std::size_t bytes) {
  if (offset > buffer.bytes() || bytes > buffer.bytes() - offset)
    throw InternalError("a copy of " + std::to_string(bytes) + " bytes at " +
                        std::to_string(offset) + " leaves a buffer of " +
                        std::to_string(buffer.bytes()) + " bytes");
  return bytes > 0;
}

}  // namespace reprosum::kernels::device
