// Products of one row or one column: a library may hand them to another routine, which sees other
// leading dimensions and has other orders. They are learned as a gemv is, over one size and k.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "reveal/region.h"
#include "spec/region.h"

namespace reprosum::reveal {

// Which products a set of rules is for.
enum class Outputs : std::uint8_t {
  all,
  one_row,     // and several columns
  one_column,  // and several rows
  single,
};
inline constexpr Outputs kThinOutputs[] = {Outputs::one_row, Outputs::one_column, Outputs::single};

// "", "one row", ...
const char* name(Outputs outputs);

// The largest of these products.
spec::Shape3 largest_of(Outputs outputs, const spec::Shape3& largest);

// What keeps rules to these products; empty of all.
std::vector<spec::Atom> guard_of(Outputs outputs);

// Such products that the rules do not cover at one of some small sizes.
bool leaves_out(const std::vector<spec::MatrixRegime>& rules, Outputs outputs,
                const spec::Shape3& largest);

// The source with the outputs of one row or one column in one column: of shapes with n = 1.
// The source must outlive this.
std::unique_ptr<SignatureSource> in_one_column(SignatureSource& source, Outputs outputs);

// What was learned in one column, as rules for these products. The rules of a single output need
// no source: it is one class.
LearnedRegime of_products(LearnedRegime in_one_column, Outputs outputs);
LearnedRegions single_output(const spec::Shape3& largest);

}  // namespace reprosum::reveal
