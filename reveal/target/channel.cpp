#include "reveal/target/channel.h"

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace reprosum::reveal {
namespace {

using namespace std::chrono_literals;

// Longer than a probe of a short vector, shorter than a process switch is worth.
constexpr auto kSpin = 30us;

bool more_than_one_cpu() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 1;
}

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

bool spin_until(const std::atomic<std::uint32_t>& counter, std::uint32_t value) {
  static const bool worth_it = more_than_one_cpu();
  if (!worth_it) return false;
  const auto give_up = Clock::now() + kSpin;
  do {
    for (int i = 0; i < 16; ++i) {
      if (counter.load(std::memory_order_acquire) == value) return true;
      relax();
    }
  } while (Clock::now() < give_up);
  return false;
}

bool send_wake_up(int socket) {
  const char byte = 0;
  for (;;) {
    const auto sent = send(socket, &byte, 1, MSG_NOSIGNAL);
    if (sent == 1) return true;
    if (errno != EINTR) return false;
  }
}

}  // namespace

SharedMemory::SharedMemory(std::size_t bytes) : size_(bytes) {
  const FileDescriptor file(memfd_create("reprosum-probes", MFD_CLOEXEC));
  void* address = MAP_FAILED;
  if (file.get() >= 0 && ftruncate(file.get(), static_cast<off_t>(bytes)) == 0) {
    address =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file.get(), 0);
  }
  if (address == MAP_FAILED) {
    throw EnvironmentError(
        fmt::format("cannot reserve {} bytes of shared memory: {}", bytes, strerror(errno)));
  }
  data_ = static_cast<std::byte*>(address);
}

SharedMemory::~SharedMemory() { munmap(data_, size_); }

void SharedMemory::forget(std::size_t offset, std::size_t bytes) {
  madvise(data_ + offset, bytes, MADV_REMOVE);  // only advice: failing costs memory, nothing else
}

FileDescriptor Caller::open(Turns& turns) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw EnvironmentError(fmt::format("cannot make a socket pair: {}", strerror(errno)));
  }
  socket_ = FileDescriptor(ends[0]);
  turns.requested = 0;
  turns.answered = 0;
  return FileDescriptor(ends[1]);
}

Caller::Outcome Caller::exchange(Turns& turns, int death_fd, Clock::time_point deadline) {
  const std::uint32_t turn = turns.requested.load(std::memory_order_relaxed) + 1;
  turns.requested.store(turn, std::memory_order_release);
  if (!send_wake_up(socket_.get())) return Outcome::child_gone;
  spin_until(turns.answered, turn);
  for (;;) {
    char byte;
    const auto got = recv(socket_.get(), &byte, 1, MSG_DONTWAIT);
    if (got == 1) return Outcome::answered;
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) return Outcome::child_gone;
    const auto left = deadline - Clock::now();
    if (left <= 0s) return Outcome::timed_out;
    const auto wait =
        std::chrono::ceil<std::chrono::milliseconds>(std::min<Clock::duration>(left, 1h));
    pollfd watched[2] = {{socket_.get(), POLLIN, 0}, {death_fd, POLLIN, 0}};
    poll(watched, 2, static_cast<int>(wait.count()));
    if (watched[0].revents == 0 && watched[1].revents != 0) return Outcome::child_gone;
  }
}

void serve(Turns& turns, int socket, const std::function<void()>& answer) {
  for (std::uint32_t turn = 1;; ++turn) {
    spin_until(turns.requested, turn);
    char byte;
    ssize_t got;
    do {
      got = recv(socket, &byte, 1, 0);
    } while (got < 0 && errno == EINTR);
    if (got != 1) return;
    answer();
    turns.answered.store(turn, std::memory_order_release);
    if (!send_wake_up(socket)) return;
  }
}

}  // namespace reprosum::reveal
