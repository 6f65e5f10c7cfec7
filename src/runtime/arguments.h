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

// @pre n > 0, rows > 0, element_size is a power of two. Throws BadArgument for a null or misaligned
// pointer, and for increments that reach beyond what an address can say.
void check_operand(const Operand& operand, std::int64_t n, std::int64_t rows,
                   std::size_t element_size);

// The same for one reduction. Most calls have unit increments and need no more than two tests.
template <class T>
void check_vector(const char* name, const T* data, std::int64_t increment, std::int64_t n) {
  constexpr std::int64_t kShort = std::int64_t{1} << 40;
  const bool aligned = (reinterpret_cast<std::uintptr_t>(data) & (sizeof(T) - 1)) == 0;
  if (increment == 1 && data != nullptr && aligned && n < kShort) return;
  check_operand({name, data, increment, 0}, n, 1, sizeof(T));
}

[[noreturn]] void refuse_sizes(std::int64_t n, std::int64_t rows);

// Throws BadArgument if n or rows is negative.
inline void check_sizes(std::int64_t n, std::int64_t rows) {
  if (n < 0 || rows < 0) [[unlikely]]
    refuse_sizes(n, rows);
}

}  // namespace reprosum::runtime
