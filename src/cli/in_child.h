// Work that may crash or hang, in a process of its own.
#pragma once

#include <functional>
#include <string>

namespace reprosum::cli {

// What `work`, run in a child with silenced stdin, stdout and stderr, writes to the descriptor it is
// given; empty if the child crashes or takes too long.
std::string in_child(const std::function<void(int)>& work);

}  // namespace reprosum::cli
