// A hand-written spec of gemv and gemm, and what it means, computed from the definition of its two
// orders.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "sample_specs.h"
#include "spec/surface.h"
#include "tests/spec/sample_regions.h"

namespace reprosum::samples {

inline constexpr std::int64_t kLargestProduct = 300;

// Outputs in whole tiles of 8 x 6, and in the corner beside both borders, follow the first order;
// those in the borders follow the second.
inline constexpr const char* kOntoOutput = "1..300: loop 1 { 0: [out <f@0 +1 x q]; }";
inline constexpr const char* kScaledSum = "1..300: loop 1 { 0: a = [f@0 +1 x q]; [*a@0 outf]; }";

template <class T>
T product_by_hand(bool onto_output, std::int64_t k, const T* x, const T* y, T alpha, T beta, T c) {
  const T out = beta == T(0) ? T(0) : beta * c;
  if (alpha == T(0)) return out;
  if (onto_output) {
    T sum = out;
    for (std::int64_t p = 0; p < k; ++p) sum = std::fma(alpha * x[p], y[p], sum);
    return sum;
  }
  T sum = x[0] * y[0];
  for (std::int64_t p = 1; p < k; ++p) sum = std::fma(x[p], y[p], sum);
  return beta == T(0) ? alpha * sum + T(0) : std::fma(beta, c, alpha * sum);
}

inline bool is_onto_output(std::int64_t i, std::int64_t j, std::int64_t m, std::int64_t n) {
  return (i < m / 8 * 8) == (j < n / 6 * 6);
}

inline spec::Entry product_entry(spec::Routine routine, spec::Type type, spec::Trans a,
                                 spec::Trans b) {
  const bool gemv = routine == spec::Routine::gemv;
  spec::Entry entry = spec::samples::entry(routine, type, a, b);
  entry.m_max = kLargestProduct;
  entry.n_max = gemv ? 1 : kLargestProduct;
  entry.guard.row_major = true;
  if (gemv) entry.guard.increments = {{-3, 2}, {-1, -1}, {1, 1}, {2, -2}};
  spec::MatrixRegime regime;
  regime.rows = {spec::samples::tiles(1, kLargestProduct, 8)};
  regime.columns = {spec::samples::tiles(1, gemv ? 1 : kLargestProduct, 6)};
  regime.table = {{0, 1}, {1, 0}};
  regime.classes = {{0, {}, {}}, {1, {}, {}}};
  regime.k_max = kLargestProduct;
  entry.regimes = {regime};
  return entry;
}

// A gemv without summands keeps y, a gemm scales C.
inline spec::EmptyRule empty_update(const spec::Entry& entry) {
  spec::EmptyRule rule;
  rule.routine = entry.routine;
  rule.type = entry.type;
  rule.trans_a = entry.guard.trans_a;
  rule.trans_b = entry.guard.trans_b;
  rule.threads = entry.guard.threads;
  rule.row_major = true;
  rule.result = entry.routine == spec::Routine::gemv ? spec::EmptyRule::Result::keep
                                                     : spec::EmptyRule::Result::scale;
  rule.m_max = entry.m_max;
  rule.n_max = entry.n_max;
  return rule;
}

// Every routine, type and transpose; one thread.
inline spec::Spec product_spec() {
  using spec::Trans;
  spec::Spec spec;
  spec.orders = {spec::parse_order(kOntoOutput), spec::parse_order(kScaledSum)};
  for (const spec::Type type : {spec::Type::f32, spec::Type::f64})
    for (const Trans a : {Trans::no, Trans::yes}) {
      spec.entries.push_back(product_entry(spec::Routine::gemv, type, a, Trans::no));
      for (const Trans b : {Trans::no, Trans::yes})
        spec.entries.push_back(product_entry(spec::Routine::gemm, type, a, b));
    }
  for (const spec::Entry& entry : spec.entries) spec.empty_rules.push_back(empty_update(entry));
  return spec;
}

// Whether tiles are generated for products of product_spec(), as they are not without LLVM.
inline bool has_tiles(const reprosum_handle* handle) {
  reprosum_product product{};
  product.routine = REPROSUM_GEMM;
  product.type = REPROSUM_F64;
  product.transa = product.transb = REPROSUM_NO_TRANS;
  product.m = product.n = product.k = 5;
  char names[400] = "";
  return reprosum_product_kernels(handle, &product, names, sizeof names) == REPROSUM_OK &&
         std::string(names).find("interpreter") == std::string::npos;
}

// Only dgemv N and dgemm NN, with other guards.
template <class Change>
spec::Spec guarded_product_spec(const Change& change) {
  using spec::Trans;
  spec::Spec spec;
  spec.orders = {spec::parse_order(kOntoOutput), spec::parse_order(kScaledSum)};
  for (const spec::Routine routine : {spec::Routine::gemv, spec::Routine::gemm}) {
    spec.entries.push_back(product_entry(routine, spec::Type::f64, Trans::no, Trans::no));
    change(spec.entries.back());
  }
  return spec;
}

}  // namespace reprosum::samples
