// What is asked of a backend: code for the loops of an order, or for one tile of a product.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "kernels/plan/plan.h"
#include "spec/order.h"
#include "spec/spec.h"

namespace reprosum::kernels {

struct TileShape;

// Part of every cache key: raise it whenever the generated code changes.
inline constexpr int kGeneratorVersion = 16;

// Objects of an order: single calls, interleaved rows (of the orders that gain by them), single
// calls with increments.
enum class CodePart : std::uint8_t { single, batch, strided };

// Functions are named piece<k>_narrow or piece<k>_wide after what they return; a batch adds
// batch<k>x<rows> and batch<k>x<rows>_shared_y. k counts pieces_of().
std::string piece_name(std::size_t k, bool wide);
std::string batch_name(std::size_t k, int rows, bool shared_y);
std::string strided_name(std::size_t k, bool wide);

// All pieces of a sum or dot; functions as program/lower_rule.h has them.
struct OrderRequest {
  const spec::Order& order;
  spec::Routine routine;
  spec::Type type;
  CodePart part;
};

// One function of that name; it is called as program/tile.h says.
struct TileRequest {
  const Plan& plan;
  spec::Type type;
  const TileShape& shape;
  const char* name;
};

using CodeRequest = std::variant<OrderRequest, TileRequest>;

struct GeneratedCode {
  std::string bytes;  // object or text; empty if nothing could be generated
  std::string ir;     // what the backend made the text from, if that can be read too
  // The functions of the object, if the target asks for a prefix: with it.
  std::vector<std::string> functions;
  std::string why;  // why some piece is left to the interpreter; empty if none is
};

}  // namespace reprosum::kernels
