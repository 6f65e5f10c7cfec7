// From an order to one object with a function for each of its loops and explicit trees.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/llvm/target_machine.h"
#include "kernels/plan/pieces.h"
#include "spec/order.h"
#include "spec/spec.h"

namespace reprosum::kernels {

// Part of every cache key: raise it whenever the generated code changes.
inline constexpr int kGeneratorVersion = 15;

// Functions are named piece<k>_narrow or piece<k>_wide after what they return; a batch adds
// batch<k>x<rows> and batch<k>x<rows>_shared_y. k counts pieces_of().
std::string piece_name(std::size_t k, bool wide);
std::string batch_name(std::size_t k, int rows, bool shared_y);
std::string strided_name(std::size_t k, bool wide);

// Objects of an order: single calls, interleaved rows (of the orders that gain by them), single
// calls with increments.
enum class CodePart : std::uint8_t { single, batch, strided };

struct GeneratedCode {
  std::string bytes;  // object or assembly; empty if nothing could be generated
  std::string ir;
  std::string why;  // why some piece is left to the interpreter; empty if none is
};

GeneratedCode generate_order(const spec::Order& order, spec::Routine routine, spec::Type type,
                             const CodeTarget& target, CodePart part, CodeForm form, bool with_ir);

}  // namespace reprosum::kernels
