// What a capture was asked for and refused, for whoever asks the spec for that.
#pragma once

#include <string>

#include "spec/spec.h"

namespace reprosum::spec {

// "", or "; the capture refused it: not_a_sum, DETAIL" if the spec has refusals of the routine
// ("ssum"), in a context that begins with `context` ("NT").
std::string refused_because(const Spec& spec, const std::string& routine,
                            const std::string& context = "");

}  // namespace reprosum::spec
