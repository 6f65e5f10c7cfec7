// Sums with habits: an order that something changes. Data of some class, one size, the width of an
// accumulator, an overflow, an earlier call.
#pragma once

#include <string>
#include <vector>

#include "reveal/target/function_target.h"
#include "spec/spec.h"

namespace reprosum::reveal::testing {

enum class Fate {
  refused,    // nothing may be certified
  right,      // what is certified has the bits; less than what was asked for, or nothing, will do
  certified,  // an order of the language: it must be found, and have the bits
  noted,      // certified, perhaps with wrong bits, but not_checked says so
};

struct Habit {
  std::string name;
  Fate fate;
  std::string reason;  // of the refusal, or a part of its detail; empty: any
  spec::Routine routine;
  // Makes one with a memory of its own, if it has any.
  std::function<FunctionTarget::Function()> make;
};

std::vector<Habit> habits_of_data();
std::vector<Habit> habits_of_factors();  // of dot products
std::vector<Habit> habits_of_range();    // overflow, underflow, initial values
std::vector<Habit> habits_of_width();    // of accumulators
std::vector<Habit> habits_of_sizes();
std::vector<Habit> habits_of_state();

}  // namespace reprosum::reveal::testing
