#include "src/cli/progress.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>

#include "src/base/environment.h"
#include "src/base/printable.h"
#include "src/cli/output.h"

namespace reprosum::cli {
namespace {

bool line_shown = false;

bool can_rewrite() {
  if (!isatty(STDERR_FILENO)) return false;
  const char* no_color = base::variable("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* term = base::variable("TERM");
  return term != nullptr && std::strcmp(term, "dumb") != 0;
}

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20) return size.ws_col - 1u;
  return 79;
}

}  // namespace

std::function<void(const reveal::Progress&)> terminal_progress() {
  if (!can_rewrite()) return {};
  using Clock = std::chrono::steady_clock;
  return [last = Clock::time_point{}](const reveal::Progress& progress) mutable {
    const auto now = Clock::now();
    if (now - last < std::chrono::milliseconds(80)) return;
    last = now;
    std::string line = fmt::format("{:6.1f} s  {:>11} calls  {}", progress.seconds,
                                   with_commas(progress.calls), base::printable(progress.stage));
    line.resize(std::min(line.size(), terminal_width()));
    std::fprintf(stderr, "\r\x1b[2m%s\x1b[0m\x1b[K", line.c_str());
    std::fflush(stderr);
    line_shown = true;
  };
}

void clear_progress() {
  if (line_shown) std::fputs("\r\x1b[K", stderr);
  line_shown = false;
}

}  // namespace reprosum::cli
