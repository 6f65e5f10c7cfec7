#include "src/cli/in_child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace reprosum::cli {
namespace {

constexpr int kPatienceMilliseconds = 15'000;

}  // namespace

std::string in_child(const std::function<void(int)>& work) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    const int null = open("/dev/null", O_RDWR);
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, fd);
    work(ends[1]);
    _exit(0);
  }
  close(ends[1]);
  std::string out;
  char buffer[4096];
  for (pollfd waiting{ends[0], POLLIN, 0}; child > 0;) {
    if (poll(&waiting, 1, kPatienceMilliseconds) <= 0) break;
    const ssize_t got = read(ends[0], buffer, sizeof buffer);
    if (got <= 0) break;
    out.append(buffer, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  if (child > 0) {
    kill(child, SIGKILL);  // no effect on one that has ended
    waitpid(child, nullptr, 0);
  }
  return out;
}

}  // namespace reprosum::cli
