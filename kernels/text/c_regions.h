// Region rules as tables of C, and the C functions that walk them.
#pragma once

#include <string>

#include "spec/region.h"
#include "spec/spec.h"

namespace reprosum::kernels::text {

// "static const int64_t NAME[] = {...};": the axis as numbers (kRegionWalk says which).
std::string c_axis(const spec::Axis& axis, const std::string& name);

// "m * k <= 100 && ...", or "1".
std::string c_guard(const std::vector<spec::Atom>& guard);

// The types and functions that go through the regions of a product of elements T: a problem, a
// regime, whether a regime covers a problem, and its computation.
// uses: the text that follows; conditions that it does not ask are left out.
std::string c_region_walk(spec::Type type, const std::string& uses);

}  // namespace reprosum::kernels::text
