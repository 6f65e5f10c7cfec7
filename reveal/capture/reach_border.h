// Where does what is wrong with a long product begin?
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "spec/region.h"

namespace reprosum::reveal {

struct ReachBorder {
  // Atoms `above`: where all of them hold, products may be wrong. Empty: no size matters.
  std::vector<spec::Atom> above;
  bool is_learned = false;  // within the learned sizes, too
};

// Makes the sizes of the wrong shape less as long as it is wrong. The sizes that had to stay have a
// border each, or their product has one: then it is wrong with half of one and more than twice
// another, too. Limits are some less than the least that was wrong.
// @pre the shape is wrong; is_wrong() says whether one of such shapes is
ReachBorder border_below(const spec::Shape3& wrong, const spec::Shape3& learned,
                         const spec::Shape3& most,
                         const std::function<bool(const std::vector<spec::Shape3>&)>& is_wrong,
                         std::uint64_t salt);

}  // namespace reprosum::reveal
