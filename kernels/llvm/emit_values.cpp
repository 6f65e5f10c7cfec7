#include "kernels/llvm/emit_values.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace reprosum::kernels {

using llvm::Value;
using spec::Format;
using spec::Leaf;

ValueEmitter::ValueEmitter(llvm::IRBuilder<>& builder, llvm::Type* narrow_type,
                           std::vector<Value*> x, std::vector<Value*> y, Value* q, Value* r)
    : b_(builder),
      narrow_(narrow_type),
      wide_(builder.getDoubleTy()),
      x_(std::move(x)),
      y_(std::move(y)),
      q_(q),
      r_(r) {}

ValueEmitter ValueEmitter::row(std::size_t k) const {
  ValueEmitter one(b_, narrow_, {x_[k]}, y_.empty() ? y_ : std::vector<Value*>{y_[k]}, q_, r_);
  one.set_steps(x_step_, y_step_);
  one.update_ = update_;
  if (!update_.c.empty()) one.update_.c = {update_.c[k]};
  return one;
}

unsigned ValueEmitter::bits_of(bool wide) const {
  return static_cast<unsigned>((wide ? wide_ : narrow_)->getPrimitiveSizeInBits());
}

llvm::Type* ValueEmitter::type(bool wide, int width) const {
  llvm::Type* element = wide ? wide_ : narrow_;
  return width == 1 ? element : llvm::FixedVectorType::get(element, static_cast<unsigned>(width));
}

Value* ValueEmitter::place(const spec::Linear& at) {
  Value* sum = b_.getInt64(static_cast<std::uint64_t>(at.c));
  if (at.q != 0)
    sum = b_.CreateAdd(sum, b_.CreateMul(q_, b_.getInt64(static_cast<std::uint64_t>(at.q))));
  if (at.r != 0)
    sum = b_.CreateAdd(sum, b_.CreateMul(r_, b_.getInt64(static_cast<std::uint64_t>(at.r))));
  return sum;
}

Value* ValueEmitter::load(Value* base, Value* index, const std::vector<std::int64_t>& offsets,
                          Value* step) {
  if (step != nullptr) index = b_.CreateMul(index, step);
  const auto width = static_cast<std::int64_t>(offsets.size());
  const bool ascends =
      std::adjacent_find(offsets.begin(), offsets.end(), std::greater_equal<>()) == offsets.end();
  Value* start = b_.CreateGEP(narrow_, base, index);
  const llvm::Align align(narrow_->getPrimitiveSizeInBits() / 8);
  const auto at = [&](std::int64_t offset) {
    Value* elements = b_.getInt64(static_cast<std::uint64_t>(offset));
    if (step != nullptr) elements = b_.CreateMul(elements, step);
    return b_.CreateGEP(narrow_, start, elements);
  };
  if (width == 1) return b_.CreateAlignedLoad(narrow_, at(offsets[0]), align);
  if (ascends && step == nullptr && offsets.back() - offsets.front() < 4 * width) {
    const std::int64_t span = offsets.back() - offsets.front() + 1;
    // Everything between two summands of a row is the row's, so the whole span may be read.
    Value* all = b_.CreateAlignedLoad(type(false, static_cast<int>(span)), at(offsets[0]), align);
    if (span == width) return all;
    std::vector<int> mask;
    for (const std::int64_t offset : offsets) mask.push_back(static_cast<int>(offset - offsets[0]));
    return b_.CreateShuffleVector(all, mask);
  }
  Value* result = llvm::PoisonValue::get(type(false, static_cast<int>(width)));
  for (std::size_t k = 0; k < offsets.size(); ++k)
    result = b_.CreateInsertElement(result, b_.CreateAlignedLoad(narrow_, at(offsets[k]), align),
                                    static_cast<std::uint64_t>(k));
  return result;
}

Value* ValueEmitter::extended(Value* value) {
  if (narrow_ == wide_) return value;
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  return b_.CreateFPExt(value, type(true, vector ? static_cast<int>(vector->getNumElements()) : 1));
}

Values ValueEmitter::convert(const Values& values, bool wide) {
  if (values.wide == wide || narrow_ == wide_) return values;
  Values result{{}, values.width, wide};
  for (Value* v : values.rows)
    result.rows.push_back(wide ? extended(v) : b_.CreateFPTrunc(v, type(false, values.width)));
  return result;
}

Value* ValueEmitter::alpha_as(llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector == nullptr ? update_.alpha
                           : b_.CreateVectorSplat(vector->getNumElements(), update_.alpha);
}

// A factor that alpha meets before its product.
Value* ValueEmitter::scaled(Value* factor, bool is_first, spec::Scale scale) {
  if (scale != spec::Scale::x && scale != spec::Scale::y) return factor;
  if (((scale == spec::Scale::x) == update_.first_is_x) != is_first) return factor;
  return b_.CreateFMul(alpha_as(factor->getType()), factor);
}

Values ValueEmitter::taken(const Values& value, spec::Scale scale) {
  if (scale != spec::Scale::rounded && scale != spec::Scale::fused) return value;
  Values result{{}, value.width, value.wide};
  for (Value* v : value.rows) result.rows.push_back(b_.CreateFMul(alpha_as(v->getType()), v));
  return result;
}

Value* ValueEmitter::load_c(std::size_t row) {
  return b_.CreateAlignedLoad(narrow_, update_.c[row],
                              llvm::Align(narrow_->getPrimitiveSizeInBits() / 8));
}

Values ValueEmitter::sum_so_far() {
  Values result;
  for (std::size_t row = 0; row < rows(); ++row) result.rows.push_back(load_c(row));
  return result;
}

Values ValueEmitter::output() {
  Values result = sum_so_far();
  for (Value*& row : result.rows) row = b_.CreateFMul(update_.beta, row);
  return result;
}

Values ValueEmitter::fuse_output(const Values& left) {
  Values result;
  for (std::size_t row = 0; row < rows(); ++row)
    result.rows.push_back(b_.CreateIntrinsic(llvm::Intrinsic::fma, {narrow_},
                                             {update_.beta, load_c(row), left.rows[row]}));
  return result;
}

Values ValueEmitter::leaf(Leaf kind, Value* index, const std::vector<std::int64_t>& offsets,
                          spec::Scale scale) {
  Values result{{}, static_cast<int>(offsets.size()), kind == Leaf::exact};
  Value* y = nullptr;
  for (std::size_t row = 0; row < rows(); ++row) {
    Value* x = load_x(row, index, offsets);
    if (kind == Leaf::exact) x = extended(x);
    x = scaled(x, true, scale);
    if (!y_.empty()) {
      if (y == nullptr || y_[row] != y_[row - 1]) {
        y = scaled(load_y(row, index, offsets), false, scale);
        if (kind == Leaf::exact) y = extended(y);
      }
      x = b_.CreateFMul(x, y);
    }
    result.rows.push_back(x);
  }
  return result;
}

Values ValueEmitter::zeros(int width) {
  return {std::vector<Value*>(rows(), llvm::Constant::getNullValue(type(false, width))), width,
          false};
}

Values ValueEmitter::add(Format format, const Values& left, const Values& right,
                         spec::Scale scale_of_right) {
  if (scale_of_right == spec::Scale::fused) {
    Values fused{{}, left.width, false};
    for (std::size_t row = 0; row < rows(); ++row) {
      llvm::Type* const type = left.rows[row]->getType();
      fused.rows.push_back(b_.CreateIntrinsic(llvm::Intrinsic::fma, {type},
                                              {alpha_as(type), right.rows[row], left.rows[row]}));
    }
    return fused;
  }
  if (scale_of_right == spec::Scale::rounded)
    return add(format, left, taken(right, scale_of_right));
  const bool wide = format == Format::wide;
  const Values a = convert(left, wide), b = convert(right, wide);
  Values result{{}, left.width, wide};
  for (std::size_t row = 0; row < rows(); ++row)
    result.rows.push_back(b_.CreateFAdd(a.rows[row], b.rows[row]));
  return result;
}

Values ValueEmitter::fuse(Format format, const Values& left, Value* index,
                          const std::vector<std::int64_t>& offsets, spec::Scale scale) {
  if (y_.empty()) return add(format, left, leaf(Leaf::rounded, index, offsets));
  const bool wide = format == Format::wide;
  const Values a = convert(left, wide);
  Values result{{}, left.width, wide};
  Value* y = nullptr;
  for (std::size_t row = 0; row < rows(); ++row) {
    Value* x = scaled(load_x(row, index, offsets), true, scale);
    if (y == nullptr || y_[row] != y_[row - 1]) {
      y = scaled(load_y(row, index, offsets), false, scale);
      if (wide) y = extended(y);
    }
    if (wide) x = extended(x);
    result.rows.push_back(
        b_.CreateIntrinsic(llvm::Intrinsic::fma, {a.rows[row]->getType()}, {x, y, a.rows[row]}));
  }
  return result;
}

Value* ValueEmitter::gather_row(const std::vector<Pick>& picks, std::size_t row) {
  const auto width = static_cast<int>(picks.size());
  const Values* first = picks[0].first;
  if (width == 1) {
    Value* source = first->rows[row];
    return first->width == 1
               ? source
               : b_.CreateExtractElement(source, static_cast<std::uint64_t>(picks[0].second));
  }
  // One source after the other: its lanes brought to the width of the result, then blended in.
  Value* result = nullptr;
  std::vector<const Values*> done;
  for (const Pick& pick : picks) {
    if (std::find(done.begin(), done.end(), pick.first) != done.end()) continue;
    done.push_back(pick.first);
    Value* source = pick.first->rows[row];
    Value* lanes = nullptr;
    if (pick.first->width == 1) {
      lanes = llvm::PoisonValue::get(type(pick.first->wide, width));
      for (std::size_t k = 0; k < picks.size(); ++k)
        if (picks[k].first == pick.first) lanes = b_.CreateInsertElement(lanes, source, k);
    } else {
      std::vector<int> mask;
      bool identity = pick.first->width == width;
      for (int k = 0; k < width; ++k) {
        const Pick& p = picks[static_cast<std::size_t>(k)];
        mask.push_back(p.first == pick.first ? p.second : -1);
        identity = identity && mask.back() == k;
      }
      lanes = identity ? source : b_.CreateShuffleVector(source, mask);
    }
    if (result == nullptr) {
      result = lanes;
      continue;
    }
    std::vector<int> blend;
    for (int k = 0; k < width; ++k) {
      const Values* from = picks[static_cast<std::size_t>(k)].first;
      const bool known = std::find(done.begin(), done.end(), from) != done.end();
      blend.push_back(from == pick.first ? width + k : known ? k : -1);
    }
    result = b_.CreateShuffleVector(result, lanes, blend);
  }
  return result;
}

Values ValueEmitter::gather(const std::vector<Pick>& picks) {
  Values result{{}, static_cast<int>(picks.size()), picks[0].first->wide};
  for (std::size_t row = 0; row < rows(); ++row) result.rows.push_back(gather_row(picks, row));
  return result;
}

}  // namespace reprosum::kernels
