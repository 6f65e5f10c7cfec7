// show for gemv and gemm: regimes, region maps, the tree of a class.
#pragma once

#include <string>
#include <vector>

#include "spec/spec.h"
#include "src/cli/show_arguments.h"

namespace reprosum::cli {

// The entries of gemv and gemm that the options admit; all of them if no routine is named.
std::vector<const spec::MatrixEntry*> selected_matrices(const spec::Spec& spec,
                                                        const ShowArguments& arguments);

// Whether the options ask for something that only gemv and gemm have.
bool asks_for_matrix(const ShowArguments& arguments);

// The map of one shape, or the tree of one of its classes, in the format asked for.
// Throws UserError if the options name no shape or one that the spec does not cover.
std::string show_matrix(const spec::Spec& spec, const ShowArguments& arguments);

}  // namespace reprosum::cli
