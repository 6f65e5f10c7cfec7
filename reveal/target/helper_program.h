// Where the program is that targets are probed in.
#pragma once

#include <string>

namespace reprosum::reveal {

// Its path: beside the program or library that this code is in (a build), in libexec/reprosum of
// their installation, or where it was to be installed. Throws EnvironmentError if it is nowhere.
std::string helper_program();

}  // namespace reprosum::reveal
