#include "kernels/program/builder.h"

namespace reprosum::kernels::program {
namespace {

Instruction make(Op op, ValueType type, std::vector<Id> args = {}) {
  Instruction made;
  made.op = op;
  made.type = type;
  made.args = std::move(args);
  return made;
}

}  // namespace

Id Builder::next(ValueType type) {
  types_.push_back(type);
  return program_.values++;
}

Id Builder::append(Instruction instruction) {
  instruction.id = next(instruction.type);
  block_->push_back(std::move(instruction));
  return block_->back().id;
}

Id Builder::constant(double number, ValueType type) {
  Instruction made = make(Op::constant, type);
  made.number = number;
  return append(std::move(made));
}

Id Builder::alpha(int lanes) { return append(make(Op::alpha, {false, lanes})); }
Id Builder::beta(int lanes) { return append(make(Op::beta, {false, lanes})); }

Id Builder::load(Access access) {
  Instruction made = make(Op::load, {false, access.lanes()});
  made.access = std::move(access);
  return append(std::move(made));
}

void Builder::store(Id value, Access access) {
  Instruction made = make(Op::store, type(value), {value});
  made.access = std::move(access);
  block_->push_back(std::move(made));
}

Id Builder::spread(Id value, int lanes) {
  if (lanes == 1) return value;
  return append(make(Op::spread, {type(value).wide, lanes}, {value}));
}

Id Builder::gather(std::vector<std::pair<Id, int>> picks) {
  const ValueType source = type(picks[0].first);
  bool whole = picks.size() == static_cast<std::size_t>(source.lanes);
  for (std::size_t k = 0; k < picks.size(); ++k)
    whole = whole && picks[k] == std::pair(picks[0].first, static_cast<int>(k));
  if (whole) return picks[0].first;
  Instruction made = make(Op::gather, {source.wide, static_cast<int>(picks.size())});
  made.picks = std::move(picks);
  return append(std::move(made));
}

Id Builder::add(Id a, Id b) { return append(make(Op::add, type(a), {a, b})); }
Id Builder::multiply(Id a, Id b) { return append(make(Op::multiply, type(a), {a, b})); }
Id Builder::fuse(Id a, Id b, Id c) { return append(make(Op::fuse, type(c), {a, b, c})); }

Id Builder::converted(Id value, bool wide) {
  const ValueType from = type(value);
  if (from.wide == wide) return value;
  return append(make(wide ? Op::widen : Op::narrow, {wide, from.lanes}, {value}));
}

Id Builder::if_zero(Id test, Id then, Id otherwise) {
  return append(make(Op::if_zero, type(then), {test, then, otherwise}));
}

void Builder::give(Id value) { block_->push_back(make(Op::give, type(value), {value})); }

}  // namespace reprosum::kernels::program
