// Text of any length as lines of a comment.
#pragma once

#include <cstddef>
#include <string>

namespace reprosum::kernels::text {

// Each line is the prefix, a blank and at most `width` characters of words, longer words aside.
std::string comment_lines(const std::string& text, const std::string& prefix, std::size_t width);

}  // namespace reprosum::kernels::text
