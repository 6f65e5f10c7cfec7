#include "src/exact/solve/certified.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "src/exact/machine/fast_counts.h"
#include "src/exact/machine/float_environment.h"
#include "src/exact/solve/fast_trsv.h"
#include "src/exact/values/ball.h"

namespace reprosum::exact {
namespace {

constexpr std::size_t kFirstWords = 3;

template <class T>
bool is_finite(T value) {
  return !decode(value).special;
}

template <class T>
class Solver {
 public:
  Solver(const Triangular<T>& system, View<T> b) : system_(system), n_(system.n) {
    right_.reserve(static_cast<std::size_t>(n_));
    for (std::int64_t step = 0; step < n_; ++step) right_.push_back(odd_of(b.at(row(step), 0)));
  }

  std::string refusal(View<T> b) const {
    for (std::int64_t step = 0; step < n_; ++step) {
      const std::int64_t i = row(step);
      const std::string name = std::to_string(i + 1);
      if (!is_finite(b.at(i, 0))) return "component " + name + " of the right side is not finite";
      if (!system_.unit && is_zero(system_.a.at(i, i)))
        return "element " + name + " of the diagonal is zero: there is no unique solution";
      for (std::int64_t before = 0; before < step + (system_.unit ? 0 : 1); ++before) {
        if (!is_finite(system_.a.at(i, row(before))))
          return "row " + name + " of the triangle has an element that is not finite";
      }
    }
    return "";
  }

  std::vector<T> run() {
    const auto count = static_cast<std::size_t>(n_);
    std::vector<T> x(count);
    std::vector<char> certain(count, 0);
    std::int64_t open = n_;  // steps before this one are still needed
    for (std::size_t words = kFirstWords; open > 0; words *= 2) {
      std::int64_t last = 0;
      apart_ = 0;
      shifts_ = 0;
      for (std::int64_t step = 0; step < open; ++step) {
        const auto at = static_cast<std::size_t>(step);
        if (!known(step)) balls_[at] = component(step, words);
        grow_distance(step);
        if (!certain[at]) certain[at] = decide(step, x[at]);
        if (!certain[at]) last = step + 1;
      }
      open = last;
    }
    return x;
  }

  std::int64_t row(std::int64_t step) const { return system_.lower ? step : n_ - 1 - step; }

 private:
  Odd element(std::int64_t step, std::int64_t column) const {
    if (step == column && system_.unit) return {1, 0, false};
    return odd_of(system_.a.at(row(step), row(column)));
  }

  bool known(std::int64_t step) const {
    return static_cast<std::size_t>(step) < exact_.size() && exact_[static_cast<std::size_t>(step)];
  }

  // (b - sum of a_ij x_j) / a_ii
  Ball component(std::int64_t step, std::size_t words) {
    const Odd& right = right_[static_cast<std::size_t>(step)];
    const Ball one{{1}, false, 0, {}};
    std::int64_t top = std::numeric_limits<std::int64_t>::min();
    if (right.bits != 0) top = right.exponent + 64;
    std::vector<Odd> row(static_cast<std::size_t>(step));
    for (std::int64_t j = 0; j < step; ++j) {
      const Ball& x = balls_[static_cast<std::size_t>(j)];
      Odd& a = row[static_cast<std::size_t>(j)] = element(step, j);
      if (a.bits == 0 || x.exactly_zero())
        a.bits = 0;
      else
        top = std::max(top, a.exponent + 64 + x.top());
    }
    if (top == std::numeric_limits<std::int64_t>::min()) return {};
    BallSum sum(top, words + 1);
    sum.add(right, one, false);
    for (std::int64_t j = 0; j < step; ++j)
      sum.add(row[static_cast<std::size_t>(j)], balls_[static_cast<std::size_t>(j)], true);
    return sum.over(element(step, step));
  }

  // Takes the row into the least distance between x_i and a c that it is not: 2^-distance().
  void grow_distance(std::int64_t step) {
    const Odd diagonal = element(step, step), right = right_[static_cast<std::size_t>(step)];
    std::int64_t least = diagonal.exponent;
    if (right.bits != 0) least = std::min(least, right.exponent);
    for (std::int64_t j = 0; j < step; ++j) {
      const Odd a = element(step, j);
      if (a.bits != 0) least = std::min(least, a.exponent);
    }
    shifts_ += diagonal.exponent - least;
    apart_ += 64 - std::countl_zero(diagonal.bits);
  }
  std::int64_t distance() const { return apart_ + std::max<std::int64_t>(1075, shifts_); }

  bool decide(std::int64_t step, T& x) {
    Ball& ball = balls_[static_cast<std::size_t>(step)];
    const Ends<T> ends = rounded_ends<T>(ball);
    using Bits = typename Format<T>::Bits;
    const auto least = std::bit_cast<Bits>(ends.least), most = std::bit_cast<Bits>(ends.most);
    if (least == most) {
      x = ends.least;
      return true;
    }
    if (ball.radius.top() + 1 >= -distance()) return false;
    // A c lies within the ball, and nothing else of the kind: it is the component.
    if (((least ^ most) & Format<T>::kSign) != 0) {
      x = T(0);
      ball = {};
      exact_.resize(static_cast<std::size_t>(n_), 0);
      exact_[static_cast<std::size_t>(step)] = 1;
      return true;
    }
    if (least + 1 != most && most + 1 != least) return false;
    x = std::bit_cast<T>(least % 2 == 0 ? least : most);
    return true;
  }

  const Triangular<T>& system_;
  const std::int64_t n_;
  std::vector<Odd> right_;
  std::vector<Ball> balls_ = std::vector<Ball>(static_cast<std::size_t>(n_));
  std::vector<char> exact_;  // components that are exactly what their ball says
  std::int64_t apart_ = 0, shifts_ = 0;
};

}  // namespace

template <class T>
std::string solve_certified(const Kernels* kernels, const Triangular<T>& system, View<T> b) {
  // Certain components are finite numbers of finite elements: that leaves nothing to refuse.
  if (in_default_environment([&] { return solve_certified_fast(kernels, system, b); })) return "";
  Solver<T> solver(system, b);
  std::string why = solver.refusal(b);
  if (!why.empty()) return why;
  ++fast_counts().balls;
  const std::vector<T> x = solver.run();
  for (std::int64_t step = 0; step < system.n; ++step)
    b.at(solver.row(step), 0) = x[static_cast<std::size_t>(step)];
  return why;
}

template std::string solve_certified(const Kernels*, const Triangular<float>&, View<float>);
template std::string solve_certified(const Kernels*, const Triangular<double>&, View<double>);

}  // namespace reprosum::exact
