#include "check_order.h"

#include <cstdlib>

#include "spec/error.h"
#include "spec/expand.h"
#include "spec/surface.h"

using namespace reprosum::spec;

void check_order(const Order& order) {
  validate(order);
  (void)covered_to(order);
  try {
    const Order plain = without_update(order);
    validate(plain);
    if (is_update(plain)) std::abort();
  } catch (const reprosum::UserError&) {
    if (!is_update(order)) std::abort();
  }
  if (describe(order).find('\n') != std::string::npos) std::abort();
  for (const std::int64_t n : {1, 2, 3, 7, 17, 64, 1000}) {
    try {
      const Tree tree = expand(order, n);
      if (tree.n != n || tree.ops.empty()) std::abort();
      if (canonical(tree) != tree) std::abort();
      if (is_update(without_update(tree))) std::abort();
    } catch (const reprosum::UserError&) {
      // not defined at n, which a valid order may well be
    }
  }
}
