// Products with symmetric and triangular matrices and trsm against MPFR, entry by entry: every kind
// of terms, scalars, storage. What is not to be read holds NaN, and what is not to be written
// stays.
#include "src/exact/products/structured.h"

#include <algorithm>
#include <cmath>

#include "src/exact/solve/many_sides.h"
#include "tests/src/exact/matrix_cases.h"

namespace reprosum::exact::testing {
namespace {

template <class T>
constexpr T kNan = std::numeric_limits<T>::quiet_NaN();

// rows x columns, by rows or by columns, with a gap.
template <class T>
struct Stored {
  std::vector<T> data;
  View<T> view;

  Stored(std::int64_t rows, std::int64_t columns, std::mt19937_64& random) {
    data = matrix<T>(rows + 2, columns + 2, random);
    view = random() % 2 != 0 ? View<T>{data.data(), columns + 1, 1}
                             : View<T>{data.data(), 1, rows + 1};
  }
  View<const T> readable() const { return {view.first, view.row, view.column}; }
};

bool in_triangle(bool lower, std::int64_t i, std::int64_t j) { return lower ? i >= j : i <= j; }

// The other triangle, and the diagonal if it is `unit`, hold what must not be read.
template <class T>
void hide(View<T> a, std::int64_t n, bool lower, bool unit) {
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      if (!in_triangle(lower, i, j) || (unit && i == j)) a.at(i, j) = kNan<T>;
}

template <class T>
class Case {
 public:
  Case(std::uint64_t seed, const char* name) : seed_(seed), name_(name) {}

  std::mt19937_64& random() { return random_; }
  bool done(std::int64_t entries) const {
    return mismatches_.done() >= entries || mismatches_.too_many();
  }
  void next(std::size_t turn) {
    const auto kernels = all_kernels();
    turn_ = turn;
    with_ = kernels[turn % kernels.size()];
    // Small ones, and some beyond the blocks of each kind.
    most_ = turn % 40 == 39 ? 300 : turn % 8 == 7 ? 70 : 9;
    alpha_ = random_() % 4 == 0 ? T(1) : any_scalar<T>(random_);
    beta_ = any_scalar<T>(random_);
    lower_ = random_() % 2 != 0;
    unit_ = random_() % 2 != 0;
    workers_ = 1 + static_cast<int>(turn % 3);
  }
  std::int64_t size() { return static_cast<std::int64_t>(random_() % most_); }
  // Few entries of a large result are asked for: MPFR takes its time.
  bool asked(std::int64_t entries) {
    return entries < 200 || random_() % static_cast<std::uint64_t>(entries / 100) == 0;
  }
  T product(T before, std::int64_t k, bool has_terms, auto&& add_terms) {
    if ((alpha_ == 0 || k == 0) && beta_ == 1) return before;
    referee_.clear();
    if (has_terms) add_terms();
    if (beta_ != 0) referee_.add_product(beta_, before);
    return referee_.rounded<T>(Rounding::nearest_even);
  }
  void compare(T got, T wanted, std::int64_t i, std::int64_t j) {
    mismatches_.compare(got, wanted, [&] {
      return std::string(name_) + ", seed " + std::to_string(seed_) + ", turn " +
             std::to_string(turn_) + ", (" + std::to_string(i) + ", " + std::to_string(j) +
             "), alpha " + std::to_string(alpha_) + ", beta " + std::to_string(beta_) +
             (lower_ ? ", lower" : ", upper") + (unit_ ? ", unit" : "") + ", " + name_of(with_);
    });
  }

  T alpha_{}, beta_{};
  bool lower_{}, unit_{};
  const Kernels* with_{};
  int workers_{};
  Referee referee_{Referee::kTriples};

 private:
  std::uint64_t seed_;
  const char* name_;
  std::mt19937_64 random_{seed_};
  std::size_t turn_{};
  std::uint64_t most_{};
  Mismatches mismatches_;
};

// gemmt, syrk as gemmt of a matrix and its transpose, and syr2k.
template <class T>
void check_triangles(std::uint64_t seed, std::int64_t entries) {
  Case<T> is(seed, "triangle");
  for (std::size_t turn = 0; !is.done(entries); ++turn) {
    is.next(turn);
    const std::int64_t n = is.size(), k = is.size();
    const int kind = static_cast<int>(turn % 3);
    Stored<T> a(n, k, is.random()), b(k, n, is.random()), c(n, n, is.random());
    Product<T> call{n, n, k, is.alpha_, a.readable(), b.readable(), is.beta_, c.view};
    if (kind == 1) call.b = a.readable().transposed();
    if (kind == 2) call.b = b.readable().transposed();
    const std::vector<T> before = c.data;
    const auto old = [&](std::int64_t i, std::int64_t j) {
      return before[static_cast<std::size_t>(&c.view.at(i, j) - c.data.data())];
    };
    if (kind == 2)
      multiply_both(is.with_, call, is.lower_, is.workers_);
    else
      multiply_triangle(is.with_, call, is.lower_, is.workers_);
    std::vector<T> expected = before;
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i) {
        if (!in_triangle(is.lower_, i, j)) continue;
        expected[static_cast<std::size_t>(&c.view.at(i, j) - c.data.data())] = c.view.at(i, j);
        if (!is.asked(n * n)) continue;
        const T wanted = is.product(old(i, j), k, is.alpha_ != 0, [&] {
          for (std::int64_t l = 0; l < k; ++l) {
            const T left = call.a.at(i, l);
            const T right = kind == 2 ? call.b.at(j, l) : call.b.at(l, j);
            is.referee_.add_triple(is.alpha_, left, right);
            if (kind == 2) is.referee_.add_triple(is.alpha_, call.b.at(i, l), call.a.at(j, l));
          }
        });
        is.compare(c.view.at(i, j), wanted, i, j);
      }
    for (std::size_t at = 0; at < expected.size(); ++at)
      ASSERT_EQ(bits(c.data[at]), bits(expected[at])) << "beside the triangle";
  }
  EXPECT_TRUE(is.referee_.trustworthy());
}

template <class T>
void check_symmetric(std::uint64_t seed, std::int64_t entries) {
  Case<T> is(seed, "symmetric");
  for (std::size_t turn = 0; !is.done(entries); ++turn) {
    is.next(turn);
    const std::int64_t m = is.size(), n = turn % 2 != 0 ? 1 : is.size();
    Stored<T> a(m, m, is.random()), b(m, n, is.random()), c(m, n, is.random());
    hide(a.view, m, is.lower_, false);
    const std::vector<T> before = c.data;
    const Product<T> call{m, n, m, is.alpha_, a.readable(), b.readable(), is.beta_, c.view};
    multiply_symmetric(is.with_, call, is.lower_, is.workers_);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i) {
        if (!is.asked(m * n)) continue;
        const T old = before[static_cast<std::size_t>(&c.view.at(i, j) - c.data.data())];
        const T wanted = is.product(old, m, is.alpha_ != 0, [&] {
          for (std::int64_t l = 0; l < m; ++l)
            is.referee_.add_triple(is.alpha_,
                                   in_triangle(is.lower_, i, l) ? a.view.at(i, l) : a.view.at(l, i),
                                   b.view.at(l, j));
        });
        is.compare(c.view.at(i, j), wanted, i, j);
      }
  }
  EXPECT_TRUE(is.referee_.trustworthy());
}

template <class T>
void check_triangular(std::uint64_t seed, std::int64_t entries) {
  Case<T> is(seed, "triangular");
  for (std::size_t turn = 0; !is.done(entries); ++turn) {
    is.next(turn);
    const std::int64_t m = is.size(), n = turn % 2 != 0 ? 1 : is.size();
    Stored<T> a(m, m, is.random()), b(m, n, is.random());
    if (turn % 5 == 0 && m > 0 && n > 0)  // results of every sign of zero
      for (std::int64_t i = 0; i < m; ++i)
        b.view.at(i, 0) = is.random()() % 2 != 0 ? T(0) : T(-0.0);
    hide(a.view, m, is.lower_, is.unit_);
    const std::vector<T> before = b.data;
    const auto old = [&](std::int64_t i, std::int64_t j) {
      return before[static_cast<std::size_t>(&b.view.at(i, j) - b.data.data())];
    };
    multiply_triangular(is.with_, Triangular<T>{m, a.readable(), is.lower_, is.unit_}, is.alpha_, n,
                        b.view, is.workers_);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i) {
        if (!is.asked(m * n)) continue;
        is.referee_.clear();
        for (std::int64_t l = 0; l < m && is.alpha_ != 0; ++l)
          if (in_triangle(is.lower_, i, l))
            is.referee_.add_triple(is.alpha_, is.unit_ && i == l ? T(1) : a.view.at(i, l),
                                   old(l, j));
        is.compare(b.view.at(i, j), is.referee_.template rounded<T>(Rounding::nearest_even), i, j);
      }
  }
  EXPECT_TRUE(is.referee_.trustworthy());
}

// A component is the exact numerator over the diagonal, rounded once: MPFR divides the sum that the
// referee holds. Specials go by IEEE division of what that sum is.
template <class T>
T quotient(const Referee& referee, T divisor) {
  const T sum = referee.rounded<T>(Rounding::nearest_even);
  if (!std::isfinite(divisor) || divisor == 0 || mpfr_zero_p(referee.sum()) || referee.is_special())
    return (referee.is_special() || mpfr_zero_p(referee.sum()) ? sum
            : mpfr_sgn(referee.sum()) < 0                      ? T(-1)
                                                               : T(1)) /
           divisor;
  mpfr_t wide;
  mpfr_init2(wide, sizeof(T) == 4 ? 24 : 53);
  mpfr_set_d(wide, static_cast<double>(divisor), MPFR_RNDN);
  mpfr_t result;  // long enough that the second rounding is right: a quotient is no tie beyond it
  mpfr_init2(result, 8000);
  const int inexact = mpfr_div(result, referee.sum(), wide, MPFR_RNDZ);
  if (inexact != 0) {  // sticky
    mpfr_prec_round(result, 8001, MPFR_RNDN);
    mpfr_sgn(result) > 0 ? mpfr_nextabove(result) : mpfr_nextbelow(result);
  }
  const T rounded = sizeof(T) == 4 ? static_cast<T>(mpfr_get_flt(result, MPFR_RNDN))
                                   : static_cast<T>(mpfr_get_d(result, MPFR_RNDN));
  mpfr_clear(wide);
  mpfr_clear(result);
  return rounded;
}

template <class T>
void check_solves(std::uint64_t seed, std::int64_t entries) {
  Case<T> is(seed, "solve");
  for (std::size_t turn = 0; !is.done(entries); ++turn) {
    is.next(turn);
    const std::int64_t m = is.size(), n = is.size();
    Stored<T> a(m, m, is.random()), b(m, n, is.random());
    hide(a.view, m, is.lower_, is.unit_);
    const std::vector<T> before = b.data;
    substitute_columns(is.with_, Triangular<T>{m, a.readable(), is.lower_, is.unit_}, is.alpha_, n,
                       b.view, is.workers_);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i) {
        if (!is.asked(m * n)) continue;
        if (is.alpha_ == 0) {
          is.compare(b.view.at(i, j), T(0), i, j);
          continue;
        }
        is.referee_.clear();
        is.referee_.add_product(is.alpha_,
                                before[static_cast<std::size_t>(&b.view.at(i, j) - b.data.data())]);
        // The rounded components that were found, not the exact ones.
        for (std::int64_t l = 0; l < m; ++l)
          if (l != i && in_triangle(is.lower_, i, l))
            is.referee_.add_product(-a.view.at(i, l), b.view.at(l, j));
        const T wanted = is.unit_ ? is.referee_.template rounded<T>(Rounding::nearest_even)
                                  : quotient(is.referee_, a.view.at(i, i));
        is.compare(b.view.at(i, j),
                   wanted == wanted ? wanted : std::bit_cast<T>(Format<T>::kQuietNan), i, j);
      }
  }
  EXPECT_TRUE(is.referee_.trustworthy());
}

TEST(Structured, Triangles) {
  check_triangles<float>(401, cases_or(6000));
  check_triangles<double>(402, cases_or(6000));
}
TEST(Structured, SymmetricFactors) {
  check_symmetric<float>(403, cases_or(6000));
  check_symmetric<double>(404, cases_or(6000));
}
TEST(Structured, TriangularFactors) {
  check_triangular<float>(405, cases_or(6000));
  check_triangular<double>(406, cases_or(6000));
}
TEST(Structured, ManyRightSides) {
  check_solves<float>(407, cases_or(6000));
  check_solves<double>(408, cases_or(6000));
}

}  // namespace
}  // namespace reprosum::exact::testing
