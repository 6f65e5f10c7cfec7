#include "spec/error.h"
#include "spec/json.h"
#include "src/cli/output.h"

namespace reprosum::cli {

spec::Spec load_spec(const std::string& path, spec::Check check) {
  const std::string text = read_file(path);
  try {
    return spec::from_json(text, check);
  } catch (const ParseError& e) {
    throw ParseError(path == "-" ? "standard input" : path, e.what());
  }
}

}  // namespace reprosum::cli
