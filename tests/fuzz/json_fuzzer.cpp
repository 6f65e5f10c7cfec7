// Any bytes as JSON: a located error, or a spec whose canonical form is a fixed point.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "check_order.h"
#include "spec/error.h"
#include "spec/surface.h"

namespace {

// Maps of small and of the largest shapes: they tile the shape or are refused.
void check_regions(const reprosum::spec::Entry& entry) {
  using namespace reprosum::spec;
  for (const Shape3& shape : {Shape3{1, 1, 1}, Shape3{5, 3, 2}, Shape3{40, 40, 40},
                              Shape3{entry.m_max, entry.n_max, 1}}) {
    const auto map = regions(entry.regimes, shape);
    if (!map) continue;
    const Stretch &row = map->rows.back(), &column = map->columns.back();
    if (row.first + row.count != shape.m || column.first + column.count != shape.n) std::abort();
    if (map->class_at(shape.m - 1, shape.n - 1) < 0) std::abort();
  }
  if (has_matrices(entry.routine)) return;
  if (entry.regimes.size() != 1 || !is_of_one_output(entry.regimes[0])) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace reprosum::spec;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto check_place = [](const reprosum::ParseError& error) {
    if (!error.where.starts_with("byte ") && !error.where.starts_with("/")) std::abort();
  };
  try {
    // What was stamped is read, or its orders are no trees.
    const Spec spec = from_json(text, Check::form);
    const std::string json = to_json(spec);
    if (to_json(from_json(json, Check::form)) != json) std::abort();
    try {
      (void)from_json(json);
    } catch (const reprosum::ParseError& error) {
      if (!error.where.starts_with("/orders/")) std::abort();
    }
    for (const Order& order : spec.orders) check_order(order);
    for (const Entry& entry : spec.entries) check_regions(entry);
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
