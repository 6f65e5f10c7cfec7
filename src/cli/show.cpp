// reprosum show: look at a spec, or at the tree of one size.
#include <memory>

#include "kernels/kernel.h"
#include "spec/error.h"
#include "src/cli/isa.h"
#include "src/cli/output.h"
#include "src/cli/verb.h"
#include "src/report/arguments.h"
#include "src/report/entries.h"
#include "src/report/show_call.h"
#include "src/report/show_report.h"

namespace reprosum::cli {
namespace {

// What the generator emits for the order of a sum or dot product, which is one for all sizes.
std::string code(const spec::Spec& spec, ShowArguments arguments) {
  if (!arguments.routine.empty() && spec::has_matrices(parse_routine(arguments.routine).first))
    throw UserError("--format " + arguments.as() +
                    ": the kernels of gemv and gemm are made for one call; "
                    "`reprosum list SPEC` names them");
  if (arguments.n.empty()) arguments.n = "1";
  const spec::Entry& entry = the_call(spec, arguments).entry;
  const kernels::Isa isa = arguments.isa.empty() ? chosen_isa() : parse_isa("--isa", arguments.isa);
  const kernels::Listing listing =
      kernels::listing(spec.orders.at(spec::order_of(entry)), entry.routine, entry.type, isa);
  const std::string text = arguments.as() == "asm" ? listing.assembly : listing.ir;
  if (text.empty())
    throw UserError(std::string("no code is generated for ") + kernels::name(isa) +
                    "; the interpreter runs this order");
  return text;
}

int run(const ShowArguments& arguments) {
  check_numbers(arguments);
  const spec::Spec spec = load_spec(arguments.spec);
  const bool is_code = arguments.as() == "asm" || arguments.as() == "ir";
  write_output(arguments.output, is_code ? code(spec, arguments) : shown(spec, arguments));
  return kSame;
}

}  // namespace

void add_show(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<ShowArguments>();
  CLI::App* verb =
      app.add_subcommand("show",
                         "Show a spec's rules and evidence, or a table of them if they are long; "
                         "with sizes, the tree of one, or which output of a gemv or "
                         "gemm follows which order.");
  verb->add_option("spec", arguments->spec, "the spec file")->required();
  verb->add_option("--routine", arguments->routine,
                   "one of ssum dsum sdot ddot sgemv dgemv sgemm dgemm");
  verb->add_option("--n", arguments->n, "the size whose tree is shown; of gemm: columns of C");
  verb->add_option("--m", arguments->m, "gemv, gemm: rows of C, outputs of gemv");
  verb->add_option("--k", arguments->k, "gemv, gemm: summands of an output");
  verb->add_option("--trans", arguments->trans, "gemv: N or T; gemm: NN, NT, TN or TT");
  verb->add_option("--class", arguments->which_class,
                   "gemv, gemm: the tree of this class instead of the map");
  verb->add_option("--at", arguments->which_output,
                   "gemv, gemm: the tree of the output I,J, counted from 0")
      ->excludes("--class");
  verb->add_option(
      "--gaps", arguments->gaps,
      "gemv, gemm: whose leading dimension is greater than the least, such as A or BC");
  verb->add_option("--threads", arguments->threads, "the captured thread count; default: least")
      ->check(CLI::PositiveNumber);
  verb->add_option("--inc", arguments->increments, "incx:incy; default 1:1");
  verb->add_option(
      "--align", arguments->alignment,
      "addresses of x and y modulo 64, default 0:0; of gemv and gemm: bytes that divide every "
      "address and leading dimension, default 64, or A:x:y:lda (A:B:C:lda:ldb:ldc) modulo 64");
  verb->add_option("--format", arguments->format, "text, dot (graphviz), svg, json, asm or ir")
      ->check(CLI::IsMember({"text", "dot", "svg", "json", "asm", "ir"}))
      ->capture_default_str();
  verb->add_option("--isa,--backend", arguments->isa,
                   "of asm and ir: the backend, such as avx2; default: this host's");
  verb->add_option("-o,--output", arguments->output, "write to this file");
  verb->add_flag("--json", arguments->json, "the same as --format json");
  verb->footer(
      "Examples:\n"
      "  reprosum show spec.json\n"
      "  reprosum show spec.json --routine sdot --n 20\n"
      "  reprosum show spec.json --routine dsum --n 1000000 --format svg -o dsum.svg\n"
      "  reprosum show spec.json --routine ddot --format asm --isa avx2\n"
      "  reprosum show spec.json --routine sgemm --trans NT --m 100 --n 100 --k 64 --format svg\n"
      "  reprosum show spec.json --routine sgemm --trans NT --m 100 --n 100 --k 64 --class 0");
  verb->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace reprosum::cli
