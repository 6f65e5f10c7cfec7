#include "src/report/show_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "spec/conditions.h"
#include "spec/error.h"
#include "spec/expand.h"
#include "spec/surface.h"
#include "src/report/arguments.h"
#include "src/report/empty_rules.h"
#include "src/report/entries.h"
#include "src/report/picture/region_picture.h"
#include "src/report/region_rules.h"
#include "src/report/show_call.h"
#include "src/report/show_rules.h"
#include "src/report/show_tree.h"

namespace reprosum::report {
namespace {

constexpr std::int64_t kMostLines = 300;  // of the rules of several routines

// "order 0123456789ab, captured from blas:libx.so.0 on a CPU".
std::string identity(const char* what, const std::string& hash, const spec::Spec& spec) {
  const std::string from = origin(spec);
  return fmt::format("{} {}{}{}", what, hash.substr(0, 12), from.empty() ? "" : ", captured from ",
                     from);
}

// The class that --class or --at names, if one does; sum and dot have one.
std::optional<int> class_of(const spec::RegionMap& map, const ShownCall& call,
                            const ShowArguments& arguments) {
  const auto& [entry, shape] = call;
  if (!spec::has_matrices(entry.routine)) return 0;
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

std::size_t regime_number(const spec::Entry& entry, const spec::RegionMap& map) {
  return static_cast<std::size_t>(map.regime - entry.regimes.data());
}

Json stretches_json(const std::vector<spec::Stretch>& stretches) {
  Json out = Json::array();
  for (const spec::Stretch& s : stretches) out.push_back({s.first, s.count, s.type});
  return out;
}

Json map_json(const spec::Spec& spec, const spec::Entry& entry, const spec::RegionMap& map) {
  Json classes = Json::array();
  for (const spec::MatrixClass& which : map.regime->classes)
    classes.push_back(to_json(spec, which));
  return Json{{"regime", regime_number(entry, map)}, {"guard", guard_text(*map.regime)},
              {"rows", stretches_json(map.rows)},    {"columns", stretches_json(map.columns)},
              {"table", map.regime->table},          {"classes", classes}};
}

Json heading_json(const spec::Spec& spec, const ShowArguments& arguments) {
  return {{"schema", "reprosum-show/1"},
          {"spec", arguments.spec},
          {"sha256", spec::meaning_hash(spec)},
          {"provenance", provenance_json(spec)}};
}

std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// The tree of one class, or of sum and dot; without a class the map of the shape.
std::string call_text(const spec::Spec& spec, const ShowArguments& arguments) {
  const ShownCall call = the_call(spec, arguments);
  const auto& [entry, shape] = call;
  const bool has_matrices = spec::has_matrices(entry.routine);
  const bool is_vector = entry.routine == spec::Routine::gemv;
  const spec::RegionMap map = *spec::regions(entry.regimes, shape);
  const std::optional<int> number = class_of(map, call, arguments);
  const std::string format = arguments.as();
  const spec::Order* const order =
      number ? &spec.orders.at(map.regime->classes.at(static_cast<std::size_t>(*number)).order)
             : nullptr;
  if (format == "json") {
    Json out = heading_json(spec, arguments);
    out["entry"] = to_json(spec, entry);
    out["shape"] = {shape.m, shape.n, shape.k};
    if (has_matrices) out["map"] = map_json(spec, entry, map);
    if (!has_matrices) out["n"] = shape.k;
    if (number && has_matrices) out["class"] = *number;
    if (number) out["postorder"] = tree_json(spec::expand(*order, shape.k));
    return text_of(out);
  }
  const std::string title = routine_name(entry) + ", " + shape_text(shape, entry.routine);
  const std::string context = spec::describe(entry.guard, entry.routine);
  if (number) {
    Caption caption;
    caption.title = has_matrices ? fmt::format("{}, class {}", title, *number) : title;
    caption.order = (has_matrices ? "" : "the rule of every n: ") + spec::describe(*order);
    caption.context = context;
    caption.identity = identity("order", spec::meaning_hash(*order), spec);
    caption.products = entry.routine != spec::Routine::sum;
    if (has_matrices) caption.left = "a";
    if (has_matrices) caption.right = is_vector ? "x" : "b";
    return tree_in(format, *order, shape.k, caption);
  }
  if (format == "dot") throw UserError("--format dot draws trees: give --class or --at");
  const RegionPicture picture = region_picture(spec, map, shape, is_vector);
  RegionCaption caption;
  caption.title = title;
  caption.context = context;
  caption.regime = guard_text(*map.regime);
  if (entry.regimes.size() > 1)
    caption.regime = fmt::format("regime {} of 0..{}: {}", regime_number(entry, map),
                                 entry.regimes.size() - 1, caption.regime);
  caption.identity = identity("spec", spec::meaning_hash(spec), spec);
  return format == "svg" ? render_region_svg(picture, caption)
                         : render_region_text(picture, caption);
}

std::string overview_json(const spec::Spec& spec, const ShowArguments& arguments) {
  Json out = heading_json(spec, arguments);
  out["entries"] = Json::array();
  for (const spec::Entry* entry : selected(spec, arguments))
    out["entries"].push_back(rules_json(spec, *entry));
  out["empty"] = empty_rules_json(spec);
  out["refused"] = Json::array();
  for (const spec::Refusal& refusal : spec.refusals) out["refused"].push_back(to_json(refusal));
  return text_of(out);
}

}  // namespace

void check_numbers(const ShowArguments& arguments) {
  for (const auto& [option, text] :
       {std::pair{"--n", arguments.n}, {"--m", arguments.m}, {"--k", arguments.k}})
    if (!text.empty()) parse_count(option, text);
  if (!arguments.increments.empty()) parse_pair("--inc", arguments.increments);
  if (!arguments.alignment.empty()) parse_integers("--align", arguments.alignment);
  if (!arguments.which_class.empty()) parse_pair("--class", arguments.which_class);
}

std::string shown(const spec::Spec& spec, const ShowArguments& arguments) {
  check_numbers(arguments);
  const std::string format = arguments.as();
  for (const std::string* of_one :
       {&arguments.n, &arguments.m, &arguments.k, &arguments.which_class, &arguments.which_output})
    if (!of_one->empty()) return call_text(spec, arguments);
  if (format != "text" && format != "json") return call_text(spec, arguments);
  if (format == "json") return overview_json(spec, arguments);
  const auto entries = selected(spec, arguments);
  if (entries.empty() && arguments.routine.empty())
    throw UserError("the spec has no entry for these options; " + choices_text(spec, arguments));
  if (entries.empty()) {  // a size that says what is missing
    ShowArguments one = arguments;
    one.n = "1";
    if (spec::has_matrices(parse_routine(one.routine).first)) one.m = one.k = "1";
    the_call(spec, one);
  }
  const std::string text = rules_text(spec, entries);
  const bool is_long = std::count(text.begin(), text.end(), '\n') > kMostLines;
  return is_long && arguments.routine.empty() ? overview_text(spec, entries) : text;
}

}  // namespace reprosum::report
