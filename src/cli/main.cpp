// reprosum: reveal, look at, compare and check the accumulation order of a BLAS.
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "src/base/nearest.h"
#include "src/cli/errors.h"
#include "src/cli/verb.h"

namespace {

constexpr const char* kExamples = R"(Examples:
  reprosum capture --target blas:libopenblas.so.0 -o openblas.json
  reprosum show openblas.json --routine ddot
  reprosum show openblas.json --routine sdot --n 48 --format svg -o sdot.svg
  reprosum verify openblas.json --target blas:libopenblas.so.0
  reprosum diff here.json there.json
  reprosum list openblas.json
  reprosum gen openblas.json --isa avx2,avx512 -o kernels
  reprosum hash openblas.json
  reprosum doctor

Exit codes, as in diff: 0 same or done, 1 different or refused, 2 trouble.
Every verb takes --json: one object on stdout with a "schema" field.)";

// Long products of captures come and go by the hundred MiB: memory that is given back and taken
// anew for each costs a third of their processor time in page faults.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kAll = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, kAll);
  mallopt(M_TRIM_THRESHOLD, kAll);
#endif
}

// The code, if all that was said has been written. A buffer that could not be is forgotten: a later
// flush succeeds, and only the stream's error tells.
int written(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  std::fprintf(stderr, "reprosum: environment: cannot write to standard output\n");
  return reprosum::cli::kTrouble;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace reprosum::cli;
  try {
    CLI::App app{
        "Reveal the accumulation order of a BLAS by probing, keep it, compare it, replay it."};
    app.name("reprosum");
    app.footer(kExamples);
    app.set_version_flag("--version", "reprosum " REPROSUM_VERSION);
    app.require_subcommand(1);
    app.get_formatter()->column_width(34);
    Action action;
    add_capture(app, action);
    add_show(app, action);
    add_verify(app, action);
    add_diff(app, action);
    add_gen(app, action);
    add_list(app, action);
    add_hash(app, action);
    add_doctor(app, action);
    const auto verbs = app.get_subcommands([](const CLI::App*) { return true; });
    const auto named = [&](const CLI::App* verb) { return verb->get_name() == argv[1]; };
    if (argc > 1 && argv[1][0] != '-' && std::none_of(verbs.begin(), verbs.end(), named)) {
      std::vector<std::string> names;
      for (const CLI::App* verb : verbs) names.push_back(verb->get_name());
      const std::string meant = reprosum::base::nearest(argv[1], names);
      throw CLI::ParseError("there is no verb \"" + std::string(argv[1]) + "\"" +
                                (meant.empty() ? "" : "; did you mean " + meant + "?"),
                            kTrouble);
    }
    try {
      app.parse(argc, argv);
    } catch (const CLI::Success& e) {
      return written(app.exit(e));  // --help, --version
    }
    keep_freed_memory();
    return written(action());
  } catch (...) {
    return report(std::current_exception());
  }
}
