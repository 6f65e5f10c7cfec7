#include "src/report/wording.h"

#include <algorithm>

namespace reprosum::report {
namespace {

// Characters, not bytes: continuation bytes of UTF-8 take no column.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace

std::string with_commas(std::int64_t value) {
  std::string digits = std::to_string(value);
  const std::size_t sign = value < 0 ? 1 : 0;
  for (std::size_t place = digits.size(); place > sign + 3; place -= 3)
    digits.insert(place - 3, ",");
  return digits;
}

std::string plural(std::int64_t count, const char* noun) {
  return with_commas(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string wrapped(const std::string& text, std::size_t width, const std::string& indent) {
  std::string out = indent;
  std::size_t column = 0;
  for (std::size_t from = 0; from < text.size();) {
    std::size_t to = text.find(' ', from);
    if (to == std::string::npos) to = text.size();
    const std::size_t length = columns(std::string_view(text).substr(from, to - from));
    if (column > 0 && column + 1 + length > width) {
      out += "\n" + indent;
      column = 0;
    }
    if (column > 0) out += ' ';
    out.append(text, from, to - from);
    column += length + (column > 0 ? 1 : 0);
    from = to + 1;
  }
  return out + "\n";
}

std::vector<std::string> wrapped_lines(const std::string& text, std::size_t width) {
  const std::string all = wrapped(text, width, "");
  std::vector<std::string> out;
  for (std::size_t from = 0; from < all.size();) {
    const std::size_t to = all.find('\n', from);  // every line ends with one
    out.push_back(all.substr(from, to - from));
    from = to + 1;
  }
  return out;
}

std::string Table::text(const std::vector<std::size_t>& right) const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  std::vector<bool> is_filled(widths.size(), false);
  for (const auto& row : rows_)
    for (std::size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], columns(row[c]));
      if (&row != &rows_.front() && !row[c].empty()) is_filled[c] = true;
    }
  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (!is_filled[c]) continue;
      if (!line.empty()) line += "  ";
      const std::string blanks(widths[c] - columns(row[c]), ' ');
      const bool to_right = std::find(right.begin(), right.end(), c) != right.end();
      line += to_right ? blanks + row[c] : row[c] + blanks;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace reprosum::report
