// device_golden: golden lists made by the interpreter here, and checked on a device there; the
// machine code of their texts, packed for a GPU whose host cannot compile.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "kernels/device/nvrtc.h"
#include "kernels/device/packed_programs.h"
#include "kernels/device/self_test.h"
#include "kernels/text/device_text.h"
#include "spec/error.h"
#include "spec/json.h"
#include "spec/surface.h"
#include "src/base/read_file.h"
#include "src/runtime/cache_directory.h"
#include "tests/golden/golden_list.h"

namespace reprosum::golden {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Options {
  std::vector<std::string> specs, texts;
  std::string list, directory, backend = "opencl";
  std::string to, kept;
  std::vector<int> capabilities{90};
  std::size_t device = 0, every = 1;
  double timeout_s = 600;
};

std::string read(const std::string& path) {
  const base::FileText file = base::read_file(path, std::size_t{256} << 20);
  if (!file.why.empty()) throw EnvironmentError(path + ": " + file.why);
  return file.text;
}

spec::Spec spec_of(const std::string& path) { return spec::from_json(read(path)); }

// Prints the list, and to stderr the calls that are not in it.
int make(const Options& options) {
  std::vector<OfSpec> list;
  for (const std::string& path : options.specs) {
    const spec::Spec spec = spec_of(path);
    SpecCalls calls(spec);
    OfSpec& one = list.emplace_back();
    one.file = fs::path(path).filename().string();
    one.meaning = spec::meaning_hash(spec);
    std::map<std::string, int> left_out;
    for (Call call : calls.all()) {
      std::string why;
      if (calls.interpret(call, why))
        one.calls.push_back(std::move(call));
      else
        ++left_out[why];
    }
    fmt::print(stderr, "{}: {} calls\n", one.file, one.calls.size());
    for (const auto& [why, count] : left_out) fmt::print(stderr, "  {} left out: {}\n", count, why);
  }
  fmt::print("{}", print(list));
  return 0;
}

// The spec that the list was made from.
spec::Spec listed_spec(const Options& options, const OfSpec& one) {
  const std::string path = (fs::path(options.directory) / one.file).string();
  spec::Spec spec = spec_of(path);
  if (spec::meaning_hash(spec) != one.meaning)
    throw UserError(path + " is not the spec that the golden list was made from");
  return spec;
}

struct Report {
  std::size_t calls = 0, differ = 0, unreached = 0;
  std::string first;
};

Report check_spec(const OfSpec& one, const spec::Spec& spec, std::size_t every,
                  runtime::DeviceWork& work, Clock::time_point end) {
  SpecCalls calls(spec);
  Report out;
  for (std::size_t k = 0; k < one.calls.size(); k += every) {
    // One call at least, however late it is.
    if (out.calls > 0 && Clock::now() > end) {
      ++out.unreached;
      continue;
    }
    const Call& listed = one.calls[k];
    const Call got = calls.run(listed, work);
    if (got.inputs != listed.inputs)
      throw InternalError("this host draws other operands than the golden list's: " +
                          calls.describe(listed));
    ++out.calls;
    if (got.outputs == listed.outputs) continue;
    if (out.differ++ == 0) out.first = calls.describe(listed);
  }
  return out;
}

int check(const Options& options) {
  const std::vector<OfSpec> list = parse(read(options.list));
  const auto dialect =
      options.backend == "cuda" ? kernels::device::Dialect::cuda : kernels::device::Dialect::opencl;
  runtime::DeviceWork work(
      kernels::device::open_device(dialect, options.device, runtime::cache_directory()));
  const auto start = Clock::now();
  Report all;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const spec::Spec spec = listed_spec(options, list[k]);
    const double share = static_cast<double>(k + 1) / static_cast<double>(list.size());
    const auto end = start + std::chrono::duration_cast<Clock::duration>(
                                 std::chrono::duration<double>(options.timeout_s * share));
    const Report report = check_spec(list[k], spec, options.every, work, end);
    fmt::print("{:<8} {}: {} calls, {} differ, {} not reached in time\n",
               report.differ > 0 ? "differs" : "holds", list[k].file, report.calls, report.differ,
               report.unreached);
    if (report.differ > 0) fmt::print("    first: {}\n", report.first);
    all.calls += report.calls;
    all.differ += report.differ;
    all.unreached += report.unreached;
  }
  const kernels::device::Facts& facts = work.device->facts();
  fmt::print("\ngolden: {} calls of {} specs, {} differ, {} not reached, on {} ({}, {})\n",
             all.calls, list.size(), all.differ, all.unreached, facts.name, facts.driver,
             facts.compiler);
  if (all.calls == 0) throw UserError("the golden list has no call");
  return all.differ == 0 ? 0 : 1;
}

// What is compiled: a text, and options besides those of the library.
using Texts = std::set<std::pair<std::string, std::string>>;

// The texts of the self-test, as it is and with the options that tests plant, and of every listed
// call.
Texts texts_of(const Options& options) {
  const auto of_test = kernels::device::self_test_texts(kernels::text::device_macros());
  Texts out;
  for (const char* const planted : {"", "--ftz=true", "--prec-div=false"})
    for (const std::string& text : {of_test.f32, of_test.f64, of_test.narrowing})
      out.emplace(text, planted);
  for (const std::string& directory : options.texts)
    for (const auto& file : fs::directory_iterator(directory))
      out.emplace(read(file.path().string()), "");
  for (const OfSpec& one : parse(read(options.list))) {
    const spec::Spec spec = listed_spec(options, one);
    SpecCalls calls(spec);
    for (const Call& call : one.calls)
      for (const auto& text : calls.launches(call).texts) out.emplace(text->text, "");
  }
  return out;
}

constexpr int kNoCompiler = 3;

int pack(const Options& options) {
  std::string why;
  const std::string compiler = kernels::device::nvrtc_version(&why);
  if (compiler.empty()) {
    fmt::print(stderr, "programs cannot be packed: {}\n", why);
    return kNoCompiler;
  }
  const kernels::device::PackedPrograms packed(options.to, compiler);
  const kernels::device::PackedPrograms kept(options.kept.empty() ? options.to : options.kept,
                                             compiler);
  const Texts texts = texts_of(options);
  fmt::print(stderr, "{} texts for {} architectures\n", texts.size(), options.capabilities.size());
  std::size_t programs = 0, made = 0, bytes = 0;
  for (const auto& [text, more] : texts)
    for (const int capability : options.capabilities) {
      const std::string flags =
          kernels::device::cuda_options() + (more.empty() ? more : " " + more);
      if (!kept.has(text, capability, flags)) {
        kept.add(text, capability, flags, kernels::device::compile_cuda(text, capability, more));
        ++made;
      }
      const std::string code = kept.code(text, capability, flags);
      if (!packed.has(text, capability, flags)) packed.add(text, capability, flags, code);
      ++programs, bytes += code.size();
    }
  fmt::print("{} programs by {}, {} of them made now, {} KiB\n", programs, compiler, made,
             bytes >> 10);
  return 0;
}

}  // namespace
}  // namespace reprosum::golden

int main(int count, char** words) {
  using namespace reprosum;
  golden::Options options;
  CLI::App app("Golden lists of a device's outputs.");
  app.require_subcommand(1);
  CLI::App* const make = app.add_subcommand("make", "print the list of specs, by the interpreter");
  make->add_option("specs", options.specs)->required();
  CLI::App* const check = app.add_subcommand("check", "compare a device's outputs with a list");
  CLI::App* const pack =
      app.add_subcommand("pack", "compile what a list needs, by NVRTC, for REPROSUM_PROGRAMS");
  for (CLI::App* const one : {check, pack}) {
    one->add_option("list", options.list)->required();
    one->add_option("--specs", options.directory, "where the specs are")->required();
  }
  check->add_option("--backend", options.backend)->check(CLI::IsMember({"opencl", "cuda"}));
  check->add_option("--device", options.device, "as `reprosum list` counts");
  check->add_option("--every", options.every, "a call of so many")->check(CLI::PositiveNumber);
  check->add_option("--timeout", options.timeout_s, "seconds, shared among the specs");
  pack->add_option("--capability", options.capabilities, "90 for 9.0");
  pack->add_option("--kept", options.kept, "a directory of programs from an earlier time");
  pack->add_option("--texts", options.texts, "a directory of other texts, a file each");
  pack->add_option("-o,--output", options.to, "the directory")->required();
  CLI11_PARSE(app, count, words);
  try {
    if (make->parsed()) return golden::make(options);
    return check->parsed() ? golden::check(options) : golden::pack(options);
  } catch (const std::exception& e) {
    fmt::print(stderr, "device_golden: {}\n", e.what());
    return 2;
  }
}
