#include "spec/lexer.h"

#include <algorithm>

#include "spec/error.h"
#include "spec/names.h"

namespace reprosum::spec {
namespace {

// Not <cctype>: the language does not depend on the locale.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string shown(const Token& token) {
  if (token.kind == Token::Kind::end) return "the end of the text";
  return "'" + std::string(token.text.substr(0, 40)) + "'";
}

}  // namespace

Lexer::Lexer(std::string_view text) : text_(text) {
  if (text.size() > kMaxDocumentBytes) fail_at(0, "the text is longer than 64 MiB");
  current_ = scan();
  next_ = scan();
}

void Lexer::fail_at(std::size_t at, const std::string& what) const {
  const std::string_view before = text_.substr(0, at);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 == 0
  throw ParseError(
      "line " + std::to_string(line) + ", column " + std::to_string(at - line_start + 1), what);
}

Token Lexer::scan() {
  while (at_ < text_.size() && (is_space(text_[at_]) || text_[at_] == '#')) {
    if (text_[at_] == '#') {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    } else {
      ++at_;
    }
  }
  Token token;
  token.at = at_;
  if (at_ == text_.size()) return token;
  const char first = text_[at_];
  std::size_t end = at_ + 1;
  if (is_digit(first)) {
    token.kind = Token::Kind::integer;
    token.value = first - '0';
    for (; end < text_.size() && is_digit(text_[end]); ++end) {
      token.value = token.value * 10 + (text_[end] - '0');
      if (token.value > kMaxInteger) fail_at(at_, "the integer exceeds 2^40");
    }
  } else if (is_letter(first)) {
    token.kind = Token::Kind::word;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    if (end - at_ > 32) fail_at(at_, "the word is longer than 32 characters");
  } else if (std::string_view("[](){}@+-=:;,.<>*&~^?").find(first) != std::string_view::npos) {
    token.kind = Token::Kind::symbol;
    if (first == '.' && end < text_.size() && text_[end] == '.') ++end;
  } else {
    fail_at(at_, "unexpected byte " + std::to_string(static_cast<unsigned char>(first)));
  }
  token.text = text_.substr(at_, end - at_);
  at_ = end;
  return token;
}

Token Lexer::take() {
  const Token taken = current_;
  current_ = next_;
  next_ = scan();
  return taken;
}

bool Lexer::accept(std::string_view text) {
  if (!current_.is(text)) return false;
  take();
  return true;
}

void Lexer::expect(std::string_view text) {
  if (!accept(text)) fail("expected '" + std::string(text) + "', not " + shown(current_));
}

std::string_view Lexer::expect_word(const char* what) {
  if (current_.kind != Token::Kind::word)
    fail("expected " + std::string(what) + ", not " + shown(current_));
  return take().text;
}

std::int64_t Lexer::expect_integer(const char* what) {
  if (current_.kind != Token::Kind::integer)
    fail("expected " + std::string(what) + ", not " + shown(current_));
  return take().value;
}

}  // namespace reprosum::spec
