// Many products at once: NaN in each of their matrices, as BLIS would have written them.
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "tests/src/blas/not_served.h"

#if defined(__x86_64__)

namespace {

constexpr int kLd = 7, kReals = 200;

// The arguments of ?gemm_batch, by either face, with integers of one width: some groups of some
// products.
template <class T, class Int>
class Batch {
 public:
  Batch(bool is_cblas, bool is_complex, unsigned seed) : random_(seed) {
    const int groups = 1 + below(4);
    const int reals = is_complex ? 2 : 1;
    if (is_cblas) words_.push_back(101 + below(2));
    for (int side = 0; side < 2; ++side)
      for (int g = 0; g < groups; ++g) {
        letters_[side].push_back("NT"[below(2)]);
        numbers_[side].push_back(letters_[side].back() == 'N' ? 111 : 112);
      }
    for (int side = 0; side < 2; ++side)
      is_cblas ? add(numbers_[side].data()) : add(letters_[side].data());
    for (int size = 0; size < 3; ++size) add_integers(groups, [&] { return 1 + below(6); });
    add(values(groups * reals));  // alpha
    std::vector<Int> sizes;
    for (int g = 0; g < groups; ++g) sizes.push_back(below(4));
    sizes.back() += 1;
    int products = 0;
    for (const Int size : sizes) products += static_cast<int>(size);
    for (int matrix = 0; matrix < 3; ++matrix) {
      if (matrix == 2) add(values(groups * reals));  // beta
      addresses_.emplace_back();
      for (int p = 0; p < products; ++p) addresses_.back().push_back(values(kReals));
      add(addresses_.back().data());
      add_integers(groups, [] { return kLd; });
    }
    integers_.push_back({static_cast<Int>(groups)});
    is_cblas ? words_.push_back(groups) : add(integers_.back().data());
    integers_.push_back(sizes);
    add(integers_.back().data());
  }
  Batch(Batch&&) = default;

  void call(void* address) const {
    using I = std::int64_t;
    std::vector<I> w = words_;
    w.resize(16);
    reinterpret_cast<void (*)(I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I)>(address)(
        w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13],
        w[14], w[15]);
  }
  const std::deque<std::vector<T>>& arrays() const { return arrays_; }
  // An element of the array of m, n or k.
  void set_size(std::size_t which, std::size_t group, Int value) {
    integers_[which][group] = value;
  }
  std::size_t groups() const { return integers_[0].size(); }

 private:
  int below(unsigned limit) { return static_cast<int>(random_() % limit); }
  void add(const void* address) { words_.push_back(reinterpret_cast<std::int64_t>(address)); }
  template <class Draw>
  void add_integers(int count, Draw draw) {
    integers_.emplace_back();
    for (int i = 0; i < count; ++i) integers_.back().push_back(static_cast<Int>(draw()));
    add(integers_.back().data());
  }
  T* values(int count) {
    arrays_.emplace_back(static_cast<std::size_t>(count));
    for (T& value : arrays_.back())
      value = static_cast<T>(1 + static_cast<double>(below(1000)) / 777);
    return arrays_.back().data();
  }

  std::mt19937 random_;
  std::vector<char> letters_[2];
  std::vector<int> numbers_[2];
  std::deque<std::vector<Int>> integers_;
  std::deque<std::vector<T*>> addresses_;
  std::deque<std::vector<T>> arrays_;
  std::vector<std::int64_t> words_;
};

template <class T>
void expect_nan_as_blis_writes(const std::string& name, bool is_complex) {
  const bool is_cblas = name.starts_with("cblas_");
  not_served::expect_nan_where_written(
      name, not_served::symbol_of(BLIS_BLAS, name), 24,
      [&](unsigned seed) { return Batch<T, int>(is_cblas, is_complex, seed); });
}

TEST(NotServedCblas, BatchesOfProductsAreNaN) {
  if (std::string(BLIS_BLAS).empty()) GTEST_SKIP() << "no BLIS, which has ?gemm_batch";
  for (const std::string face : {"", "cblas_"}) {
    const std::string end = face.empty() ? "gemm_batch_" : "gemm_batch";
    expect_nan_as_blis_writes<float>(face + "s" + end, false);
    expect_nan_as_blis_writes<double>(face + "d" + end, false);
    expect_nan_as_blis_writes<float>(face + "c" + end, true);
    expect_nan_as_blis_writes<double>(face + "z" + end, true);
  }
}

// The same arrays with wide integers; and where one group has a forbidden size nothing is written.
TEST(NotServedCblas, WideBatchesAreNaNUnlessAnArgumentIsForbidden) {
  for (const std::string name : {"dgemm_batch_64_", "cblas_dgemm_batch_64"}) {
    void *const wide = not_served::ours(name), *const narrow = not_served::ours(
                                                   name.starts_with("cblas_") ? "cblas_dgemm_batch"
                                                                              : "dgemm_batch_");
    ASSERT_TRUE(wide != nullptr && narrow != nullptr) << name;
    for (unsigned seed = 1; seed < 20; ++seed) {
      const bool is_cblas = name.starts_with("cblas_");
      const Batch<double, std::int64_t> got(is_cblas, false, seed);
      const Batch<double, int> wanted(is_cblas, false, seed);
      got.call(wide);
      wanted.call(narrow);
      std::size_t written = 0;
      for (std::size_t i = 0; i < got.arrays().size(); ++i)
        for (std::size_t j = 0; j < got.arrays()[i].size(); ++j) {
          const double value = got.arrays()[i][j];
          written += std::isnan(value) ? 1 : 0;
          ASSERT_EQ(std::isnan(value), std::isnan(wanted.arrays()[i][j])) << name << i << " " << j;
        }
      EXPECT_GT(written, 0u);
      Batch<double, std::int64_t> forbidden(is_cblas, false, seed);
      forbidden.set_size(seed % 3, forbidden.groups() - 1, -1);
      const auto before = forbidden.arrays();
      forbidden.call(wide);
      EXPECT_EQ(forbidden.arrays(), before) << name << seed;
    }
  }
}

}  // namespace

#endif
