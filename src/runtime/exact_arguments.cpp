#include "src/runtime/exact_arguments.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

#include "src/runtime/errors.h"

namespace reprosum::runtime {
namespace {

constexpr std::int64_t kMaxSize = std::int64_t{1} << 31;

// A C caller can put any value in an enum.
template <class Enum>
int value_of(const Enum& wild) {
  static_assert(sizeof(Enum) == sizeof(int));
  int value = 0;
  std::memcpy(&value, &wild, sizeof value);
  return value;
}

// Is the value the second of two?
template <class Enum>
bool second_of(const char* name, const Enum& wild, int first, int second) {
  const int value = value_of(wild);
  if (value != first && value != second)
    throw BadArgument("unknown " + std::string(name) + " " + std::to_string(value));
  return value == second;
}

std::atomic<int> workers{1};

}  // namespace

void check_size(const char* name, std::int64_t value) {
  if (value < 0)
    throw BadArgument(std::string(name) + " = " + std::to_string(value) + " is negative");
  if (value > kMaxSize)
    throw BadArgument(std::string(name) + " = " + std::to_string(value) + " is too large");
}

void check_not_zero(const char* name, std::int64_t increment) {
  if (increment == 0) throw BadArgument(std::string(name) + " is 0");
}

void check_matrix_pointer(const char* name, const void* pointer, std::size_t element_size) {
  require(pointer, name);
  if (reinterpret_cast<std::uintptr_t>(pointer) % element_size != 0)
    throw BadArgument(std::string(name) + " is not aligned to its elements");
}

bool is_row_major(reprosum_layout layout) {
  return second_of("layout", layout, REPROSUM_COLUMN_MAJOR, REPROSUM_ROW_MAJOR);
}

bool is_transposed(reprosum_transpose trans) {
  if (value_of(trans) == REPROSUM_CONJ_TRANS) return true;
  return second_of("transpose", trans, REPROSUM_NO_TRANS, REPROSUM_TRANS);
}

bool is_right(reprosum_side side) { return second_of("side", side, REPROSUM_LEFT, REPROSUM_RIGHT); }

bool is_lower(reprosum_uplo uplo) {
  return second_of("uplo", uplo, REPROSUM_UPPER, REPROSUM_LOWER);
}

bool is_unit(reprosum_diag diag) {
  return second_of("diag", diag, REPROSUM_NON_UNIT, REPROSUM_UNIT);
}

void check_leading(const char* name, std::int64_t leading, std::int64_t rows, std::int64_t columns,
                   bool row_major) {
  const std::int64_t least = std::max<std::int64_t>(row_major ? columns : rows, 1);
  if (leading < least) {
    throw BadArgument(std::string(name) + " = " + std::to_string(leading) + " is less than " +
                      std::to_string(least));
  }
  if (leading > kMaxSize) throw BadArgument(std::string(name) + " is too large");
}

int exact_workers() { return workers.load(std::memory_order_relaxed); }

}  // namespace reprosum::runtime

using namespace reprosum::runtime;

extern "C" {

reprosum_status reprosum_exact_set_workers(int count) {
  return exact_call([&] {
    if (count < 1 || count > 1024)
      throw BadArgument("workers = " + std::to_string(count) + " is not in 1..1024");
    workers.store(count, std::memory_order_relaxed);
  });
}

}  // extern "C"
