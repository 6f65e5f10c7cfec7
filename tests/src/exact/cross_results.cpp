// Prints a hash of the results of every routine, with each of the machine's kernels in turn: all
// must print the same lines. cross_test.sh compares them with those of another processor.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "src/exact/factor/factor.h"
#include "src/exact/products/outer.h"
#include "src/exact/products/product.h"
#include "src/exact/solve/certified.h"
#include "src/exact/solve/triangular.h"
#include "src/exact/sums/norms.h"
#include "src/exact/sums/reduce.h"
#include "src/exact/sums/vectors.h"

namespace reprosum::exact {
namespace {

class Hash {
 public:
  template <class T>
  void add(const std::vector<T>& values) {
    for (const T value : values) add(value);
  }
  template <class T>
  void add(T value) {
    hash_ = (hash_ ^ std::bit_cast<typename Format<T>::Bits>(value)) * 0x100000001b3u;
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

// No distribution of the standard library: those may differ.
template <class T>
std::vector<T> data(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  const int spread = Format<T>::kDouble ? 900 : 120;
  std::vector<T> all;
  for (std::size_t i = 0; i < n; ++i) {
    const double m = static_cast<double>(static_cast<std::int64_t>(random()) >> 11) * 0x1p-52;
    const int e = i % 7 == 0 ? static_cast<int>(random() % unsigned(2 * spread)) - spread : 0;
    all.push_back(static_cast<T>(std::ldexp(m, e)));
  }
  return all;
}

template <class T>
std::vector<std::uint64_t> results(const Kernels* kernels) {
  constexpr std::int64_t kN = 60, kLong = 5000;
  std::vector<Hash> hashes(12);
  for (unsigned seed = 0; seed < 20; ++seed) {
    const std::vector<T> x = data<T>(kLong, 3 * seed), y = data<T>(kLong, 3 * seed + 1);
    const std::vector<T> a = data<T>(kN * kN, 3 * seed + 2);
    const T alpha = x[1], beta = y[2];
    hashes[0].add(sum_with(kernels, kLong, x.data(), 1));
    hashes[1].add(dot_with(kernels, kLong, x.data(), 1, y.data(), 1));
    hashes[2].add(magnitude_sum(kernels, kLong, x.data(), 1));
    hashes[3].add(euclidean_norm(kernels, kLong, x.data(), 1));
    std::vector<T> v = y;
    add_scaled(kernels, kLong, alpha, x.data(), 1, v.data(), 1);
    hashes[4].add(v);
    scale(kernels, kLong, alpha, v.data(), 1);
    hashes[5].add(v);
    divide(kernels, kLong, beta, v.data(), 1);
    hashes[6].add(v);
    std::vector<T> m = a;
    add_outer_product(kernels, kN, kN, alpha, x.data(), 1, y.data(), 1, m.data(), kN);
    hashes[7].add(m);
    multiply(kernels,
             Product<T>{
                 kN, kN, kN, alpha, {a.data(), 1, kN}, {x.data(), 1, kN}, beta, {m.data(), 1, kN}},
             2);
    hashes[8].add(m);
    v.assign(y.begin(), y.begin() + kN);
    const Triangular<T> system{kN, {a.data(), 1, kN}, true, false};
    substitute(kernels, system, View<T>{v.data(), 1, 0});
    hashes[9].add(v);
    v.assign(y.begin(), y.begin() + kN);
    if (!solve_certified(kernels, system, View<T>{v.data(), 1, 0}).empty()) std::exit(2);
    hashes[10].add(v);
    m = a;
    std::vector<std::int64_t> pivots(kN);
    factor(kernels, kN, kN, View<T>{m.data(), 1, kN}, pivots.data(), 1);
    hashes[11].add(m);
    for (const std::int64_t pivot : pivots) hashes[11].add(static_cast<double>(pivot));
  }
  std::vector<std::uint64_t> values;
  for (const Hash& hash : hashes) values.push_back(hash.value());
  return values;
}

template <class T>
bool print(const char* type) {
  static const char* const names[] = {"sum",     "dot", "asum", "nrm2", "axpy",      "scal",
                                      "invscal", "ger", "gemm", "trsv", "certified", "getrf"};
  const std::vector<std::uint64_t> portable = results<T>(nullptr);
  for (const Kernels* kernels : kernels_of_this_host())
    if (results<T>(kernels) != portable) return false;
  for (std::size_t i = 0; i < portable.size(); ++i)
    std::printf("%s %s %016llx\n", type, names[i], static_cast<unsigned long long>(portable[i]));
  return true;
}

}  // namespace
}  // namespace reprosum::exact

int main() {
  if (reprosum::exact::print<float>("float") && reprosum::exact::print<double>("double")) return 0;
  std::puts("kernels and portable code differ");
  return 1;
}
