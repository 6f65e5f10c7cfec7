// Tokens of the text language, each with its place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace reprosum::spec {

struct Token {
  enum class Kind : std::uint8_t { end, integer, word, symbol };
  Kind kind = Kind::end;
  std::string_view text;
  std::int64_t value = 0;  // of an integer
  std::size_t at = 0;      // byte offset
  bool is(std::string_view symbol_or_word) const {
    return (kind == Kind::symbol || kind == Kind::word) && text == symbol_or_word;
  }
};

// One token of look-ahead beyond the current one. `#` starts a comment that ends with the line.
class Lexer {
 public:
  explicit Lexer(std::string_view text);

  const Token& current() const { return current_; }
  const Token& next() const { return next_; }

  // Consumes the current token and gives it.
  Token take();
  // Consumes the current token iff it is this symbol or word.
  bool accept(std::string_view text);
  // Consumes this symbol or word, or throws ParseError.
  void expect(std::string_view text);
  std::string_view expect_word(const char* what);
  std::int64_t expect_integer(const char* what);

  [[noreturn]] void fail(const std::string& what) const { fail_at(current_.at, what); }
  [[noreturn]] void fail_at(std::size_t at, const std::string& what) const;

 private:
  Token scan();

  std::string_view text_;
  std::size_t at_ = 0;
  Token current_, next_;
};

}  // namespace reprosum::spec
