// Leaves that a sub-order adds (Shape::sub): which schemas have them.
#pragma once

#include "spec/order.h"

namespace reprosum::spec {

bool has_sub_runs(const Schema& schema);
bool has_sub_runs(const Rule& rule);  // of its own schemas; has_sub_runs(order) is in expand.h

}  // namespace reprosum::spec
