#include "reveal/check/telling_data.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace reprosum::reveal {
namespace {

constexpr double kLevel = 8;           // of partial sums, which are now above it and now below
constexpr double kWideUnits = 0x1p49;  // in 1: what a sum of 53 bits at the level can keep

// In [0, 1), of the low 29 bits.
double fraction(std::uint64_t bits) {
  return static_cast<double>(static_cast<std::int32_t>(bits & 0x1fffffff)) * 0x1p-29;
}

// To an integer, if it has less than 51 bits.
double to_integer(double value) {
  constexpr double kMagic = 0x1.8p52;
  return (value + kMagic) - kMagic;
}

// So many vectors for one tree at once: each of them is a chain of dependent operations, and this
// runs for each summand of a capture.
template <int kRows>
class Telling {
 public:
  // Row r of x is x[r * n ...]; likewise of y, unless it is empty.
  Telling(const spec::Tree& tree, spec::Type type, FastRandom& random, std::span<double> x,
          std::span<double> y)
      : tree_(tree),
        type_(type),
        is_f64_(spec::is_f64(type)),
        is_f32_(spec::is_f32(type)),
        random_(random),
        x_(x),
        y_(y),
        n_(x.size() / kRows),
        narrow_units_(is_f64_ ? kWideUnits : 0x1p20) {
    for (int r = 0; r < kRows; ++r) {
      starts_alike_[r] = static_cast<int>(random.below(4));
      swing_[r] = std::ldexp(1.0, -static_cast<int>(random.below(4)));
      cancels_[r] = random.below(2) == 0;
    }
  }

  void run() {
    std::vector<Value> stack;
    stack.reserve(64);
    for (std::size_t at = 0; at < tree_.ops.size(); ++at) {
      const spec::TreeOp& op = tree_.ops[at];
      if (op.kind == spec::TreeOp::Kind::leaf) {
        stack.push_back({{}, op.leaf == spec::Leaf::zero ? -1 : std::int64_t{op.index}});
        continue;
      }
      const Value right = stack.back();
      stack.pop_back();
      add(stack.back(), right, op.format == spec::NodeFormat::wide, at + 1 == tree_.ops.size());
    }
    if (stack.back().open >= 0) put(stack.back(), starts());
  }

 private:
  using Rows = std::array<double, kRows>;
  // A partial sum, or a summand whose value is not chosen yet.
  struct Value {
    Rows value{};
    std::int64_t open = -1;
  };

  // left := the sum.
  void add(Value& left, Value right, bool is_wide, bool is_root) {
    if (left.open >= 0 && right.open >= 0) put(left, starts());
    if (left.open >= 0)
      put(left, next(right.value, is_wide, is_root));
    else if (right.open >= 0)
      put(right, next(left.value, is_wide, is_root));
    for (int r = 0; r < kRows; ++r) left.value[r] += right.value[r];
  }

  // First values of chains.
  Rows starts() {
    Rows wanted;
    for (int r = 0; r < kRows; ++r) {
      const bool is_negative = (starts_ >> starts_alike_[r]) % 2 == 1;
      wanted[r] = (kLevel + (random_.unit() - 0.5) * swing_[r]) * (is_negative ? -1 : 1);
    }
    ++starts_;
    return wanted;
  }

  // What is added to the partial sums.
  Rows next(const Rows& sums, bool is_wide, bool is_root) {
    const double units = is_wide ? kWideUnits : narrow_units_;
    const double unit = 1 / units;
    Rows wanted;
    for (int r = 0; r < kRows; ++r) {
      const std::uint64_t bits = random_.bits();  // one draw for all
      const double swing = is_wide ? swing_[r] * 0x1p-30 : swing_[r];
      const double over = std::abs(sums[r]) - kLevel;
      const bool goes_on = bits % 8 == 0;  // away from the level
      const bool is_lower = (over < 0) == goes_on;
      double step = (0.1 + 0.8 * fraction(bits >> 35)) * swing * (is_lower ? -1.0 : 1.0);
      // Summands are rounded: it may take some of them.
      step = std::abs(over) > 2 * swing ? -over : step - over;
      // Two such fractions of what is kept above the level are lost one by one, and kept together.
      wanted[r] = (to_integer(std::copysign(1.0, sums[r]) * step * units) + 0.3 +
                   0.15 * fraction(bits >> 3)) *
                  unit;
      // A wide sum is rounded to narrow in the end: only its low bits may be left.
      if (is_root && (is_wide || cancels_[r])) wanted[r] = -sums[r];
    }
    return wanted;
  }

  void put(Value& leaf, const Rows& wanted) {
    double* const x = x_.data() + leaf.open;
    leaf.open = -1;
    if (y_.empty()) {
      for (int r = 0; r < kRows; ++r) {
        leaf.value[r] = rounded(wanted[r]);
        x[n_ * static_cast<std::size_t>(r)] = leaf.value[r];
      }
      return;
    }
    double* const y = y_.data() + (x - x_.data());
    for (int r = 0; r < kRows; ++r) {
      const std::uint64_t bits = random_.bits();
      const double size = 1 + static_cast<double>(static_cast<std::int64_t>(bits >> 11)) * 0x1p-53;
      const double factor = rounded(bits % 2 == 0 ? size : -size);
      const double other = rounded(wanted[r] / factor);
      y[n_ * static_cast<std::size_t>(r)] = factor;
      x[n_ * static_cast<std::size_t>(r)] = other;
      leaf.value[r] = other * factor;
    }
  }

  // What is fed to the target: a number of its type.
  double rounded(double value) const {
    if (is_f64_) return value;
    return is_f32_ ? static_cast<double>(static_cast<float>(value))
                   : spec::rounded(type_.input, value);
  }

  const spec::Tree& tree_;
  const spec::Type type_;
  const bool is_f64_, is_f32_;
  FastRandom& random_;
  const std::span<double> x_, y_;
  const std::size_t n_;
  std::array<int, kRows> starts_alike_{};  // 2^this chains in a row start on the same side of zero
  Rows swing_{};
  std::array<bool, kRows> cancels_{};
  const double narrow_units_;  // likewise, of a sum in the type
  std::int64_t starts_ = 0;
};

template <int kRows>
void fill_rows(const spec::Tree& tree, spec::Type type, FastRandom& random, std::size_t& first,
               std::size_t rows, std::span<double> x, std::span<double> y) {
  const std::size_t n = x.size() / rows;
  for (; first + kRows <= rows; first += kRows)
    Telling<kRows>(tree, type, random, x.subspan(first * n, kRows * n),
                   y.empty() ? y : y.subspan(first * n, kRows * n))
        .run();
}

}  // namespace

void fill_telling(const spec::Tree& tree, spec::Type type, FastRandom& random, std::int64_t rows,
                  std::span<double> x, std::span<double> y) {
  if (x.empty()) return;
  const auto count = static_cast<std::size_t>(rows);
  std::size_t first = 0;
  fill_rows<4>(tree, type, random, first, count, x, y);
  fill_rows<2>(tree, type, random, first, count, x, y);
  fill_rows<1>(tree, type, random, first, count, x, y);
}

}  // namespace reprosum::reveal
