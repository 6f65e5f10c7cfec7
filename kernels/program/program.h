// The program: what a piece of an order does, value by value, before any backend prints it.
//
// A program is a block of instructions in static single assignment. Its values are vectors of
// neighbouring lanes; what a lane is (a lane of the order, or an output of a tile) is the matter of
// the passes that make the program. Control is structured: loops over the iterations of runs, one
// choice by q or r. Places are linear in q, r and the iteration, so that verify() can prove each
// access to lie inside its operand.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "spec/linear.h"
#include "spec/order.h"
#include "spec/spec.h"

namespace reprosum::kernels::program {

using Id = int;  // of a value, ascending in the sequence in which values are made

// The element is the routine's own type, or f64 where it is wide.
struct ValueType {
  bool wide = false;
  int lanes = 1;
  bool operator==(const ValueType&) const = default;
};

// What a function is called with besides its operands.
enum class Parameter : std::uint8_t {
  one,   // the constant 1
  none,  // the constant 0: the operand has no such direction
  incx,
  incy,
  ldx,
  ldy,
  vector_step,
  scalar_step,
  scalar_column,
  c_column,
  vector_row,
};

// Elements from one place to the next in one direction: a constant, or a parameter.
struct Step {
  std::int64_t constant = 0;  // used where it is not 0
  Parameter parameter = Parameter::none;
  bool is(std::int64_t value) const { return parameter == Parameter::none && constant == value; }
  bool operator==(const Step&) const = default;
};
inline constexpr Step kNeighbours{1, Parameter::none};

// An array whose elements have a summand, and an output down and across.
struct Operand {
  enum class Name : std::uint8_t { x, y, out } name = Name::x;
  Step summand, down, across;
  bool operator==(const Operand&) const = default;
};

// Elements of an operand: lanes at `offsets` summands (ascending) from a place, or `outputs`
// neighbours down, from one place.
struct Access {
  int operand = 0;
  spec::Linear at;                 // summand of offset 0 at iteration 0 of the loop around it
  std::int64_t per_iteration = 0;  // summands further for each of its iterations
  std::vector<std::int64_t> offsets{0};
  int outputs = 1;
  std::int64_t down = 0, across = 0;
  bool masked = false;  // outputs that do not exist are read as 0, and not written
  int lanes() const { return outputs > 1 ? outputs : static_cast<int>(offsets.size()); }
  bool operator==(const Access&) const = default;
};

struct Instruction;
using Block = std::vector<Instruction>;

// Iterations first, first + each, ... of `count`, as long as a whole turn of `each` is left; a loop
// that goes on begins where the loop before it ended. `carried` have the values of `starts` in the
// first turn and of `yields` in the next; `results` are what they have at the end.
struct Loop {
  spec::Linear count;
  std::int64_t first = 0, each = 1;
  bool goes_on = false;
  std::vector<Id> starts, carried, yields, results;
  bool operator==(const Loop&) const = default;
};

// One block for each range of q or r; the value lies in one of them.
struct Choice {
  struct Range {
    std::int64_t lo = 0, hi = 0;
    bool operator==(const Range&) const = default;
  };
  bool by_q = false;
  std::vector<Range> ranges;
  bool operator==(const Choice&) const = default;
};

enum class Op : std::uint8_t {
  constant,  // `number` in every lane
  alpha,     // in every lane
  beta,      // in every lane
  load,      // of `access`; narrow
  store,     // args[0] to `access`
  spread,    // args[0], of one lane, in every lane
  gather,    // lane k is lane picks[k].second of value picks[k].first
  add,       // args[0] + args[1], rounded to nearest
  multiply,  // args[0] * args[1], rounded to nearest
  fuse,      // args[0] * args[1] + args[2], rounded once
  widen,     // to f64
  narrow,    // to the routine's own type, rounded to nearest
  if_zero,   // args[1] in the lanes in which args[0] == 0, else args[2]
  loop,      // blocks[0]
  choose,    // blocks; nothing follows
  give,      // args[0] is the function's value; nothing follows
};

struct Instruction {
  Op op = Op::constant;
  Id id = -1;  // of the value it makes; -1: none, or those of a loop
  ValueType type;
  std::vector<Id> args;
  double number = 0;
  Access access;                          // load, store
  std::vector<std::pair<Id, int>> picks;  // gather
  Loop loop;
  Choice choice;
  std::vector<Block> blocks;
  bool operator==(const Instruction&) const = default;
};

// How a function is called.
enum class Form : std::uint8_t {
  single,   // value (x, y, n); q and r are those of n
  strided,  // value (x, incx, y, incy, n)
  batch,    // (x, ldx, y, ldy, n, out)
  tile,     // (a TileCall), which has q and r
};

struct Program {
  std::string name;
  Form form = Form::single;
  spec::Type type = spec::Type::f64;
  bool wide_result = false;  // of give
  // q = n / block, r = n % block; block 0: r = n. For a tile the caller gives q and r.
  std::int64_t block = 0;
  spec::Domain domain;         // of q and r
  spec::Linear first, last;    // summands that the operands have, both included
  int down = 1, across = 1;    // outputs of one call, or of one turn of `repeats`
  bool repeats = false;        // the body is repeated for each `down` of the outputs of the call
  unsigned vector_bits = 256;  // that the loops are made for
  std::vector<Operand> operands;
  Block body;
  int values = 0;  // ids are below
  bool operator==(const Program&) const = default;
};

// One instruction a line, loops and choices indented.
std::string print(const Program& program);

// Proves that every value is made before it is used, has the type that its use asks for, that every
// access of every iteration lies inside its operand on the whole domain, and that nothing follows
// what ends a block. Returns the first fault in words, or "".
std::string verify(const Program& program);

// What code of the program is made from, counted in operations on `bits`.
std::size_t operations(const Program& program, unsigned bits);

}  // namespace reprosum::kernels::program
