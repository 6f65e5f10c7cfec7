// What must hold of the arguments of a reduction before any of its data is touched.
#pragma once

#include <cstddef>
#include <cstdint>

namespace reprosum::runtime {

// One operand of `rows` reductions of n summands: row i starts at data + i * leading.
struct Operand {
  const char* name;  // for messages: "x"
  const void* data;
  std::int64_t increment;
  std::int64_t leading;  // 0 for a single reduction
};

// @pre n > 0, rows > 0. Throws BadArgument for a null or misaligned pointer, and for increments
// that reach beyond what an address can say.
void check_operand(const Operand& operand, std::int64_t n, std::int64_t rows,
                   std::size_t element_size);

// Throws BadArgument if n or rows is negative.
void check_sizes(std::int64_t n, std::int64_t rows);

}  // namespace reprosum::runtime
