#include "tests/golden/golden_list.h"

#include <fmt/core.h>

#include <sstream>

#include "reveal/check/random_data.h"
#include "spec/error.h"

namespace reprosum::golden {
namespace {

constexpr const char* kHead = "reprosum golden 1";

bool read_call(std::istringstream& words, Call& call) {
  if (call.is_product)
    words >> call.entry >> call.shape.m >> call.shape.n >> call.shape.k;
  else
    words >> call.entry >> call.shape.k >> call.shape.m;
  words >> call.kind >> call.seed >> call.inputs >> call.outputs;
  const spec::Shape3& shape = call.shape;
  return !words.fail() && (words >> std::ws).eof() && call.inputs.size() == 64 &&
         call.outputs.size() == 64 && call.kind >= 0 && call.kind < reveal::kAllKinds &&
         shape.m > 0 && shape.k > 0 && (!call.is_product || shape.n > 0);
}

}  // namespace

std::string print(const std::vector<OfSpec>& list) {
  std::string out = std::string(kHead) + "\n";
  for (const OfSpec& one : list) {
    out += "spec " + one.file + " " + one.meaning + "\n";
    for (const Call& call : one.calls) {
      const spec::Shape3& shape = call.shape;
      out += call.is_product
                 ? fmt::format("product {} {} {} {}", call.entry, shape.m, shape.n, shape.k)
                 : fmt::format("sum {} {} {}", call.entry, shape.k, shape.m);
      out += fmt::format(" {} {} {} {}\n", call.kind, call.seed, call.inputs, call.outputs);
    }
  }
  return out;
}

std::vector<OfSpec> parse(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != kHead)
    throw UserError(std::string("this is no golden list: its first line is not \"") + kHead + "\"");
  std::vector<OfSpec> out;
  for (int number = 2; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    std::string what;
    words >> what;
    bool is_right = false;
    if (what == "spec") {
      OfSpec& one = out.emplace_back();
      is_right = static_cast<bool>(words >> one.file >> one.meaning);
    } else if ((what == "sum" || what == "product") && !out.empty()) {
      Call& call = out.back().calls.emplace_back();
      call.is_product = what == "product";
      is_right = read_call(words, call);
    }
    if (!is_right)
      throw UserError(fmt::format("line {} of the golden list is wrong: {}", number, line));
  }
  return out;
}

}  // namespace reprosum::golden
