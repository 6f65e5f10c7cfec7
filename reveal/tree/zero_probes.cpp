// Zero probes and their sizes.
#include "reveal/tree/zero_probes.h"

#include <algorithm>
#include <functional>
#include <variant>

namespace reprosum::reveal {
namespace {

constexpr std::size_t kSmallSizes = 96;  // sizes per regime
constexpr std::size_t kLargeSizes = 4;   // of which so many above kLarge
constexpr std::int64_t kLarge = 5000;

}  // namespace

ZeroProbes zero_probes(const Call& call, std::int64_t n, std::int64_t block, Random& random) {
  const bool products = call.routine == spec::Routine::dot;
  const double tiny = spec::is_f32(call.type) ? 0x1p-100 : 0x1p-700;
  ZeroProbes probes;
  if (products) probes.other = tiny;
  const double exact = -0.0, underflow = products ? -tiny : -0.0;
  const auto add = [&](const std::function<double(std::int64_t k)>& value) {
    std::vector<double> values;
    values.reserve(std::size_t(n));
    for (std::int64_t k = 0; k < n; ++k) values.push_back(value(k));
    probes.values.push_back(std::move(values));
  };
  add([&](std::int64_t) { return exact; });
  const std::int64_t apart = below(random, n);
  add([&](std::int64_t k) { return k == apart ? 0.0 : exact; });
  if (!products) return probes;
  add([&](std::int64_t) { return underflow; });
  for (const bool swapped : {false, true}) {
    const double one = swapped ? underflow : exact, two = swapped ? exact : underflow;
    const std::int64_t main_end = n / block * block;
    for (const std::int64_t at : {std::int64_t{0}, n - 1, below(random, n)})
      add([&](std::int64_t k) { return k == at ? one : two; });
    add([&](std::int64_t k) { return k < block ? one : two; });
    add([&](std::int64_t k) { return k < main_end ? one : two; });
    add([&](std::int64_t k) { return k < n / 2 ? one : two; });
  }
  for (int k = 0; k < 4; ++k)
    add([&](std::int64_t) { return (random() & 1) != 0 ? exact : underflow; });
  for (int k = 0; k < 2; ++k)
    add([&](std::int64_t i) {
      return i == apart ? tiny : (random() % 4) != 0 ? underflow : exact;
    });
  return probes;
}

void add_tiny_probes(const Call& call, std::int64_t n, Random& random, ZeroProbes& probes) {
  constexpr double kShares[] = {0.25, 0.5, 0.75, 1, 1.25, 1.5};
  constexpr int kSubnormal = 3, kAll = 6, kProbes = 48, kPairs = 24;
  const double least = spec::least_normal(call.type.input) / probes.other;
  for (int k = 0; k < kProbes; ++k) {
    const int shares = (k & 1) != 0 ? kSubnormal : kAll;
    const auto value = [&] {
      return kShares[below(random, shares)] * ((random() & 1) != 0 ? least : -least);
    };
    std::vector<double> values(std::size_t(n), -0.0);
    if (k % 3 == 0 && n <= kLarge)
      for (double& one : values) one = value();
    else
      for (int at = 0; at < 1 + k % 5; ++at) values[std::size_t(below(random, n))] = value();
    probes.values.push_back(std::move(values));
  }
  // Two summands whose sum becomes -0: the whole is -0 unless +0 is added to something else.
  for (int k = 0; n > 1 && k < kPairs; ++k) {
    std::vector<double> values(std::size_t(n), -0.0);
    const std::int64_t i = k < kPairs / 4 ? 0 : below(random, n);
    values[std::size_t(i)] = 1.25 * least;
    values[std::size_t((i + 1 + below(random, n - 1)) % n)] = -1.5 * least;
    probes.values.push_back(std::move(values));
  }
}

std::vector<std::int64_t> zero_probe_sizes(const spec::Order& order, std::size_t k,
                                           Random& random) {
  const spec::Regime& regime = order.regimes[k];
  const std::int64_t lo = regime.lo, hi = std::min(regime.hi, spec::kMaxExplicitLeaves);
  std::vector<std::int64_t> sizes;
  const auto add = [&](std::int64_t n) {
    if (lo <= n && n <= hi) sizes.push_back(n);
  };
  if (const auto* listed = std::get_if<spec::Explicit>(&regime.rule)) {
    for (const auto& entry : listed->entries) add(entry.n);
  } else if (const auto* loop = std::get_if<spec::Loop>(&regime.rule)) {
    const std::int64_t first = lo / loop->block;
    for (const auto& c : loop->cases)
      for (const std::int64_t q : {first, first + 1, first + 2, first + 5})
        for (const std::int64_t r : {c.r_lo, c.r_hi}) add(q * loop->block + r);
    if (loop->pad)
      for (std::int64_t n = lo; n < lo + 24; ++n) add(n);
  } else {
    for (const std::int64_t n : {lo + 1, lo + 2, lo + 7}) add(n);
    for (int s = 0; s < 6 && lo < hi; ++s)
      add(lo + below(random, std::min(hi, 4 * lo + 64) - lo + 1));
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  for (std::size_t s = sizes.size(); s > 1; --s)
    std::swap(sizes[s - 1], sizes[std::size_t(below(random, std::int64_t(s)))]);
  if (!std::holds_alternative<spec::Explicit>(regime.rule)) {
    add(hi < 2 * kLarge ? hi : lo);
    add(lo);
  }
  std::reverse(sizes.begin(), sizes.end());  // the ends first
  std::vector<std::int64_t> chosen;
  std::size_t large = 0;
  for (const std::int64_t n : sizes) {
    if (chosen.size() >= kSmallSizes) break;
    if (std::find(chosen.begin(), chosen.end(), n) != chosen.end()) continue;
    if (n > kLarge && ++large > kLargeSizes) continue;
    chosen.push_back(n);
  }
  return chosen;
}

}  // namespace reprosum::reveal
