// Any bytes as text: a located error, or an order that prints, comes back and expands in bounds.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "check_order.h"
#include "spec/error.h"
#include "spec/surface.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace reprosum::spec;
  Order order;
  try {
    order = parse_order(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const reprosum::ParseError& error) {
    if (!error.where.starts_with("line ")) std::abort();
    return 0;
  }
  if (parse_order(print(order)) != order) std::abort();
  check_order(order);
  return 0;
}
