// The rows of the table of conditions, by what they ask about; conditions.h is for everyone else.
#pragma once

#include <vector>

#include "spec/conditions.h"

namespace reprosum::spec {

std::vector<Condition> conditions_of_calls();    // transposes, threads, increments, the layout
std::vector<Condition> conditions_of_memory();   // addresses and leading dimensions
std::vector<Condition> conditions_of_scalars();  // alpha and beta
std::vector<Condition> conditions_of_data();     // what A, B and C hold

}  // namespace reprosum::spec
