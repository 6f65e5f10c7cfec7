#include "reveal/check/telling_data.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace reprosum::reveal {
namespace {

constexpr double kLevel = 8;  // of partial sums, which are now above it and now below
constexpr double kWideUnits = 0x1p49;  // in 1: what a sum of 53 bits at the level can keep

double rounded(spec::Type type, double value) { return spec::rounded(type.input, value); }

// A partial sum, or a summand whose value is not chosen yet.
struct Value {
  double value = 0;
  std::int64_t open = -1;
};

class Telling {
 public:
  Telling(const spec::Tree& tree, spec::Type type, FastRandom& random, std::span<double> x,
          std::span<double> y)
      : tree_(tree),
        type_(type),
        random_(random),
        x_(x),
        y_(y),
        starts_alike_(static_cast<int>(random.below(4))),
        swing_(std::ldexp(1.0, -static_cast<int>(random.below(4)))),
        cancels_(random.below(2) == 0),
        narrow_units_(spec::is_f64(type) ? kWideUnits : 0x1p20) {}

  void run() {
    std::vector<Value> stack;
    for (std::size_t at = 0; at < tree_.ops.size(); ++at) {
      const spec::TreeOp& op = tree_.ops[at];
      if (op.kind == spec::TreeOp::Kind::leaf) {
        stack.push_back({0, op.leaf == spec::Leaf::zero ? -1 : std::int64_t{op.index}});
        continue;
      }
      const Value right = stack.back();
      stack.pop_back();
      stack.back() = added(stack.back(), right, op.format == spec::NodeFormat::wide,
                           at + 1 == tree_.ops.size());
    }
    if (stack.back().open >= 0) put(stack.back(), start());
  }

 private:
  Value added(Value left, Value right, bool is_wide, bool is_root) {
    if (left.open >= 0 && right.open >= 0) put(left, start());
    if (left.open < 0 && right.open < 0) return {left.value + right.value, -1};
    Value& leaf = left.open >= 0 ? left : right;
    const double sum = left.open >= 0 ? right.value : left.value;
    put(leaf, next(sum, is_wide, is_root));
    return {sum + leaf.value, -1};
  }

  double start() {
    const bool is_negative = (starts_++ >> starts_alike_) % 2 == 1;
    return (kLevel + (random_.unit() - 0.5) * swing_) * (is_negative ? -1 : 1);
  }

  // What is added to the partial sum.
  double next(double sum, bool is_wide, bool is_root) {
    // A wide sum is rounded to narrow in the end: only its low bits may be left.
    if (is_root && (is_wide || cancels_)) return -sum;
    const double swing = is_wide ? swing_ * 0x1p-30 : swing_;
    const double over = std::abs(sum) - kLevel;
    double wanted = (0.1 + 0.8 * random_.unit()) * swing;
    if (random_.bits() % 8 == 0 ? over < 0 : over >= 0) wanted = -wanted;
    if (std::abs(over) > 2 * swing) wanted = 0;  // summands are rounded: it may take some of them
    return on_fraction(std::copysign(1.0, sum) * (wanted - over), is_wide);
  }

  // Two such fractions of what is kept above the level are lost one by one, and kept together.
  double on_fraction(double value, bool is_wide) {
    const double units = is_wide ? kWideUnits : narrow_units_;
    return (std::floor(value * units) + 0.3 + 0.15 * random_.unit()) / units;
  }

  void put(Value& leaf, double wanted) {
    const auto at = static_cast<std::size_t>(leaf.open);
    leaf.open = -1;
    if (y_.empty()) {
      leaf.value = x_[at] = rounded(type_, wanted);
      return;
    }
    y_[at] = rounded(type_, (1 + random_.unit()) * (random_.bits() % 2 == 0 ? 1 : -1));
    x_[at] = rounded(type_, wanted / y_[at]);
    leaf.value = x_[at] * y_[at];
  }

  const spec::Tree& tree_;
  const spec::Type type_;
  FastRandom& random_;
  std::span<double> x_, y_;
  const int starts_alike_;  // 2^this chains in a row start on the same side of zero
  const double swing_;
  const bool cancels_;
  const double narrow_units_;  // likewise, of a sum in the type
  std::int64_t starts_ = 0;
};

}  // namespace

void fill_telling(const spec::Tree& tree, spec::Type type, FastRandom& random, std::span<double> x,
                  std::span<double> y) {
  if (x.empty()) return;
  Telling(tree, type, random, x, y).run();
}

}  // namespace reprosum::reveal
