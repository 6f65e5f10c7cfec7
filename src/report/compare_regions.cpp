// diff of gemv and gemm: the first shape, output and addition at which two specs part, and how.
#include <fmt/core.h>

#include <algorithm>

#include "src/report/comparison.h"
#include "src/report/entries.h"

namespace reprosum::report {
namespace {

constexpr std::size_t kWaysShown = 3;  // besides the first one

std::string indices(std::int64_t first, std::int64_t count) {
  return count == 1 ? std::to_string(first) : fmt::format("{}..{}", first, first + count - 1);
}

std::string block_text(const spec::MatrixDifference& way) {
  return fmt::format("({}, {})", indices(way.i, way.rows), indices(way.j, way.columns));
}

std::string first_text(const spec::MatrixComparison& found, spec::Routine routine) {
  const spec::MatrixDifference& first = found.ways.front();
  std::string out = fmt::format("first at {}, output ({}, {})", shape_text(first.shape, routine),
                                first.i, first.j);
  const std::int64_t all = first.shape.m * first.shape.n;
  if (all > 1)
    out += fmt::format(" ({} of {} outputs, {} the first of them)", with_commas(found.outputs),
                       with_commas(all), block_text(first));
  return out + ": " + first.what;
}

bool parts_in_trees(const spec::MatrixDifference& way) { return !way.node_a.empty(); }

std::string found_text(const spec::MatrixComparison& found, spec::Routine routine,
                       const spec::Spec& a, const spec::Spec& b) {
  std::string out;
  if (!found.ways.empty()) {
    const spec::MatrixDifference& first = found.ways.front();
    std::string more = first_text(found, routine);
    if (!first.node_a.empty())
      more += fmt::format(". There A adds {}, B adds {}", first.node_a, first.node_b);
    more += fmt::format(". {} of {} shapes tried differ, in {}.", with_commas(found.differing),
                        with_commas(found.shapes),
                        plural(static_cast<std::int64_t>(found.ways.size()), "way"));
    const bool is_in_trees = std::any_of(found.ways.begin(), found.ways.end(), parts_in_trees);
    if (found.same_orders && is_in_trees)
      more += " Both use the same orders; they stand at other outputs.";
    out += wrapped(more, 96, "    ");
    // One text on both sides says nothing.
    const std::string order_a = spec::describe(a.orders.at(first.order_a));
    const std::string order_b = spec::describe(b.orders.at(first.order_b));
    if (order_a != order_b)
      out += wrapped("A  " + order_a, 94, "      ") + wrapped("B  " + order_b, 94, "      ");
    for (std::size_t k = 1; k < found.ways.size() && k <= kWaysShown; ++k) {
      const spec::MatrixDifference& way = found.ways[k];
      if (way.what == first.what) continue;  // at other outputs, which the number of ways counts
      out += wrapped(fmt::format("also, first at {}, outputs {}: {}",
                                 shape_text(way.shape, routine), block_text(way), way.what),
                     92, "      ");
    }
    if (found.ways.size() > kWaysShown + 1)
      out += fmt::format("      and {} more (--json lists them)\n",
                         found.ways.size() - kWaysShown - 1);
  }
  if (found.coverage) out += wrapped("coverage: " + found.coverage->what, 92, "    ");
  return out;
}

Json way_json(const spec::MatrixDifference& way, const spec::Spec& a, const spec::Spec& b) {
  Json out{{"shape", {way.shape.m, way.shape.n, way.shape.k}},
           {"output", {way.i, way.j}},
           {"neighbours", {way.rows, way.columns}},
           {"what", way.what},
           {"order_a", spec::describe(a.orders.at(way.order_a))},
           {"order_b", spec::describe(b.orders.at(way.order_b))},
           {"order_a_sha256", spec::meaning_hash(a.orders.at(way.order_a))},
           {"order_b_sha256", spec::meaning_hash(b.orders.at(way.order_b))},
           {"shapes", way.shapes}};
  if (!way.node_a.empty()) {
    out["node_a"] = way.node_a;
    out["node_b"] = way.node_b;
  }
  return out;
}

Json found_json(const spec::MatrixComparison& found, const spec::Spec& a, const spec::Spec& b) {
  Json out{{"shapes", found.shapes}, {"differing", found.differing}};
  if (!found.ways.empty()) {
    out["same_orders"] = found.same_orders;
    out["first"] = way_json(found.ways.front(), a, b);
    out["first"]["outputs"] = found.outputs;
    out["ways"] = Json::array();
    for (const spec::MatrixDifference& way : found.ways) out["ways"].push_back(way_json(way, a, b));
  }
  if (found.coverage)
    out["coverage"] = {
        {"shape", {found.coverage->shape.m, found.coverage->shape.n, found.coverage->shape.k}},
        {"only_in", found.coverage->in_a ? "A" : "B"},
        {"what", found.coverage->what}};
  return out;
}

}  // namespace

Comparison RegionComparer::compare(const Pairing& pairing) {
  const spec::MatrixComparison found = comparer_.compare(pairing.a, pairing.b);
  Comparison out;
  out.verdict = !found.ways.empty() ? "differs" : found.coverage ? "same, other coverage" : "same";
  out.text = found_text(found, pairing.routine, a_, b_);
  if (!found.ways.empty()) out.brief = first_text(found, pairing.routine);
  out.json = found_json(found, a_, b_);
  return out;
}

}  // namespace reprosum::report
