// Row and column types of one regime at one k, told apart by experiments (as in Angluin's L*).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "reveal/region/maps.h"
#include "reveal/region/words.h"

namespace reprosum::reveal::region {

enum Side { row_side = 0, column_side = 1 };
inline Side other(Side side) { return side == row_side ? column_side : row_side; }

// Two places of one type on the other side differ at this size: it belongs to the anchors.
struct Conflict : std::runtime_error {
  Conflict(Side side, std::int64_t size, std::vector<std::int64_t> across)
      : std::runtime_error(std::string("two ") + (side == row_side ? "columns" : "rows") +
                           " of one type differ at " + (side == row_side ? "m = " : "n = ") +
                           std::to_string(size)),
        side(side),
        size(size),
        across(std::move(across)) {}
  Side side;
  std::int64_t size;
  std::vector<std::int64_t> across;  // sizes of the other side at which it was looked at
};
// No rule of the expected form: too many types, or a conflict that more anchors do not resolve.
struct NoRule : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A type is a function from the other side's types to classes: a row (or column) of the table. It
// may be known in part. Anchors are the sizes that serve as experiments for the other side.
class Observations {
 public:
  using Inside = std::function<bool(std::int64_t m, std::int64_t n)>;

  Observations(Maps& maps, std::int64_t k, Inside inside)
      : maps_(maps), k_(k), inside_(std::move(inside)) {}

  std::array<std::set<std::int64_t>, 2> anchors;
  // Anchors that types are told apart by first, even where few others go with them.
  std::array<std::set<std::int64_t>, 2> decisive;
  std::array<std::int64_t, 2> period{1, 1};  // steps by which a size may grow and keep its types

  // Forgets all types and finds them anew from the anchors.
  void begin();
  // The word of one size; adds types it has not seen. Throws Conflict, NoRule.
  Runs word(Side side, std::int64_t size);
  // Whether this word contradicts nothing that the size's experiments show. Where the guard or the
  // budget leaves few experiments, several words do.
  bool fits(Side side, std::int64_t size, const Runs& expected);
  // Whether word() has an experiment for this size.
  bool reachable(Side side, std::int64_t size) const;

  int types(Side side) const { return types_[side]; }
  // Whether one anchor of each side goes with another.
  bool has_grid() const;
  // Few and small sizes whose words hold all types of the side; if possible such that shapes with
  // each of `across` on the other side lie inside.
  std::set<std::int64_t> cover(Side side, const std::set<std::int64_t>& across) const;

  std::int32_t entry(std::int32_t row, std::int32_t column) const;
  int classes() const { return static_cast<int>(witnesses_.size()); }
  const std::vector<LearnedRegime::Witness>& witnesses() const { return witnesses_; }
  const std::vector<std::uint64_t>& hashes() const { return hashes_; }
  // The class of a hash, or -1.
  std::int32_t find_class(std::uint64_t hash) const;
  void set_entry(std::int32_t row, std::int32_t column, std::int32_t value);

 private:
  using Function = std::vector<std::pair<std::int32_t, std::int32_t>>;  // other type, class
  // What the experiments of one size showed: equal places are one group.
  struct Evidence {
    std::vector<std::int32_t> group;
    std::vector<Function> functions;  // of the groups
  };
  bool admits(Side side, std::int32_t type, const Function& function) const;
  std::shared_ptr<const ClassMap> map(Side side, std::int64_t own, std::int64_t across);
  bool inside(Side side, std::int64_t own, std::int64_t across) const;
  // The size next to `across` on the other side that lies inside; 0 if none does.
  std::int64_t nearest(Side side, std::int64_t size, std::int64_t across) const;
  std::vector<std::int64_t> experiments(Side side, std::int64_t size, int depth);
  const std::vector<std::int32_t>& types_at(Side side, std::int64_t size, int depth);
  std::int64_t cheaper(Side side, std::int64_t size, std::int64_t anchor, int depth);
  // Whether the word of `size` has every type that the known one of `than` has.
  bool shows_as_much(Side side, std::int64_t size, std::int64_t than, int depth);
  std::int32_t match(Side side, const Function& function);
  std::int32_t class_of(const ClassMap& map, const spec::Shape3& shape, std::int32_t row,
                        std::int32_t column);
  std::int32_t& at(Side side, std::int32_t type, std::int32_t across);
  int new_type(Side side);
  std::array<std::vector<std::int64_t>, 2> best_grid() const;

  Maps& maps_;
  std::int64_t k_;
  Inside inside_;
  std::array<std::map<std::int64_t, std::vector<std::int32_t>>, 2> words_;  // type of each place
  std::array<std::map<std::int64_t, Evidence>, 2> evidence_;  // none for the grid of anchors
  std::array<int, 2> types_{0, 0};
  std::vector<std::vector<std::int32_t>> table_;  // [row type][column type], -1: not seen
  std::unordered_map<std::uint64_t, std::int32_t> class_number_;
  std::vector<std::uint64_t> hashes_;
  std::vector<LearnedRegime::Witness> witnesses_;
};

}  // namespace reprosum::reveal::region
