// Which entries the options of `show` name, and which call of one.
#pragma once

#include <string>
#include <vector>

#include "spec/spec.h"
#include "src/report/show_arguments.h"

namespace reprosum::report {

// The entries that routine, transposes, threads and increments admit. Throws UserError for options
// that do not go together.
std::vector<const spec::Entry*> selected(const spec::Spec& spec, const ShowArguments& arguments);

// "--threads 7: the spec has threads 1 and 2", for the options that leave nothing of what the
// others admit; "" if the options admit an entry, or none is to blame alone.
std::string choices_text(const spec::Spec& spec, const ShowArguments& arguments);

// The call that one drawing shows.
struct ShownCall {
  const spec::Entry& entry;
  spec::Shape3 shape;
};

// The one that the options name, and its entry by the rules of a replayed call. A spec of one
// routine needs no --routine for sum and dot. Throws UserError if the options name no size, or a
// call that the spec does not cover.
ShownCall the_call(const spec::Spec& spec, const ShowArguments& arguments);

}  // namespace reprosum::report
