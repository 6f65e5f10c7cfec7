// What a capture refused, for a message to somebody who asks the spec for it.
#pragma once

#include <string>

#include "spec/spec.h"

namespace reprosum::spec {

// "", or "; the capture refused it: not_a_sum, DETAIL" if the spec has refusals of the routine
// ("ssum"), in a context that begins with `context` ("NT").
std::string refused_because(const Spec& spec, const std::string& routine,
                            const std::string& context = "");

}  // namespace reprosum::spec
