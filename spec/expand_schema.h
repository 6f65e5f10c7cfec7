// One schema at one (q, r), sized before anything is built.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spec/order.h"
#include "spec/tree.h"

namespace reprosum::spec {

// How far beyond n an offset or step of a present item may lie: a lane that holds only its zero
// start has no summand, so its place says nothing, but products of offsets must not overflow.
inline constexpr std::int64_t kFarthestLane = std::int64_t{1} << 24;

// Whether the leaf takes a summand; zeros and outputs do not.
inline bool is_summand(Leaf leaf) { return leaf <= Leaf::exact; }

// Sets where alpha meets a value that ends with `op`. Throws UserError if it already met it.
void apply_scale(TreeOp& op, Scale scale);

// @pre the schema is valid (validate()); the schema and the sub-orders outlive the instance.
class SchemaInstance {
 public:
  SchemaInstance(const Schema& schema, std::int64_t q, std::int64_t r,
                 std::span<const Order> subs = {});

  // Counts saturate, so that a hostile schema is refused before it is walked.
  std::int64_t summands() const { return sizes_.empty() ? 0 : sizes_.back().summands; }
  std::int64_t leaves() const { return sizes_.empty() ? 0 : sizes_.back().leaves; }
  bool present(std::size_t chain) const { return sizes_[chain].leaves > 0; }

  // Appends the program of the whole tree, summand k as index k + shift. Throws UserError unless
  // the schema has exactly n summands, all in 0..n-1 (that none is named twice is canonical()'s
  // check).
  void append_tree(std::int64_t n, std::int64_t shift, std::vector<TreeOp>& ops) const;

 private:
  struct Size {
    std::int64_t summands = 0, leaves = 0;  // leaves include zeros and outputs
  };
  void append_sub(const Item& item, std::int64_t place, std::int64_t shift, std::int64_t n,
                  std::vector<TreeOp>& ops) const;
  void append_copy(const Item& item, std::int64_t place, bool started, std::int64_t shift,
                   std::int64_t n, std::vector<TreeOp>& ops) const;
  void append(std::size_t chain, std::int64_t origin, std::int64_t shift, std::int64_t n,
              std::vector<TreeOp>& ops) const;

  const Schema& schema_;
  std::span<const Order> subs_;
  std::int64_t q_, r_;
  std::vector<Size> sizes_;
};

}  // namespace reprosum::spec
