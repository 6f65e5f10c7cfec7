// reprosum hash: the SHA-256 of what a document means, and the stamp that its readers ask for.
#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "spec/error.h"
#include "spec/surface.h"
#include "src/cli/output.h"
#include "src/cli/verb.h"
#include "src/report/entries.h"

namespace reprosum::cli {
namespace {

struct Arguments {
  std::string file;
  bool check = false, write = false, json = false;
};

int hash(const Arguments& arguments) {
  if ((arguments.write || arguments.check) && arguments.file == "-")
    throw UserError("--check and --write need a file, not standard input");
  const spec::Spec spec = load_spec(arguments.file, spec::Check::form);
  const std::string sha256 = spec::meaning_hash(spec);
  // Check::all, and nothing but the stamp is wrong with a document of the right form.
  bool is_stamped = true;
  if (arguments.check) try {
      load_spec(arguments.file);
    } catch (const ParseError&) {
      is_stamped = false;
    }
  if (arguments.write) write_output(arguments.file, spec::to_json(spec));
  if (arguments.json)
    print_json(Json{{"schema", "reprosum-hash/1"},
                    {"file", arguments.file},
                    {"sha256", sha256},
                    {"written", arguments.write}});
  else
    print(sha256 + "\n");
  return is_stamped ? kSame : kDifferent;
}

}  // namespace

void add_hash(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand("hash", "The SHA-256 of what a spec means.");
  verb->add_option("spec", arguments->file, "a spec file, or - for standard input")->required();
  verb->add_flag("--check", arguments->check, "exit code 1 unless the file has this hash");
  verb->add_flag("--write", arguments->write,
                 "write it into the file: for specs made or changed by hand");
  verb->add_flag("--json", arguments->json, "one JSON object");
  verb->footer(
      "A file whose own sha256 is wrong still has a hash: that of what it says. Readers refuse it\n"
      "until --write puts the right one in.\n\n"
      "Examples:\n"
      "  reprosum hash openblas.json\n"
      "  reprosum hash openblas.json --check     # in CI: is it the one in the file?\n\n"
      "Exit codes: 0 done, 1 with --check if the file has another one or none, 2 trouble.");
  verb->callback([arguments, &action] { action = [arguments] { return hash(*arguments); }; });
}

}  // namespace reprosum::cli
