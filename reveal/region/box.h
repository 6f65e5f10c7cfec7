// All products of a box of small sizes: every shape is looked at, so that nothing is guessed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "reveal/region/maps.h"

namespace reprosum::reveal::region {

// The maps of all shapes with m, n, k from 1 to the box's. Most of them share their pattern with
// others and have few different outputs.
class WholeBox {
 public:
  // What all looks cost, in seconds of a time limit.
  static double cost(const spec::Shape3& sizes);

  WholeBox(SignatureSource& source, const spec::Shape3& sizes);

  const spec::Shape3& sizes() const { return sizes_; }
  std::size_t count() const { return maps_.size(); }
  spec::Shape3 shape(std::size_t at) const;
  std::size_t index(const spec::Shape3& shape) const;

  // Equal rows have one kind, equal columns have one kind.
  struct Kinds {
    std::vector<std::int32_t> kind;
    std::int32_t kinds = 0;
    bool operator==(const Kinds&) const = default;
  };
  const Kinds& rows(std::size_t at) const { return patterns_[maps_[at].rows]; }
  const Kinds& columns(std::size_t at) const { return patterns_[maps_[at].columns]; }
  std::uint64_t cell(std::size_t at, std::int32_t row_kind, std::int32_t column_kind) const {
    return cells_[maps_[at].cells +
                  static_cast<std::size_t>(row_kind) * static_cast<std::size_t>(columns(at).kinds) +
                  static_cast<std::size_t>(column_kind)];
  }

 private:
  std::uint32_t intern(std::vector<std::int32_t> kind, std::int32_t kinds);

  struct Map {
    std::uint32_t rows = 0, columns = 0;  // patterns
    std::size_t cells = 0;                // the first of them
  };
  const spec::Shape3 sizes_;
  std::vector<Map> maps_;
  std::vector<Kinds> patterns_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> known_;  // by digest
  std::vector<std::uint64_t> cells_;
};

// A rule of some shapes of a box: a word for each size.
struct BoxRule {
  std::vector<spec::Atom> guard;
  std::int64_t k_ref = 0;
  // Type of each row of m rows at [m - 1]; empty where the rule has no word.
  std::vector<std::vector<std::int32_t>> rows, columns;
  std::vector<std::vector<std::int32_t>> table;   // class, -1 where two types never met
  std::vector<LearnedRegime::Witness> witnesses;  // of each class
};

// The rule that gives each of these shapes its map; all have one k. nullopt where more types would
// be needed than a table should have.
std::optional<BoxRule> list_shapes(const WholeBox& box, const std::vector<std::size_t>& shapes);

// For each of the shapes whether the rule gives its map, if each class has one order at each k.
std::vector<bool> test_shapes(const WholeBox& box, const BoxRule& rule,
                              const std::vector<std::size_t>& shapes);

// Conditions that no wrong shape meets and many right ones do; nullopt if no right one does.
std::optional<std::vector<spec::Atom>> separate(const std::vector<spec::Shape3>& right,
                                                const std::vector<spec::Shape3>& wrong);

// Rules for all shapes of the box, as far as conditions on products of m, n and k leave few
// enough of them. The first one whose guard holds decides.
std::vector<BoxRule> rules_of_box(const WholeBox& box,
                                  const std::function<void(const std::string&)>& log);

LearnedRegime regime_of(const BoxRule& rule, const spec::Shape3& sizes);

}  // namespace reprosum::reveal::region
