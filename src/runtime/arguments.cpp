#include "src/runtime/arguments.h"

#include <string>

#include "src/runtime/errors.h"

namespace reprosum::runtime {
namespace {

[[noreturn]] void bad(const std::string& what) { throw BadArgument(what); }

}  // namespace

void check_operand(const Operand& operand, std::int64_t n, std::int64_t rows,
                   std::size_t element_size) {
  if (operand.data == nullptr) bad(std::string(operand.name) + " is null, but n > 0");
  const auto address = reinterpret_cast<std::uintptr_t>(operand.data);
  if ((address & (element_size - 1)) != 0)  // a division would cost as much as a short call
    bad(std::string(operand.name) + " is not aligned to its element size");
  check_reach(operand, n, rows, element_size);
}

void check_reach(const Operand& operand, std::int64_t n, std::int64_t rows,
                 std::size_t element_size) {
  // |(n - 1) * increment| + |(rows - 1) * leading| elements, in bytes, must fit a signed offset.
  std::int64_t along = 0, down = 0, bytes = 0;
  const bool overflows =
      operand.increment == INT64_MIN || operand.leading == INT64_MIN ||
      __builtin_mul_overflow(n - 1, operand.increment < 0 ? -operand.increment : operand.increment,
                             &along) ||
      __builtin_mul_overflow(rows - 1, operand.leading < 0 ? -operand.leading : operand.leading,
                             &down) ||
      __builtin_add_overflow(along, down, &along) || __builtin_add_overflow(along, 1, &along) ||
      __builtin_mul_overflow(along, static_cast<std::int64_t>(element_size), &bytes);
  if (overflows)
    bad("the increment of " + std::string(operand.name) + " reaches beyond the address space");
}

void refuse_sizes(std::int64_t n, std::int64_t rows) {
  if (n < 0) bad("n = " + std::to_string(n) + " is negative");
  bad("rows = " + std::to_string(rows) + " is negative");
}

}  // namespace reprosum::runtime
