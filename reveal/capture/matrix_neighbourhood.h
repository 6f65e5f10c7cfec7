// Beside a wrong output: what else is wrong there?
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "reveal/check/matrix_check.h"

namespace reprosum::reveal {

// Random products at and around one shape.
class Neighbourhood {
 public:
  Neighbourhood(Target& target, const Call& call, const std::vector<spec::MatrixRegime>& regimes,
                const std::vector<spec::Order>& orders, const spec::Shape3& at, std::uint64_t seed)
      : target_(target),
        call_(call),
        regimes_(regimes),
        orders_(orders),
        at_(at),
        seed_(seed),
        seeds_(seed) {}

  // How many of `trials` products are wrong; all of them where hardly any can be placed as asked,
  // since what is never run explains nothing.
  int wrong(const MatrixCheck& how, int trials) {
    int count = 0;
    ran_ = 0;
    for (int trial = 0; trial < trials; ++trial) count += is_wrong(at_, how);
    return 2 * ran_ < trials ? trials : count;
  }

  // Whether some product of k summands is; the other sizes stay near the shape's.
  bool wrong_at(std::int64_t k, const MatrixCheck& how, int trials) {
    FastRandom random(seed_ + 77);
    const bool gemv = call_.routine == spec::Routine::gemv;
    const auto near = [&](std::int64_t size) {
      return random.below(2) == 0 ? size : 1 + random.below(size + 4);
    };
    for (int trial = 0; trial < trials; ++trial)
      if (is_wrong({near(at_.m), gemv ? 1 : near(at_.n), k}, how)) return true;
    return false;
  }

  // The last of the wrong k where only few k from 1 on are; else 0.
  std::int64_t last_wrong_k(const MatrixCheck& how, int trials, std::int64_t largest) {
    constexpr std::int64_t most_cut = 128;  // wrong k up to here are few
    const auto is_wrong_at = [&](std::int64_t k) {
      return k <= largest && wrong_at(k, how, trials);
    };
    std::int64_t last = at_.k;
    for (std::int64_t k = last + 1; k <= std::min(most_cut, last + 8); ++k)
      if (is_wrong_at(k)) last = k;
    const bool are_many = last > most_cut || is_wrong_at(last + 16) || is_wrong_at(2 * last + 37);
    return are_many ? 0 : last;
  }

  // The condition that leaves out only shapes of one row, or one column, or one output, where
  // larger ones beside the shape are right; empty if there is none.
  std::vector<spec::Atom> thin(const MatrixCheck& how, int trials) {
    if (call_.routine == spec::Routine::gemv || (at_.m > 1 && at_.n > 1)) return {};
    FastRandom random(seed_ + 177);
    const auto is_right = [&](bool one_row, bool one_column) {
      ran_ = 0;
      for (int trial = 0; trial < trials; ++trial) {
        const auto size = [&](bool is_one, std::int64_t near) {
          if (is_one) return std::int64_t{1};
          return random.below(2) == 0 ? std::max<std::int64_t>(2, near) : 2 + random.below(15);
        };
        if (is_wrong({size(one_row, at_.m), size(one_column, at_.n), at_.k}, how)) return false;
      }
      return 2 * ran_ >= trials;
    };
    const spec::Atom row{spec::Atom::Kind::at_most, true, false, false, 1, 1, 1};
    const spec::Atom column{spec::Atom::Kind::at_most, false, true, false, 1, 1, 1};
    if (!is_right(false, false)) return {};
    if (at_.m == 1 && at_.n == 1 && is_right(true, false) && is_right(false, true))
      return {row, column};
    return {at_.m == 1 ? row : column};
  }

 private:
  bool is_wrong(const spec::Shape3& shape, MatrixCheck how) {
    // Seeds are drawn: neighbouring ones soon give the same numbers.
    how.seed = seeds_.bits();
    const MatrixReplayResult result =
        check_matrices(target_, call_, regimes_, orders_, std::array{shape}, how);
    ran_ += static_cast<int>(result.shapes);
    return result.wrong.has_value();
  }

  Target& target_;
  const Call& call_;
  const std::vector<spec::MatrixRegime>& regimes_;
  const std::vector<spec::Order>& orders_;
  const spec::Shape3 at_;
  const std::uint64_t seed_;
  FastRandom seeds_;
  int ran_ = 0;  // products of the last count
};

}  // namespace reprosum::reveal
