// reprosum gen: the kernels of a spec as files, made before the program runs.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/ahead.h"
#include "kernels/compile_thread.h"
#include "kernels/text/c_spec.h"
#include "spec/error.h"
#include "spec/surface.h"
#include "src/cli/isa.h"
#include "src/cli/linked_source.h"
#include "src/cli/output.h"
#include "src/cli/verb.h"
#include "src/report/entries.h"

namespace reprosum::cli {
namespace {

struct Arguments {
  std::string spec, emit = "object", directory, name = "reprosum_kernels";
  std::vector<std::string> isas, routines, shapes;
  bool json = false;
};

bool is_identifier(const std::string& name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) return false;
  for (const char c : name)
    if (c != '_' && !std::isalnum(static_cast<unsigned char>(c))) return false;
  return true;
}

void check_routines(const std::vector<std::string>& routines) {
  for (const std::string& name : routines) {
    bool known = false;
    for (const auto routine :
         {spec::Routine::sum, spec::Routine::dot, spec::Routine::gemv, spec::Routine::gemm})
      for (const auto type : {spec::Type::f32, spec::Type::f64})
        known = known || name == spec::blas_name(routine, type);
    if (!known)
      throw UserError("--routines: unknown routine \"" + name +
                      "\"; known are ssum dsum sdot ddot sgemv dgemv sgemm dgemm");
  }
}

// "MxNxK": a product of m x k by k x n; gemv is one of n = 1.
spec::Shape3 parse_shape(const std::string& text) {
  std::int64_t sizes[3] = {};
  const char *at = text.data(), *const end = at + text.size();
  for (int k = 0; k < 3; ++k) {
    const auto [next, error] = std::from_chars(at, end, sizes[k]);
    const bool is_last = k == 2;
    if (error != std::errc() || sizes[k] < 1 ||
        (is_last ? next != end : next == end || *next != 'x'))
      throw UserError("--shapes: \"" + text + "\" is not of the form MxNxK, such as 64x64x128");
    at = next + (is_last ? 0 : 1);
  }
  return {sizes[0], sizes[1], sizes[2]};
}

[[noreturn]] void refuse_objects(const std::string& name) {
  for (const kernels::Isa isa : kernels::all_isas())
    if (kernels::backend(isa).archive != nullptr)
      throw UserError("--isa: no objects are made for " + name);
  throw EnvironmentError(
      "this reprosum was built without LLVM and makes no objects; --emit c does without");
}

LinkedSource made(const spec::Spec& spec, const Arguments& arguments) {
  LinkedSource source{arguments.name, spec::meaning_hash(spec), {}};
  std::vector<spec::Shape3> shapes;
  for (const std::string& text : arguments.shapes) shapes.push_back(parse_shape(text));
  std::set<kernels::Isa> seen;  // a backend has several names
  for (const std::string& name : arguments.isas) {
    const kernels::Isa isa = parse_isa("--isa", name);
    if (kernels::backend(isa).archive == nullptr) refuse_objects(name);
    if (!seen.insert(isa).second) continue;
    const auto make = [&] {
      source.backends.push_back(kernels::make_ahead(spec, isa, arguments.routines, shapes));
    };
    const kernels::JobEnd end = kernels::on_compile_thread(make);
    if (end == kernels::JobEnd::gave_up) throw InternalError("LLVM gave up on an order");
    if (end == kernels::JobEnd::no_thread)
      throw EnvironmentError("the system grants no thread to make kernels");
  }
  return source;
}

void make_directory(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw EnvironmentError("cannot make " + directory + ": " + error.message());
}

// The whole spec as source. Calls whose code cannot be printed are refused by the source as well.
int emit_c(const Arguments& arguments) {
  if (!arguments.isas.empty() || !arguments.routines.empty() || !arguments.shapes.empty())
    throw UserError(
        "--emit c writes the whole spec, for every processor: without --isa, --routines, --shapes");
  const kernels::text::CText text =
      kernels::text::c_text(load_spec(arguments.spec), arguments.name);
  make_directory(arguments.directory);
  Json json{{"schema", "reprosum-gen/1"}, {"files", Json::array()}};
  for (const kernels::text::CFile& file : text.files) {
    write_output(arguments.directory + "/" + file.name, file.content);
    json["files"].push_back(file.name);
  }
  json["entries"] = text.entries;
  json["missing"] = text.missing;
  if (arguments.json) {
    print_json(json);
  } else {
    print(fmt::format("{} of {} rules of the spec printed, {}\n",
                      text.entries - std::min(text.entries, text.missing.size()), text.entries,
                      plural(static_cast<std::int64_t>(text.files.size()), "file")));
    for (const std::string& line : text.missing) print("not printed: " + line + "\n");
  }
  return text.missing.empty() ? kSame : kDifferent;
}

int emit_objects(const Arguments& arguments) {
  if (arguments.isas.empty()) throw UserError("--emit object needs --isa");
  if (!is_identifier(arguments.name))
    throw UserError("--name: \"" + arguments.name + "\" is no identifier of C");
  check_routines(arguments.routines);
  const spec::Spec spec = load_spec(arguments.spec);
  const LinkedSource source = made(spec, arguments);
  make_directory(arguments.directory);
  const std::string start = arguments.directory + "/" + arguments.name;
  write_output(start + ".h", source.header());
  write_output(start + ".c", source.source());
  std::map<std::string, kernels::Objects> members;
  std::map<std::string, decltype(kernels::Backend::archive)> archives;
  Json json{{"schema", "reprosum-gen/1"}, {"spec", source.spec_hash}, {"backends", Json::array()}};
  Table table({"backend", "objects", "bytes", "left to the interpreter"});
  for (const kernels::AheadObjects& backend : source.backends) {
    std::size_t bytes = 0;
    archives[architecture_of(backend.isa())] = kernels::backend(backend.isa()).archive;
    for (const kernels::AheadObject& object : backend.objects()) {
      members[architecture_of(backend.isa())].emplace_back(object.prefix + ".o", object.bytes);
      bytes += object.bytes.size();
    }
    const std::string left = plural(static_cast<std::int64_t>(backend.left().size()), "order");
    table.add({kernels::name(backend.isa()), std::to_string(backend.objects().size()),
               with_commas(static_cast<std::int64_t>(bytes)), left});
    json["backends"].push_back({{"name", kernels::name(backend.isa())},
                                {"objects", backend.objects().size()},
                                {"bytes", bytes},
                                {"interpreted", backend.left()}});
  }
  for (const auto& [architecture, objects] : members)
    write_output(start + "-" + architecture + ".a", archives.at(architecture)(objects));
  if (arguments.json)
    print_json(json);
  else
    print(table.text({1, 2}));
  return kSame;
}

}  // namespace

void add_gen(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand(
      "gen",
      "Make the kernels of a spec ahead of time, to be linked into a program, or its source.");
  verb->add_option("spec", arguments->spec, "the spec file")->required();
  verb->add_option("--emit", arguments->emit,
                   "object: NAME-ARCHITECTURE.a with the objects, NAME.c that hands them to the "
                   "library by the hashes of their orders, and NAME.h. c: the routines of the spec "
                   "as C11, which needs no library: NAME.h, NAME_sdot.c, ..., CMakeLists.txt")
      ->check(CLI::IsMember({"object", "c"}))
      ->capture_default_str();
  verb->add_option("--isa,--backend", arguments->isas,
                   "backends, separated by commas: of " + kernels::isa_names() +
                       "; also x86-64-v3, x86-64-v4, aarch64")
      ->delimiter(',');
  verb->add_option("--routines", arguments->routines, "only these, such as sdot,dgemm")
      ->delimiter(',');
  verb->add_option(
          "--shapes", arguments->shapes,
          "the products that kernels are made for, as MxNxK, such as 64x64x128,1000x1x1000 "
          "(gemv: those of N = 1); default: some thousand small and large ones")
      ->delimiter(',');
  verb->add_option("--name", arguments->name,
                   "of the files, of the function NAME_add(), and of the routines NAME_sdot()")
      ->capture_default_str();
  verb->add_option("-o,--output", arguments->directory, "the directory for the files")->required();
  verb->add_flag("--json", arguments->json, "report as one JSON object");
  verb->footer(
      "Example:\n"
      "  reprosum gen spec.json --emit object --isa x86-64-v3,x86-64-v4 -o kernels\n"
      "  cc app.c kernels/reprosum_kernels.c kernels/reprosum_kernels-x86_64.a -lreprosum\n"
      "  reprosum gen spec.json --emit object --isa avx2 --shapes 64x64x64 -o kernels\n"
      "  reprosum gen spec.json --emit c --name openblas -o source\n"
      "A program that uses CMake has reprosum_add_kernels() in the installed package.");
  verb->callback([arguments, &action] {
    action = [arguments] {
      return arguments->emit == "c" ? emit_c(*arguments) : emit_objects(*arguments);
    };
  });
}

}  // namespace reprosum::cli
