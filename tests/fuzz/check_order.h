// What must hold for any order that a parser accepts, however hostile.
#pragma once

#include "spec/order.h"

// Aborts if a promise does not hold.
void check_order(const reprosum::spec::Order& order);
