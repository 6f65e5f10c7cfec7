// The three kinds of error (design: the user's, the environment's, ours). Every part throws one of
// these inside; the C API turns them into status codes and the CLI into exit code 2.
#pragma once

#include <stdexcept>
#include <string>

namespace reprosum {

// The caller gave something that cannot be: a malformed spec, n out of coverage, a bad option.
struct UserError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The world does not cooperate: no such library, a symbol is missing, the probed process died.
struct EnvironmentError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A bug of ours: an invariant does not hold.
struct InternalError : std::logic_error {
  using std::logic_error::logic_error;
};

// A malformed document, with the place: "line 3, column 9" for text, a JSON pointer for JSON.
struct ParseError : UserError {
  ParseError(std::string where, const std::string& what)
      : UserError(where + ": " + what), where(std::move(where)) {}
  std::string where;
};

}  // namespace reprosum
