// A child process that cannot outlive its parent and whose death is told as a TargetError.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "reveal/target.h"

namespace reprosum::reveal {

// Closes on destruction; -1 is none.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor() { reset(); }
  int get() const { return fd_; }
  int release();
  void reset();

 private:
  int fd_;
};

// The status of a child that the program itself has reaped: it ignores SIGCHLD, or its handler
// waits for every dead child.
inline constexpr int kUnknownStatus = -1;

// The kernel kills the child when the *thread* that started it ends: a target must not outlive the
// thread that opened or last restarted it.
class ChildProcess {
 public:
  ChildProcess() = default;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess() { end(0); }

  // Starts the helper program (helper.cpp) with these arguments, default signal handlers, no core
  // file, descriptor k of `descriptors` as its number k, and the environment with `settings`
  // (NAME=VALUE) in place of its own. It is spawned, not forked: the caller may have threads, whose
  // locks a fork would leave locked. own_group: the child leads a process group, and end() kills
  // all of it. @pre !running(). Throws EnvironmentError if there is no process to be had.
  void start(const std::vector<std::string>& arguments, const std::vector<int>& descriptors,
             const std::vector<std::string>& settings, bool own_group = false);

  bool running() const { return pid_ > 0; }
  // Readable once the child is dead; -1 where the kernel has no such thing.
  int death_fd() const { return pidfd_.get(); }
  // Gives the child grace_s seconds to die by itself, then kills it. Returns its wait status, or
  // kUnknownStatus.
  // @post !running()
  int end(double grace_s);

 private:
  pid_t pid_ = -1;
  bool own_group_ = false;
  FileDescriptor pidfd_;
};

// The error for a child that ended with this wait status: "<who> died of signal 11 (...)".
TargetError death_error(const std::string& who, int wait_status);

}  // namespace reprosum::reveal
