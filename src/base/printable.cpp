#include "src/base/printable.h"

#include <cstdint>

namespace reprosum::base {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
};

std::size_t length_of(unsigned char first) {
  return first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
}

// The UTF-8 character at a place. A byte that is no UTF-8 counts for itself, as in the older sets
// of eight bits.
Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char first = byte(at);
  const std::size_t length = length_of(first);
  if (length == 1 || at + length > text.size()) return {first, 1};
  std::uint32_t code = first & (0x7Fu >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(at + k) & 0xC0) != 0x80) return {first, 1};
    code = code << 6 | (byte(at + k) & 0x3Fu);
  }
  return {code, length};
}

bool commands(std::uint32_t code) {
  if (code < 0x20) return code != '\n' && code != '\t';
  return (code >= 0x7F && code <= 0x9F) ||                      // C1
         code == 0x200E || code == 0x200F || code == 0x061C ||  // marks of direction
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Character here = character_at(text, at);
    if (commands(here.code)) {
      constexpr const char* kDigits = "0123456789abcdef";
      out += "\\u";
      for (int shift = 12; shift >= 0; shift -= 4) out += kDigits[here.code >> shift & 15];
    } else {
      out.append(text, at, here.bytes);
    }
    at += here.bytes;
  }
  return out;
}

}  // namespace reprosum::base
