// From a few described trees to one schema whose integers are affine in (q, r).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "reveal/infer/tree_store.h"
#include "spec/order.h"

namespace reprosum::reveal::generalize {

struct Sample {
  std::int64_t q = 0, r = 0;
  TreeId tree = 0;
};

// nullopt unless all samples have one skeleton and every integer is affine over them. An integer
// depends on q (r) only if two samples with equal r (q) and different q (r) say so; one sample
// gives a schema of constants.
std::optional<spec::Schema> fit_schema(TreeStore& store, std::span<const Sample> samples);

}  // namespace reprosum::reveal::generalize
