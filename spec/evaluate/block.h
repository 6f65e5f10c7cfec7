// A block of outputs that share one order: the values the interpreter walks an update order with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "spec/error.h"
#include "spec/evaluate/arithmetic.h"
#include "spec/evaluate/evaluate_matrix.h"
#include "spec/evaluate/walk_rules.h"
#include "spec/order.h"

namespace reprosum::spec {

// The operands of W outputs that have one factor of each product in common: the other factors are
// neighbours. Summand k of output w is (vector[k*vector_step + w], scalar[k*scalar_step]).
template <class T>
struct BlockOperands {
  const T* vector = nullptr;
  std::int64_t vector_step = 0;
  const T* scalar = nullptr;
  std::int64_t scalar_step = 0;
  bool vector_is_x = true;  // which of the two Scale::x means
};

// The same value of each of W outputs: narrow or, for f32 data, wide.
template <class T, int W>
struct Block {
  bool exists = false;
  bool is_wide = false;
  bool misses_output = false;  // absent, because beta == 0 dropped what it was
  std::uint32_t left_out = 0;  // a bit for each output: nothing but a product that is left out
  alignas(64) T narrow[W];
  alignas(64) double wide[Arithmetic<T>::kHasWide ? W : 1];
};

// What is added, and how; the same for all outputs of a block.
struct BlockLeaf {
  NodeFormat format = NodeFormat::narrow;
  Leaf leaf = Leaf::rounded;
  Scale scale = Scale::none;
  Skip skip = Skip::none;
};

// sum + k + (k + step) + ... (count summands, from the left); the first starts an absent sum.
template <class T, int W>
void add_leaves(Block<T, W>& sum, const BlockLeaf& kind, const BlockOperands<T>& data, T alpha,
                std::int64_t k, std::int64_t step, std::int64_t count);
// sum + right, right scaled as told.
template <class T, int W>
void add_block(Block<T, W>& sum, NodeFormat format, const Block<T, W>& right, Scale scale, T alpha);
// value * alpha, rounded in the value's own format.
template <class T, int W>
void scale_block(Block<T, W>& value, T alpha);
// The value rounded to narrow.
template <class T, int W>
void narrow_block(Block<T, W>& value);
// fma(beta, c, sum).
template <class T, int W>
void fuse_block(Block<T, W>& sum, NodeFormat format, T beta, const T* c);

// The values of SchemaWalker and RuleWalk.
template <class T, int W>
struct BlockValues {
  using Value = Block<T, W>;
  using BetaZero = MatrixClass::BetaZero;
  BlockOperands<T> data;
  T alpha{1}, beta{0};
  const T* c = nullptr;  // W of them; not read where beta is a zero that does not multiply
  BetaZero beta_zero = BetaZero::store;
  std::vector<Value> sums{};  // what pieces go on from instead of the output, the innermost last

  static void require(bool wide) { Arithmetic<T>::require(wide); }
  static bool present(const Value& value) { return value.exists || value.misses_output; }

  Value constant(Leaf leaf) const {
    if (leaf != Leaf::zero && !sums.empty()) return sums.back();
    Value value;
    value.exists = true;
    if (leaf == Leaf::zero || !multiplies())
      std::fill_n(value.narrow, W, leaf == Leaf::zero ? T(0) : stored_zero());
    else
      for (int w = 0; w < W; ++w) value.narrow[w] = beta * c[w];
    if (is_dropped() && (leaf != Leaf::zero || beta_zero == BetaZero::drop_zeros)) {
      value.exists = false;
      value.misses_output = true;
    }
    return value;
  }
  bool is_dropped() const { return beta == 0 && MatrixClass::drops(beta_zero); }
  bool multiplies() const { return MatrixClass::multiplies(beta_zero, beta); }
  T stored_zero() const { return MatrixClass::stored_zero(beta_zero, beta); }

  void add(NodeFormat format, Value& sum, const Value& right, Scale scale) const {
    if (right.exists)
      add_block(sum, format, right, scale, alpha);
    else if (!sum.exists)
      sum.misses_output = sum.misses_output || right.misses_output;
  }
  void add_constant(NodeFormat format, Leaf leaf, Value& sum) const {
    if (leaf == Leaf::out_fused && sum.exists) return fuse_output(format, sum);
    add(format, sum, constant(leaf), Scale::none);
  }
  void add_leaves(NodeFormat format, const Shape& shape, Value& sum, std::int64_t k,
                  std::int64_t step, std::int64_t count) const {
    spec::add_leaves(sum, {format, shape.leaf, shape.scale, shape.skip}, data, alpha, k, step,
                     count);
  }
  void bind(Value sum) {
    narrow_block(sum);
    sums.push_back(std::move(sum));
  }
  void unbind() { sums.pop_back(); }
  void scale(Value& value) const { scale_block(value, alpha); }
  void fuse_output(NodeFormat format, Value& sum) const {
    if (is_dropped()) return;
    if (multiplies()) return fuse_block(sum, format, beta, c);
    T zeros[W];
    std::fill_n(zeros, W, stored_zero());
    fuse_block(sum, format, T(1), zeros);
  }
  Value single(std::int64_t at) const {
    Value value;
    add_leaves(NodeFormat::narrow, {}, value, at, 0, 1);
    return value;
  }
  std::optional<Value> piece(const Order& order, const Rule& rule, std::int64_t n, std::int64_t at);
  void add_sub_run(NodeFormat, std::int32_t, Value&, std::int64_t, std::int64_t,
                   std::int64_t) const {
    throw UserError("the order of a matrix update has no leaves that a sub-order adds");
  }
};

// out[0..W): the outputs of the block. alpha == 0 follows `alpha_zero`.
template <class T, int W>
void evaluate_block(const Order& order, std::int64_t n, BlockValues<T, W>& values, T* out);

}  // namespace reprosum::spec
