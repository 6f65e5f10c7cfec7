// JSON of unknown origin: read within bounds, walked with located errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace reprosum::spec {

// Throws ParseError ("byte N" for a syntax error, else a JSON pointer) for anything but one
// document of objects, arrays, strings and integers with at most 64 MiB, 64 levels and 2^23 values,
// in which no object has a key twice.
//
// nlohmann's values need memory to be destroyed, and end the process where there is none. So a
// document keeps some, which is given back before its values go.
struct Document {
  nlohmann::json root;
  std::unique_ptr<std::byte[]> spare;  // behind the root: it goes first
};
Document read_document(std::string_view text);

// Canonical layout: keys sorted, arrays of plain values on one line. indent <= 0: no blanks at all.
std::string write_document(const nlohmann::json& value, int indent);

// A value of a document and where it stands. A child refers to its parent, which must outlive it.
class Place {
 public:
  explicit Place(const nlohmann::json& root) : value_(&root) {}

  std::string pointer() const;  // "/orders/0/regimes/1"; "/" for the root
  [[noreturn]] void fail(const std::string& what) const;

  // Fails unless this is an object with exactly these keys; those of `optional` may be absent.
  void expect_keys(std::initializer_list<const char*> keys,
                   std::initializer_list<const char*> optional = {}) const {
    expect_keys(std::span(keys.begin(), keys.size()), std::span(optional.begin(), optional.size()));
  }
  void expect_keys(std::span<const char* const> keys, std::span<const char* const> optional) const;
  bool has(const char* key) const { return value_->contains(key); }
  Place operator[](const char* key) const;
  Place operator[](std::size_t index) const;

  bool is_array() const { return value_->is_array(); }
  bool is_integer() const { return value_->is_number_integer(); }
  bool is_text() const { return value_->is_string(); }
  bool is_object() const { return value_->is_object(); }
  std::size_t size() const;  // of an array; fails for anything else
  const nlohmann::json::object_t& members() const;
  std::int64_t integer(std::int64_t least, std::int64_t greatest) const;
  std::uint64_t unsigned_integer() const;
  const std::string& text() const;

 private:
  Place(const nlohmann::json& value, const Place* parent, const char* key, std::size_t index)
      : value_(&value), parent_(parent), key_(key), index_(index) {}

  const nlohmann::json* value_;
  const Place* parent_ = nullptr;
  const char* key_ = nullptr;
  std::size_t index_ = 0;
};

// The pointer of the member `key` of what `pointer` names, RFC 6901.
std::string pointer_to_key(const std::string& pointer, std::string_view key);

}  // namespace reprosum::spec
