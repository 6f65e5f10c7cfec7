// Where data goes, and how numbers and tables look.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace reprosum::cli {

// Keys in the order in which they were added: what matters first.
using Json = nlohmann::ordered_json;

// To stdout (path empty or "-") or to a file, which is replaced whole or left as it was. Throws
// EnvironmentError.
void write_output(const std::string& path, std::string_view text);
// What is printed is made harmless to terminals (base/printable.h); what goes to a file is not.
void print(std::string_view text);
void print_json(const Json& json);
// A line for the person at the terminal: stderr, never data.
void remark(std::string_view text);

// "-" is stdin. Else a regular file of at most 256 MiB; anything that could keep us waiting (a
// FIFO, a device) is refused at once. Throws EnvironmentError.
std::string read_file(const std::string& path);

std::string with_commas(std::int64_t value);               // 16,000,000
std::string plural(std::int64_t count, const char* noun);  // "1 call", "12 calls"
std::string wrapped(const std::string& text, std::size_t width, const std::string& indent);
std::vector<std::string> wrapped_lines(const std::string& text, std::size_t width);

// Columns padded to their widest cell, separated by two spaces; numbers (columns in `right`) to the
// right; no trailing blanks. A column that no row fills is left out.
class Table {
 public:
  explicit Table(std::vector<std::string> header) { rows_.push_back(std::move(header)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.size() == 1; }
  std::string text(const std::vector<std::size_t>& right = {}) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace reprosum::cli
