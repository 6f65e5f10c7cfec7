// Orders for the tests: those of real libraries, written by hand from measured formulas, and random
// ones.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "spec/spec.h"

namespace reprosum::kernels::test {

struct NamedOrder {
  std::string name;
  spec::Routine routine = spec::Routine::dot;
  spec::Type type = spec::Type::f64;
  std::string text;
  std::int64_t n_max = 1 << 20;
};

// Every family met in real libraries.
std::vector<NamedOrder> library_orders();

// Corners of the language that no library uses.
std::vector<NamedOrder> synthetic_orders();
// Orders of sums whose pieces go on from the sum before them: they are interpreted.
std::vector<NamedOrder> running_orders();
// Lanes that a sub-order adds; interpreted.
std::vector<NamedOrder> lane_orders();
// Padded loops of more lanes than a program holds, as reductions on GPUs have.
std::vector<NamedOrder> many_lanes_orders();

NamedOrder random_order(std::mt19937_64& random);

// "[L@0 L@4]..." : the lanes (texts of items) folded with the distances in turn.
std::string fold(std::vector<std::string> lanes, const std::vector<int>& distances);
// The lanes added from left to right.
std::string left_fold(const std::vector<std::string>& lanes);
// "L@0", "L@1", ...
std::vector<std::string> lanes(const std::string& shape, int count, int first = 0);

// Hostile data: wide exponents, subnormals, signed zeros and, if asked for, Inf and NaN.
template <class T>
std::vector<T> hostile_data(std::mt19937_64& random, std::int64_t n, bool special);

// Equal bits, or both NaN.
template <class T>
bool same(T a, T b);

}  // namespace reprosum::kernels::test
