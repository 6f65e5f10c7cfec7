// From which sizes on are long products wrong?
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "spec/region.h"

namespace reprosum::reveal {

struct ReachBorder {
  // Atoms `above`: where all of them hold, products may be wrong. Empty: no size matters.
  std::vector<spec::Atom> above;
  bool is_learned = false;  // the learned sizes are also wrong beyond it
};

// Shrinks the sizes of the wrong shape as long as it stays wrong. The sizes that cannot shrink have
// a border each, or their product has one: then the shape is still wrong with half of one size and
// more than twice another. Limits are somewhat below the least size that was wrong.
// @pre the shape is wrong; is_wrong() says whether one of such shapes is
ReachBorder border_below(const spec::Shape3& wrong, const spec::Shape3& learned,
                         const spec::Shape3& most,
                         const std::function<bool(const std::vector<spec::Shape3>&)>& is_wrong,
                         std::uint64_t salt);

}  // namespace reprosum::reveal
