// Makes the instructions of a program, one after the other.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernels/program/program.h"

namespace reprosum::kernels::program {

class Builder {
 public:
  explicit Builder(Program& program) : program_(program), block_(&program.body) {}

  const Program& program() const { return program_; }
  ValueType type(Id value) const { return types_[static_cast<std::size_t>(value)]; }

  Id constant(double number, ValueType type);
  Id alpha(int lanes);
  Id beta(int lanes);
  Id load(Access access);
  void store(Id value, Access access);
  Id spread(Id value, int lanes);
  Id gather(std::vector<std::pair<Id, int>> picks);
  Id add(Id a, Id b);
  Id multiply(Id a, Id b);
  Id fuse(Id a, Id b, Id c);
  Id converted(Id value, bool wide);
  Id if_zero(Id test, Id then, Id otherwise);
  void give(Id value);

  // The body of a loop is made by `body`, which is given the carried values and returns the next
  // ones. Returns the results.
  template <class F>
  std::vector<Id> loop(Loop loop, F&& body) {
    Instruction made;
    made.op = Op::loop;
    made.blocks.resize(1);
    for (const Id start : loop.starts) loop.carried.push_back(next(type(start)));
    Block* const around = std::exchange(block_, &made.blocks[0]);
    loop.yields = body(loop.carried);
    block_ = around;
    for (const Id start : loop.starts) loop.results.push_back(next(type(start)));
    std::vector<Id> results = loop.results;
    made.loop = std::move(loop);
    block_->push_back(std::move(made));
    return results;
  }

  // f(k) makes block k of the choice, which ends the function's work.
  template <class F>
  void choose(Choice choice, F&& f) {
    Instruction made;
    made.op = Op::choose;
    made.blocks.resize(choice.ranges.size());
    Block* const around = block_;
    for (std::size_t k = 0; k < made.blocks.size(); ++k) {
      block_ = &made.blocks[k];
      f(k);
    }
    block_ = around;
    made.choice = std::move(choice);
    block_->push_back(std::move(made));
  }

 private:
  Id next(ValueType type);
  Id append(Instruction instruction);

  Program& program_;
  Block* block_;
  std::vector<ValueType> types_;
};

}  // namespace reprosum::kernels::program
