// gemv and gemm against MPFR, entry by entry: every kind of terms, scalars, strides.
#include "src/exact/products/product.h"

#include "tests/src/exact/routine_cases.h"

namespace reprosum::exact::testing {
namespace {

// A matrix in memory of its own, with any of the four orders of storage.
template <class T>
struct Stored {
  std::vector<T> data;
  View<T> view;

  Stored(std::int64_t rows, std::int64_t columns, std::mt19937_64& random) {
    const auto padding = static_cast<std::int64_t>(random() % 3);
    const std::int64_t row_step = 1 + static_cast<std::int64_t>(random() % 2);
    if (random() % 2 != 0)
      view = {nullptr, row_step, row_step * (rows + padding)};
    else
      view = {nullptr, row_step * (columns + padding), row_step};
    data.assign(static_cast<std::size_t>(rows * view.row + columns * view.column + 1), T(0));
    view.first = data.data();
    if (random() % 4 == 0) {  // backwards
      view.first += (rows - 1) * view.row;
      view.row = -view.row;
    }
  }
  View<const T> readable() const { return {view.first, view.row, view.column}; }
};

template <class T>
T wanted_entry(const Product<T>& call, std::int64_t i, std::int64_t j, T before, Referee& referee) {
  const bool product = call.alpha != 0 && call.k > 0;
  if (!product && call.beta == 1) return before;
  referee.clear();
  for (std::int64_t l = 0; product && l < call.k; ++l)
    referee.add_triple(call.alpha, call.a.at(i, l), call.b.at(l, j));
  if (call.beta != 0) referee.add_product(call.beta, before);
  return referee.rounded<T>(Rounding::nearest_even);
}

template <class T>
void check_products(std::uint64_t seed, std::int64_t entries, std::int64_t most_k) {
  std::mt19937_64 random(seed);
  Referee referee(Referee::kTriples);
  Mismatches mismatches;
  const auto kernels = all_kernels();
  for (std::size_t turn = 0; mismatches.done() < entries && !mismatches.too_many(); ++turn) {
    for (const Kind kind : kKinds) {
      const std::int64_t m = static_cast<std::int64_t>(random() % 7),
                         n = random() % 2 != 0 ? 1 : static_cast<std::int64_t>(random() % 6);
      const auto asked = static_cast<std::size_t>(random() % static_cast<std::uint64_t>(most_k));
      // Rows of A and columns of B with the same number are the two factors of difficult terms.
      std::vector<Terms<T>> terms;
      std::size_t k = asked;
      for (std::int64_t i = 0; i < std::max(m, n); ++i) {
        terms.push_back(make_terms<T>(kind, asked, true, random));
        k = std::max(k, terms.back().x.size());
      }
      const auto depth = static_cast<std::int64_t>(k);
      Stored<T> a(m, depth, random), b(depth, n, random), c(m, n, random);
      const auto value = [](const std::vector<T>& v, std::int64_t l) {
        return l < static_cast<std::int64_t>(v.size()) ? v[static_cast<std::size_t>(l)] : T(0);
      };
      for (std::int64_t l = 0; l < depth; ++l) {
        for (std::int64_t i = 0; i < m; ++i)
          a.view.at(i, l) = value(terms[static_cast<std::size_t>(i)].x, l);
        for (std::int64_t j = 0; j < n; ++j)
          b.view.at(l, j) = value(terms[static_cast<std::size_t>(j)].y, l);
      }
      Product<T> call{
          m,     n, depth, any_scalar<T>(random), a.readable(), b.readable(), any_scalar<T>(random),
          c.view};
      std::vector<T> before;
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = 0; i < m; ++i) {
          // The rounded product's opposite, half of its last place, its terms' sizes, or any bits.
          const T p = wanted_entry(Product<T>{m, n, depth, call.alpha, call.a, call.b, 0, c.view},
                                   i, j, T(0), referee);
          const int last = std::isfinite(p) && p != 0 ? std::ilogb(p) - Format<T>::kDigits : 0;
          const T choices[] = {-p, std::ldexp(T(1), last), value(terms[0].x, 0),
                               any_bits<T>(random)};
          c.view.at(i, j) = choices[random() % 4];
          before.push_back(c.view.at(i, j));
        }
      }
      const Kernels* const with = kernels[turn % kernels.size()];
      const std::vector<T> memory = c.data;
      multiply(with, call, 1 + static_cast<int>(turn % 3));
      std::vector<T> expected = memory;
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = 0; i < m; ++i) {
          const T was = before[static_cast<std::size_t>(i + j * m)];
          const T wanted = wanted_entry(call, i, j, was, referee);
          expected[static_cast<std::size_t>(&c.view.at(i, j) - c.data.data())] = wanted;
          mismatches.compare(c.view.at(i, j), wanted, [&] {
            return std::string(name(kind)) + ", seed " + std::to_string(seed) + ", turn " +
                   std::to_string(turn) + ", k " + std::to_string(depth) + ", alpha " +
                   std::to_string(call.alpha) + ", beta " + std::to_string(call.beta) + ", " +
                   name_of(with);
          });
        }
      }
      for (std::size_t at = 0; at < memory.size(); ++at)
        ASSERT_EQ(bits(c.data[at]), bits(expected[at])) << "beside the output";
    }
  }
  EXPECT_TRUE(referee.trustworthy());
}

TEST(Products, OfFloat) { check_products<float>(301, cases_or(60000), 40); }
TEST(Products, OfDouble) { check_products<double>(302, cases_or(60000), 40); }
TEST(Products, LongOnes) {
  check_products<float>(303, 2000, 700);
  check_products<double>(304, 2000, 700);
}

// Outputs are split among threads; no bit depends on how. Enough for three of them.
template <class T>
void check_workers(std::int64_t m, std::int64_t n, std::int64_t k) {
  std::mt19937_64 random(305);
  std::vector<T> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n));
  std::vector<T> c(static_cast<std::size_t>(m * n)), one, more;
  for (auto* v : {&a, &b, &c})
    for (T& x : *v) x = static_cast<T>(std::ldexp(static_cast<double>(random()), -64) - 0.5);
  for (const bool by_rows : {false, true}) {
    one.clear();
    const View<const T> view =
        by_rows ? View<const T>{a.data(), k, 1} : View<const T>{a.data(), 1, m};
    for (const int workers : {1, 2, 3, 16}) {
      more = c;
      multiply(all_kernels().back(),
               Product<T>{m, n, k, T(0.3), view, {b.data(), 1, k}, T(0.7), {more.data(), 1, m}},
               workers);
      if (one.empty()) one = more;
      for (std::size_t i = 0; i < more.size(); ++i)
        ASSERT_EQ(bits(more[i]), bits(one[i])) << workers << (by_rows ? " by rows" : "");
    }
  }
}
TEST(Products, WorkersChangeNoBit) {
  check_workers<double>(67, 81, 600);
  check_workers<float>(81, 67, 600);
  check_workers<double>(2051, 1, 3000);
  check_workers<float>(2051, 1, 3000);
}

}  // namespace
}  // namespace reprosum::exact::testing
