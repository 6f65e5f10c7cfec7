// reprosum list: the kernels that would run on this host.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "kernels/device/devices.h"
#include "kernels/kernel.h"
#include "kernels/launch/matrix_launches.h"
#include "kernels/launch/sum_launches.h"
#include "kernels/matrix.h"
#include "spec/conditions.h"
#include "spec/error.h"
#include "spec/expand.h"
#include "spec/json.h"
#include "spec/surface.h"
#include "src/base/environment.h"
#include "src/cli/isa.h"
#include "src/cli/output.h"
#include "src/cli/verb.h"
#include "src/report/entries.h"
#include "src/report/region_rules.h"

namespace reprosum::cli {
namespace {

struct Arguments {
  std::string spec;
  bool json = false;
};

// What computes one class of outputs of one shape; for sum and dot, the sums of every size.
struct Row {
  std::string regime, shape, beta, kernel, isa, why, not_on_devices;
  std::int64_t out_of_order = 0;  // from which n on; 0: none
  bool operator==(const Row&) const = default;
};

// What does what a chosen device has no kernels for.
kernels::Isa of_this_host(kernels::Isa isa) {
  return kernels::backend(isa).on_device ? kernels::host_isas().back() : isa;
}

std::string remark_of(const Row& row) {
  std::string remark = row.why;
  if (row.why.empty() && row.out_of_order > 0)
    remark = "from n = " + with_commas(row.out_of_order) + " on out of order, with the same bits";
  if (row.not_on_devices.empty()) return remark;
  return remark + (remark.empty() ? "" : "; ") + "not on devices: " + row.not_on_devices;
}

// Why devices have no kernels for the order, at one size; "" where they have.
std::string device_refusal(const spec::Order& order, const spec::Entry& entry) {
  try {
    const kernels::launch::SumLaunches launches(order, entry.routine, entry.type);
    kernels::launch::RowsCall call;
    call.n = std::min({spec::most_summands(entry), spec::covered_to(order), std::int64_t{1000}});
    launches.call(call);
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

template <class T>
Row order_row(const spec::Spec& spec, const spec::Entry& entry, kernels::Isa isa) {
  const std::size_t which = spec::order_of(entry);
  const spec::Order& order = spec.orders.at(which);
  Row row;
  row.not_on_devices = device_refusal(order, entry);
  if (kernels::backend(isa).on_device && row.not_on_devices.empty()) {
    row.isa = kernels::name(isa);
    row.kernel =
        routine_name(entry) + "_" + spec::meaning_hash(order).substr(0, 12) + "_" + row.isa;
    return row;
  }
  const bool is_late = which >= kernels::kMaxGeneratedOrders;
  const kernels::Isa by = is_late ? kernels::Isa::interpreter : of_this_host(isa);
  const auto kernel = kernels::compile<T>(order, entry.routine, {by, ""}, &row.why);
  row.kernel = kernel->name();
  row.isa = kernels::name(kernel->isa());
  row.out_of_order = kernel->first_out_of_order();
  if (is_late) row.why = "the spec has more orders than kernels are made for";
  return row;
}

// Shapes that the regime decides and that together have all of its classes, as far as they are
// found; the first is as square as the regime admits.
std::vector<spec::Shape3> examples(const spec::Entry& entry, const spec::MatrixRegime& regime) {
  std::vector<std::int64_t> sizes{100, 1000, 30, 10, 3, 1, 2000};
  for (std::int64_t size = 2; size <= 17; ++size) sizes.push_back(size);
  for (const spec::Atom& atom : regime.guard)
    if (atom.use_m + atom.use_n + atom.use_k == 1)
      sizes.insert(sizes.end(), {std::max<std::int64_t>(atom.limit, 1), atom.limit + 1});
  const bool is_vector = entry.routine == spec::Routine::gemv;
  std::vector<spec::Shape3> out;
  std::set<std::int32_t> missing;
  for (std::size_t c = 0; c < regime.classes.size(); ++c)
    missing.insert(static_cast<std::int32_t>(c));
  const std::vector<std::int64_t> one{1};
  for (const std::int64_t m : sizes)
    for (const std::int64_t n : is_vector ? one : sizes)
      for (const std::int64_t k : sizes) {
        if (missing.empty()) return out;
        const spec::Shape3 shape{std::min(m, entry.m_max), std::min(n, entry.n_max),
                                 std::min(k, regime.k_max)};
        const auto map = spec::regions(entry.regimes, shape);
        if (!map || map->regime != &regime) continue;
        const std::size_t before = missing.size();
        for (const spec::Stretch& rows : map->rows)
          for (const spec::Stretch& columns : map->columns)
            missing.erase(map->class_at(rows.first, columns.first));
        if (missing.size() < before) out.push_back(shape);
      }
  return out;
}

// Why devices have no kernels for the shape; "" where they have.
std::string device_refusal(const kernels::launch::MatrixLaunches& launches,
                           const spec::Entry& entry, const spec::RegionMap& map,
                           const spec::Shape3& shape, double beta) {
  kernels::launch::MatrixCall call;
  call.routine = entry.routine;
  call.trans_a = entry.guard.trans_a;
  call.trans_b = entry.guard.trans_b;
  call.m = shape.m;
  call.n = shape.n;
  call.k = shape.k;
  call.beta = beta;
  call.lda = std::max(shape.m, shape.k);
  call.ldb = std::max(shape.n, shape.k);
  call.ldc = shape.m;
  try {
    launches.call(map, call);
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

// What computes the outputs where C is read and where it is not: one line a class each.
// `refusals`: by devices, of beta = 1 and beta = 0.
template <class T>
void add_kernels(const kernels::MatrixKernels<T>& kernels, const spec::RegionMap& map,
                 std::int64_t k, Row row, const std::array<std::string, 2>& refusals,
                 std::vector<Row>& rows) {
  const std::vector<std::string> with = kernels.names(map, k, T(1));
  const std::vector<std::string> without = kernels.names(map, k, T(0));
  const auto add = [&](const char* beta, const std::string& kernel, const std::string& refusal) {
    row.beta = beta;
    row.kernel = kernel;
    row.not_on_devices = refusal;
    rows.push_back(row);
  };
  for (std::size_t c = 0; c < with.size(); ++c) {
    const bool is_same = with[c] == without[c] && refusals[0] == refusals[1];
    add(is_same ? "any" : "not 0", with[c], refusals[0]);
    if (!is_same) add("0", without[c], refusals[1]);
  }
}

template <class T>
void add_regions(const spec::Spec& spec, const spec::Entry& entry, kernels::Isa isa,
                 std::vector<Row>& rows) {
  const auto compiled = kernels::compile_matrix<T>(spec, entry, {of_this_host(isa), ""});
  std::optional<kernels::launch::MatrixLaunches> launches;
  std::string refused;
  try {
    launches.emplace(spec, entry);
  } catch (const UserError& e) {
    refused = e.what();
  }
  for (const spec::MatrixRegime& regime : entry.regimes) {
    Row row;
    row.regime = guard_text(regime);
    const std::vector<spec::Shape3> shapes = examples(entry, regime);
    if (shapes.empty()) {
      row.beta = "any";
      row.kernel =
          regime.classes.empty() ? "not covered" : "no shape of this regime was found to try";
      rows.push_back(row);
    }
    for (const spec::Shape3& shape : shapes) {
      row.shape = sizes_text(shape, entry.routine);
      const auto map = spec::regions(entry.regimes, shape);
      std::array<std::string, 2> refusals{refused, refused};
      for (std::size_t k = 0; launches && k < 2; ++k)
        refusals[k] = device_refusal(*launches, entry, *map, shape, k == 0 ? 1 : 0);
      add_kernels(*compiled, *map, shape.k, row, refusals, rows);
    }
  }
  if (!kernels::backend(isa).on_device) return;
  for (Row& row : rows)  // the chosen device, where it does every class
    if (!row.shape.empty() && row.not_on_devices.empty())
      row.kernel = std::string(kernels::name(isa)) + ": every output";
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
}

template <class T>
std::vector<Row> rows_of(const spec::Spec& spec, const spec::Entry& entry, kernels::Isa isa) {
  if (!spec::has_matrices(entry.routine)) return {order_row<T>(spec, entry, isa)};
  std::vector<Row> rows;
  add_regions<T>(spec, entry, isa, rows);
  return rows;
}

std::vector<Row> rows_of(const spec::Spec& spec, const spec::Entry& entry, kernels::Isa isa) {
  if (spec::is_native(entry.type))
    return spec::is_f32(entry.type) ? rows_of<float>(spec, entry, isa)
                                    : rows_of<double>(spec, entry, isa);
  Row none;  // the type has no kernels of its own
  none.kernel = "none";
  none.why = "no kernels for " + spec::name(entry.type);
  return {none};
}

Json to_json(const Row& row) {
  return {{"regime", row.regime},
          {"shape", row.shape},
          {"beta", row.beta},
          {"kernel", row.kernel},
          {"isa", row.isa},
          {"out_of_order_from", row.out_of_order > 0 ? Json(row.out_of_order) : Json()},
          {"remark", row.why},
          {"not_on_devices", row.not_on_devices}};
}

// Adds to "kernels" of the JSON an object for each sum and dot, to "matrices" one with a list for
// each gemv and gemm. In words they have a table each, for they fill other columns.
std::string kernels_text(const spec::Spec& spec, kernels::Isa isa, Json& json) {
  const Table header(
      {"routine", "context", "up to", "regime", "for example", "beta", "kernel", "isa", "remark"});
  Table vectors = header, matrices = header;
  for (const spec::Entry& entry : spec.entries) {
    const bool has_matrices = spec::has_matrices(entry.routine);
    const std::vector<Row> rows = rows_of(spec, entry, isa);
    Json kernels = Json::array();
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const bool is_first = k == 0;
      const bool again = !is_first && rows[k].regime == rows[k - 1].regime;
      const bool same_shape = again && rows[k].shape == rows[k - 1].shape;
      (has_matrices ? matrices : vectors)
          .add({is_first ? routine_name(entry) : "",
                is_first ? spec::describe(entry.guard, entry.routine) : "",
                is_first ? largest_text(entry) : "", again ? "" : rows[k].regime,
                same_shape ? "" : rows[k].shape, rows[k].beta, rows[k].kernel, rows[k].isa,
                remark_of(rows[k])});
      kernels.push_back(to_json(rows[k]));
    }
    Json one{{"routine", spec::blas_name(entry.routine, entry.type)},
             {"guard", spec::json_of(entry.guard, entry.routine)}};
    if (has_matrices) {
      one["kernels"] = std::move(kernels);
    } else {
      one["n_max"] = spec::most_summands(entry);
      one.update(kernels.at(0));
    }
    json[has_matrices ? "matrices" : "kernels"].push_back(std::move(one));
  }
  std::string out;
  for (const Table* table : {&vectors, &matrices})
    if (!table->empty()) out += "\n" + table->text();
  return out;
}

// A line for each device, or one that says why there is none.
std::string devices_text(kernels::device::Dialect dialect, Json& json) {
  const std::string backend = kernels::device::name(dialect);
  std::string why, lines;
  try {
    const auto all = kernels::device::devices(dialect, &why);
    for (std::size_t k = 0; k < all.size(); ++k) {
      const kernels::device::Facts& facts = all[k]->facts();
      lines += fmt::format("{} device {}: {} ({})\n", backend, k, facts.name, facts.driver);
      json.push_back({{"backend", backend},
                      {"number", k},
                      {"name", facts.name},
                      {"driver", facts.driver},
                      {"compiler", facts.compiler},
                      {"f64", facts.has_f64}});
    }
  } catch (const EnvironmentError& e) {
    why = e.what();
  }
  return lines.empty() ? fmt::format("no {} device: {}\n", backend, why) : lines;
}

int run(const Arguments& arguments) {
  std::string path = arguments.spec;
  if (path.empty())
    if (const char* named = base::variable("REPROSUM_SPEC")) path = named;
  const kernels::Isa isa = chosen_isa();
  std::vector<std::string> isas;
  for (const kernels::Isa host : kernels::host_isas()) isas.emplace_back(kernels::name(host));
  Json backends = Json::array();
  for (const kernels::Isa known : kernels::all_isas()) {
    const kernels::Backend& row = kernels::backend(known);
    backends.push_back({{"name", row.name},
                        {"runs_here", row.runs_here()},
                        {"prints", row.print != nullptr},
                        {"compiles", row.compile != nullptr},
                        {"on_device", row.on_device}});
  }
  Json devices = Json::array();
  std::string device_lines;
  for (const auto dialect : {kernels::device::Dialect::opencl, kernels::device::Dialect::cuda})
    device_lines += devices_text(dialect, devices);
  Json json{{"schema", "reprosum-list/1"},
            {"backends", backends},
            {"host_isas", isas},
            {"devices", devices},
            {"chosen_isa", kernels::name(isa)},
            {"forced", base::variable("REPROSUM_ISA") != nullptr},
            {"spec", path.empty() ? Json() : Json(path)},
            {"kernels", Json::array()},
            {"matrices", Json::array()}};
  std::string kernels;
  if (!path.empty()) kernels = kernels_text(load_spec(path), isa, json);
  if (arguments.json) {
    print_json(json);
    return kSame;
  }
  std::string line;
  for (const std::string& name : isas) line += " " + name;
  print(fmt::format("this host runs:{}; chosen: {}{}\n", line, kernels::name(isa),
                    base::variable("REPROSUM_ISA") ? " (by REPROSUM_ISA)" : ""));
  print(device_lines);
  print(kernels);
  return kSame;
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* verb =
      app.add_subcommand("list", "List the kernels that would replay a spec on this host.");
  verb->add_option("spec", arguments->spec, "the spec file; default: $REPROSUM_SPEC, if set");
  verb->add_flag("--json", arguments->json, "report as one JSON object");
  verb->footer("REPROSUM_ISA forces one, or a device, here as in replay: " + kernels::isa_names() +
               ". What a device has no kernels for, the best ones of this host replay. "
               "REPROSUM_LONG_SUMS=in_order leaves long sums of one accumulator to the kernels of "
               "short ones. Captured specs of OpenBLAS, BLIS, the reference and NumPy ship in "
               "share/reprosum/library.\n\n"
               "Examples:\n"
               "  reprosum list openblas.json\n"
               "  REPROSUM_ISA=avx2 reprosum list openblas.json\n\n"
               "Exit codes: 0 done, 2 trouble.");
  verb->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace reprosum::cli
