#include "src/blas/settings.h"

#include <atomic>
#include <charconv>
#include <initializer_list>
#include <string_view>

#include "src/base/environment.h"
#include "src/base/fork_gate.h"

namespace reprosum::blas {
namespace {

constexpr int kMostWorkers = 1024;

class Reader {
 public:
  Reader(const char* (*get)(const char*), std::string& why) : get_(get), why_(why) {}

  // The index of the variable's value among the words; 0 if it is unset.
  int choice(const char* name, std::initializer_list<std::string_view> words) {
    const std::string_view text = value(name);
    if (text.empty()) return 0;
    int index = 0;
    std::string known;
    for (const std::string_view word : words) {
      if (text == word) return index;
      known += (index == 0                                    ? ""
                : index + 1 == static_cast<int>(words.size()) ? " or "
                                                              : ", ") +
               std::string(word);
      ++index;
    }
    complain(name, text, "is not " + known);
    return 0;
  }

  int number(const char* name, int most) {
    const std::string_view text = value(name);
    if (text.empty()) return 0;
    int number = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    if (read.ec == std::errc() && read.ptr == end && number >= 1 && number <= most) return number;
    complain(name, text, "is not a number from 1 to " + std::to_string(most));
    return 0;
  }

 private:
  std::string_view value(const char* name) const {
    const char* const text = get_(name);
    return text == nullptr ? std::string_view() : std::string_view(text);
  }
  void complain(const char* name, std::string_view text, const std::string& what) {
    if (why_.empty()) why_ = std::string(name) + " = \"" + std::string(text) + "\" " + what;
  }

  const char* (*get_)(const char*);
  std::string& why_;
};

const char* from_environment(const char* name) { return base::variable(name); }

}  // namespace

Settings read_settings(const char* (*get)(const char* name)) {
  Settings read;
  Reader reader(get, read.why);
  constexpr Mode kModes[] = {Mode::replay, Mode::forward, Mode::exact};
  read.mode = kModes[reader.choice("REPROSUM_MODE", {"replay", "forward", "exact"})];
  constexpr OnUncovered kUncovered[] = {OnUncovered::error, OnUncovered::forward,
                                        OnUncovered::exact};
  read.on_uncovered =
      kUncovered[reader.choice("REPROSUM_ON_UNCOVERED", {"error", "forward", "exact"})];
  constexpr OnForwarded kForwarded[] = {OnForwarded::warn, OnForwarded::allow, OnForwarded::error};
  read.on_forwarded =
      kForwarded[reader.choice("REPROSUM_ON_FORWARDED", {"warn", "allow", "error"})];
  read.trsv = reader.choice("REPROSUM_TRSV", {"substitution", "certified"}) == 1
                  ? Trsv::certified
                  : Trsv::substitution;
  read.workers = reader.number("REPROSUM_NUM_THREADS", kMostWorkers);
  read.verbose = reader.choice("REPROSUM_VERBOSE", {"0", "1"}) == 1;
  read.deep_bind = reader.choice("REPROSUM_BACKING_BIND", {"global", "deep"}) == 1;
  return read;
}

const Settings& settings() {
  static std::atomic<const Settings*> read{nullptr};
  return base::made_once(read, [] { return read_settings(from_environment); });
}

const char* privileged_note() {
  return base::is_privileged() ? "; a set-uid program reads no variables" : "";
}

}  // namespace reprosum::blas
