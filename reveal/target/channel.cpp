#include "reveal/target/channel.h"

#include <fmt/format.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "reveal/target/place.h"

namespace reprosum::reveal {
namespace {

using namespace std::chrono_literals;

bool send_wake_up(int socket) {
  const char byte = 0;
  for (;;) {
    const auto sent = send(socket, &byte, 1, MSG_NOSIGNAL);
    if (sent == 1) return true;
    if (errno != EINTR) return false;
  }
}

}  // namespace

SharedMemory::SharedMemory(std::size_t bytes)
    : SharedMemory(memfd_create("reprosum-probes", MFD_CLOEXEC), bytes) {}

SharedMemory::SharedMemory(int descriptor, std::size_t bytes) : file_(descriptor), size_(bytes) {
  struct stat status {};
  // Offsets choose bits of addresses (place.h): the beginning must not.
  const std::size_t room = bytes + kPlaceBytes;
  void* const reserved =
      mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  void* address = MAP_FAILED;
  if (reserved != MAP_FAILED && file_.get() >= 0 && fstat(file_.get(), &status) == 0 &&
      (status.st_size != 0 || ftruncate(file_.get(), static_cast<off_t>(bytes)) == 0)) {
    const auto at = reinterpret_cast<std::uintptr_t>(reserved);
    const std::size_t skipped = (kPlaceBytes - at % kPlaceBytes) % kPlaceBytes;
    address = mmap(static_cast<std::byte*>(reserved) + skipped, bytes, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file_.get(), 0);
  }
  if (address == MAP_FAILED) {
    if (reserved != MAP_FAILED) munmap(reserved, room);
    throw EnvironmentError(
        fmt::format("cannot reserve {} bytes of shared memory: {}", bytes, strerror(errno)));
  }
  data_ = static_cast<std::byte*>(address);
  reserved_ = static_cast<std::byte*>(reserved);
}

SharedMemory::~SharedMemory() { munmap(reserved_, size_ + kPlaceBytes); }

void SharedMemory::forget(std::size_t offset, std::size_t bytes) {
  madvise(data_ + offset, bytes, MADV_REMOVE);  // only advice: failing costs memory, nothing else
}

FileDescriptor Caller::open() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw EnvironmentError(fmt::format("cannot make a socket pair: {}", strerror(errno)));
  }
  socket_ = FileDescriptor(ends[0]);
  return FileDescriptor(ends[1]);
}

Caller::Outcome Caller::exchange(int death_fd, Clock::time_point deadline) {
  if (!send_wake_up(socket_.get())) return Outcome::child_gone;
  for (;;) {
    char byte;
    const auto got = recv(socket_.get(), &byte, 1, MSG_DONTWAIT);
    if (got == 1) return Outcome::answered;
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) return Outcome::child_gone;
    const auto now = Clock::now();
    if (deadline <= now) return Outcome::timed_out;
    const auto wait = next_wait(now, deadline);
    pollfd watched[2] = {{socket_.get(), POLLIN, 0}, {death_fd, POLLIN, 0}};
    poll(watched, 2, static_cast<int>(wait.count()));
    deadline += paused(now, wait);
    if (watched[0].revents == 0 && watched[1].revents != 0) return Outcome::child_gone;
  }
}

void serve(int socket, const std::function<void()>& answer) {
  for (;;) {
    char byte;
    const auto got = recv(socket, &byte, 1, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got != 1) return;
    answer();
    if (!send_wake_up(socket)) return;
  }
}

}  // namespace reprosum::reveal
