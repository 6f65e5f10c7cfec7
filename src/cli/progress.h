// One changing line on the terminal while a capture or a verification runs.
#pragma once

#include <functional>

#include "reveal/capture.h"

namespace reprosum::cli {

// A function for CaptureOptions::progress: it rewrites one line of stderr, or is empty when stderr
// is not a terminal. NO_COLOR and TERM=dumb switch the rewriting off too.
std::function<void(const reveal::Progress&)> terminal_progress();

// Removes that line, so that what is printed next starts on a clean one.
void clear_progress();

}  // namespace reprosum::cli
