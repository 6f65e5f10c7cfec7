// The pieces that folded pictures are made of.
#pragma once

#include <cstdint>
#include <vector>

#include "src/report/picture/picture.h"

namespace reprosum::report {

int add_part(Picture& picture, Part part);  // its index

Part leaf_part(spec::Leaf kind, std::int64_t at);

// Not added yet; its leaves and first summand are those of the operands, of which there is one.
Part sum_of(const Picture& picture, Part::Kind kind, std::vector<Operand> operands,
            spec::NodeFormat format);

// The part times alpha; the part itself for `none`.
int scaled(Picture& picture, int part, spec::Scale scale);

// A piece of n summands that is only named.
int stub(Picture& picture, std::int64_t n, std::int64_t at, const char* note);

}  // namespace reprosum::report
