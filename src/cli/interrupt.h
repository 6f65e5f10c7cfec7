// Ctrl-C ends a capture as --timeout does: what is captured is kept.
#pragma once

#include <csignal>

namespace reprosum::cli {

// While it lives, the first SIGINT or SIGTERM is noted, and one that comes a second or more after
// it ends the process as usual. Those in between are the same request: timeout(1) sends its signal
// to the command and to its group. What was ignored before (nohup, a job in the background) stays
// ignored.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  static bool came();

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM};
  struct sigaction before_[2] = {};
};

}  // namespace reprosum::cli
