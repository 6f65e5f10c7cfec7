#include "src/cli/errors.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <new>
#include <string_view>

#include "reveal/target.h"
#include "spec/error.h"
#include "src/base/printable.h"
#include "src/cli/verb.h"

namespace reprosum::cli {
namespace {

void say(const char* kind, const char* what, const char* advice = nullptr) {
  std::fprintf(stderr, "reprosum: %s: %s\n", kind, base::printable(what).c_str());
  if (advice != nullptr) std::fprintf(stderr, "  %s\n", advice);
}

const char* advice_for(const std::string& reason, std::string_view what) {
  if (reason == "cannot_load" && what.starts_with("the command"))
    return "exec: takes a command that `sh -c` runs.";
  if (reason == "cannot_load")
    return "blas: takes a file name or soname that dlopen finds; `reprosum doctor` lists what is "
           "installed.";
  if (reason == "missing_symbol")
    return "The library has no such BLAS symbol; choose others with --routines.";
  if (reason == "timed_out") return "Raise --timeout, or ask for a smaller --n-max.";
  if (reason == "illegal_instruction")
    return "The library was told to use a core type that this CPU lacks.";
  if (reason == "crashed")
    return "The probed library or command ended in its own process; try it alone.";
  if (reason == "protocol") return "See reveal/target/README.md for the protocol of exec: targets.";
  return nullptr;
}

}  // namespace

int report(std::exception_ptr error) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const CLI::Error& e) {
    say("usage", e.what(), "Run `reprosum --help` or `reprosum VERB --help`.");
  } catch (const reveal::TargetError& e) {
    say("environment", (e.reason + ": " + e.what()).c_str(), advice_for(e.reason, e.what()));
  } catch (const UserError& e) {
    say("error", e.what());
  } catch (const EnvironmentError& e) {
    say("environment", e.what());
  } catch (const std::bad_alloc&) {
    say("environment", "out of memory", "Ask for a smaller n.");
  } catch (const std::exception& e) {
    say("internal", e.what(), "This is a bug of reprosum; please report it with the command line.");
  } catch (...) {
    say("internal", "unknown exception");
  }
  return kTrouble;
}

}  // namespace reprosum::cli
