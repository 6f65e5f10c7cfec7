// The options of probing on a command line.
#pragma once

#include <CLI/CLI.hpp>

#include "src/cli/probing.h"

namespace reprosum::cli {

void add_probing_options(CLI::App& verb, ProbingOptions& options);

}  // namespace reprosum::cli
