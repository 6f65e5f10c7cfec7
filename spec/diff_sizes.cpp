#include "spec/diff_sizes.h"

#include <algorithm>
#include <random>
#include <variant>

#include "spec/sub_runs.h"

namespace reprosum::spec {
namespace {

constexpr std::int64_t kMaxPeriod = 512;  // longer periods are sampled by the spread sizes only
constexpr std::size_t kMaxSizes = 1 << 16;
constexpr int kSpreadSizes = 8;

class Collector {
 public:
  explicit Collector(std::int64_t dense_to) : dense_to_(dense_to) {}

  // Recursion over sub-orders, whose depth validate() bounds.
  void add(const Order& order) {
    for (const Regime& regime : order.regimes) {
      around(regime.lo);
      around(regime.hi);
      std::visit([&](const auto& rule) { add(rule, regime); }, regime.rule);
    }
    for (const Order& sub : order.subs) add(sub);
    // A sub-order that adds every block-th leaf sees n / block of them.
    for (const Regime& regime : order.regimes)
      if (const auto* loop = std::get_if<Loop>(&regime.rule);
          loop != nullptr && has_sub_runs(regime.rule) && scale_ == 1) {
        scale_ = loop->block;
        for (const Order& sub : order.subs) add(sub);
        scale_ = 1;
      }
  }

  std::vector<std::int64_t> take() {
    std::mt19937_64 random(1);  // fixed: the same pair always gives the same answer
    for (int k = 0; k < kSpreadSizes; ++k) {
      const std::int64_t scale = kMaxExplicitLeaves >> k;
      const auto width = static_cast<std::uint64_t>(scale / 2);
      add_size(scale / 2 + static_cast<std::int64_t>(random() % width));
    }
    std::sort(sizes_.begin(), sizes_.end());
    sizes_.erase(std::unique(sizes_.begin(), sizes_.end()), sizes_.end());
    return std::move(sizes_);
  }

 private:
  void add_size(std::int64_t n) {
    n = clamped(Int128{n} * scale_);
    if (n > dense_to_ && n <= kMaxExplicitLeaves && sizes_.size() < kMaxSizes) sizes_.push_back(n);
  }
  void around(std::int64_t n) {
    for (std::int64_t d = -2; d <= 2; ++d) add_size(n + d);
  }
  void multiples(std::int64_t m) {
    if (m > kMaxExplicitLeaves) return;
    for (std::int64_t k = 1; k <= 4; ++k) around(k * m);
    around(5 * m / 2);
  }

  void add(const Explicit& rule, const Regime&) {
    for (const auto& entry : rule.entries) add_size(entry.n);
  }
  void add(const Loop& rule, const Regime& regime) {
    if (rule.block > kMaxPeriod) return;
    const std::int64_t from = std::max(regime.lo, dense_to_ + 1);
    for (std::int64_t r = 0; r < rule.block; ++r)
      if (from + r <= regime.hi) add_size(from + r);
  }
  void add(const Split& rule, const Regime& regime) {
    multiples(rule.m);
    around(2 * regime.lo);
  }
  void add(const Parts& rule, const Regime& regime) {
    multiples(rule.m);
    around(2 * regime.lo);
  }

  void add(const Windows& rule, const Regime& regime) {
    multiples(rule.width);
    multiples(rule.width * rule.width);
    around(2 * regime.lo);
  }

  std::int64_t dense_to_;
  std::int64_t scale_ = 1;  // of sizes of a sub-order that is being looked at
  std::vector<std::int64_t> sizes_;
};

}  // namespace

std::vector<std::int64_t> sizes_that_matter(const Order& a, const Order& b, std::int64_t dense_to) {
  Collector collector(dense_to);
  collector.add(a);
  collector.add(b);
  return collector.take();
}

}  // namespace reprosum::spec
