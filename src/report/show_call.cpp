#include "src/report/show_call.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <tuple>

#include "spec/conditions.h"
#include "spec/error.h"
#include "src/report/arguments.h"
#include "src/report/entries.h"

namespace reprosum::report {
namespace {

std::string listed(const std::vector<std::string>& words) {  // "a, b and c"
  std::string out;
  for (std::size_t k = 0; k < words.size(); ++k)
    out += (k == 0 ? "" : k + 1 == words.size() ? " and " : ", ") + words[k];
  return out;
}

// Whether the options ask for something that only gemv and gemm have.
bool asks_for_matrix(const ShowArguments& a) {
  return !a.m.empty() || !a.k.empty() || !a.trans.empty() || !a.which_class.empty() ||
         !a.which_output.empty() || !a.gaps.empty();
}

// "NT" for gemm, "T" for gemv, in upper or lower case.
std::pair<spec::Trans, spec::Trans> parse_trans(const std::string& text, spec::Routine routine) {
  const auto trans = [&](std::size_t at) {
    switch (text[at]) {
      case 'N':
      case 'n':
        return spec::Trans::no;
      case 'T':
      case 't':
      case 'C':
      case 'c':
        return spec::Trans::yes;
    }
    throw UserError("--trans: \"" + text + "\" is not of N, T and C");
  };
  const bool is_vector = routine == spec::Routine::gemv;
  if (text.size() != (is_vector ? 1u : 2u))
    throw UserError(is_vector ? "--trans: gemv has one matrix, N or T"
                              : "--trans: gemm has two, such as NN or NT");
  return {trans(0), is_vector ? spec::Trans::no : trans(1)};
}

// "16", or one for each operand: "8:0:8:0" for gemv and "8:0" for dot. For sum and dot "8" is the
// address of both.
spec::Residues addresses_of(const ShowArguments& arguments, spec::Routine routine) {
  spec::Residues out{};
  if (arguments.alignment.empty()) return out;
  const bool has_matrices = spec::has_matrices(routine);
  const std::size_t places = has_matrices ? spec::address_places(routine) : 2;
  auto values = parse_integers("--align", arguments.alignment);
  const bool is_power = values[0] >= 1 && values[0] <= 64 && (values[0] & (values[0] - 1)) == 0;
  if (values.size() == 1 && (is_power || !has_matrices))
    values.assign(places, is_power ? values[0] % spec::kAddressModulus : values[0]);
  if (values.size() != places) {
    std::string names;
    for (std::size_t k = 0; k < places; ++k)
      names += std::string(k > 0 ? ":" : "") + spec::address_name(routine, k);
    throw UserError("--align: of " + std::string(spec::name(routine)) +
                    " it is one power of two up to 64, which divides every address and leading "
                    "dimension in bytes, or the bytes modulo 64 of each, " +
                    names);
  }
  for (std::size_t k = 0; k < places; ++k) {
    if (values[k] < 0 || values[k] >= spec::kAddressModulus)
      throw UserError("--align: " + std::to_string(values[k]) + " is not in 0..63");
    out[k] = static_cast<int>(values[k]);
  }
  if (routine == spec::Routine::sum) out[1] = 0;  // it has no y
  return out;
}

// Every operand but those that are named, "A" or "bc".
spec::Tightness tightness_of(const ShowArguments& arguments, spec::Routine routine) {
  spec::Tightness tight = spec::kAllTight;
  for (const char letter : arguments.gaps) {
    const std::size_t operand = std::string("ABCabc").find(letter) % 3;
    const bool is_known = std::string("ABCabc").find(letter) != std::string::npos;
    if (!is_known || (routine == spec::Routine::gemv && operand > 0))
      throw UserError("--gaps: " + std::string(1, letter) + " is no matrix of " +
                      spec::name(routine));
    tight[operand] = false;
  }
  return tight;
}

// A size of sum and dot, or a shape of gemv and gemm.
spec::Shape3 shape_of(const ShowArguments& arguments, spec::Routine routine) {
  const bool is_vector = routine == spec::Routine::gemv;
  if (!spec::has_matrices(routine)) {
    if (arguments.n.empty()) throw UserError("one size is drawn: give --n");
    return {1, 1, parse_count("--n", arguments.n)};
  }
  if (arguments.m.empty() || arguments.k.empty() || (arguments.n.empty() && !is_vector))
    throw UserError(is_vector ? "a map of gemv needs --m (outputs) and --k (summands)"
                              : "a map of gemm needs --m, --n and --k");
  if (is_vector && !arguments.n.empty() && parse_count("--n", arguments.n) != 1)
    throw UserError("--n: gemv has --m outputs of --k summands each, for either --trans");
  return {parse_count("--m", arguments.m), is_vector ? 1 : parse_count("--n", arguments.n),
          parse_count("--k", arguments.k)};
}

bool admits(const spec::Entry& entry, std::int64_t incx, std::int64_t incy) {
  return spec::admits(entry.guard.increments, incx, entry.routine == spec::Routine::sum ? 0 : incy);
}

// The increments that are asked for, or the plainest ones.
std::pair<std::int64_t, std::int64_t> increments_of(
    const ShowArguments& arguments, const std::vector<const spec::Entry*>& candidates) {
  if (!arguments.increments.empty()) return parse_pair("--inc", arguments.increments);
  const bool has_unit = std::any_of(candidates.begin(), candidates.end(),
                                    [](const spec::Entry* entry) { return admits(*entry, 1, 1); });
  if (candidates.empty() || has_unit) return {1, 1};
  return candidates.front()->guard.increments.front().plainest();
}

}  // namespace

std::vector<const spec::Entry*> selected(const spec::Spec& spec, const ShowArguments& arguments) {
  if (arguments.routine.empty() && !arguments.trans.empty())
    throw UserError("--trans needs --routine");
  if (!arguments.routine.empty() && asks_for_matrix(arguments) &&
      !spec::has_matrices(parse_routine(arguments.routine).first))
    throw UserError("--trans, --m, --k, --class, --at and --gaps are of gemv and gemm");
  std::vector<const spec::Entry*> out;
  for (const spec::Entry& entry : spec.entries) {
    const spec::Guard& guard = entry.guard;
    if (!arguments.routine.empty() &&
        parse_routine(arguments.routine) != RoutineType{entry.routine, entry.type})
      continue;
    if (!arguments.trans.empty() &&
        parse_trans(arguments.trans, entry.routine) != std::pair{guard.trans_a, guard.trans_b})
      continue;
    if (arguments.threads > 0 && std::find(guard.threads.begin(), guard.threads.end(),
                                           arguments.threads) == guard.threads.end())
      continue;
    if (!arguments.increments.empty()) {
      const auto [incx, incy] = parse_pair("--inc", arguments.increments);
      if (!admits(entry, incx, incy)) continue;
    }
    out.push_back(&entry);
  }
  return out;
}

std::string choices_text(const spec::Spec& spec, const ShowArguments& arguments) {
  if (!selected(spec, arguments).empty()) return "";
  // The option's words, the options without it, and what an entry has in its place.
  struct Option {
    std::string given, what;
    ShowArguments without;
    std::function<std::vector<std::string>(const spec::Entry&)> has;
  };
  std::vector<Option> options;
  const auto add = [&](const std::string& given, const char* what, auto change, auto has) {
    options.push_back({given, what, arguments, has});
    change(options.back().without);
  };
  if (!arguments.trans.empty())
    add(
        "--trans " + arguments.trans, "", [](ShowArguments& a) { a.trans.clear(); },
        [](const spec::Entry& entry) { return std::vector{routine_name(entry)}; });
  if (arguments.threads > 0)
    add(
        fmt::format("--threads {}", arguments.threads), "threads ",
        [](ShowArguments& a) { a.threads = 0; },
        [](const spec::Entry& entry) {
          std::vector<std::string> out;
          for (const int count : entry.guard.threads) out.push_back(std::to_string(count));
          return out;
        });
  if (!arguments.increments.empty())
    add(
        "--inc " + arguments.increments, "increments ",
        [](ShowArguments& a) { a.increments.clear(); },
        [](const spec::Entry& entry) {
          return std::vector{increments_text(entry.guard.increments, entry.routine)};
        });
  if (!arguments.routine.empty())
    add(
        "--routine " + arguments.routine, "",
        [](ShowArguments& a) {
          a.routine.clear();
          a.trans.clear();
        },
        [](const spec::Entry& entry) {
          return std::vector{spec::blas_name(entry.routine, entry.type)};
        });
  for (const Option& option : options) {
    std::vector<std::string> there;
    for (const spec::Entry* entry : selected(spec, option.without))
      for (const std::string& one : option.has(*entry))
        if (std::find(there.begin(), there.end(), one) == there.end()) there.push_back(one);
    if (!there.empty())
      return fmt::format("{}: the spec has {}{}", option.given, option.what, listed(there));
  }
  return "";
}

ShownCall the_call(const spec::Spec& spec, const ShowArguments& arguments) {
  auto candidates = selected(spec, arguments);
  if (arguments.routine.empty()) {
    std::erase_if(candidates,
                  [](const spec::Entry* entry) { return spec::has_matrices(entry->routine); });
    if (asks_for_matrix(arguments) || candidates.empty())
      throw UserError("a map is of one routine: give --routine, such as sgemm");
  }
  spec::Context call;
  std::tie(call.routine, call.type) = arguments.routine.empty()
                                          ? RoutineType{candidates[0]->routine, candidates[0]->type}
                                          : parse_routine(arguments.routine);
  call.shape = shape_of(arguments, call.routine);
  if (candidates.empty()) {  // what comes closest has the routine alone
    ShowArguments any;
    any.routine = arguments.routine;
    candidates = selected(spec, any);
  }
  if (!candidates.empty()) {
    const spec::Entry& first = *candidates.front();
    if (arguments.trans.empty()) {
      std::vector<std::string> names;
      for (const spec::Entry* other : candidates)
        if (std::find(names.begin(), names.end(), routine_name(*other)) == names.end())
          names.push_back(routine_name(*other));
      if (names.size() > 1)
        throw UserError("the spec has " + listed(names) + "; choose one with --routine" +
                        (spec::has_matrices(first.routine) ? " and --trans" : ""));
    }
    call.trans_a = first.guard.trans_a;
    call.trans_b = first.guard.trans_b;
    call.threads = first.guard.threads.front();
    for (const spec::Entry* other : candidates)
      call.threads = std::min(call.threads, other->guard.threads.front());
  }
  if (!arguments.trans.empty())
    std::tie(call.trans_a, call.trans_b) = parse_trans(arguments.trans, call.routine);
  if (arguments.threads > 0) call.threads = arguments.threads;
  std::tie(call.incx, call.incy) = increments_of(arguments, candidates);
  call.tight = tightness_of(arguments, call.routine);
  call.addresses = addresses_of(arguments, call.routine);
  std::string why;
  const spec::Entry* entry = spec::find(spec, call, &why);
  if (entry == nullptr) {
    const std::string choices = choices_text(spec, arguments);
    throw UserError("not covered: " + why + (choices.empty() ? "" : "; " + choices));
  }
  return {*entry, call.shape};
}

}  // namespace reprosum::report
