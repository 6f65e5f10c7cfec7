#include "src/capture/options.h"

#include <charconv>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "src/report/arguments.h"
#include "src/report/show_report.h"
#include "src/runtime/errors.h"

namespace reprosum::capture {
namespace {

using runtime::BadArgument;

// An option's name, and what takes its value or throws UserError.
using Known = std::vector<std::pair<std::string, std::function<void(const std::string&)>>>;

void read(const char* const* options, const Known& known) {
  if (options == nullptr) return;
  for (; options[0] != nullptr; options += 2) {
    const std::string name = options[0];
    if (options[1] == nullptr) throw BadArgument("the option \"" + name + "\" has no value");
    const auto* found = &known.front();
    const auto* const end = found + known.size();
    while (found != end && found->first != name) ++found;
    if (found == end) {
      std::string all;
      for (const auto& [other, take] : known) all += (all.empty() ? "" : ", ") + other;
      throw BadArgument("\"" + name + "\" is none of the options " + all);
    }
    try {
      found->second(options[1]);
    } catch (const UserError& error) {
      std::string why = error.what();
      if (const std::string typed = "--" + name + ": "; why.starts_with(typed))
        why.erase(0, typed.size());  // as it is called on a command line
      throw BadArgument("the option \"" + name + "\": " + why);
    }
  }
}

auto text(std::string& to) {
  return [&to](const std::string& value) { to = value; };
}
// Text that `check` throws UserError for if it is wrong.
template <class Check>
auto checked(std::string& to, Check check) {
  return [&to, check](const std::string& value) {
    check(value);
    to = value;
  };
}
auto integer(std::int64_t& to, std::int64_t least, std::int64_t most) {
  return [&to, least, most](const std::string& value) {
    const char* const end = value.data() + value.size();
    std::int64_t number = 0;
    const auto read = std::from_chars(value.data(), end, number);
    if (read.ec != std::errc() || read.ptr != end || number < least || number > most)
      throw UserError("\"" + value + "\" is not an integer from " + std::to_string(least) + " to " +
                      std::to_string(most));
    to = number;
  };
}
auto truth(bool& to) {
  return [&to](const std::string& value) {
    if (value != "0" && value != "1") throw UserError("\"" + value + "\" is neither 0 nor 1");
    to = value == "1";
  };
}

Known known_of_probing(report::ProbingOptions& to) {
  return {
      {"timeout",
       [&to](const std::string& value) {
         if (!report::read_seconds(value, to.timeout_s))
           throw UserError("\"" + value + "\" is not a number of seconds above 0 and up to 1e9");
       }},
      {"seed",
       [&to](const std::string& value) {
         if (!report::read_seed(value, to.seed))
           throw UserError("\"" + value + "\" is not an integer from 0 to 2^64 - 1");
       }},
      {"vectors", integer(to.random_vectors, 1, 100'000'000)}};
}

void read_target(const char* target, report::ProbingOptions& to) {
  if (target == nullptr) throw BadArgument("target is null");
  to.target = target;
  try {
    static_cast<void>(report::target_factory(to));
  } catch (const UserError& error) {
    throw BadArgument(error.what());
  }
}

}  // namespace

report::CaptureRequest read_capture_options(const char* target, const char* const* options,
                                            reveal::TargetFactory open) {
  report::CaptureRequest out;
  out.probing.open = std::move(open);
  Known known = known_of_probing(out.probing);
  const auto count = [](const char* name) {
    return [name](const std::string& value) { report::parse_count(name, value); };
  };
  const Known more = {{"routines", checked(out.routines, report::parse_routines)},
                      {"threads", checked(out.threads, report::parse_threads)},
                      {"increments", checked(out.increments, report::parse_increments)},
                      {"transposes", checked(out.transposes, report::parse_transposes)},
                      {"n-max", checked(out.n_max, count("n-max"))},
                      {"reach", checked(out.reach,
                                        [count](const std::string& value) {
                                          if (value != "0") count("reach")(value);
                                        })},
                      {"small-products", integer(out.small_products, 0, 64)},
                      {"alpha-one", truth(out.alpha_one)}};
  known.insert(known.end(), more.begin(), more.end());
  read(options, known);
  read_target(target, out.probing);
  return out;
}

report::ProbingOptions read_verify_options(const char* target, const char* const* options,
                                           reveal::TargetFactory open) {
  report::ProbingOptions out;
  out.open = std::move(open);
  read(options, known_of_probing(out));
  read_target(target, out);
  return out;
}

std::string read_diff_options(const char* const* options) {
  std::string threads;
  read(options, {{"threads", checked(threads, [](const std::string& value) {
                    report::parse_pair("threads", value);
                  })}});
  return threads;
}

report::ShowArguments read_show_options(const char* const* options) {
  report::ShowArguments out;
  out.spec = "the spec";
  std::int64_t threads = 0;
  read(options, {{"routine", checked(out.routine, report::parse_routine)},
                 {"n", text(out.n)},
                 {"m", text(out.m)},
                 {"k", text(out.k)},
                 {"trans", text(out.trans)},
                 {"class", text(out.which_class)},
                 {"at", text(out.which_output)},
                 {"gaps", text(out.gaps)},
                 {"threads", integer(threads, 1, 4096)},
                 {"inc", text(out.increments)},
                 {"align", text(out.alignment)},
                 {"format", checked(out.format, [](const std::string& value) {
                    for (const char* each : {"text", "svg", "dot", "json"})
                      if (value == each) return;
                    throw UserError("\"" + value + "\" is none of text, svg, dot, json");
                  })}});
  out.threads = static_cast<int>(threads);
  try {
    report::check_numbers(out);
  } catch (const UserError& error) {
    throw BadArgument(error.what());
  }
  return out;
}

}  // namespace reprosum::capture
