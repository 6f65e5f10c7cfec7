// A rule of one regime while it is being learned: it predicts, and is compared with what is seen.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "reveal/region/maps.h"
#include "reveal/region/observations.h"

namespace reprosum::reveal::region {

bool holds(const std::vector<spec::Atom>& guard, const spec::Shape3& shape);
// The least m, n and k that conditions on one size alone admit.
spec::Shape3 least_sizes(const std::vector<spec::Atom>& guard);
std::string print(const spec::Atom& atom);
std::string print(const std::vector<spec::Atom>& guard);
std::string print(const spec::Shape3& shape);
std::string print(const spec::Axis& axis);

enum class Verdict : std::uint8_t {
  right,
  wrong,    // two classes where one was predicted, or a class with two hashes at this k
  unknown,  // no word for a size, or a table entry that was never seen
};

class Rule {
 public:
  std::vector<spec::Atom> guard;
  std::array<spec::Axis, 2> axes;
  std::vector<std::vector<std::int32_t>> table;
  std::int64_t k_ref = 0;
  int classes = 0;
  std::vector<LearnedRegime::Witness> witnesses;
  std::vector<std::uint64_t> hashes;                            // of the classes, at k_ref
  std::array<std::vector<std::int64_t>, 2> anchors;             // sizes that show all types
  std::array<std::int64_t, 2> home_low{1, 1}, home_high{1, 1};  // the box it was first learned in
  bool beyond = false;  // also predicts sizes above the last segments
  // It comes from another context and may end at some larger product: small shapes are safe.
  bool is_borrowed = false;
  bool is_listed = false;  // from all shapes of the guard at k_ref (list_sizes)
  std::string last_error;

  bool inside(const spec::Shape3& shape) const { return holds(guard, shape); }
  // Compares every output. The hashes that a right shape shows at its k are kept and must hold for
  // the next shapes of that k. Entries of the table never seen are filled at k_ref.
  Verdict test(Maps& maps, const spec::Shape3& shape);
  // Forgets what other k have shown (and k_ref, but for the classes' hashes).
  void forget();
  // Forgets the hashes of k_ref as well, which then come from the next right shapes.
  void forget_hashes();
  void forget(std::int64_t k) { known_.erase(k); }
  // The hash of a class that right shapes of this k have shown; 0: none has.
  std::uint64_t hash(std::int64_t k, std::int32_t output_class) const;
  // Whether it predicts more than one class for this shape.
  bool has_edges(const spec::Shape3& shape) const;
  // How many of the types of each axis one size has; 0 without a word.
  int variety(Side side, std::int64_t size) const;
  // The size in [size - back, size], at least 1, with most types; the largest of those.
  std::int64_t vivid(Side side, std::int64_t size, std::int64_t back) const;
  // Sizes of the same range that have every type that any of them has, the vivid one first.
  std::vector<std::int64_t> telling(Side side, std::int64_t size, std::int64_t back) const;

 private:
  std::map<std::int64_t, std::vector<std::uint64_t>> known_;  // k -> hash of each class, 0: none
};

// Makes sure that every class has a witness inside the guard, at one k, which becomes k_ref.
// Classes that no affordable shape shows leave the table. False if no class is left.
bool find_witnesses(Maps& maps, Rule& rule);

// A rule of another context; the hashes of its classes come from the next right shapes.
Rule rule_of(const LearnedRegime& regime);
// The same with what it was learned from, so that it can be changed where it is wrong here.
Rule borrow(const LearnedRegime& regime);

}  // namespace reprosum::reveal::region
