// Options that come as pairs of strings.
#pragma once

#include <string>

#include "src/cli/capture_report.h"
#include "src/cli/probing.h"
#include "src/cli/show_arguments.h"

namespace reprosum::capture {

// Each reads a list of names and values that a null ends, or none; every value is checked. Throws
// runtime::BadArgument naming the option.
cli::CaptureRequest read_capture_options(const char* target, const char* const* options);
cli::ProbingOptions read_verify_options(const char* target, const char* const* options);
std::string read_diff_options(const char* const* options);  // the pair of thread counts, or ""
cli::ShowArguments read_show_options(const char* const* options);

}  // namespace reprosum::capture
