// Shapes that libraries compare sizes for: squares, and single sizes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reveal/check/matrix_check.h"

namespace reprosum::reveal {

// Shapes of equal sizes: m = n, m = k, n = k and all three (for gemv m = k), of every size up to
// 96, of round sizes (multiples of 50 and 64, powers of two) and of random ones up to `largest`.
// The third size is short. The cheapest of each kind are taken; the sum of their m*n*k is at most
// `work`. In random order.
std::vector<spec::Shape3> plan_related(bool is_gemv, const spec::Shape3& largest, double work,
                                       std::uint64_t salt);

// What a certificate says of shapes that are not among these.
std::string sizes_not_checked(bool is_gemv, const spec::Shape3& largest);

// Every m, n and k in from..largest, in thin shapes, in random order.
std::vector<spec::Shape3> plan_thin(bool is_gemv, const spec::Shape3& largest, std::int64_t from,
                                    std::uint64_t salt);

// Compares products of these shapes, with data that tell orders apart. Dear products get uniform
// data, which cost only the target's time.
MatrixReplayResult check_sizes(Target& target, const Call& context,
                               const std::vector<spec::MatrixRegime>& regimes,
                               const std::vector<spec::Order>& orders,
                               const std::vector<spec::Shape3>& shapes, MatrixCheck check);

}  // namespace reprosum::reveal
