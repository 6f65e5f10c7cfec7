#include "src/runtime/region_cache.h"

#include <utility>

#include "src/base/thread_object.h"

namespace reprosum::runtime {

RegionCache& RegionCache::of_this_thread() { return base::of_this_thread<RegionCache>(); }

std::size_t RegionCache::index_of(const spec::Context& context) {
  const auto mixed =
      static_cast<std::uint64_t>(context.shape.m) * 0x9e3779b97f4a7c15u ^
      static_cast<std::uint64_t>(context.shape.n) * 0xbf58476d1ce4e5b9u ^
      static_cast<std::uint64_t>(context.shape.k) * 0x94d049bb133111ebu ^
      static_cast<std::uint64_t>(context.trans_a) << 60 ^
      static_cast<std::uint64_t>(context.trans_b) << 61 ^
      static_cast<std::uint64_t>(context.addresses[0] ^ context.addresses[2] ^ context.addresses[3])
          << 56;
  return mixed >> 59;
}

const FoundRegions* RegionCache::find(std::uint64_t owner, const spec::Context& context) const {
  const Slot& slot = slots_[index_of(context)];
  return slot.owner == owner && slot.context == context ? &slot.found : nullptr;
}

const FoundRegions& RegionCache::keep(std::uint64_t owner, const spec::Context& context,
                                      FoundRegions found) {
  Slot& slot = slots_[index_of(context)];
  slot = {owner, context, std::move(found)};
  return slot.found;
}

}  // namespace reprosum::runtime
