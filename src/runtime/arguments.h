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

// The last of these alone, whatever the data are.
void check_reach(const Operand& operand, std::int64_t n, std::int64_t rows,
                 std::size_t element_size);

// Whether it is certain at once that one reduction may read the vector: unit increments, as in most
// calls.
template <class T>
bool is_plain(const T* data, std::int64_t increment, std::int64_t n) {
  constexpr std::int64_t kShort = std::int64_t{1} << 40;
  const bool aligned = (reinterpret_cast<std::uintptr_t>(data) & (sizeof(T) - 1)) == 0;
  return increment == 1 && data != nullptr && aligned && n < kShort;
}

// check_operand() for one reduction.
template <class T>
void check_vector(const char* name, const T* data, std::int64_t increment, std::int64_t n) {
  if (is_plain(data, increment, n)) return;
  check_operand({name, data, increment, 0}, n, 1, sizeof(T));
}

[[noreturn]] void refuse_sizes(std::int64_t n, std::int64_t rows);

// Throws BadArgument if n or rows is negative.
inline void check_sizes(std::int64_t n, std::int64_t rows) {
  if (n < 0 || rows < 0) [[unlikely]]
    refuse_sizes(n, rows);
}

}  // namespace reprosum::runtime
