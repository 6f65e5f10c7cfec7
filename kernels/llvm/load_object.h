// Generated objects in this process.
#pragma once

#include <memory>
#include <string>

#include "kernels/loaded_object.h"

namespace reprosum::kernels {

// Throws EnvironmentError if the object cannot be loaded: it is none, is another machine's, needs
// something from outside, or has no function. On the compile thread.
std::shared_ptr<const LoadedObject> load_object(const std::string& object);

}  // namespace reprosum::kernels
