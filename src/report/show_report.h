// What `show` shows, as text.
#pragma once

#include <string>

#include "spec/spec.h"
#include "src/report/show_arguments.h"

namespace reprosum::report {

// Throws UserError for an option that should be a number and is none, even if the output does not
// depend on it.
void check_numbers(const ShowArguments& arguments);

// Rules, or the tree of one size, or the region map of a shape, as text, svg, dot or json. `spec`
// of the arguments is what messages call it. Throws UserError for options that do not go together
// and for what the spec does not cover.
std::string shown(const spec::Spec& spec, const ShowArguments& arguments);

}  // namespace reprosum::report
