// diff of gemv and gemm: the first shape, output and addition at which two specs part, and how.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>

#include "spec/diff_matrix.h"
#include "spec/surface.h"
#include "src/cli/comparison.h"
#include "src/cli/matrix_entries.h"
#include "src/cli/matrix_pairing.h"

namespace reprosum::cli {
namespace {

constexpr std::size_t kWaysShown = 3;  // besides the first one

const char* verdict_of(const MatrixPairing& pairing, const spec::MatrixComparison& found) {
  if (pairing.b.empty()) return "only in A";
  if (pairing.a.empty()) return "only in B";
  if (!found.ways.empty()) return "differs";
  return found.coverage ? "same, other coverage" : "same";
}

std::string shape_text(const spec::Shape3& shape, bool is_vector) {
  return is_vector ? fmt::format("m = {}, k = {}", with_commas(shape.m), with_commas(shape.k))
                   : fmt::format("m = {}, n = {}, k = {}", with_commas(shape.m),
                                 with_commas(shape.n), with_commas(shape.k));
}

std::string indices(std::int64_t first, std::int64_t count) {
  return count == 1 ? std::to_string(first) : fmt::format("{}..{}", first, first + count - 1);
}

std::string block_text(const spec::MatrixDifference& way) {
  return fmt::format("({}, {})", indices(way.i, way.rows), indices(way.j, way.columns));
}

std::string first_text(const spec::MatrixComparison& found, bool is_vector) {
  const spec::MatrixDifference& first = found.ways.front();
  std::string out = fmt::format("first at {}, output ({}, {})", shape_text(first.shape, is_vector),
                                first.i, first.j);
  const std::int64_t all = first.shape.m * first.shape.n;
  if (all > 1)
    out += fmt::format(" ({} of {} outputs, {} the first of them)", with_commas(found.outputs),
                       with_commas(all), block_text(first));
  return out + ": " + first.what;
}

std::string text_of(const MatrixPairing& pairing, const spec::MatrixComparison& found,
                    const spec::Spec& a, const spec::Spec& b) {
  const bool is_vector = pairing.routine == spec::Routine::gemv;
  std::string out;
  if (!found.ways.empty()) {
    const spec::MatrixDifference& first = found.ways.front();
    std::string more = first_text(found, is_vector);
    if (!first.node_a.empty())
      more += fmt::format(". There A adds {}, B adds {}", first.node_a, first.node_b);
    more += fmt::format(". Of {} shapes tried {} differ, in {}.", with_commas(found.shapes),
                        with_commas(found.differing),
                        plural(static_cast<std::int64_t>(found.ways.size()), "way"));
    if (found.same_orders) more += " Both use the same orders; they stand at other outputs.";
    out += wrapped(more, 96, "    ");
    out += wrapped("A  " + spec::describe(a.orders.at(first.order_a)), 94, "      ");
    out += wrapped("B  " + spec::describe(b.orders.at(first.order_b)), 94, "      ");
    for (std::size_t k = 1; k < found.ways.size() && k <= kWaysShown; ++k) {
      const spec::MatrixDifference& way = found.ways[k];
      out += wrapped(fmt::format("also, first at {}, outputs {}: {}",
                                 shape_text(way.shape, is_vector), block_text(way), way.what),
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

Json json_of(const MatrixPairing& pairing, const spec::MatrixComparison& found, const spec::Spec& a,
             const spec::Spec& b) {
  const auto sides = [](const std::vector<const spec::MatrixEntry*>& entries) {
    Json out = Json::array();
    for (const spec::MatrixEntry* entry : entries)
      out.push_back({{"rules", rules_text(*entry)}, {"largest", largest_text(*entry)}});
    return out;
  };
  Json out{{"routine", pairing.name},          {"verdict", verdict_of(pairing, found)},
           {"contexts", contexts_of(pairing)}, {"entries_a", sides(pairing.a)},
           {"entries_b", sides(pairing.b)},    {"shapes", found.shapes},
           {"differing", found.differing}};
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

std::vector<Comparison> compare_matrices(const spec::Spec& a, const spec::Spec& b,
                                         const ThreadPair& threads) {
  std::vector<Comparison> out;
  spec::MatrixComparer comparer(a, b);
  for (const MatrixPairing& pairing : pair_matrices(a, b, threads)) {
    spec::MatrixComparison found;
    if (!pairing.a.empty() && !pairing.b.empty()) found = comparer.compare(pairing.a, pairing.b);
    const bool is_vector = pairing.routine == spec::Routine::gemv;
    out.push_back(
        {pairing.name, verdict_of(pairing, found), text_of(pairing), text_of(pairing, found, a, b),
         found.ways.empty() ? "" : first_text(found, is_vector), json_of(pairing, found, a, b)});
  }
  return out;
}

}  // namespace reprosum::cli
