// Every shape of a box, and whether a rule is right there.
#include "reveal/region/box.h"

#include <algorithm>
#include <map>
#include <utility>

namespace reprosum::reveal::region {
namespace {

constexpr double calls_each = 19;  // of one shape

}  // namespace

using spec::Shape3;

double WholeBox::cost(const Shape3& sizes) {
  const double m = static_cast<double>(sizes.m), n = static_cast<double>(sizes.n),
               k = static_cast<double>(sizes.k);
  return m * n * k * counted_seconds(calls_each, (m + 1) * (n + 1) * (k + 1) / 8);
}

Shape3 WholeBox::shape(std::size_t at) const {
  const auto index = static_cast<std::int64_t>(at);
  return {1 + index / sizes_.n % sizes_.m, 1 + index % sizes_.n, 1 + index / sizes_.n / sizes_.m};
}

std::size_t WholeBox::index(const Shape3& shape) const {
  return static_cast<std::size_t>(((shape.k - 1) * sizes_.m + shape.m - 1) * sizes_.n + shape.n -
                                  1);
}

WholeBox::WholeBox(SignatureSource& source, const Shape3& sizes) : sizes_(sizes) {
  maps_.resize(static_cast<std::size_t>(sizes.m * sizes.n * sizes.k));
  for (std::size_t at = 0; at < maps_.size(); ++at) {
    const Shape3 one = shape(at);
    ClassMap map = factor(source.signatures(one), one.m, one.n);
    maps_[at] = {intern(std::move(map.row_kind), map.rows),
                 intern(std::move(map.column_kind), map.columns), cells_.size()};
    cells_.insert(cells_.end(), map.cells.begin(), map.cells.end());
  }
}

std::uint32_t WholeBox::intern(std::vector<std::int32_t> kind, std::int32_t kinds) {
  std::uint64_t digest = kind.size();
  for (const std::int32_t one : kind) digest = mix(digest, static_cast<std::uint64_t>(one));
  const auto [first, last] = known_.equal_range(digest);
  for (auto it = first; it != last; ++it)
    if (patterns_[it->second].kind == kind) return it->second;
  const auto number = static_cast<std::uint32_t>(patterns_.size());
  patterns_.push_back({std::move(kind), kinds});
  known_.emplace(digest, number);
  return number;
}

namespace {

using Pairs = std::vector<std::pair<std::int32_t, std::int32_t>>;
using Outputs = std::vector<std::pair<std::int32_t, std::uint64_t>>;  // class, hash

// Which types of a word meet which kinds of a map.
Pairs meetings(const std::vector<std::int32_t>& word, const std::vector<std::int32_t>& kind) {
  Pairs pairs;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const std::pair<std::int32_t, std::int32_t> pair{word[i], kind[i]};
    if (pairs.empty() || pairs.back() != pair) pairs.push_back(pair);
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

// What the shape says of the classes; nothing if it contradicts the rule by itself.
Outputs outputs_of(const WholeBox& box, const BoxRule& rule, std::size_t at) {
  const Shape3 shape = box.shape(at);
  const auto& down = rule.rows[static_cast<std::size_t>(shape.m - 1)];
  const auto& across = rule.columns[static_cast<std::size_t>(shape.n - 1)];
  Outputs outputs;
  if (down.empty() || across.empty()) return outputs;
  const Pairs columns = meetings(across, box.columns(at).kind);
  for (const auto& [row, row_kind] : meetings(down, box.rows(at).kind)) {
    for (const auto& [column, column_kind] : columns) {
      const std::int32_t output =
          rule.table[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
      if (output < 0) return {};
      outputs.emplace_back(output, box.cell(at, row_kind, column_kind));
    }
  }
  std::sort(outputs.begin(), outputs.end());
  outputs.erase(std::unique(outputs.begin(), outputs.end()), outputs.end());
  for (std::size_t i = 1; i < outputs.size(); ++i)
    if (outputs[i].first == outputs[i - 1].first) return {};
  return outputs;
}

// Several classes that are as many orders: the rule is not right by chance.
bool tells(const Outputs& outputs) {
  std::vector<std::uint64_t> hashes;
  for (const auto& [output, hash] : outputs) hashes.push_back(hash);
  std::sort(hashes.begin(), hashes.end());
  return hashes.size() > 1 && std::adjacent_find(hashes.begin(), hashes.end()) == hashes.end();
}

}  // namespace

// The hash of a class at one k is the one that most shapes have; those that tell classes apart are
// asked first.
std::vector<bool> test_shapes(const WholeBox& box, const BoxRule& rule,
                              const std::vector<std::size_t>& shapes) {
  using Votes = std::map<std::pair<std::int64_t, std::int32_t>, std::map<std::uint64_t, int>>;
  std::vector<Outputs> seen;
  seen.reserve(shapes.size());
  Votes telling, all;  // by k and class
  for (const std::size_t at : shapes) {
    const Outputs& outputs = seen.emplace_back(outputs_of(box, rule, at));
    const std::int64_t k = box.shape(at).k;
    const bool is_telling = tells(outputs);
    for (const auto& [output, hash] : outputs) {
      ++all[{k, output}][hash];
      if (is_telling) ++telling[{k, output}][hash];
    }
  }
  std::map<std::pair<std::int64_t, std::int32_t>, std::uint64_t> chosen;
  for (const auto& [place, votes] : all) {
    const auto it = telling.find(place);
    const auto& counts = it == telling.end() ? votes : it->second;
    chosen[place] = std::max_element(counts.begin(), counts.end(), [](auto& a, auto& b) {
                      return a.second < b.second;
                    })->first;
  }
  std::vector<bool> right;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::int64_t k = box.shape(shapes[i]).k;
    right.push_back(!seen[i].empty() &&
                    std::all_of(seen[i].begin(), seen[i].end(), [&](const auto& output) {
                      return chosen.at({k, output.first}) == output.second;
                    }));
  }
  return right;
}

}  // namespace reprosum::reveal::region
