// Options that come as pairs of strings.
#pragma once

#include <string>

#include "src/report/capture_report.h"
#include "src/report/probing.h"
#include "src/report/show_arguments.h"

namespace reprosum::capture {

// Each reads a list of names and values that a null ends, or none; every value is checked. Throws
// runtime::BadArgument naming the option.
// `open` opens the target; empty: the target's name says how.
report::CaptureRequest read_capture_options(const char* target, const char* const* options,
                                            reveal::TargetFactory open = {});
report::ProbingOptions read_verify_options(const char* target, const char* const* options,
                                           reveal::TargetFactory open = {});
std::string read_diff_options(const char* const* options);  // the pair of thread counts, or ""
report::ShowArguments read_show_options(const char* const* options);

}  // namespace reprosum::capture
