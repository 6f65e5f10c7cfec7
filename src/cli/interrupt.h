// Ctrl-C ends a capture as --timeout does: what is captured is kept.
#pragma once

#include <csignal>

namespace reprosum::cli {

// While it lives, the first SIGINT or SIGTERM is noted and the second one ends the process as
// usual. What was ignored before (nohup, a job in the background) stays ignored.
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
