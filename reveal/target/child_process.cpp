#include "reveal/target/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "reveal/target/helper_program.h"
#include "src/base/environment.h"

namespace reprosum::reveal {
namespace {

// The child of a privileged process may have all its rights and yet not count as privileged itself,
// so it gets no variable of whoever started the process.
std::vector<std::string> environment_with(const std::vector<std::string>& settings) {
  std::vector<std::string> all;
  if (!base::is_privileged())
    for (char** entry = environ; *entry; ++entry) all.emplace_back(*entry);
  for (const std::string& setting : settings) {
    const std::string prefix = setting.substr(0, setting.find('=') + 1);
    std::erase_if(all, [&](const std::string& old) { return old.starts_with(prefix); });
    all.push_back(setting);
  }
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// What posix_spawn is told.
class SpawnSettings {
 public:
  explicit SpawnSettings(bool own_group) {
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_init(&actions);
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes,
                             static_cast<short>(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                                (own_group ? POSIX_SPAWN_SETPGROUP : 0)));
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
};

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

void ChildProcess::start(const std::vector<std::string>& arguments,
                         const std::vector<int>& descriptors,
                         const std::vector<std::string>& settings, bool own_group) {
  if (running()) throw InternalError("the child process is running already");
  SpawnSettings spawn(own_group);
  // Copies beyond all numbers that they will get.
  std::vector<FileDescriptor> copies;
  for (std::size_t k = 0; k < descriptors.size(); ++k) {
    copies.emplace_back(
        fcntl(descriptors[k], F_DUPFD_CLOEXEC, static_cast<int>(descriptors.size())));
    if (copies.back().get() < 0)
      throw EnvironmentError(fmt::format("cannot pass a descriptor on: {}", strerror(errno)));
    posix_spawn_file_actions_adddup2(&spawn.actions, copies.back().get(), static_cast<int>(k));
  }
  const std::string program = helper_program();
  std::vector<std::string> words{program, std::to_string(getpid()), own_group ? "group" : "alone"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> environment = environment_with(settings);
  pid_t pid = -1;
  const int error = posix_spawn(&pid, program.c_str(), &spawn.actions, &spawn.attributes,
                                pointers_to(words).data(), pointers_to(environment).data());
  if (error != 0)
    throw EnvironmentError(fmt::format("cannot start {}: {}", program, strerror(error)));
  pid_ = pid;
  own_group_ = own_group;
  pidfd_ = FileDescriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

int ChildProcess::end(double grace_s) {
  if (!running()) return 0;
  if (grace_s <= 0 || !dead_within(pid_, pidfd_.get(), grace_s)) kill(pid_, SIGKILL);
  if (own_group_) kill(-pid_, SIGKILL);  // before the wait: the group's number is still its own
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0)
    if (errno != EINTR) {
      status = kUnknownStatus;
      break;
    }
  pid_ = -1;
  pidfd_.reset();
  return status;
}

TargetError death_error(const std::string& who, int wait_status) {
  if (wait_status == kUnknownStatus)
    return {"crashed", who +
                           " ended, how is not known: this program does not wait for its "
                           "children by itself (SIGCHLD is ignored, or handled)"};
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
