// The options of probing on a command line.
#pragma once

#include <CLI/CLI.hpp>

#include "src/report/probing.h"

namespace reprosum::cli {

using namespace report;

void add_probing_options(CLI::App& verb, ProbingOptions& options);

}  // namespace reprosum::cli
