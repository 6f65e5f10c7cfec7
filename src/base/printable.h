// Text of others on its way to a terminal.
#pragma once

#include <string>
#include <string_view>

namespace reprosum::base {

// The text with every character that commands a terminal, or turns the direction of what follows,
// as \u001b: a message of a probed program or a string of a file must not paint over what we say.
// Line ends and tabs stay, and so does everything else. In JSON, where such characters stand in
// strings alone, it means the same.
std::string printable(std::string_view text);

}  // namespace reprosum::base
