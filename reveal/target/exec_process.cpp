#include "reveal/target/exec_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace reprosum::reveal {
namespace {

constexpr std::size_t kErrorTail = 2000;
constexpr int kPipeBytes = 1 << 20;

struct Pipe {
  FileDescriptor read, write;
};

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    throw EnvironmentError(fmt::format("cannot make a pipe: {}", strerror(errno)));
  }
  Pipe result{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
  fcntl(ends[1], F_SETPIPE_SZ, kPipeBytes);  // a smaller one is only slower
  // Where this process was started without standard streams, a pipe may have got their numbers.
  for (FileDescriptor* end : {&result.read, &result.write}) {
    if (end->get() <= 2) *end = FileDescriptor(fcntl(end->get(), F_DUPFD_CLOEXEC, 3));
  }
  return result;
}

// A write to a dead process would otherwise be the end of this one.
class WithoutSigpipe {
 public:
  WithoutSigpipe() {
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &old_);
  }
  ~WithoutSigpipe() {
    const timespec at_once{0, 0};
    while (!was_pending_ && sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &old_, nullptr);
  }
  WithoutSigpipe(const WithoutSigpipe&) = delete;
  WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

 private:
  sigset_t pipe_, old_;
  bool was_pending_;
};

}  // namespace

void ExecProcess::start() {
  Pipe in = make_pipe();
  Pipe out = make_pipe();
  Pipe err = make_pipe();
  for (const int fd : {in.write.get(), out.read.get(), err.read.get()}) {
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  }
  child_.start({"exec", command_}, {in.read.get(), out.write.get(), err.write.get()}, environment_,
               /*own_group=*/true);
  to_ = std::move(in.write);
  from_ = std::move(out.read);
  errors_ = std::move(err.read);
  error_tail_.clear();
}

void ExecProcess::stop() {
  to_.reset();
  from_.reset();
  errors_.reset();
  child_.end(0);
}

void ExecProcess::read_errors() {
  char buffer[4096];
  for (;;) {
    const auto got = read(errors_.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errors_.reset();
    if (got <= 0) return;
    error_tail_.append(buffer, static_cast<std::size_t>(got));
    if (error_tail_.size() > kErrorTail) error_tail_.erase(0, error_tail_.size() - kErrorTail);
  }
}

void ExecProcess::fail(const std::string& reason, const std::string& what) {
  read_errors();
  stop();
  while (error_tail_.ends_with('\n')) error_tail_.pop_back();
  throw TargetError(reason, error_tail_.empty()
                                ? what
                                : fmt::format("{}; its last words were: {}", what, error_tail_));
}

void ExecProcess::fail_ended(const std::string& during, bool answered_in_part) {
  const int status = child_.end(2.0);
  const std::string who = fmt::format("the command \"{}\"", command_);
  if (WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127)) {
    fail("cannot_load", fmt::format("{} could not be run", who));
  }
  if (answered_in_part && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    fail("protocol", fmt::format("{} ended in the middle of an answer while it {}", who, during));
  }
  const TargetError error = death_error(who, status);
  fail(error.reason, fmt::format("{} while it {}", error.what(), during));
}

std::vector<std::byte> ExecProcess::exchange(std::span<const std::byte> request,
                                             const Needed& needed, Clock::time_point deadline,
                                             const std::string& during) {
  const WithoutSigpipe no_signal;
  const std::string who = fmt::format("the command \"{}\"", command_);
  std::vector<std::byte> answer;
  std::size_t received = 0;
  std::size_t wanted = 1;
  while (!request.empty() || received < wanted) {
    const auto now = Clock::now();
    if (deadline <= now)
      fail("timed_out", fmt::format("{} gave no answer while it {}", who, during));
    const auto wait = next_wait(now, deadline);
    pollfd watched[] = {{request.empty() ? -1 : to_.get(), POLLOUT, 0},
                        {from_.get(), POLLIN, 0},
                        {errors_.get(), POLLIN, 0}};
    const int ready = poll(watched, 3, static_cast<int>(wait.count()));
    deadline += paused(now, wait);
    if (ready <= 0) continue;
    if (watched[2].revents != 0) read_errors();
    if (watched[0].revents != 0) {
      const auto sent = write(to_.get(), request.data(), request.size());
      if (sent > 0) request = request.subspan(static_cast<std::size_t>(sent));
      if (sent < 0 && errno != EAGAIN && errno != EINTR) fail_ended(during, received > 0);
    }
    if (watched[1].revents != 0) {
      answer.resize(std::max(received + 4096, wanted));
      const auto got = read(from_.get(), answer.data() + received, answer.size() - received);
      if (got == 0) fail_ended(during, received > 0);
      if (got < 0) {
        if (errno == EAGAIN || errno == EINTR) continue;
        fail("crashed", fmt::format("cannot read from {}: {}", who, strerror(errno)));
      }
      received += static_cast<std::size_t>(got);
      try {
        wanted = needed({answer.data(), received});
      } catch (const TargetError& error) {
        fail(error.reason, fmt::format("{} {}", who, error.what()));
      }
      if (received > wanted) {
        fail("protocol", fmt::format("{} wrote more than an answer while it {}", who, during));
      }
    }
  }
  answer.resize(received);
  return answer;
}

}  // namespace reprosum::reveal
