// Where a rule ends: pairs of neighbouring shapes, one inside and one outside.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "reveal/region/rule.h"

namespace reprosum::reveal::region {

// Every shape between in_low and in_high (by components) that was looked at is right; out is wrong.
struct Border {
  spec::Shape3 in_low, in_high, out;
};

// Looks at a rule through shapes whose other k are already primed.
class Prober {
 public:
  Prober(Maps& maps, Rule& rule) : maps_(maps), rule_(rule) {}

  // What the rule must satisfy besides its own guard.
  std::vector<spec::Atom> also;

  bool inside(const spec::Shape3& shape) const {
    // A size that was solved for may come out as 0.
    return shape.m >= 1 && shape.n >= 1 && shape.k >= 1 && rule_.inside(shape) &&
           holds(also, shape) && maps_.affordable(shape);
  }
  // Tests some shapes of this k, from the safe side, so that the classes get their hashes. Returns
  // the shapes that are right.
  const std::vector<spec::Shape3>& prime(std::int64_t k);
  // Whether every shape that prime(k) looked at was wrong (false if there was none).
  bool fails_at(std::int64_t k);
  // The rule fails at `failing_k`. Those m and n of it that also contradict the rule at its own k.
  std::vector<spec::Shape3> wrong_at_reference(std::int64_t failing_k);
  Verdict test(const spec::Shape3& shape);
  void forget();

  // Shapes of this k that contradict the rule, among `count` random ones.
  std::vector<spec::Shape3> contradictions(std::int64_t k, int count, double work);
  // Moves the shape to the last one inside a comparison of panels, if the guard has one and a shape
  // of so many outputs lies beside it.
  bool move_to_panels(spec::Shape3& shape, int turn, double most_outputs) const;
  // A vivid shape near (m, n): few sizes show an edge.
  spec::Shape3 vivid(std::int64_t m, std::int64_t n, std::int64_t k) const;
  // Borders between a wrong shape and right ones of the same k.
  std::vector<Border> trace(const spec::Shape3& wrong);
  // Where the verdict on the m and n of a wrong shape changes with k, if it does. The shape shows
  // the difference itself, which one on the way to other sizes may hide.
  std::optional<Border> trace_k(const spec::Shape3& wrong);
  // The same for several shapes of each k, and for others of a k at which the rule fails (0: none).
  std::vector<Border> trace_k(const std::vector<spec::Shape3>& wrong, std::int64_t failing_k);
  // The last k on the way from `good` to `bad` at which the rule holds for the shapes of prime(),
  // and for this shape's m and n.
  std::int64_t last_good_k(std::int64_t good, std::int64_t bad, const spec::Shape3* shape);

  std::int64_t right() const { return right_; }
  const std::vector<spec::Shape3>& right_shapes() const { return right_shapes_; }
  std::int64_t unknown() const { return unknown_; }

 private:
  struct Home {
    std::vector<spec::Shape3> right, wrong;
  };
  // How far below a size others may stand for it.
  std::int64_t reach_back(Side side, std::int64_t size) const;
  // Shapes near (m, n) that show every edge which sizes near these have.
  std::vector<spec::Shape3> telling(const spec::Shape3& near) const;
  bool is_right(const spec::Shape3& near, Border& border);
  void bisect(spec::Shape3 good, spec::Shape3 bad, std::vector<Border>& borders);
  bool grows_inwards() const;
  // Shapes of this k just above the guard's lower bounds on both sizes.
  std::vector<spec::Shape3> least_shapes(std::int64_t k) const;
  // A right shape of this k where the search for the border begins.
  std::optional<spec::Shape3> home_for(const spec::Shape3& wrong);

  Maps& maps_;
  Rule& rule_;
  std::map<std::int64_t, Home> homes_;
  std::int64_t right_ = 0, unknown_ = 0;  // tested
  std::vector<spec::Shape3> right_shapes_;
};

}  // namespace reprosum::reveal::region
