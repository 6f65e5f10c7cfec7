// The schema part of the text language.
#pragma once

#include <cstddef>

#include "spec/lexer.h"
#include "spec/order.h"

namespace reprosum::spec {

// Counts everything that costs memory; throws ParseError beyond kMaxPieces.
class PieceBudget {
 public:
  void spend(const Lexer& lexer);

 private:
  std::size_t spent_ = 0;
};

// Schema = { Name "=" Chain ";" } Chain ";"
// A named chain always becomes a chain of its own (so that print() is inverted exactly); a chain
// written inside another one is shared with an equal earlier chain.
Schema parse_schema(Lexer& lexer, PieceBudget& budget);

}  // namespace reprosum::spec
