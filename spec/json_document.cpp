#include "spec/json_document.h"

#include <limits>
#include <utility>
#include <vector>

#include "spec/error.h"
#include "spec/names.h"

namespace reprosum::spec {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxLevels = 64;
constexpr std::size_t kMaxValues = std::size_t{1} << 23;
constexpr std::size_t kSpare = std::size_t{1} << 16;

// Builds the document value by value, so that a hostile one is refused before it is large.
class BoundedReader {
 public:
  explicit BoundedReader(json& root) : root_(root) {}

  bool null() { return refuse("null is not allowed"); }
  bool boolean(bool) { return refuse("a boolean is not allowed: write 0 or 1"); }
  bool number_float(double, const std::string&) {
    return refuse("only integers in -2^63..2^64-1 are allowed");
  }
  bool binary(json::binary_t&) { return refuse("binary is not allowed"); }
  bool number_integer(std::int64_t value) { return add(value) != nullptr; }
  bool number_unsigned(std::uint64_t value) { return add(value) != nullptr; }
  bool string(std::string& value) { return add(std::move(value)) != nullptr; }
  bool start_object(std::size_t) { return open(json::object()); }
  bool start_array(std::size_t) { return open(json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    key_ = std::move(name);
    if (open_.back()->contains(key_))
      throw ParseError(pointer_to_key(pointer(open_.size() - 1), key_), "the key appears twice");
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const json::exception& error) {
    const std::string_view what = error.what();
    const std::size_t colon = what.find(": ");  // drops the library's own prefix
    throw ParseError("byte " + std::to_string(position),
                     std::string(colon == std::string_view::npos ? what : what.substr(colon + 2)));
  }

 private:
  // Pointer of what stands `levels` containers below the root on the way to the value being read.
  std::string pointer(std::size_t levels) const {
    std::string out;
    for (std::size_t k = 0; k < levels; ++k) out = step(out, *open_[k], keys_[k + 1]);
    return out.empty() ? "/" : out;
  }
  static std::string step(const std::string& at, const json& container, const std::string& key) {
    if (container.is_object()) return pointer_to_key(at, key);
    return (at == "/" ? "" : at) + "/" + std::to_string(container.size() - 1);
  }

  [[noreturn]] bool refuse(const std::string& what) const {
    std::string at = pointer(open_.empty() ? 0 : open_.size() - 1);
    if (!open_.empty()) {
      if (open_.back()->is_object()) {
        at = pointer_to_key(at, key_);
      } else {
        at = (at == "/" ? "" : at) + "/" + std::to_string(open_.back()->size());
      }
    }
    throw ParseError(at, what);
  }

  template <class Value>
  json* add(Value&& value) {
    if (++values_ > kMaxValues) refuse("the document has more than 2^23 values");
    if (open_.empty()) return &(root_ = std::forward<Value>(value));
    if (open_.back()->is_array()) {
      open_.back()->push_back(std::forward<Value>(value));
      return &open_.back()->back();
    }
    return &((*open_.back())[key_] = std::forward<Value>(value));
  }

  bool open(json&& container) {
    if (open_.size() == kMaxLevels) refuse("the document is nested deeper than 64 levels");
    json* const added = add(std::move(container));
    keys_.push_back(key_);
    open_.push_back(added);
    return true;
  }

  bool close() {
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  json& root_;
  std::vector<json*> open_;        // a container is touched only while it is the innermost
  std::vector<std::string> keys_;  // under which each open container stands in its parent
  std::string key_;
  std::size_t values_ = 0;
};

bool is_plain(const json& value, int levels) {
  if (!value.is_structured()) return true;
  if (value.is_object() || levels == 0) return value.empty();
  for (const json& element : value)
    if (!is_plain(element, levels - 1)) return false;
  return true;
}

// Recursion is bounded by the depth of what we write.
void write(const json& value, int indent, int level, std::string& out) {
  constexpr int kLineLevels = 3;  // a chain: items of linear forms
  if (!value.is_structured() || indent <= 0 || is_plain(value, kLineLevels)) {
    out += value.dump(-1, ' ', false, json::error_handler_t::replace);
    return;
  }
  const std::string margin(static_cast<std::size_t>(indent * (level + 1)), ' ');
  out += value.is_object() ? '{' : '[';
  const char* separator = "\n";
  for (const auto& [key, element] : value.items()) {
    out += std::exchange(separator, ",\n") + margin;
    if (value.is_object())
      out += json(key).dump(-1, ' ', false, json::error_handler_t::replace) + ": ";
    write(element, indent, level + 1, out);
  }
  out.append("\n").append(static_cast<std::size_t>(indent * level), ' ');
  out += value.is_object() ? '}' : ']';
}

}  // namespace

Document read_document(std::string_view text) {
  if (text.size() > kMaxDocumentBytes)
    throw ParseError("byte " + std::to_string(kMaxDocumentBytes),
                     "the document is longer than 64 MiB");
  Document document;
  // A value takes two characters and 16 bytes in the list of those that are still to be destroyed.
  document.spare.reset(new std::byte[kSpare + 16 * text.size()]);
  BoundedReader reader(document.root);
  json::sax_parse(text.begin(), text.end(), &reader);
  return document;
}

std::string write_document(const json& value, int indent) {
  std::string out;
  write(value, indent, 0, out);
  if (indent > 0) out += '\n';
  return out;
}

std::string pointer_to_key(const std::string& pointer, std::string_view key) {
  std::string out = (pointer == "/" ? "" : pointer) + "/";
  for (const char c : key.substr(0, 80)) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

std::string Place::pointer() const {
  if (parent_ == nullptr) return "/";
  const std::string above = parent_->pointer();
  if (key_ != nullptr) return pointer_to_key(above, key_);
  return (above == "/" ? "" : above) + "/" + std::to_string(index_);
}

void Place::fail(const std::string& what) const { throw ParseError(pointer(), what); }

void Place::expect_keys(std::span<const char* const> keys,
                        std::span<const char* const> optional) const {
  const auto& members = this->members();
  for (const auto& [name, value] : members) {
    bool known = false;
    for (const char* key : optional) known = known || name == key;
    for (const char* key : keys) known = known || name == key;
    if (!known) throw ParseError(pointer_to_key(pointer(), name), "unknown key");
  }
  for (const char* key : keys)
    if (!has(key)) fail("the key '" + std::string(key) + "' is missing");
}

Place Place::operator[](const char* key) const { return {value_->at(key), this, key, 0}; }
Place Place::operator[](std::size_t index) const {
  return {value_->at(index), this, nullptr, index};
}

std::size_t Place::size() const {
  if (!is_array()) fail("expected an array");
  return value_->size();
}

const json::object_t& Place::members() const {
  if (!is_object()) fail("expected an object");
  return value_->get_ref<const json::object_t&>();
}

std::int64_t Place::integer(std::int64_t least, std::int64_t greatest) const {
  if (!is_integer()) fail("expected an integer");
  const bool too_large =
      value_->is_number_unsigned() &&
      value_->get<std::uint64_t>() > std::uint64_t(std::numeric_limits<std::int64_t>::max());
  const std::int64_t value = too_large ? 0 : value_->get<std::int64_t>();
  if (too_large || value < least || value > greatest)
    fail("expected an integer in " + std::to_string(least) + ".." + std::to_string(greatest));
  return value;
}

std::uint64_t Place::unsigned_integer() const {
  if (!value_->is_number_unsigned() && integer(0, std::numeric_limits<std::int64_t>::max()) < 0)
    fail("expected a natural number");
  return value_->get<std::uint64_t>();
}

const std::string& Place::text() const {
  if (!is_text()) fail("expected a string");
  return value_->get_ref<const std::string&>();
}

}  // namespace reprosum::spec
