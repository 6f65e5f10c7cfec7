// A shell command that is spoken to over its standard input and output.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "reveal/target.h"
#include "reveal/target/channel.h"
#include "reveal/target/child_process.h"

namespace reprosum::reveal {

class ExecProcess {
 public:
  ExecProcess(std::string command, std::vector<std::string> environment)
      : command_(std::move(command)), environment_(std::move(environment)) {}

  void start();
  void stop();
  bool running() const { return child_.running(); }

  // Given all bytes received so far, how many belong to the whole answer (more than there are: at
  // least so many are needed). May throw TargetError.
  using Needed = std::function<std::size_t(std::span<const std::byte>)>;
  // Sends `request` (maybe nothing) and receives one answer, both at once, so that neither side can
  // wait for the other to read. Throws TargetError and ends the process if that fails.
  std::vector<std::byte> exchange(std::span<const std::byte> request, const Needed& needed,
                                  Clock::time_point deadline, const std::string& during);

 private:
  [[noreturn]] void fail(const std::string& reason, const std::string& what);
  [[noreturn]] void fail_ended(const std::string& during, bool answered_in_part);
  void read_errors();

  std::string command_;
  std::vector<std::string> environment_;
  ChildProcess child_;
  FileDescriptor to_, from_, errors_;
  std::string error_tail_;  // the last words on its standard error
};

}  // namespace reprosum::reveal
