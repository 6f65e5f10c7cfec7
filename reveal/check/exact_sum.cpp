#include "reveal/check/exact_sum.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace reprosum::reveal {
namespace {

struct Pair {
  double high, low;
};

Pair two_sum(double a, double b) {
  const double s = a + b;
  const double v = s - a;
  return {s, (a - (s - v)) + (b - v)};
}

Pair two_product(double a, double b) {
  const double p = a * b;
  return {p, std::fma(a, b, -p)};
}

// A nonoverlapping expansion, least component first (Shewchuk, theorem 10).
class Expansion {
 public:
  void add(double value) {
    std::vector<double> next;
    next.reserve(parts_.size() + 1);
    for (const double part : parts_) {
      const Pair sum = two_sum(value, part);
      if (sum.low != 0) next.push_back(sum.low);
      value = sum.high;
    }
    if (value != 0) next.push_back(value);
    parts_ = std::move(next);
  }

  // Exact: what is doubled here is far from overflow.
  void double_it() {
    for (double& part : parts_) part *= 2;
  }

  // The sign of the exact value.
  int sign() const { return parts_.empty() ? 0 : (parts_.back() > 0 ? 1 : -1); }
  // A few units in the last place from the exact value. The last part alone says little: where
  // leading parts cancelled, the next part may be smaller by two bits only.
  double estimate() const { return std::accumulate(parts_.begin(), parts_.end(), 0.0); }

 private:
  std::vector<double> parts_;
};

// Rounds to nearest even in T: starting near the value, step to a neighbour while the value lies
// beyond the midpoint (or on it, when the neighbour's last bit is even).
template <class T>
double nearest(const Expansion& sum) {
  T best = static_cast<T>(sum.estimate());
  for (bool moved = true; moved;) {
    moved = false;
    for (const int direction : {1, -1}) {
      const T next =
          std::nextafter(best, static_cast<T>(direction) * std::numeric_limits<T>::infinity());
      const double gap = static_cast<double>(next) - static_cast<double>(best);
      Expansion beyond = sum;  // twice sum - midpoint: half a gap may be less than any double
      beyond.add(-static_cast<double>(best));
      beyond.double_it();
      beyond.add(-gap);
      const int side = beyond.sign() * direction;
      const bool even = std::fmod(static_cast<double>(next) / gap, 2.0) == 0;
      if (side > 0 || (side == 0 && even)) {
        best = next;
        moved = true;
        break;
      }
    }
  }
  return static_cast<double>(best);
}

}  // namespace

double exact_result(spec::Type type, std::span<const double> x, std::span<const double> y) {
  Expansion sum;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (y.empty()) {
      sum.add(x[k]);
      continue;
    }
    const Pair product = two_product(x[k], y[k]);
    sum.add(product.low);
    sum.add(product.high);
  }
  return spec::is_f32(type) ? nearest<float>(sum) : nearest<double>(sum);
}

}  // namespace reprosum::reveal
