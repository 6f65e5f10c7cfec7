// reprosum list: the kernels that would run on this host.
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "kernels/kernel.h"
#include "spec/error.h"
#include "spec/surface.h"
#include "src/cli/entries.h"
#include "src/cli/isa.h"
#include "src/cli/output.h"
#include "src/cli/verb.h"

namespace reprosum::cli {
namespace {

struct Arguments {
  std::string spec;
  bool json = false;
};

struct Row {
  std::string kernel, why;
  kernels::Isa isa = kernels::Isa::interpreter;
};

template <class T>
Row row_of(const spec::Order& order, spec::Routine routine, kernels::Isa isa) {
  Row row;
  const auto kernel = kernels::compile<T>(order, routine, {isa, ""}, &row.why);
  row.kernel = kernel->name();
  row.isa = kernel->isa();
  return row;
}

int run(const Arguments& arguments) {
  std::string path = arguments.spec;
  if (path.empty())
    if (const char* named = std::getenv("REPROSUM_SPEC")) path = named;
  const kernels::Isa isa = chosen_isa();
  std::vector<std::string> isas;
  for (const kernels::Isa host : kernels::host_isas()) isas.emplace_back(kernels::name(host));
  Json json{{"schema", "reprosum-list/1"},
            {"host_isas", isas},
            {"chosen_isa", kernels::name(isa)},
            {"forced", std::getenv("REPROSUM_ISA") != nullptr},
            {"spec", path.empty() ? Json() : Json(path)},
            {"kernels", Json::array()}};
  Table table({"routine", "context", "n up to", "kernel", "isa", "remark"});
  if (!path.empty()) {
    const spec::Spec spec = load_spec(path);
    for (const spec::Entry& entry : spec.entries) {
      const spec::Order& order = spec.orders.at(entry.order);
      const Row row = entry.type == spec::Type::f32 ? row_of<float>(order, entry.routine, isa)
                                                    : row_of<double>(order, entry.routine, isa);
      table.add({routine_name(entry), context_text(entry), with_commas(entry.n_max), row.kernel,
                 kernels::name(row.isa), row.why});
      json["kernels"].push_back({{"routine", routine_name(entry)},
                                 {"guard", to_json(entry.guard)},
                                 {"n_max", entry.n_max},
                                 {"kernel", row.kernel},
                                 {"isa", kernels::name(row.isa)},
                                 {"remark", row.why}});
    }
  }
  if (arguments.json) {
    print_json(json);
    return kSame;
  }
  std::string line;
  for (const std::string& name : isas) line += " " + name;
  print(fmt::format("this host runs:{}; chosen: {}{}\n", line, kernels::name(isa),
                    std::getenv("REPROSUM_ISA") ? " (by REPROSUM_ISA)" : ""));
  if (!table.empty()) print("\n" + table.text({2}));
  return kSame;
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* verb =
      app.add_subcommand("list", "List the kernels that would replay a spec on this host.");
  verb->add_option("spec", arguments->spec, "the spec file; default: $REPROSUM_SPEC, if set");
  verb->add_flag("--json", arguments->json, "report as one JSON object");
  verb->footer("REPROSUM_ISA=interpreter|avx2|avx512 forces one, here as in replay.");
  verb->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace reprosum::cli
