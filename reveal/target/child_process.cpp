#include "reveal/target/child_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

namespace reprosum::reveal {
namespace {

void leave_at_once(int status, void*) { _exit(status); }

void prepare_child(pid_t parent, bool own_group) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);  // it died before the line above
  if (own_group) setpgid(0, 0);
  // A handler of the parent's (a test framework, a sanitizer) would hide how the child died.
  for (int signal_number = 1; signal_number < NSIG; ++signal_number) {
    signal(signal_number, SIG_DFL);
  }
  // Ctrl-C reaches the whole group: what to do then is for the parent to say, and if it dies, so
  // does this.
  if (!own_group) {
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  // exit() called by a probed library must not run what the parent has registered.
  on_exit(leave_at_once, nullptr);
}

// True once the child can be waited for.
bool dead_within(pid_t pid, int pidfd, double seconds) {
  if (pidfd >= 0) {
    pollfd watched{pidfd, POLLIN, 0};
    return poll(&watched, 1, static_cast<int>(seconds * 1000)) > 0;
  }
  for (double waited = 0;; waited += 0.001) {
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0) return true;
    if (info.si_pid == pid) return true;
    if (waited >= seconds) return false;
    usleep(1000);
  }
}

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}

int FileDescriptor::release() { return std::exchange(fd_, -1); }

void FileDescriptor::reset() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

void ChildProcess::start(const std::function<void()>& body, bool own_group) {
  if (running()) throw InternalError("the child process is running already");
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) throw EnvironmentError(fmt::format("cannot fork: {}", strerror(errno)));
  if (pid == 0) {
    prepare_child(parent, own_group);
    try {
      body();
    } catch (...) {
      _exit(70);
    }
    _exit(0);
  }
  if (own_group) setpgid(pid, pid);  // here as well: end() may come before the child's own call
  pid_ = pid;
  own_group_ = own_group;
  pidfd_ = FileDescriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

int ChildProcess::end(double grace_s) {
  if (!running()) return 0;
  if (grace_s <= 0 || !dead_within(pid_, pidfd_.get(), grace_s)) kill(pid_, SIGKILL);
  if (own_group_) kill(-pid_, SIGKILL);  // before the wait: the group's number is still its own
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  pidfd_.reset();
  return status;
}

TargetError death_error(const std::string& who, int wait_status) {
  int signal_number = 0;
  if (WIFSIGNALED(wait_status)) {
    signal_number = WTERMSIG(wait_status);
  } else if (WEXITSTATUS(wait_status) > 128) {
    signal_number = WEXITSTATUS(wait_status) - 128;  // how a shell reports it
  }
  if (signal_number == 0) {
    return {"crashed", fmt::format("{} exited with status {}", who, WEXITSTATUS(wait_status))};
  }
  const char* name = strsignal(signal_number);
  return {signal_number == SIGILL ? "illegal_instruction" : "crashed",
          fmt::format("{} died of signal {} ({})", who, signal_number, name ? name : "unknown")};
}

}  // namespace reprosum::reveal
