#include "src/cli/show_matrix.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "spec/conditions.h"
#include "spec/error.h"
#include "spec/expand.h"
#include "spec/surface.h"
#include "src/cli/arguments.h"
#include "src/cli/entries.h"
#include "src/cli/matrix_entries.h"
#include "src/cli/matrix_rules.h"
#include "src/cli/picture/region_picture.h"
#include "src/cli/show_tree.h"

namespace reprosum::cli {
namespace {

std::string origin(const spec::Spec& spec) {
  const std::string target = provenance(spec, "target"), cpu = provenance(spec, "cpu");
  std::string out;
  if (!target.empty()) out += ", captured from " + target;
  if (!cpu.empty()) out += " on " + cpu;
  return out;
}

// "NT" of gemm, "T" of gemv; the lower case is understood, too.
std::pair<spec::Trans, spec::Trans> parse_trans(const std::string& text, bool is_vector) {
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
  if (text.size() != (is_vector ? 1u : 2u))
    throw UserError(is_vector ? "--trans: gemv has one matrix, N or T"
                              : "--trans: gemm has two, such as NN or NT");
  return {trans(0), is_vector ? spec::Trans::no : trans(1)};
}

// "16" or, of gemv, "8:0:8:0".
spec::Residues addresses_of(const ShowArguments& arguments, spec::Routine routine) {
  spec::Residues out{};
  if (arguments.alignment.empty()) return out;
  const std::size_t places = spec::address_places(routine);
  const auto values = parse_integers("--align", arguments.alignment);
  const bool is_power = values[0] >= 1 && values[0] <= 64 && (values[0] & (values[0] - 1)) == 0;
  if (values.size() == 1 && is_power) {
    std::fill_n(out.begin(), places, static_cast<int>(values[0] % spec::kAddressModulus));
    return out;
  }
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

spec::Shape3 shape_of(const ShowArguments& arguments, bool is_vector) {
  if (arguments.m.empty() || arguments.k.empty() || (arguments.n.empty() && !is_vector))
    throw UserError(is_vector ? "a map of gemv needs --m (outputs) and --k (summands)"
                              : "a map of gemm needs --m, --n and --k");
  if (is_vector && !arguments.n.empty() && parse_count("--n", arguments.n) != 1)
    throw UserError("--n: gemv has --m outputs of --k summands each, for either --trans");
  return {parse_count("--m", arguments.m), is_vector ? 1 : parse_count("--n", arguments.n),
          parse_count("--k", arguments.k)};
}

// The first thing that no entry covers, where none has the routine and the options.
std::string missing(const spec::Spec& spec, const ShowArguments& arguments,
                    const spec::Shape3& shape) {
  spec::Context context;
  std::tie(context.routine, context.type) = parse_routine(arguments.routine);
  context.shape = shape;
  if (!arguments.trans.empty())
    std::tie(context.trans_a, context.trans_b) =
        parse_trans(arguments.trans, context.routine == spec::Routine::gemv);
  else
    for (const spec::MatrixEntry& entry : spec.matrices)
      if (entry.routine == context.routine && entry.type == context.type) {
        context.trans_a = entry.guard.trans_a;
        context.trans_b = entry.guard.trans_b;
      }
  if (arguments.threads > 0) context.threads = arguments.threads;
  if (!arguments.increments.empty())
    std::tie(context.incx, context.incy) = parse_pair("--inc", arguments.increments);
  std::string why;
  spec::find_matrix(spec, context, &why);
  return why;
}

// The one entry for the shape, by the rules of a replayed call.
const spec::MatrixEntry& the_entry(const spec::Spec& spec, const ShowArguments& arguments,
                                   const spec::Shape3& shape) {
  const auto candidates = selected_matrices(spec, arguments);
  if (candidates.empty()) throw UserError("not covered: " + missing(spec, arguments, shape));
  const spec::MatrixEntry& first = *candidates.front();
  for (const spec::MatrixEntry* other : candidates)
    if (routine_name(*other) != routine_name(first))
      throw UserError(fmt::format("the spec has {} and {}; choose one with --routine and --trans",
                                  routine_name(first), routine_name(*other)));
  spec::Context context;
  context.routine = first.routine;
  context.type = first.type;
  context.trans_a = first.guard.trans_a;
  context.trans_b = first.guard.trans_b;
  context.shape = shape;
  std::tie(context.incx, context.incy) = first.guard.increments.front().plainest();
  if (!arguments.increments.empty())
    std::tie(context.incx, context.incy) = parse_pair("--inc", arguments.increments);
  context.threads = first.guard.threads.front();
  for (const spec::MatrixEntry* other : candidates)
    context.threads = std::min(context.threads, other->guard.threads.front());
  if (arguments.threads > 0) context.threads = arguments.threads;
  context.tight = tightness_of(arguments, first.routine);
  context.addresses = addresses_of(arguments, first.routine);
  std::string why;
  const spec::MatrixEntry* entry = spec::find_matrix(spec, context, &why);
  if (entry == nullptr) throw UserError("not covered: " + why);
  return *entry;
}

// The class that --class or --at names, if one does.
std::optional<int> class_of(const spec::RegionMap& map, const spec::Shape3& shape,
                            const ShowArguments& arguments) {
  if (!arguments.which_output.empty()) {
    std::string text = arguments.which_output;
    std::replace(text.begin(), text.end(), ',', ':');
    auto [i, j] = parse_pair("--at", text);
    if (text.find(':') == std::string::npos) j = 0;
    if (i < 0 || j < 0 || i >= shape.m || j >= shape.n)
      throw UserError(
          fmt::format("--at: ({}, {}) is not in the {} x {} outputs", i, j, shape.m, shape.n));
    return map.class_at(i, j);
  }
  if (arguments.which_class.empty()) return std::nullopt;
  const std::int64_t number = parse_pair("--class", arguments.which_class).first;
  if (number < 0 || number >= std::ssize(map.regime->classes))
    throw UserError(fmt::format("--class: the regime of this shape has the classes 0..{}",
                                map.regime->classes.size() - 1));
  return static_cast<int>(number);
}

std::string shape_text(const spec::Shape3& shape, bool is_vector) {
  return is_vector ? fmt::format("m = {}, k = {}", with_commas(shape.m), with_commas(shape.k))
                   : fmt::format("m = {}, n = {}, k = {}", with_commas(shape.m),
                                 with_commas(shape.n), with_commas(shape.k));
}

std::size_t regime_number(const spec::MatrixEntry& entry, const spec::RegionMap& map) {
  return static_cast<std::size_t>(map.regime - entry.regimes.data());
}

Json stretches_json(const std::vector<spec::Stretch>& stretches) {
  Json out = Json::array();
  for (const spec::Stretch& s : stretches) out.push_back({s.first, s.count, s.type});
  return out;
}

Json map_json(const spec::Spec& spec, const spec::MatrixEntry& entry, const spec::RegionMap& map) {
  Json classes = Json::array();
  for (const spec::MatrixClass& which : map.regime->classes)
    classes.push_back(class_json(spec, which));
  return Json{{"regime", regime_number(entry, map)}, {"guard", guard_text(*map.regime)},
              {"rows", stretches_json(map.rows)},    {"columns", stretches_json(map.columns)},
              {"table", map.regime->table},          {"classes", classes}};
}

}  // namespace

bool asks_for_matrix(const ShowArguments& a) {
  return !a.m.empty() || !a.k.empty() || !a.trans.empty() || !a.which_class.empty() ||
         !a.which_output.empty() || !a.gaps.empty();
}

std::vector<const spec::MatrixEntry*> selected_matrices(const spec::Spec& spec,
                                                        const ShowArguments& arguments) {
  std::vector<const spec::MatrixEntry*> out;
  for (const spec::MatrixEntry& entry : spec.matrices) {
    const spec::Guard& guard = entry.guard;
    const bool is_vector = entry.routine == spec::Routine::gemv;
    if (!arguments.routine.empty()) {
      if (parse_routine(arguments.routine) != RoutineType{entry.routine, entry.type}) continue;
      if (!arguments.trans.empty() &&
          parse_trans(arguments.trans, is_vector) != std::pair{guard.trans_a, guard.trans_b})
        continue;
    } else if (!arguments.trans.empty()) {
      throw UserError("--trans needs --routine");
    }
    const auto has = [](const auto& list, const auto& value) {
      return std::find(list.begin(), list.end(), value) != list.end();
    };
    if (arguments.threads > 0 && !has(guard.threads, arguments.threads)) continue;
    if (!arguments.increments.empty()) {
      const auto [incx, incy] = parse_pair("--inc", arguments.increments);
      if (!spec::admits(guard.increments, incx, incy)) continue;
    }
    out.push_back(&entry);
  }
  return out;
}

std::string show_matrix(const spec::Spec& spec, const ShowArguments& arguments) {
  const bool is_vector =
      !arguments.routine.empty() && parse_routine(arguments.routine).first == spec::Routine::gemv;
  if (arguments.routine.empty())
    throw UserError("a map is of one routine: give --routine, such as sgemm");
  const spec::Shape3 shape = shape_of(arguments, is_vector);
  const spec::MatrixEntry& entry = the_entry(spec, arguments, shape);
  const spec::RegionMap map = *spec::regions(entry.regimes, shape);
  const std::optional<int> number = class_of(map, shape, arguments);
  const std::string format = arguments.as();
  if (format == "asm" || format == "ir")
    throw UserError("--format " + format +
                    ": the kernels of gemv and gemm are made for one call; "
                    "`reprosum list SPEC` names them");

  const std::string shown = routine_name(entry) + ", " + shape_text(shape, is_vector);
  if (format == "json") {
    Json out{{"schema", "reprosum-show/1"},        {"spec", arguments.spec},
             {"sha256", spec::meaning_hash(spec)}, {"provenance", provenance_json(spec)},
             {"entry", to_json(spec, entry)},      {"shape", {shape.m, shape.n, shape.k}},
             {"map", map_json(spec, entry, map)}};
    if (number) {
      const auto& which = map.regime->classes[static_cast<std::size_t>(*number)];
      out["class"] = *number;
      out["postorder"] = tree_json(spec::expand(spec.orders.at(which.order), shape.k));
    }
    return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  if (number) {
    const auto& which = map.regime->classes[static_cast<std::size_t>(*number)];
    const spec::Order& order = spec.orders.at(which.order);
    Caption caption;
    caption.title = fmt::format("{}, class {}", shown, *number);
    caption.order = spec::describe(order);
    caption.context = spec::describe(entry.guard, entry.routine);
    caption.identity = "order " + spec::meaning_hash(order).substr(0, 12) + origin(spec);
    caption.left = "a";
    caption.right = is_vector ? "x" : "b";
    return tree_in(format, order, shape.k, caption);
  }
  if (format == "dot") throw UserError("--format dot draws trees: give --class or --at");
  const RegionPicture picture = region_picture(spec, map, shape, is_vector);
  RegionCaption caption;
  caption.title = shown;
  caption.context = spec::describe(entry.guard, entry.routine);
  caption.regime = guard_text(*map.regime);
  if (entry.regimes.size() > 1)
    caption.regime = fmt::format("regime {} of 0..{}: {}", regime_number(entry, map),
                                 entry.regimes.size() - 1, caption.regime);
  caption.identity = "spec " + spec::meaning_hash(spec).substr(0, 12) + origin(spec);
  return format == "svg" ? render_region_svg(picture, caption)
                         : render_region_text(picture, caption);
}

}  // namespace reprosum::cli
