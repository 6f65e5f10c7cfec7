#include "src/cli/matrix_entries.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "spec/json.h"
#include "spec/names.h"
#include "spec/surface.h"

namespace reprosum::cli {
namespace {

const char* letter(spec::Trans trans) { return trans == spec::Trans::no ? "N" : "T"; }

std::set<std::size_t> orders_of(const spec::MatrixEntry& entry) {
  std::set<std::size_t> orders;
  for (const spec::MatrixRegime& regime : entry.regimes)
    for (const spec::MatrixClass& output : regime.classes) orders.insert(output.order);
  return orders;
}

// A bound on one size of the shapes that the regime covers; 0 if it covers none. Axes, the guard
// and k_max each give one. A regime without axes says that its shapes are not covered.
std::int64_t bound(const spec::MatrixRegime& regime, char size) {
  const auto has_class = [](const std::vector<std::int32_t>& row) {
    return std::any_of(row.begin(), row.end(), [](std::int32_t c) { return c >= 0; });
  };
  if (regime.rows.empty() || regime.columns.empty() ||
      std::none_of(regime.table.begin(), regime.table.end(), has_class))
    return 0;
  std::int64_t most =
      size == 'k' ? regime.k_max : (size == 'm' ? regime.rows : regime.columns).back().to;
  for (const spec::Atom& atom : regime.guard) {
    const bool used = size == 'm' ? atom.use_m : size == 'n' ? atom.use_n : atom.use_k;
    if (atom.kind == spec::Atom::Kind::at_most && used) most = std::min(most, atom.limit);
  }
  return most;
}

}  // namespace

spec::Shape3 largest(const spec::MatrixEntry& entry) {
  spec::Shape3 out;
  for (const spec::MatrixRegime& regime : entry.regimes) {
    out.m = std::max(out.m, std::min(entry.m_max, bound(regime, 'm')));
    out.n = std::max(out.n, std::min(entry.n_max, bound(regime, 'n')));
    out.k = std::max(out.k, bound(regime, 'k'));
  }
  return out;
}

std::string routine_name(const spec::MatrixEntry& entry) {
  std::string name = spec::blas_name(entry.routine, entry.type) + " " + letter(entry.guard.trans_a);
  if (entry.routine == spec::Routine::gemm) name += letter(entry.guard.trans_b);
  return name;
}

std::string increments_text(const spec::MatrixEntry& entry) {
  if (entry.routine != spec::Routine::gemv) return "";
  return spec::text_of(entry.guard.increments, true);
}

std::string threads_text(const spec::MatrixEntry& entry) {
  std::string out;
  for (const int t : entry.guard.threads) out += fmt::format("{}{}", out.empty() ? "" : " ", t);
  return out;
}

std::string addresses_text(const spec::MatrixEntry& entry) {
  std::string out = spec::describe(entry.guard.addresses, entry.routine);
  if (entry.guard.alignment > 1)
    out += fmt::format("{}multiples of {}", out.empty() ? "" : ", ", entry.guard.alignment);
  return out.empty() ? "any" : out;
}

std::string limits_text(const spec::MatrixEntry& entry) {
  const spec::MatrixGuard& guard = entry.guard;
  std::string out;
  const auto add = [&](bool holds, const std::string& text) {
    if (holds) out += (out.empty() ? "" : ", ") + text;
  };
  add(guard.leading != spec::Leadings{}, spec::describe(guard.leading));
  add(guard.alpha_one, "alpha = 1");
  add(guard.beta == spec::Beta::one, "beta = 1");
  add(guard.beta != spec::Beta::one && guard.beta != spec::Beta::any, "beta other than 1");
  add(guard.nan_beta_is_zero, "beta = NaN as 0");
  add(guard.finite_only, "finite data");
  add(guard.nonzero_only, "no zero factors");
  return out;
}

std::string context_text(const spec::MatrixEntry& entry) {
  std::string out;
  if (entry.routine == spec::Routine::gemv) out = "inc " + increments_text(entry) + ", ";
  out += "threads " + threads_text(entry);
  out += entry.guard.row_major ? ", by columns and rows" : ", by columns";
  if (entry.guard.alignment > 1)
    out += fmt::format(", addresses and leading dimensions multiples of {} bytes",
                       entry.guard.alignment);
  if (!entry.guard.addresses.is_any())
    out += ", " + spec::describe(entry.guard.addresses, entry.routine) + " bytes";
  if (const std::string limits = limits_text(entry); !limits.empty()) out += ", " + limits;
  return out;
}

std::string largest_text(const spec::MatrixEntry& entry) {
  const spec::Shape3 most = largest(entry);
  return entry.routine == spec::Routine::gemv ? fmt::format("{} x {}", most.m, most.k)
                                              : fmt::format("{} x {} x {}", most.m, most.n, most.k);
}

std::string rules_text(const spec::MatrixEntry& entry) {
  return plural(static_cast<std::int64_t>(entry.regimes.size()), "regime") + ", " +
         plural(static_cast<std::int64_t>(orders_of(entry).size()), "order");
}

Json to_json(const spec::MatrixGuard& guard) {
  Json addresses = nullptr;
  if (!guard.addresses.is_any())
    addresses = {{"moduli", guard.addresses.moduli}, {"residues", guard.addresses.residues}};
  const auto leading = [&](std::size_t operand) {
    return spec::word_of(spec::kLeadingWords, guard.leading[operand]);
  };
  return Json{{"trans_a", letter(guard.trans_a)},
              {"trans_b", letter(guard.trans_b)},
              {"increments", spec::json_of(guard.increments)},
              {"threads", guard.threads},
              {"row_major", guard.row_major},
              {"alignment", guard.alignment},
              {"addresses", addresses},
              {"finite_only", guard.finite_only},
              {"nonzero_only", guard.nonzero_only},
              {"alpha_one", guard.alpha_one},
              {"beta", spec::word_of(spec::kBetaWords, guard.beta)},
              {"leading", leading(0)},
              {"leading_b", leading(1)},
              {"leading_c", leading(2)}};
}

Json to_json(const spec::MatrixCertificate& c) {
  return Json{{"shapes_learned", c.shapes_learned},
              {"shapes_checked", c.shapes_checked},
              {"outputs_checked", c.outputs_checked},
              {"special_outputs", c.special_outputs},
              {"classes", c.classes},
              {"largest", {c.largest_m, c.largest_n, c.largest_k}},
              {"calls", c.calls},
              {"seed", c.seed},
              {"not_checked", c.not_checked}};
}

Json to_json(const spec::Spec& spec, const spec::MatrixEntry& entry) {
  Json orders = Json::array();
  for (const std::size_t order : orders_of(entry))
    orders.push_back({{"order", spec::describe(spec.orders.at(order))},
                      {"order_sha256", spec::meaning_hash(spec.orders.at(order))}});
  const spec::Shape3 most = largest(entry);
  return Json{{"routine", spec::blas_name(entry.routine, entry.type)},
              {"guard", to_json(entry.guard)},
              {"largest", {most.m, most.n, most.k}},
              {"regimes", entry.regimes.size()},
              {"orders", orders},
              {"certificate", to_json(entry.certificate)}};
}

}  // namespace reprosum::cli
