#include "src/blas/refused_extensions.h"

#include <initializer_list>

namespace reprosum::blas {

using In = CallReader;

// B, of m x n elements or transposed.
void nan_of_omatcopy(In& in) {
  in.named_layout();
  const bool plain = in.is_plain_copy();
  const auto m = in.size(), n = in.size();
  in.scalar();
  in.array();
  in.leading(m, n);
  void* const b = in.array();
  plain ? in.put_matrix(b, m, n, in.leading(m, n)) : in.put_matrix(b, n, m, in.leading(n, m));
}

// A, where it lies afterwards.
void nan_of_imatcopy(In& in) {
  in.named_layout();
  const bool plain = in.is_plain_copy();
  const auto m = in.size(), n = in.size();
  in.scalar();
  void* const a = in.array();
  in.leading(m, n);
  plain ? in.put_matrix(a, m, n, in.leading(m, n)) : in.put_matrix(a, n, m, in.leading(n, m));
}

namespace {

// What ?gemm_batch is given: an array for each argument of ?gemm, with an element for each group;
// those of matrices have one for each product.
struct Batch {
  int layout = 0;
  const void *trans_a, *trans_b, *m, *n, *k, *alpha;
  void* const* a;
  const void* lda;
  void* const* b;
  const void *ldb, *beta;
  void* const* c;
  const void* ldc;
};

// Every product is a call of ?gemm with the arguments of its group. False: one is forbidden.
bool visit(In& in, const Batch& all, std::int64_t groups, const void* sizes, bool writes) {
  std::int64_t product = 0;
  for (std::int64_t g = 0; g < groups; ++g) {
    const std::int64_t size = in.integer_at(sizes, g);
    if (size < 0) return false;
    for (std::int64_t i = 0; i < size; ++i, ++product) {
      CallWriter out(in);
      out.layout(all.layout);
      for (const void* const trans : {all.trans_a, all.trans_b}) out.letter_at(trans, g);
      for (const void* const count : {all.m, all.n, all.k}) out.integer_at(count, g);
      out.scalar_at(all.alpha, g);
      out.array(all.a[product]);
      out.integer_at(all.lda, g);
      out.array(all.b[product]);
      out.integer_at(all.ldb, g);
      out.scalar_at(all.beta, g);
      out.array(writes ? all.c[product] : nullptr);
      out.integer_at(all.ldc, g);
      In one = out.reader();
      nan_of_gemm(one);
      if (!one.is_legal()) return false;
      if (!writes) break;  // of a group all are alike
    }
  }
  return true;
}

}  // namespace

void nan_of_gemm_batch(In& in) {
  Batch all{};
  const auto matrices = [&] { return static_cast<void* const*>(in.array()); };
  all.layout = in.layout();
  for (const void** const of : {&all.trans_a, &all.trans_b, &all.m, &all.n, &all.k, &all.alpha})
    *of = in.array();
  all.a = matrices();
  all.lda = in.array();
  all.b = matrices();
  all.ldb = in.array();
  all.beta = in.array();
  all.c = matrices();
  all.ldc = in.array();
  const auto groups = in.size();
  const void* const sizes = in.array();
  if (in.is_legal() && visit(in, all, groups, sizes, false)) visit(in, all, groups, sizes, true);
}

}  // namespace reprosum::blas
