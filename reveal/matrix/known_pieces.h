// Sums in pieces, each of which is summed as the outputs of a known class are.
#pragma once

#include <cstdint>
#include <vector>

#include "reveal/matrix/class_order.h"
#include "spec/order.h"

namespace reprosum::reveal {

// Threads that share the summands of one output make such sums: each works as one thread alone
// would, but into a buffer that starts at +0, and the output takes in the buffers one after the
// other. Where only many summands are shared, none of these outputs shows a short piece alone. A
// candidate for each rule that cuts and each known order: alpha acts inside the pieces, or on them.
std::vector<KnownClassOrder> sums_of_known_pieces(const std::vector<spec::Parts>& cuts,
                                                  const std::vector<KnownClassOrder>& known,
                                                  std::int64_t k_max, bool alpha_one);

}  // namespace reprosum::reveal
