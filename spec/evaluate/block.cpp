// The arithmetic of blocks. Loops over the outputs of a block are what the compiler vectorises.
#include "spec/evaluate/block.h"

#include <cmath>
#include <type_traits>

#include "spec/error.h"
#include "spec/evaluate/schema_walker.h"

namespace reprosum::spec {
namespace {

// Which factor alpha multiplies first.
enum class On { nothing, vector, scalar };

// The values of a block in the format F.
template <class T, NodeFormat F>
using Element = std::conditional_t<F == NodeFormat::wide, double, T>;

template <class T, int W>
[[gnu::always_inline]] inline void convert(Block<T, W>& value, bool wide) {
  if constexpr (Arithmetic<T>::kHasWide) {
    if (value.is_wide == wide) return;
    if (wide)
      for (int w = 0; w < W; ++w) value.wide[w] = static_cast<double>(value.narrow[w]);
    else
      for (int w = 0; w < W; ++w) value.narrow[w] = static_cast<T>(value.wide[w]);
    value.is_wide = wide;
  }
}

template <class T, int W, NodeFormat F>
[[gnu::always_inline]] inline Element<T, F>* elements(Block<T, W>& value) {
  if constexpr (F == NodeFormat::wide && Arithmetic<T>::kHasWide)
    return value.wide;
  else
    return value.narrow;
}

// The summands of one run in their places.
template <class T>
struct Place {
  const T* vector;
  std::int64_t vector_step;
  const T* scalar;
  std::int64_t scalar_step;
};

// sum += product, `count` times. No value is absent, no product is scaled afterwards.
template <class T, int W, NodeFormat F, Leaf L, On S>
[[gnu::always_inline]] inline void run(Block<T, W>& block, Place<T> at, T alpha,
                                       std::int64_t count) {
  using E = Element<T, F>;
  E* const values = elements<T, W, F>(block);
  E sum[W];
  for (int w = 0; w < W; ++w) sum[w] = values[w];
  for (std::int64_t i = 0; i < count; ++i) {
    const T* const v = at.vector + i * at.vector_step;
    T s = at.scalar[i * at.scalar_step];
    if constexpr (S == On::scalar) s = alpha * s;
    for (int w = 0; w < W; ++w) {
      const T x = S == On::vector ? alpha * v[w] : v[w];
      if constexpr (L == Leaf::fused)
        sum[w] = std::fma(static_cast<E>(x), static_cast<E>(s), sum[w]);
      else if constexpr (L == Leaf::exact)
        sum[w] = static_cast<E>(sum[w] + static_cast<E>(x) * static_cast<E>(s));
      else
        sum[w] = sum[w] + static_cast<E>(x * s);
    }
  }
  for (int w = 0; w < W; ++w) values[w] = sum[w];
}

template <class T, int W, NodeFormat F, Leaf L>
[[gnu::always_inline]] inline void run(Block<T, W>& block, Place<T> at, On on, T alpha,
                                       std::int64_t count) {
  if (on == On::vector) return run<T, W, F, L, On::vector>(block, at, alpha, count);
  if (on == On::scalar) return run<T, W, F, L, On::scalar>(block, at, alpha, count);
  run<T, W, F, L, On::nothing>(block, at, alpha, count);
}

// The product of one summand as a value of its own.
template <class T, int W>
[[gnu::always_inline]] inline Block<T, W> product(Leaf leaf, Place<T> at, On on, T alpha) {
  Block<T, W> value;
  value.exists = true;
  T s = at.scalar[0];
  if (on == On::scalar) s = alpha * s;
  if (Arithmetic<T>::kHasWide && leaf == Leaf::exact) {
    value.is_wide = true;
    for (int w = 0; w < W; ++w) {
      const T x = on == On::vector ? alpha * at.vector[w] : at.vector[w];
      value.wide[w] = static_cast<double>(x) * static_cast<double>(s);
    }
    return value;
  }
  for (int w = 0; w < W; ++w) {
    const T x = on == On::vector ? alpha * at.vector[w] : at.vector[w];
    value.narrow[w] = x * s;
  }
  return value;
}

template <class T, int W, NodeFormat F>
[[gnu::always_inline]] inline void add(Block<T, W>& sum, Block<T, W>& right) {
  Element<T, F>* const a = elements<T, W, F>(sum);
  const Element<T, F>* const b = elements<T, W, F>(right);
  for (int w = 0; w < W; ++w) a[w] = a[w] + b[w];
}

template <class T, int W, NodeFormat F>
[[gnu::always_inline]] inline void fuse(Block<T, W>& sum, Block<T, W>& right, T factor) {
  using E = Element<T, F>;
  E* const a = elements<T, W, F>(sum);
  const E* const b = elements<T, W, F>(right);
  for (int w = 0; w < W; ++w) a[w] = std::fma(static_cast<E>(factor), b[w], a[w]);
}

template <class T, int W>
[[gnu::always_inline]] inline void scaled(Block<T, W>& value, T alpha) {
  if (Arithmetic<T>::kHasWide && value.is_wide)
    for (int w = 0; w < W; ++w) value.wide[w] = static_cast<double>(alpha) * value.wide[w];
  else
    for (int w = 0; w < W; ++w) value.narrow[w] = alpha * value.narrow[w];
}

// What stands where C would stand is not nothing: +0 takes the place of products left out.
template <class T, int W>
void zero_left_out(Block<T, W>& value) {
  for (int w = 0; w < W; ++w) {
    if ((value.left_out >> w & 1U) == 0) continue;
    value.narrow[w] = 0;
    if constexpr (Arithmetic<T>::kHasWide) value.wide[w] = 0;
  }
  value.left_out = 0;
}

template <class T, int W>
[[gnu::always_inline]] inline void accumulate(Block<T, W>& sum, NodeFormat format,
                                              Block<T, W> right, Scale scale, T alpha) {
  const bool wide = format == NodeFormat::wide && Arithmetic<T>::kHasWide;
  if (scale == Scale::rounded || (scale == Scale::fused && !sum.exists)) scaled(right, alpha);
  if (!sum.exists) {
    const bool stands_in = sum.misses_output && right.left_out != 0;
    sum = right;
    if (stands_in) zero_left_out(sum);
    return;
  }
  sum.left_out = 0;
  convert(sum, wide);
  convert(right, wide);
  if (scale == Scale::fused)
    wide ? fuse<T, W, NodeFormat::wide>(sum, right, alpha)
         : fuse<T, W, NodeFormat::narrow>(sum, right, alpha);
  else
    wide ? add<T, W, NodeFormat::wide>(sum, right) : add<T, W, NodeFormat::narrow>(sum, right);
}

// The same for products that a zero factor leaves out: their factors become those of -0.
template <class T, int W>
[[gnu::always_inline]] inline void skipping(Block<T, W>& block, const BlockLeaf& kind, Place<T> at,
                                            On on, On tested, T alpha, std::int64_t count) {
  const bool wide = Arithmetic<T>::kHasWide && kind.format == NodeFormat::wide;
  for (std::int64_t i = 0; i < count; ++i) {
    const T* const v = at.vector + i * at.vector_step;
    const T raw = at.scalar[i * at.scalar_step];
    const T factor = on == On::scalar ? alpha * raw : raw;
    T x[W], s[W];
    std::uint32_t left_out = 0;
    for (int w = 0; w < W; ++w) {
      x[w] = on == On::vector ? alpha * v[w] : v[w];
      s[w] = factor;
      const T zero = tested == On::vector ? (kind.skip == Skip::scaled ? x[w] : v[w])
                                          : (kind.skip == Skip::scaled ? factor : raw);
      if (zero != 0) continue;  // nor is a NaN
      x[w] = T(-0.0);
      s[w] = T(1);
      left_out |= std::uint32_t{1} << w;
    }
    if (!block.exists || kind.leaf != Leaf::fused) {
      Block<T, W> value;
      value.exists = true;
      value.is_wide = Arithmetic<T>::kHasWide && kind.leaf == Leaf::exact;
      value.left_out = left_out;
      for (int w = 0; w < W; ++w) {
        if (Arithmetic<T>::kHasWide && value.is_wide)
          value.wide[w] = static_cast<double>(x[w]) * static_cast<double>(s[w]);
        else
          value.narrow[w] = x[w] * s[w];
      }
      accumulate(block, kind.format, value, Scale::none, alpha);
      continue;
    }
    block.left_out = 0;
    convert(block, wide);
    for (int w = 0; w < W; ++w) {
      if (wide)
        block.wide[w] =
            std::fma(static_cast<double>(x[w]), static_cast<double>(s[w]), block.wide[w]);
      else
        block.narrow[w] = std::fma(x[w], s[w], block.narrow[w]);
    }
  }
}

template <class T, int W>
[[gnu::always_inline]] inline void leaves(Block<T, W>& sum, const BlockLeaf& kind,
                                          const BlockOperands<T>& data, T alpha, std::int64_t k,
                                          std::int64_t step, std::int64_t count) {
  On on = On::nothing;
  if (kind.scale == Scale::x || kind.scale == Scale::y)
    on = (kind.scale == Scale::x) == data.vector_is_x ? On::vector : On::scalar;
  const bool afterwards = kind.scale == Scale::rounded || kind.scale == Scale::fused;
  if (afterwards && kind.leaf == Leaf::fused)
    throw UserError("a fused summand has no product that alpha could meet");
  const auto place = [&](std::int64_t i) {
    const std::int64_t at = k + i * step;
    return Place<T>{data.vector + at * data.vector_step, step * data.vector_step,
                    data.scalar + at * data.scalar_step, step * data.scalar_step};
  };
  if (kind.skip != Skip::none) {
    On tested = on;  // the factor that alpha scales
    if (kind.skip != Skip::scaled)
      tested = (kind.skip == Skip::x) == data.vector_is_x ? On::vector : On::scalar;
    if (tested == On::nothing || afterwards)
      throw UserError("no factor of a product whose zeros could leave it out");
    return skipping(sum, kind, place(0), on, tested, alpha, count);
  }
  std::int64_t i = 0;
  for (; i < count && (afterwards || !sum.exists); ++i)
    accumulate(sum, kind.format, product<T, W>(kind.leaf, place(i), on, alpha),
               afterwards ? kind.scale : Scale::none, alpha);
  if (i == count) return;
  sum.left_out = 0;
  const Place<T> at = place(i);
  if (Arithmetic<T>::kHasWide && kind.format == NodeFormat::wide) {
    convert(sum, true);
    if (kind.leaf == Leaf::fused)
      return run<T, W, NodeFormat::wide, Leaf::fused>(sum, at, on, alpha, count - i);
    if (kind.leaf == Leaf::exact)
      return run<T, W, NodeFormat::wide, Leaf::exact>(sum, at, on, alpha, count - i);
    return run<T, W, NodeFormat::wide, Leaf::rounded>(sum, at, on, alpha, count - i);
  }
  convert(sum, false);
  if (kind.leaf == Leaf::fused)
    return run<T, W, NodeFormat::narrow, Leaf::fused>(sum, at, on, alpha, count - i);
  run<T, W, NodeFormat::narrow, Leaf::rounded>(sum, at, on, alpha, count - i);
}

template <class T, int W>
[[gnu::always_inline]] inline void fuse_output(Block<T, W>& sum, NodeFormat format, T beta,
                                               const T* c) {
  const bool wide = format == NodeFormat::wide && Arithmetic<T>::kHasWide;
  sum.left_out = 0;
  Block<T, W> right;
  right.exists = true;
  for (int w = 0; w < W; ++w) right.narrow[w] = c[w];
  convert(sum, wide);
  convert(right, wide);
  wide ? fuse<T, W, NodeFormat::wide>(sum, right, beta)
       : fuse<T, W, NodeFormat::narrow>(sum, right, beta);
}

// The same loops where std::fma is one instruction: a call of fma() costs more than the rest.
#if defined(__x86_64__) && defined(__GNUC__)
#define REPROSUM_WITH_FMA [[gnu::target("fma,avx2"), gnu::flatten]]
const bool kHostHasFma = __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");

template <class T, int W>
REPROSUM_WITH_FMA void leaves_fma(Block<T, W>& sum, const BlockLeaf& kind,
                                  const BlockOperands<T>& data, T alpha, std::int64_t k,
                                  std::int64_t step, std::int64_t count) {
  leaves(sum, kind, data, alpha, k, step, count);
}
template <class T, int W>
REPROSUM_WITH_FMA void accumulate_fma(Block<T, W>& sum, NodeFormat format, const Block<T, W>& right,
                                      Scale scale, T alpha) {
  accumulate(sum, format, right, scale, alpha);
}
template <class T, int W>
REPROSUM_WITH_FMA void fuse_output_fma(Block<T, W>& sum, NodeFormat format, T beta, const T* c) {
  fuse_output(sum, format, beta, c);
}
#endif

}  // namespace

template <class T, int W>
void add_leaves(Block<T, W>& sum, const BlockLeaf& kind, const BlockOperands<T>& data, T alpha,
                std::int64_t k, std::int64_t step, std::int64_t count) {
#ifdef REPROSUM_WITH_FMA
  if (kHostHasFma) return leaves_fma(sum, kind, data, alpha, k, step, count);
#endif
  leaves(sum, kind, data, alpha, k, step, count);
}

template <class T, int W>
void add_block(Block<T, W>& sum, NodeFormat format, const Block<T, W>& right, Scale scale,
               T alpha) {
#ifdef REPROSUM_WITH_FMA
  if (kHostHasFma) return accumulate_fma(sum, format, right, scale, alpha);
#endif
  accumulate(sum, format, right, scale, alpha);
}

template <class T, int W>
void scale_block(Block<T, W>& value, T alpha) {
  scaled(value, alpha);
}

template <class T, int W>
void narrow_block(Block<T, W>& value) {
  convert(value, false);
}

template <class T, int W>
void fuse_block(Block<T, W>& sum, NodeFormat format, T beta, const T* c) {
#ifdef REPROSUM_WITH_FMA
  if (kHostHasFma) return fuse_output_fma(sum, format, beta, c);
#endif
  fuse_output(sum, format, beta, c);
}

template <class T, int W>
std::optional<Block<T, W>> BlockValues<T, W>::piece(const Order&, const Rule& rule, std::int64_t n,
                                                    std::int64_t at) {
  return walk_piece(rule, n, at, *this);
}

template <class T, int W>
void evaluate_block(const Order& order, std::int64_t n, BlockValues<T, W>& values, T* out) {
  if (n < 1) throw UserError("n must be positive, not " + std::to_string(n));
  Block<T, W> value = RuleWalk<BlockValues<T, W>>(values).run(order, n);
  if (!value.exists) throw InternalError("an update without summands");
  convert(value, false);
  for (int w = 0; w < W; ++w) out[w] = value.narrow[w];
}

#define REPROSUM_BLOCKS(T, W)                                                          \
  template void add_leaves(Block<T, W>&, const BlockLeaf&, const BlockOperands<T>&, T, \
                           std::int64_t, std::int64_t, std::int64_t);                  \
  template void add_block(Block<T, W>&, NodeFormat, const Block<T, W>&, Scale, T);     \
  template void scale_block(Block<T, W>&, T);                                          \
  template void narrow_block(Block<T, W>&);                                            \
  template void fuse_block(Block<T, W>&, NodeFormat, T, const T*);                     \
  template struct BlockValues<T, W>;                                                   \
  template void evaluate_block(const Order&, std::int64_t, BlockValues<T, W>&, T*);
REPROSUM_BLOCKS(float, 1)
REPROSUM_BLOCKS(double, 1)
REPROSUM_BLOCKS(float, 32)
REPROSUM_BLOCKS(double, 16)

}  // namespace reprosum::spec
