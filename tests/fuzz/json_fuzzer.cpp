// Any bytes as JSON: a located error, or a spec whose canonical form is a fixed point.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "check_order.h"
#include "spec/error.h"
#include "spec/surface.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace reprosum::spec;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto check_place = [](const reprosum::ParseError& error) {
    if (!error.where.starts_with("byte ") && !error.where.starts_with("/")) std::abort();
  };
  try {
    const Spec spec = from_json(text);
    const std::string json = to_json(spec);
    if (to_json(from_json(json)) != json) std::abort();
    for (const Order& order : spec.orders) check_order(order);
  } catch (const reprosum::ParseError& error) {
    check_place(error);
  }
  try {
    const Order order = order_from_json(text);
    if (order_from_json(order_to_json(order)) != order) std::abort();
    check_order(order);
  } catch (const reprosum::ParseError& error) {
    check_place(error);
  }
  return 0;
}
