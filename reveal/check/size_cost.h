// What a size costs a target that makes code for each: then fewer are tried.
#pragma once

#include <cstdint>

#include "reveal/target.h"

namespace reprosum::reveal {

// Seconds by which the first call of a size takes longer than the next one, of up to sixteen sizes
// the least: a busy machine is late now and then. @pre the target takes such calls
double seconds_of_new_size(Target& target, Call call, std::int64_t n_max);

// Up to which size every one is tried where each costs so much: `wanted`, or 1000 where a target
// makes code for each.
std::int64_t sizes_worth_trying(double seconds_each, std::int64_t wanted);

}  // namespace reprosum::reveal
