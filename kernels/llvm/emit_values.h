// Vectors of values in generated code: loads, shuffles and the arithmetic of nodes.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <vector>

#include "spec/order.h"

namespace reprosum::kernels {

// The same lanes in each of the interleaved rows (one row unless the kernel is a batch).
struct Values {
  std::vector<llvm::Value*> rows;
  int width = 1;  // 1: a scalar
  bool wide = false;
  int id = 0;  // among the values of a plan: what grouping compares, so that code is reproducible
};

// What the nodes of a matrix update name besides the summands.
struct UpdateValues {
  llvm::Value *alpha = nullptr, *beta = nullptr;
  std::vector<llvm::Value*> c;  // where the output of each row is
  bool first_is_x = true;       // Scale::x is a factor of the first operand
};

class ValueEmitter {
 public:
  // wide_type == narrow_type for f64, where nothing is wide. y empty: sum.
  ValueEmitter(llvm::IRBuilder<>& builder, llvm::Type* narrow_type, std::vector<llvm::Value*> x,
               std::vector<llvm::Value*> y, llvm::Value* q, llvm::Value* r);

  llvm::IRBuilder<>& builder() { return b_; }
  std::size_t rows() const { return x_.size(); }
  ValueEmitter row(std::size_t k) const;  // of this row alone
  bool has_products() const { return !y_.empty(); }
  bool shares_y() const { return y_.size() > 1 && y_[0] == y_[1]; }  // rows have one y
  unsigned bits_of(bool wide) const;
  llvm::Type* type(bool wide, int width) const;
  llvm::Value* place(const spec::Linear& at);

  // What is read of one row at offsets (ascending) from `index`.
  llvm::Value* load_x(std::size_t row, llvm::Value* index,
                      const std::vector<std::int64_t>& offsets) {
    return load(x_[row], index, offsets, x_step_);
  }
  llvm::Value* load_y(std::size_t row, llvm::Value* index,
                      const std::vector<std::int64_t>& offsets) {
    return load(y_[row], index, offsets, y_step_);
  }

  // Lanes at offsets (ascending) from `index`. Scales other than none, and outputs, are those of an
  // update, all of it narrow.
  Values leaf(spec::Leaf kind, llvm::Value* index, const std::vector<std::int64_t>& offsets,
              spec::Scale scale = spec::Scale::none);
  Values zeros(int width);
  Values add(spec::Format format, const Values& left, const Values& right,
             spec::Scale scale_of_right = spec::Scale::none);
  Values fuse(spec::Format format, const Values& left, llvm::Value* index,
              const std::vector<std::int64_t>& offsets, spec::Scale scale = spec::Scale::none);
  // Elements from one summand to the next of each operand, where it is not 1. y: of dot only.
  void set_steps(llvm::Value* x, llvm::Value* y) {
    x_step_ = x;
    y_step_ = y;
  }
  void set_update(UpdateValues update) { update_ = std::move(update); }
  // The value of a node for who takes it alone: alpha times it, where its scale says so.
  Values taken(const Values& value, spec::Scale scale);
  Values sum_so_far();                     // c
  Values output();                         // beta*c
  Values fuse_output(const Values& left);  // fma(beta, c, left)
  Values convert(const Values& values, bool wide);

  // Lane k of the result is lane picks[k].second of *picks[k].first. All have one format.
  using Pick = std::pair<const Values*, int>;
  Values gather(const std::vector<Pick>& picks);

 private:
  llvm::Value* load(llvm::Value* base, llvm::Value* index, const std::vector<std::int64_t>& offsets,
                    llvm::Value* step);
  llvm::Value* gather_row(const std::vector<Pick>& picks, std::size_t row);
  llvm::Value* extended(llvm::Value* value);
  llvm::Value* alpha_as(llvm::Type* type);
  llvm::Value* scaled(llvm::Value* factor, bool is_first, spec::Scale scale);
  llvm::Value* load_c(std::size_t row);

  llvm::IRBuilder<>& b_;
  llvm::Type* narrow_;
  llvm::Type* wide_;
  std::vector<llvm::Value*> x_, y_;
  llvm::Value *q_, *r_;
  llvm::Value *x_step_ = nullptr, *y_step_ = nullptr;  // nullptr: 1
  UpdateValues update_;
};

}  // namespace reprosum::kernels
