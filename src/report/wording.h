// How numbers, sentences and tables look.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace reprosum::report {

// Keys in the order in which they were added: what matters first.
using Json = nlohmann::ordered_json;

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

}  // namespace reprosum::report
