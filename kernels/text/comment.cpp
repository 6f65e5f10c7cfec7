#include "kernels/text/comment.h"

#include <algorithm>

namespace reprosum::kernels::text {

std::string comment_lines(const std::string& text, const std::string& prefix, std::size_t width) {
  std::string lines, line;
  const auto end = [&] {
    lines += prefix + (line.empty() ? "" : " " + line) + "\n";
    line.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = std::min(text.find_first_of(" \n", at), text.size());
    const std::string word = text.substr(at, next - at);
    if (!line.empty() && line.size() + 1 + word.size() > width) end();
    line += (line.empty() ? "" : " ") + word;
    if (next < text.size() && text[next] == '\n') end();
    at = next + 1;
  }
  if (!line.empty()) end();
  return lines;
}

}  // namespace reprosum::kernels::text
