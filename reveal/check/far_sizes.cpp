#include "reveal/check/far_sizes.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace reprosum::reveal {
namespace {

constexpr std::int64_t kResidues = 1024;
constexpr std::int64_t kShares = 6;  // a size takes one of so many parts of the elements at most

// Powers and the like with their neighbours, and multiples of powers of ten.
std::set<std::int64_t> telling_numbers(std::int64_t n_max) {
  std::set<std::int64_t> sizes;
  const auto beside = [&](std::int64_t n) { sizes.insert({n - 1, n, n + 1}); };
  for (const std::int64_t base : {2, 3, 5, 10})
    for (std::int64_t power = base; power <= n_max; power *= base) beside(power);
  for (const std::int64_t odd : {3, 5})
    for (std::int64_t size = odd; size <= n_max; size *= 2) beside(size);
  for (std::int64_t one = 1, next = 2; one <= n_max; one = std::exchange(next, one + next))
    beside(one);
  for (std::int64_t unit = 1000; unit <= n_max; unit *= 10)
    for (std::int64_t k = 1; k <= 20; ++k) sizes.insert(k * unit);
  return sizes;
}

}  // namespace

std::vector<std::int64_t> far_sizes(std::int64_t every_to, std::int64_t n_max,
                                    std::int64_t elements, FastRandom& random) {
  std::set<std::int64_t> sizes;
  if (n_max <= every_to) return {};
  std::int64_t left = elements / 3;
  for (const std::int64_t n : telling_numbers(n_max)) {
    if (n <= every_to || n > n_max) continue;
    if (n > left / kShares) continue;
    left -= n;
    sizes.insert(n);
  }
  // Decades share the other two thirds; the first takes what it needs, as most vectors are short.
  left += elements - elements / 3;
  for (std::int64_t from = every_to + 1; from <= n_max && left > from;) {
    const auto decade = static_cast<std::int64_t>(std::pow(10, std::floor(std::log10(from)) + 1));
    const std::int64_t to = std::min(decade - 1, n_max);
    const std::int64_t share = to == n_max ? left : left / 2;
    std::vector<std::int64_t> residues(kResidues);
    for (std::int64_t k = 0; k < kResidues; ++k) residues[static_cast<std::size_t>(k)] = k;
    for (std::size_t k = residues.size() - 1; k > 0; --k)
      std::swap(residues[k],
                residues[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(k) + 1))]);
    // Where not all can be had, those that many powers of two divide come first.
    std::stable_sort(residues.begin(), residues.end(), [](std::int64_t a, std::int64_t b) {
      const auto is_plain = [](std::int64_t r) { return r % 64 <= 1 || r % 64 == 63; };
      return is_plain(a) > is_plain(b);
    });
    std::int64_t spent = 0;
    const double ratio = static_cast<double>(to) / static_cast<double>(from);
    for (const std::int64_t residue : residues) {
      const auto near = static_cast<std::int64_t>(static_cast<double>(from) *
                                                  std::exp(random.unit() * std::log(ratio)));
      std::int64_t n = near / kResidues * kResidues + residue;
      if (n < from) n += kResidues;
      if (n > to) n -= kResidues;
      if (n < from || n > to) continue;
      if (spent + n > share) break;
      spent += n;
      sizes.insert(n);
    }
    left -= spent;
    from = to + 1;
  }
  return {sizes.begin(), sizes.end()};
}

}  // namespace reprosum::reveal
