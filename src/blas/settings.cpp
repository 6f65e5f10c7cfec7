#include "src/blas/settings.h"

#include <atomic>
#include <charconv>
#include <cstdio>
#include <initializer_list>
#include <string_view>

#include "src/base/environment.h"
#include "src/base/fork_gate.h"
#include "src/base/known_variables.h"
#include "src/base/printable.h"

namespace reprosum::blas {
namespace {

constexpr int kMostWorkers = 1024;

class Reader {
 public:
  Reader(const char* (*get)(const char*), std::string& why) : get_(get), why_(why) {}

  // The index of the variable's value among the words; 0 if it is unset.
  int choice(const char* name, std::initializer_list<std::string_view> words) {
    return choice(name, words, why_);
  }
  int choice(const char* name, std::initializer_list<std::string_view> words,
             std::string& complaint) {
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
    complain(name, text, "is not " + known, complaint);
    return 0;
  }

  int number(const char* name, int most) {
    const std::string_view text = value(name);
    if (text.empty()) return 0;
    int number = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    if (read.ec == std::errc() && read.ptr == end && number >= 1 && number <= most) return number;
    complain(name, text, "is not a number from 1 to " + std::to_string(most), why_);
    return 0;
  }

 private:
  std::string_view value(const char* name) const {
    const char* const text = get_(name);
    return text == nullptr ? std::string_view() : std::string_view(text);
  }
  static void complain(const char* name, std::string_view text, const std::string& what,
                       std::string& complaint) {
    if (complaint.empty())
      complaint = std::string(name) + " = \"" + std::string(text) + "\" " + what;
  }

  const char* (*get_)(const char*);
  std::string& why_;
};

const char* from_environment(const char* name) { return base::variable(name); }

// A process tells its settings' remarks once; a child of fork is told nothing anew.
void tell(const Settings& read) {
  std::string text = read.remark.empty() ? "" : "libreprosum_blas: " + read.remark + "\n";
  std::vector<std::string> unknown;
  base::each_variable(base::kPrefixOfVariables, [&](std::string_view name) {
    if (!base::is_known_variable(name)) unknown.emplace_back(name);
  });
  text += unknown_variables_text(unknown);
  if (!text.empty()) std::fputs(base::printable(text).c_str(), stderr);
}

}  // namespace

std::string unknown_variables_text(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    const std::string meant = base::nearest_variable(name);
    text += "libreprosum_blas: " + name + " is set, and no variable of that name is read" +
            (meant.empty() ? "" : "; did you mean " + meant + "?") + "\n";
  }
  return text;
}

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
  read.on_refused = reader.choice("REPROSUM_ON_REFUSED", {"xerbla", "abort"}) == 1
                        ? OnRefused::abort
                        : OnRefused::xerbla;
  read.trsv = reader.choice("REPROSUM_TRSV", {"substitution", "certified"}) == 1
                  ? Trsv::certified
                  : Trsv::substitution;
  read.workers = reader.number("REPROSUM_NUM_THREADS", kMostWorkers);
  // What is printed changes no result, so a value that is none refuses no call.
  const int verbose = reader.choice("REPROSUM_VERBOSE", {"0", "1", "summary"}, read.remark);
  if (!read.remark.empty()) read.remark += "; calls are served, and nothing is printed of them";
  read.verbose = verbose == 1;
  read.has_summary = verbose != 0;
  read.deep_bind = reader.choice("REPROSUM_BACKING_BIND", {"global", "deep"}) == 1;
  return read;
}

const Settings& settings() {
  static std::atomic<const Settings*> read{nullptr};
  static std::atomic<bool> told{false};
  const Settings& settings = base::made_once(read, [] { return read_settings(from_environment); });
  if (!told.load(std::memory_order_relaxed)) [[unlikely]]
    if (!told.exchange(true)) tell(settings);
  return settings;
}

const char* privileged_note() {
  return base::is_privileged() ? "; a set-uid program reads no variables" : "";
}

}  // namespace reprosum::blas
