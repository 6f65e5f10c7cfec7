// check_matrix_classes(): what rules for products must stand in capture and in verify alike.
#include <algorithm>
#include <random>

#include "reveal/check/matrix_check.h"
#include "reveal/check/related_shapes.h"

namespace reprosum::reveal {
namespace {

constexpr std::int64_t kSmallCalls = 3000;  // of gemv; a quarter of it of gemm
constexpr std::int64_t kEveryTo = 640;  // of gemm every m, n and k up to here, in small products
constexpr std::int64_t kEveryOfGemv = 1100;
constexpr std::int64_t kFewTerms = 8, kSomeTerms = 40;  // beside every m and n: orders show in them
constexpr double kRelatedWork = 32;  // times the work of others: uniform data cost the target alone
constexpr std::int64_t kTelling = 64;  // outputs of each such shape whose data tell orders apart

// Every m, every n and every k, in random order. The other sizes are small, but for k, without
// whose terms no order shows.
std::vector<spec::Shape3> plan_every(bool is_gemv, const spec::Shape3& largest,
                                     std::uint64_t salt) {
  FastRandom random(salt);
  std::vector<spec::Shape3> shapes;
  const std::int64_t most = is_gemv ? kEveryOfGemv : kEveryTo;
  const auto small = [&](std::int64_t limit) {
    return 1 + random.below(std::min<std::int64_t>(limit, 9));
  };
  for (std::int64_t size = 1; size <= most; ++size) {
    const std::int64_t m = small(largest.m), n = is_gemv ? 1 : small(largest.n),
                       k = std::min(largest.k,
                                    kFewTerms + random.below(kSomeTerms - kFewTerms + 1));
    if (size <= largest.m) shapes.push_back({size, n, k});
    if (size <= largest.n && !is_gemv) shapes.push_back({m, size, k});
    if (size <= largest.k) shapes.push_back({m, n, size});
  }
  std::shuffle(shapes.begin(), shapes.end(), std::mt19937_64(salt));
  return shapes;
}

}  // namespace

MatrixReplayResult check_matrix_classes(Target& target, const Call& context,
                                        const std::vector<spec::MatrixRegime>& regimes,
                                        const std::vector<spec::Order>& orders,
                                        const MatrixClassPlan& plan, MatrixCheck check) {
  MatrixReplayResult result;
  const auto every = plan_every(plan.is_gemv, plan.largest, check.seed + 1);
  check.telling_outputs = kTelling;
  add(result, check_matrices(target, context, regimes, orders, every, check));
  if (result.wrong) return result;
  auto shapes = plan_shapes(regimes, orders, plan.is_gemv, plan.largest, plan.work, check.seed + 2);
  const auto small = plan_small(plan.is_gemv, plan.largest,
                                plan.is_gemv ? kSmallCalls : kSmallCalls / 4, check.seed + 3);
  shapes.insert(shapes.end(), small.begin(), small.end());
  check.telling_outputs = 0;
  auto sizes = plan_related(plan.is_gemv, plan.largest, kRelatedWork * plan.work, check.seed + 4);
  const auto longer = plan_thin(plan.is_gemv, plan.largest,
                                (plan.is_gemv ? kEveryOfGemv : kEveryTo) + 1, check.seed + 5);
  sizes.insert(sizes.end(), longer.begin(), longer.end());
  add(result, check_sizes(target, context, regimes, orders, sizes, check));
  if (result.wrong) return result;
  check.by_class = true;
  add(result, check_matrices(target, context, regimes, orders, shapes, check));
  return result;
}

}  // namespace reprosum::reveal
