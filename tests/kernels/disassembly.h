// What the functions of an object compute with, read back from its machine code.
#pragma once

#include <compare>
#include <map>
#include <set>
#include <string>

#include "kernels/code_target.h"

namespace reprosum::kernels::test {

// A kind of floating-point operation that rounds.
struct Operation {
  enum class Kind { add, multiply, fuse, other } kind = Kind::other;  // other: none of these
  bool is_f64 = false;
  std::string name{};  // of another one: the instruction
  auto operator<=>(const Operation&) const = default;
};
using Operations = std::set<Operation>;

std::string text(const Operations& operations);

// By the names of functions. Throws std::runtime_error where bytes are no instruction.
std::map<std::string, Operations> disassembled(const std::string& object, const CodeTarget& target);

}  // namespace reprosum::kernels::test
