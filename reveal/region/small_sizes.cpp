#include "reveal/region/small_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "reveal/region/borders.h"

namespace reprosum::reveal::region {
namespace {

using spec::Shape3;

constexpr std::int64_t most_sizes = 24;  // below one axis
constexpr std::int64_t ks[] = {2047, 1511, 1021, 907, 607, 421, 301};
constexpr int shapes_each = 3, tries_each = 60;  // of one size and k
constexpr int least_shapes = 6, least_ks = 2;
constexpr double most_work = 1.2e7;

class SmallSize {
 public:
  SmallSize(Maps& maps, Rule& rule, Side side, std::int64_t size)
      : maps_(maps), rule_(rule), side_(side), prober_(maps, rule) {
    std::vector<std::int32_t> all(types(side));
    std::iota(all.begin(), all.end(), 0);
    types_.assign(static_cast<std::size_t>(size), all);
  }

  // The word of the size; nullopt where too few shapes of it lie inside, or none fits them.
  std::optional<Runs> find(const Runs& neighbour) {
    int shapes = 0, with_shapes = 0;
    for (const std::int64_t k : ks) {
      if (k > maps_.options().largest.k || prober_.prime(k).empty()) continue;
      int at_this_k = 0;
      for (int tries = 0; tries < tries_each && at_this_k < shapes_each; ++tries) {
        const Shape3 shape = shape_of(maps_.pick_log(1, top(other(side_))), k);
        if (!prober_.inside(shape) || work(shape) > most_work) continue;
        if (rule_.variety(other(side_), across(shape)) == 0) continue;
        ++at_this_k;
        if (!compare(shape)) return std::nullopt;
      }
      shapes += at_this_k;
      with_shapes += at_this_k > 0;
    }
    if (shapes < least_shapes || with_shapes < least_ks) return std::nullopt;
    return choose(neighbour);
  }

 private:
  std::size_t types(Side side) const {
    return side == row_side ? rule_.table.size() : rule_.table.front().size();
  }
  std::int64_t top(Side side) const {
    if (side == row_side) return maps_.options().largest.m;
    return maps_.is_gemv() ? 1 : maps_.options().largest.n;
  }
  Shape3 shape_of(std::int64_t across, std::int64_t k) const {
    const auto own = static_cast<std::int64_t>(types_.size());
    return side_ == row_side ? Shape3{own, across, k} : Shape3{across, own, k};
  }
  std::int64_t across(const Shape3& shape) const { return side_ == row_side ? shape.n : shape.m; }

  // Strikes out the types that some output contradicts; false if a place has none left.
  bool compare(const Shape3& shape) {
    const auto map = maps_.at(shape);
    const auto& own = side_ == row_side ? map->row_kind : map->column_kind;
    const auto& others = side_ == row_side ? map->column_kind : map->row_kind;
    const auto runs = word_of(rule_.axes[other(side_)], across(shape), rule_.beyond);
    for (std::size_t place = 0; place < types_.size(); ++place) {
      std::size_t at = 0;
      for (const Run& run : *runs) {
        for (std::int64_t step = 0; step < run.count; ++step, ++at) {
          const std::uint64_t hash = side_ == row_side ? map->cell(own[place], others[at])
                                                       : map->cell(others[at], own[place]);
          std::erase_if(types_[place], [&](std::int32_t type) {
            const std::int32_t output =
                side_ == row_side ? rule_.table[type][run.type] : rule_.table[run.type][type];
            const std::uint64_t known = output < 0 ? 0 : rule_.hash(shape.k, output);
            return known != hash;
          });
        }
      }
      if (types_[place].empty()) return false;
    }
    return true;
  }

  // For each place a type that no output contradicts, preferably one that the neighbouring size
  // has.
  Runs choose(const Runs& neighbour) const {
    std::vector<std::int32_t> word;
    for (const std::vector<std::int32_t>& left : types_) {
      const auto known = std::find_if(left.begin(), left.end(), [&](std::int32_t type) {
        return std::any_of(neighbour.begin(), neighbour.end(),
                           [&](const Run& run) { return run.type == type; });
      });
      word.push_back(known == left.end() ? left.front() : *known);
    }
    return run_lengths(word);
  }

  Maps& maps_;
  Rule& rule_;
  const Side side_;
  Prober prober_;
  std::vector<std::vector<std::int32_t>> types_;  // that each place may have
};

}  // namespace

void extend_down(Maps& maps, Rule& rule) {
  for (const Side side : {row_side, column_side}) {
    if (rule.axes[side].empty() || (side == column_side && maps.is_gemv())) continue;
    spec::Segment& first = rule.axes[side].front();
    const std::int64_t before = first.from;
    const std::int64_t least = std::max<std::int64_t>(1, before - most_sizes);
    while (first.from > least) {
      const auto neighbour = word_of(first, first.from);
      if (!neighbour) break;
      const auto word = SmallSize(maps, rule, side, first.from - 1).find(*neighbour);
      if (!word) break;
      --first.from;
      first.words.insert(first.words.begin(), compress(*word));
    }
    if (first.from < before)
      maps.log(fmt::format("  and {} = {}..{}, by larger k", side == row_side ? "m" : "n",
                           first.from, before - 1));
  }
}

}  // namespace reprosum::reveal::region
