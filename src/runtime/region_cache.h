// The regions of recent calls: a program calls the same few shapes again and again, and finding the
// entry and the runs of a shape costs more than a small product.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "spec/spec.h"

namespace reprosum::runtime {

// What a covered context leads to. Points into the spec.
struct FoundRegions {
  const spec::Entry* entry = nullptr;
  spec::RegionMap map;
};

// Each thread has one, for every replayer. `owner` is a number that no two replayers share, so the
// entries of a closed handle are never found.
class RegionCache {
 public:
  static RegionCache& of_this_thread();

  // nullptr if the context is not kept. Valid until the next keep().
  const FoundRegions* find(std::uint64_t owner, const spec::Context& context) const;
  const FoundRegions& keep(std::uint64_t owner, const spec::Context& context, FoundRegions found);

 private:
  struct Slot {
    std::uint64_t owner = 0;  // 0: empty
    spec::Context context;
    FoundRegions found;
  };
  static std::size_t index_of(const spec::Context& context);

  std::array<Slot, 32> slots_;
};

}  // namespace reprosum::runtime
