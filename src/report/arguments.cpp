#include "src/report/arguments.h"

#include <algorithm>
#include <charconv>

#include "spec/error.h"

namespace reprosum::report {
namespace {

std::vector<std::string> pieces(const std::string& text, char separator) {
  std::vector<std::string> out;
  std::size_t from = 0;
  while (true) {
    const std::size_t to = text.find(separator, from);
    out.push_back(text.substr(from, to == std::string::npos ? to : to - from));
    if (to == std::string::npos) return out;
    from = to + 1;
  }
}

constexpr std::int64_t kLargest = 10'000;  // increment that is tried

std::int64_t integer(const std::string& option, const std::string& text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || text.empty())
    throw UserError(option + ": \"" + text + "\" is not an integer");
  return value;
}

}  // namespace

RoutineType parse_routine(const std::string& text) {
  const auto found = spec::routine_from_blas_name(text);
  if (!found)
    throw UserError("unknown routine \"" + text +
                    "\"; known are ssum, dsum, sdot, ddot, sgemv, dgemv, sgemm and dgemm");
  return *found;
}

std::vector<RoutineType> parse_routines(const std::string& text) {
  std::vector<RoutineType> out;
  if (text.empty()) return out;
  for (const std::string& piece : pieces(text, ',')) {
    const RoutineType routine = parse_routine(piece);
    if (std::find(out.begin(), out.end(), routine) == out.end()) out.push_back(routine);
  }
  return out;
}

std::vector<int> parse_threads(const std::string& text) {
  std::vector<int> out;
  for (const std::string& piece : pieces(text, ',')) {
    const std::int64_t value = integer("--threads", piece);
    if (value < 1 || value > 4096)
      throw UserError("--threads: " + piece + " is not between 1 and 4096");
    out.push_back(static_cast<int>(value));
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<std::pair<spec::Trans, spec::Trans>> parse_transposes(const std::string& text) {
  using spec::Trans;
  std::vector<std::pair<Trans, Trans>> out;
  if (text.empty()) return out;
  for (const std::string& piece : pieces(text, ',')) {
    if (piece.empty() || piece.size() > 2 || piece.find_first_not_of("NnTt") != std::string::npos)
      throw UserError("--transposes: \"" + piece + "\" is not N, T, NN, NT, TN or TT");
    const auto trans = [&](char letter) {
      return letter == 'N' || letter == 'n' ? Trans::no : Trans::yes;
    };
    for (const Trans of_b : {Trans::no, Trans::yes})
      if (piece.size() == 1 || trans(piece[1]) == of_b) out.emplace_back(trans(piece[0]), of_b);
  }
  return out;
}

std::vector<std::int64_t> parse_integers(const std::string& option, const std::string& text) {
  std::vector<std::int64_t> out;
  for (const std::string& piece : pieces(text, ':')) out.push_back(integer(option, piece));
  return out;
}

std::pair<std::int64_t, std::int64_t> parse_pair(const std::string& option,
                                                 const std::string& text) {
  const auto parts = pieces(text, ':');
  if (parts.size() > 2)
    throw UserError(option + ": \"" + text + "\" is not of the form X:Y, such as 1:1");
  const std::int64_t x = integer(option, parts[0]);
  const std::int64_t y = parts.size() == 2 ? integer(option, parts[1]) : x;
  return {x, y};
}

std::vector<spec::Increments> parse_increments(const std::string& text) {
  const auto range = [](const std::string& piece) {
    const auto found = spec::increment_range_from(piece);
    if (!found)
      throw UserError("--increments: \"" + piece +
                      "\" is not an increment, nor increments such as 2.., ..-2 or any");
    const auto is_beyond = [](std::int64_t bound, std::int64_t none) {
      return bound != none && (bound < -kLargest || bound > kLargest);
    };
    if (is_beyond(found->least, spec::IncrementRange::kLeast) ||
        is_beyond(found->greatest, spec::IncrementRange::kGreatest))
      throw UserError("--increments: " + piece + " is beyond " + std::to_string(kLargest));
    return *found;
  };
  std::vector<spec::Increments> out;
  for (const std::string& piece : pieces(text, ',')) {
    const auto parts = pieces(piece, ':');
    if (parts.size() > 2)
      throw UserError("--increments: \"" + piece + "\" is not of the form X:Y, such as 1:2..");
    const spec::Increments increments{range(parts.front()), range(parts.back())};
    if (std::find(out.begin(), out.end(), increments) == out.end()) out.push_back(increments);
  }
  return out;
}

std::int64_t parse_count(const std::string& option, const std::string& text) {
  std::string digits = text;
  std::int64_t scale = 1;
  if (!digits.empty() && (digits.back() == 'k' || digits.back() == 'M')) {
    scale = digits.back() == 'k' ? 1'000 : 1'000'000;
    digits.pop_back();
  } else if (const std::size_t e = digits.find('e'); e != std::string::npos) {
    const std::int64_t exponent = integer(option, digits.substr(e + 1));
    if (exponent < 0 || exponent > 12) throw UserError(option + ": " + text + " is out of range");
    for (std::int64_t i = 0; i < exponent; ++i) scale *= 10;
    digits.resize(e);
  }
  const std::int64_t value = integer(option, digits);
  if (value < 1 || value > (std::int64_t{1} << 40) / scale)
    throw UserError(option + ": " + text + " is not between 1 and 2^40");
  return value * scale;
}

}  // namespace reprosum::report
