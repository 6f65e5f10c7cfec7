// Classes of data that programs have, and that a library may branch on: signs, sizes, zeros.
#pragma once

#include <span>

#include "reveal/check/random_data.h"

namespace reprosum::reveal {

// Fills x and y (empty for sum) with data of a class. In a dot product one factor or both are of
// the class, which is drawn anew at each call, and the other is ordinary. If the class speaks of
// products (is_of_pairs()), both factors are made for each other.
// @pre kind is a class, not one of the hostile kinds.
void fill_class(Data kind, spec::Type type, FastRandom& random, std::span<double> x,
                std::span<double> y);

// One vector of the class; ordinary data where the class speaks of products.
void fill_class_alone(Data kind, spec::Type type, FastRandom& random, std::span<double> x);
// Whether the class speaks of products.
bool is_of_pairs(Data kind);

// Another x of the class for a y that was filled so.
void fill_class_beside(Data kind, spec::Type type, FastRandom& random, std::span<double> x);

}  // namespace reprosum::reveal
