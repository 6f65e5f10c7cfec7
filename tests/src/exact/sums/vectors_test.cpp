// axpy, scal, invscal, asum, nrm2 and ger against MPFR, component by component.
#include "src/exact/sums/vectors.h"

#include "src/exact/machine/fast_counts.h"
#include "src/exact/products/outer.h"
#include "src/exact/sums/norms.h"
#include "tests/src/exact/routine_cases.h"

namespace reprosum::exact::testing {
namespace {

constexpr std::int64_t kFew = 300'000;

// round(terms, alpha, kernels, mismatches) for all kinds of terms until `cases` were compared.
template <class T, class Round>
void check(std::uint64_t seed, std::int64_t cases, std::size_t most, Round&& round) {
  std::mt19937_64 random(seed);
  Mismatches mismatches;
  ByKind compared;
  for (std::size_t turn = 0; mismatches.done() < cases && !mismatches.too_many(); ++turn) {
    for (const Kind kind : kKinds) {
      const std::int64_t before = mismatches.done();
      const Terms<T> terms = make_terms<T>(kind, random() % most, true, random);
      const auto kernels = all_kernels();
      round(terms, any_scalar<T>(random), kernels[turn % kernels.size()], mismatches, [&] {
        return std::string(name(kind)) + ", seed " + std::to_string(seed) + ", turn " +
               std::to_string(turn) + ", " + name_of(kernels[turn % kernels.size()]);
      });
      compared.add(kind, mismatches.done() - before);
    }
  }
  compared.record(seed);
}

template <class T>
void check_axpy(std::uint64_t seed) {
  Referee referee;
  check<T>(seed, cases_or(kFew), 60,
           [&](const Terms<T>& terms, T alpha, const Kernels* kernels, Mismatches& mismatches,
               auto&& said) {
             const auto n = static_cast<std::int64_t>(terms.x.size());
             std::vector<T> y = terms.y;
             add_scaled(kernels, n, alpha, terms.x.data(), 1, y.data(), 1);
             for (std::size_t i = 0; i < y.size(); ++i) {
               if (alpha == 0) {
                 mismatches.compare(y[i], terms.y[i], said);
                 continue;
               }
               referee.clear();
               referee.add_product(alpha, terms.x[i]);
               referee.add(terms.y[i]);
               mismatches.compare(y[i], referee.rounded<T>(Rounding::nearest_even), said);
             }
           });
}
TEST(Vectors, Axpy) {
  check_axpy<float>(201);
  check_axpy<double>(202);
}

template <class T>
void check_scal(std::uint64_t seed) {
  Referee referee;
  check<T>(seed, cases_or(kFew), 60,
           [&](const Terms<T>& terms, T alpha, const Kernels* kernels, Mismatches& mismatches,
               auto&& said) {
             const auto n = static_cast<std::int64_t>(terms.x.size());
             std::vector<T> x = terms.x;
             scale(kernels, n, alpha, x.data(), 1);
             for (std::size_t i = 0; i < x.size(); ++i) {
               referee.clear();
               referee.add_product(alpha, terms.x[i]);
               mismatches.compare(x[i], referee.rounded<T>(Rounding::nearest_even), said);
             }
           });
}
TEST(Vectors, Scal) {
  check_scal<float>(203);
  check_scal<double>(204);
}

// A quotient of two numbers that is no number lies at least 2^-2300 times itself from every number
// and every middle between two, so that 2600 bits can stand for it.
template <class T>
void check_invscal(std::uint64_t seed) {
  mpfr_t quotient;
  mpfr_init2(quotient, 2600);
  check<T>(seed, cases_or(kFew), 60,
           [&](const Terms<T>& terms, T alpha, const Kernels* kernels, Mismatches& mismatches,
               auto&& said) {
             const auto n = static_cast<std::int64_t>(terms.x.size());
             std::vector<T> x = terms.x;
             if (alpha == 0 && n % 2 == 0) alpha = terms.y.empty() ? T(1) : terms.y[0];
             divide(kernels, n, alpha, x.data(), 1);
             for (std::size_t i = 0; i < x.size(); ++i) {
               mpfr_set_d(quotient, static_cast<double>(terms.x[i]), MPFR_RNDN);
               mpfr_div_d(quotient, quotient, static_cast<double>(alpha), MPFR_RNDN);
               if (alpha == 0 && !std::isnan(terms.x[i]) && terms.x[i] != 0)
                 mpfr_set_inf(quotient, std::signbit(alpha) == std::signbit(terms.x[i]) ? 1 : -1);
               T wanted = sizeof(T) == 8 ? static_cast<T>(mpfr_get_d(quotient, MPFR_RNDN))
                                         : static_cast<T>(mpfr_get_flt(quotient, MPFR_RNDN));
               if (std::isnan(wanted)) wanted = std::numeric_limits<T>::quiet_NaN();
               mismatches.compare(x[i], wanted, said);
             }
           });
  mpfr_clear(quotient);
}
TEST(Vectors, Invscal) {
  check_invscal<float>(205);
  check_invscal<double>(206);
}

std::size_t draw_size(std::mt19937_64& random) {
  return random() % 1024 == 0 ? random() % 5000 : random() % 40;
}

template <class T>
void check_norms(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Referee sum, squares;
  mpfr_t root;
  mpfr_init2(root, 5000);  // more than twice what a middle of two numbers and its square need
  Mismatches sums, norms;
  ByKind compared;
  const auto kernels = all_kernels();
  const std::int64_t cases = cases_or(kFew / 3);
  for (std::size_t turn = 0; norms.done() < cases && !norms.too_many(); ++turn) {
    for (const Kind kind : kKinds) {
      const Terms<T> terms = make_terms<T>(kind, draw_size(random), false, random);
      const auto n = static_cast<std::int64_t>(terms.x.size());
      sum.clear();
      squares.clear();
      for (const T v : terms.x) {
        sum.add(std::abs(v));
        squares.add_product(v, v);
      }
      const Kernels* const with = kernels[turn % kernels.size()];
      const auto said = [&] {
        return std::string(name(kind)) + ", seed " + std::to_string(seed) + ", n " +
               std::to_string(n) + ", " + name_of(with);
      };
      sums.compare(magnitude_sum(with, n, terms.x.data(), 1),
                   sum.rounded<T>(Rounding::nearest_even), said);
      T wanted = squares.rounded<T>(Rounding::nearest_even);  // for special values
      bool special = false;
      for (const T v : terms.x) special |= !std::isfinite(v);
      if (!special) {
        mpfr_sqrt(root, squares.sum(), MPFR_RNDN);
        wanted = sizeof(T) == 8 ? static_cast<T>(mpfr_get_d(root, MPFR_RNDN))
                                : static_cast<T>(mpfr_get_flt(root, MPFR_RNDN));
      }
      norms.compare(euclidean_norm(with, n, terms.x.data(), 1), wanted, said);
      compared.add(kind, 1);
    }
  }
  compared.record(seed);
  mpfr_clear(root);
}
TEST(Vectors, AsumAndNrm2) {
  check_norms<float>(207);
  check_norms<double>(208);
}

// Exact square roots, half way between two numbers and beside that.
TEST(Vectors, Nrm2OfPythagoreanTies) {
  const double three_four_five[2] = {3, 4};
  EXPECT_EQ(euclidean_norm(nullptr, 2, three_four_five, 1), 5);
  // (2 a b)^2 + (a^2 - b^2)^2 = (a^2 + b^2)^2, the sum of squares odd and of 54 bits: a tie.
  std::mt19937_64 random(209);
  int ties = 0;
  while (ties < 2000) {
    const std::uint64_t a = (std::uint64_t{1} << 26) + random() % (std::uint64_t{1} << 25);
    const std::uint64_t b = random() % (std::uint64_t{1} << 24) * 2 + 1 - a % 2;
    const std::uint64_t p = 2 * a * b, q = a * a - b * b, root = a * a + b * b;
    const auto x = static_cast<double>(p), y = static_cast<double>(q);
    if (root >> 53 != 1 || root % 2 == 0 || static_cast<std::uint64_t>(x) != p ||
        static_cast<std::uint64_t>(y) != q)
      continue;
    ++ties;
    const double even = static_cast<double>(root % 4 == 1 ? root - 1 : root + 1);
    const double tie[3] = {x, y, 0}, above[3] = {x, y, 0x1p-1074};
    ASSERT_EQ(euclidean_norm(nullptr, 3, tie, 1), even);
    ASSERT_EQ(euclidean_norm(nullptr, 3, above, 1), static_cast<double>(root + 1));
  }
}

template <class T>
void check_ger(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Referee referee(Referee::kTriples);
  Mismatches mismatches;
  ByKind compared;
  const auto kernels = all_kernels();
  const std::int64_t cases = cases_or(kFew / 2);
  for (std::size_t turn = 0; mismatches.done() < cases && !mismatches.too_many(); ++turn) {
    for (const Kind kind : kKinds) {
      const std::int64_t done = mismatches.done();
      const Terms<T> terms = make_terms<T>(kind, 1 + random() % 20, true, random);
      const auto m = static_cast<std::int64_t>(terms.x.size());
      const std::int64_t n = std::min<std::int64_t>(m, 3), lda = m + 2;
      const T alpha = any_scalar<T>(random);
      std::vector<T> a(static_cast<std::size_t>(lda * n)), before;
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = 0; i < lda; ++i) {
          // What takes most of the product away, half of one of its last places, or anything.
          const T p = alpha * terms.x[static_cast<std::size_t>(i % m)] *
                      terms.y[static_cast<std::size_t>(j % m)];
          const int last = std::isfinite(p) && p != 0 ? std::ilogb(p) - Format<T>::kDigits : 0;
          const T choices[] = {-p,
                               std::ldexp(T(1), last),
                               -std::nextafter(p, T(0)),
                               T(0),
                               terms.y[random() % terms.y.size()],
                               any_bits<T>(random)};
          a[static_cast<std::size_t>(i + j * lda)] = choices[random() % 6];
        }
      }
      before = a;
      const Kernels* const with = kernels[turn % kernels.size()];
      add_outer_product(with, m, n, alpha, terms.x.data(), 1, terms.y.data(), 1, a.data(), lda);
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = 0; i < lda; ++i) {
          const auto at = static_cast<std::size_t>(i + j * lda);
          referee.clear();
          referee.add_triple(alpha, terms.x[static_cast<std::size_t>(i % m)],
                             terms.y[static_cast<std::size_t>(j % m)]);
          referee.add(before[at]);
          const bool same = i >= m || alpha == 0;
          mismatches.compare(a[at], same ? before[at] : referee.rounded<T>(Rounding::nearest_even),
                             [&] {
                               return std::string(name(kind)) + ", seed " + std::to_string(seed) +
                                      ", alpha " + std::to_string(alpha) + ", " + name_of(with);
                             });
        }
      }
      compared.add(kind, mismatches.done() - done);
    }
  }
  compared.record(seed);
  EXPECT_TRUE(referee.trustworthy());
}
TEST(Vectors, Ger) {
  check_ger<float>(210);
  check_ger<double>(211);
}

// Ordinary entries of ger need no exact sum.
TEST(Vectors, GerIsFastOnOrdinaryData) {
  std::mt19937_64 random(212);
  std::normal_distribution<double> normal;
  std::vector<double> x(300), y(300), a(90000);
  for (auto* v : {&x, &y, &a})
    for (double& one : *v) one = normal(random);
  for (const Kernels* kernels : all_kernels()) {
    const FastCounts before = fast_counts();
    add_outer_product(kernels, 300, 300, 0.1, x.data(), 1, y.data(), 1, a.data(), 300);
    EXPECT_EQ(fast_counts().tried - before.tried, 90000);
    EXPECT_LT(fast_counts().settled - before.settled, 10);
  }
}

}  // namespace
}  // namespace reprosum::exact::testing
