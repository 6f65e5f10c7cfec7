// One tile: the plan of a class with vectors of outputs as values.
#include <llvm/IR/IRBuilder.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "kernels/matrix/tile.h"
#include "spec/error.h"

namespace reprosum::kernels {
namespace {

using llvm::BasicBlock;
using llvm::Value;
using spec::Leaf;
using spec::Scale;
using spec::Skip;
using Kind = PlanNode::Kind;
using Tile = std::vector<Value*>;  // value (v, j) at j * vectors + v

constexpr int kUnrolled = 4;  // iterations of a run of single leaves

// The operands at one summand: pointers to output 0 and column 0 there.
struct Place {
  Value* vector = nullptr;
  Value* scalar = nullptr;
};

class TileEmitter {
 public:
  TileEmitter(llvm::Module& module, const Plan& plan, spec::Type type, const TileShape& shape,
              const std::string& name, const CodeTarget& target)
      : plan_(plan),
        shape_(shape),
        lanes_(lanes(target, type)),
        b_(module.getContext()),
        element_(type == spec::Type::f32 ? b_.getFloatTy() : b_.getDoubleTy()),
        vector_(llvm::FixedVectorType::get(element_, static_cast<unsigned>(lanes_))),
        align_(element_->getPrimitiveSizeInBits() / 8) {
    auto* signature = llvm::FunctionType::get(b_.getVoidTy(), {b_.getPtrTy()}, false);
    function_ = llvm::Function::Create(signature, llvm::Function::ExternalLinkage, name, module);
    set_target(*function_, target);
  }

  void run() {
    b_.SetInsertPoint(block("entry"));
    load_call();
    std::vector<Tile> values;
    for (const PlanNode& node : plan_.nodes) values.push_back(emit(node, values));
    finish(taken(values.back(), plan_.nodes.back().scale));
    b_.CreateRetVoid();
  }

 private:
  BasicBlock* block(const char* name) {
    return BasicBlock::Create(b_.getContext(), name, function_);
  }
  Value* constant(std::int64_t value) { return b_.getInt64(static_cast<std::uint64_t>(value)); }
  std::size_t size() const { return static_cast<std::size_t>(shape_.vectors * shape_.columns); }
  bool is_masked(std::size_t v) const {
    return shape_.masked && static_cast<int>(v) + 1 == shape_.vectors;
  }

  // ---- the call ----

  Value* field(llvm::Type* type, std::size_t offset) {
    Value* at = b_.CreateConstGEP1_64(b_.getInt8Ty(), function_->getArg(0), offset);
    return b_.CreateAlignedLoad(type, at, llvm::Align(8));
  }

  void load_call() {
    using Call = TileCall<double>;
    llvm::Type* p = b_.getPtrTy();
    llvm::Type* i = b_.getInt64Ty();
    base_.vector = field(p, offsetof(Call, vector));
    base_.scalar = field(p, offsetof(Call, scalar));
    vector_step_ = shape_.vector_step > 0 ? constant(shape_.vector_step)
                                          : field(i, offsetof(Call, vector_step));
    scalar_step_ = shape_.scalar_step > 0 ? constant(shape_.scalar_step)
                                          : field(i, offsetof(Call, scalar_step));
    q_ = field(i, offsetof(Call, q));
    r_ = field(i, offsetof(Call, r));
    alpha_ = b_.CreateVectorSplat(static_cast<unsigned>(lanes_),
                                  alpha_element_ = field(element_, offsetof(Call, alpha)));
    beta_ =
        b_.CreateVectorSplat(static_cast<unsigned>(lanes_), field(element_, offsetof(Call, beta)));
    for (int j = 0; j < shape_.columns; ++j) {
      Value* column = constant(j);
      if (shape_.scalar_step == 0)
        column = b_.CreateMul(column, field(i, offsetof(Call, scalar_column)));
      columns_.push_back(column);
    }
    if (shape_.masked) {
      llvm::Type* lane = b_.getIntNTy(static_cast<unsigned>(element_->getPrimitiveSizeInBits()));
      std::vector<llvm::Constant*> numbers;
      for (int w = 0; w < lanes_; ++w)
        numbers.push_back(llvm::ConstantInt::get(
            lane, static_cast<std::uint64_t>(w + (shape_.vectors - 1) * lanes_)));
      Value* down = b_.CreateTrunc(field(i, offsetof(Call, down)), lane);
      mask_ = b_.CreateICmpSLT(llvm::ConstantVector::get(numbers),
                               b_.CreateVectorSplat(static_cast<unsigned>(lanes_), down));
    }
  }

  Value* number(const spec::Linear& at) {
    Value* sum = constant(at.c);
    if (at.q != 0) sum = b_.CreateAdd(sum, b_.CreateMul(q_, constant(at.q)));
    if (at.r != 0) sum = b_.CreateAdd(sum, b_.CreateMul(r_, constant(at.r)));
    return sum;
  }

  Place shifted(const Place& from, Value* summands) {
    return {b_.CreateGEP(element_, from.vector, b_.CreateMul(summands, vector_step_)),
            b_.CreateGEP(element_, from.scalar, b_.CreateMul(summands, scalar_step_))};
  }
  Place at(const spec::Linear& place) { return shifted(base_, number(place)); }

  // ---- loads ----

  Value* load(Value* address, std::size_t v) {
    if (is_masked(v))
      return b_.CreateMaskedLoad(vector_, address, align_, mask_,
                                 llvm::Constant::getNullValue(vector_));
    return b_.CreateAlignedLoad(vector_, address, align_);
  }

  // The factors of one summand: vectors of one operand, broadcasts of the other.
  struct Factors {
    std::vector<Value*> vectors, columns;
  };
  // The factors of -0 where a zero leaves the product out: then every vector has one for each
  // column. @pre skip is none or the factor exists.
  Tile skipping(const Place& place, Scale scale, Skip skip, std::vector<Value*>& others) {
    const Factors f = factors(place, scale);
    const bool by_x = skip == Skip::scaled ? scale == Scale::x : skip == Skip::x;
    const bool by_vector = by_x == shape_.vector_is_x;
    const Factors raw = skip == Skip::scaled ? f : factors(place, Scale::none);
    Value* const zero = llvm::Constant::getNullValue(vector_);
    Value* const minus_zero = llvm::ConstantFP::get(vector_, -0.0);
    Value* const one = llvm::ConstantFP::get(vector_, 1.0);
    return each([&](auto v, auto j, auto) {
      Value* const left_out = b_.CreateFCmpOEQ(by_vector ? raw.vectors[v] : raw.columns[j], zero);
      others.push_back(b_.CreateSelect(left_out, one, f.columns[j]));
      return b_.CreateSelect(left_out, minus_zero, f.vectors[v]);
    });
  }
  Factors factors(const Place& place, Scale scale) {
    Factors result;
    const bool of_vector = (scale == Scale::x) == shape_.vector_is_x;
    const bool factor = scale == Scale::x || scale == Scale::y;
    for (int v = 0; v < shape_.vectors; ++v) {
      Value* x = load(b_.CreateGEP(element_, place.vector, constant(v * lanes_)),
                      static_cast<std::size_t>(v));
      if (factor && of_vector) x = b_.CreateFMul(alpha_, x);
      result.vectors.push_back(x);
    }
    for (Value* column : columns_) {
      Value* y =
          b_.CreateAlignedLoad(element_, b_.CreateGEP(element_, place.scalar, column), align_);
      if (factor && !of_vector) y = b_.CreateFMul(alpha_element_, y);
      result.columns.push_back(b_.CreateVectorSplat(static_cast<unsigned>(lanes_), y));
    }
    return result;
  }

  // ---- arithmetic ----

  Tile zeros() const { return Tile(size(), llvm::Constant::getNullValue(vector_)); }

  template <class F>
  Tile each(F&& f) {
    Tile tile;
    for (int j = 0; j < shape_.columns; ++j)
      for (int v = 0; v < shape_.vectors; ++v)
        tile.push_back(f(static_cast<std::size_t>(v), static_cast<std::size_t>(j), tile.size()));
    return tile;
  }
  Value* fma(Value* x, Value* y, Value* sum) {
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {vector_}, {x, y, sum});
  }
  Tile product(const Place& place, Scale scale, Skip skip) {
    if (skip != Skip::none) {
      std::vector<Value*> others;
      const Tile x = skipping(place, scale, skip, others);
      return each([&](auto, auto, auto k) { return b_.CreateFMul(x[k], others[k]); });
    }
    const Factors f = factors(place, scale);
    return each([&](auto v, auto j, auto) { return b_.CreateFMul(f.vectors[v], f.columns[j]); });
  }
  Tile fuse(const Tile& sum, const Place& place, Scale scale, Skip skip) {
    if (skip != Skip::none) {
      std::vector<Value*> others;
      const Tile x = skipping(place, scale, skip, others);
      return each([&](auto, auto, auto k) { return fma(x[k], others[k], sum[k]); });
    }
    const Factors f = factors(place, scale);
    return each([&](auto v, auto j, auto k) { return fma(f.vectors[v], f.columns[j], sum[k]); });
  }
  Tile add(const Tile& left, const Tile& right, Scale scale) {
    if (scale == Scale::fused)
      return each([&](auto, auto, auto k) { return fma(alpha_, right[k], left[k]); });
    const Tile scaled = taken(right, scale);
    return each([&](auto, auto, auto k) { return b_.CreateFAdd(left[k], scaled[k]); });
  }
  // The value of a node or op for who takes it alone.
  Tile taken(const Tile& value, Scale scale) {
    if (scale != Scale::rounded && scale != Scale::fused) return value;
    return each([&](auto, auto, auto k) { return b_.CreateFMul(alpha_, value[k]); });
  }

  Value* c_address(std::size_t v, std::size_t j) {
    using Call = TileCall<double>;
    if (c_ == nullptr) {
      c_ = field(b_.getPtrTy(), offsetof(Call, c));
      c_column_ = field(b_.getInt64Ty(), offsetof(Call, c_column));
    }
    Value* column = b_.CreateMul(constant(static_cast<std::int64_t>(j)), c_column_);
    return b_.CreateGEP(element_, b_.CreateGEP(element_, c_, column),
                        constant(static_cast<std::int64_t>(v) * lanes_));
  }
  Tile output() {
    return each([&](auto v, auto j, auto) { return load(c_address(v, j), v); });
  }
  Tile fuse_output(const Tile& sum) {
    const Tile c = output();
    return each([&](auto, auto, auto k) { return fma(beta_, c[k], sum[k]); });
  }

  void finish(Tile value) {
    switch (shape_.ending) {
      case Ending::store:
        break;
      case Ending::scaled:
        value = taken(value, Scale::rounded);
        break;
      case Ending::fuse_output:
        value = fuse_output(value);
        break;
      case Ending::scaled_fuse:
        value = fuse_output(taken(value, Scale::rounded));
        break;
      case Ending::add:
        value = add(output(), value, Scale::none);
        break;
      case Ending::add_scaled:
        value = add(output(), value, Scale::rounded);
        break;
      case Ending::fuse_scaled:
        value = add(output(), value, Scale::fused);
        break;
    }
    each([&](auto v, auto j, auto k) -> Value* {
      if (is_masked(v)) return b_.CreateMaskedStore(value[k], c_address(v, j), align_, mask_);
      return b_.CreateAlignedStore(value[k], c_address(v, j), align_);
    });
  }

  // ---- nodes ----

  Tile emit(const PlanNode& node, const std::vector<Tile>& values) {
    const auto left = [&] {
      const auto k = static_cast<std::size_t>(node.left);
      return taken(values[k], plan_.nodes[k].scale);
    };
    switch (node.kind) {
      case Kind::zero:
        return zeros();
      case Kind::out: {
        const Tile c = output();
        return each([&](auto, auto, auto k) { return b_.CreateFMul(beta_, c[k]); });
      }
      case Kind::leaf:
        return product(at(node.at), node.scale, node.skip);
      case Kind::fuse:
        return fuse(left(), at(node.at), node.scale, node.skip);
      case Kind::fuse_out:
        return fuse_output(left());
      case Kind::add: {
        const auto k = static_cast<std::size_t>(node.right);
        return add(left(), values[k], plan_.nodes[k].scale);
      }
      case Kind::run: {
        const Run& run = plan_.runs[static_cast<std::size_t>(node.run)];
        return node.left >= 0 ? emit_run(run, left()) : emit_run(run, {});
      }
    }
    throw InternalError("tile: unknown kind of node");
  }

  // The value of an addend; *scale is that of its last operation, still to be applied. A fused leaf
  // that is all of it is in *fused.
  Tile addend(const Addend& ops, const std::map<std::int64_t, Place>& places, bool first,
              Scale* scale, const BodyOp** fused) {
    std::vector<std::pair<Tile, const BodyOp*>> stack;
    for (const BodyOp& op : ops) {
      if (!op.is_add) {
        const bool waits = op.leaf == Leaf::fused && (ops.size() > 1 || !first);
        if (op.leaf == Leaf::zero)
          stack.emplace_back(zeros(), &op);
        else
          stack.emplace_back(waits ? Tile{} : product(places.at(op.offset), op.scale, op.skip),
                             &op);
        continue;
      }
      const auto [right, right_op] = std::move(stack.back());
      stack.pop_back();
      auto& [left, left_op] = stack.back();
      left = taken(left, left_op->scale);
      left = !right_op->is_add && right_op->leaf == Leaf::fused
                 ? fuse(left, places.at(right_op->offset), right_op->scale, right_op->skip)
                 : add(left, right, right_op->scale);
      left_op = &op;
    }
    const BodyOp& last = *stack.back().second;
    *scale = last.scale;
    *fused = !last.is_add && last.leaf == Leaf::fused && !first ? &last : nullptr;
    return stack.back().first;
  }

  Tile iteration(const Run& run, const Place& from, Tile sum) {
    std::map<std::int64_t, Place> places;
    for (const Addend& ops : run.body)
      for (const BodyOp& op : ops)
        if (op.is_summand() && !places.contains(op.offset))
          places[op.offset] = op.offset == 0 ? from : shifted(from, constant(op.offset));
    for (const Addend& ops : run.body) {
      const bool first = sum.empty();
      Scale scale = Scale::none;
      const BodyOp* fused = nullptr;
      const Tile value = addend(ops, places, first, &scale, &fused);
      if (first)
        sum = taken(value, scale);
      else
        sum = fused != nullptr ? fuse(sum, places.at(fused->offset), fused->scale, fused->skip)
                               : add(sum, value, scale);
    }
    return sum;
  }

  // sum empty: the run starts from its first iteration.
  Tile emit_run(const Run& run, Tile sum) {
    Place place = at(run.at);
    Value* const step = constant(run.step);
    Value* count = number(run.count);
    if (sum.empty()) {
      sum = iteration(run, place, {});
      place = shifted(place, step);
      count = b_.CreateSub(count, constant(1));
    }
    count = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, count, constant(0));
    const bool single = run.body.size() == 1 && run.body[0].size() == 1;
    if (single && plan_.runs.size() < 4) {
      Value* const each = constant(kUnrolled);
      loop(run, b_.CreateUDiv(count, each), kUnrolled, place, sum);
      count = b_.CreateURem(count, each);
    }
    loop(run, count, 1, place, sum);
    return sum;
  }

  // `unrolled` iterations `trips` times; place and sum move on.
  void loop(const Run& run, Value* trips, int unrolled, Place& place, Tile& sum) {
    BasicBlock* const before = b_.GetInsertBlock();
    BasicBlock* const body = block("body");
    BasicBlock* const after = block("after");
    b_.CreateCondBr(b_.CreateICmpSGT(trips, constant(0)), body, after);
    b_.SetInsertPoint(body);
    const auto phi = [&](Value* start) {
      auto* node = b_.CreatePHI(start->getType(), 2);
      node->addIncoming(start, before);
      return node;
    };
    auto* left = phi(trips);
    auto* vector = phi(place.vector);
    auto* scalar = phi(place.scalar);
    std::vector<llvm::PHINode*> phis;
    Tile running;
    for (Value* value : sum) {
      phis.push_back(phi(value));
      running.push_back(phis.back());
    }
    Place at{vector, scalar};
    for (int u = 0; u < unrolled; ++u)
      running = iteration(run, u == 0 ? at : shifted(at, constant(u * run.step)), running);
    const Place next = shifted(at, constant(unrolled * run.step));
    Value* rest = b_.CreateSub(left, constant(1));
    left->addIncoming(rest, body);
    vector->addIncoming(next.vector, body);
    scalar->addIncoming(next.scalar, body);
    for (std::size_t k = 0; k < phis.size(); ++k) phis[k]->addIncoming(running[k], body);
    b_.CreateCondBr(b_.CreateICmpSGT(rest, constant(0)), body, after);
    b_.SetInsertPoint(after);
    const auto leave = [&](Value*& value, Value* moved) {
      auto* node = b_.CreatePHI(value->getType(), 2);
      node->addIncoming(value, before);
      node->addIncoming(moved, body);
      value = node;
    };
    leave(place.vector, next.vector);
    leave(place.scalar, next.scalar);
    for (std::size_t k = 0; k < sum.size(); ++k) leave(sum[k], running[k]);
  }

  const Plan& plan_;
  const TileShape& shape_;
  const int lanes_;
  llvm::IRBuilder<> b_;
  llvm::Type* element_;
  llvm::FixedVectorType* vector_;
  const llvm::Align align_;
  llvm::Function* function_ = nullptr;
  Place base_;
  std::vector<Value*> columns_;
  Value *vector_step_ = nullptr, *scalar_step_ = nullptr, *q_ = nullptr, *r_ = nullptr;
  Value *alpha_ = nullptr, *alpha_element_ = nullptr, *beta_ = nullptr, *mask_ = nullptr;
  Value *c_ = nullptr, *c_column_ = nullptr;
};

}  // namespace

std::string TileShape::text() const {
  std::string text = std::to_string(vectors) + "x" + std::to_string(columns) + "e" +
                     std::to_string(static_cast<int>(ending));
  if (masked) text += "m";
  if (!vector_is_x) text += "y";
  if (vector_step > 0) text += "v" + std::to_string(vector_step);
  if (scalar_step > 0) text += "s" + std::to_string(scalar_step);
  if (rows > 0) text += "r" + std::to_string(rows);
  return text;
}

bool is_tile_plan(const Plan& plan, std::string& why) {
  why = "wide values";
  for (std::size_t k = 0; k < plan.nodes.size(); ++k)
    if (plan.is_wide(static_cast<int>(k))) return false;
  for (const Run& run : plan.runs) {
    if (run.format == spec::Format::wide) return false;
    for (const Addend& addend : run.body)
      for (const BodyOp& op : addend)
        if (op.is_add ? op.format == spec::Format::wide : op.leaf == Leaf::exact) return false;
  }
  why.clear();
  if (plan.nodes.empty()) why = "a schema without summands";
  return why.empty();
}

void emit_tile(llvm::Module& module, const Plan& plan, spec::Type type, const TileShape& shape,
               const std::string& name, const CodeTarget& target) {
  if (shape.rows > 0) return emit_rows(module, plan, type, shape, name, target);
  TileEmitter(module, plan, type, shape, name, target).run();
}

}  // namespace reprosum::kernels
