// Memory shared with a child process, and a cheap way to wait for each other.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>

#include "reveal/target/child_process.h"

namespace reprosum::reveal {

using Clock = std::chrono::steady_clock;

// Waits for an answer are cut into seconds. Where one lasts far longer, the whole machine was
// paused and the child with it: that is no time in which it could have answered.
inline std::chrono::milliseconds next_wait(Clock::time_point now, Clock::time_point deadline) {
  return std::chrono::ceil<std::chrono::milliseconds>(
      std::min<Clock::duration>(deadline - now, std::chrono::seconds(1)));
}
inline Clock::duration paused(Clock::time_point begin, std::chrono::milliseconds wait) {
  const Clock::duration over = Clock::now() - begin - wait;
  return over > std::chrono::seconds(2) ? over : Clock::duration::zero();
}

// Address space backed by an anonymous file: pages exist once touched, so that the reservation may
// be far larger than the memory.
class SharedMemory {
 public:
  explicit SharedMemory(std::size_t bytes);
  // That of another process, whose descriptor was inherited.
  SharedMemory(int descriptor, std::size_t bytes);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();
  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  int descriptor() const { return file_.get(); }
  // Returns the pages of [offset, offset + bytes) to the system; they read as zero afterwards.
  void forget(std::size_t offset, std::size_t bytes);

 private:
  FileDescriptor file_;
  std::byte* data_;  // at a multiple of kPlaceBytes
  std::byte* reserved_;
  std::size_t size_;
};

// Each side waits for a byte from the other. There is no spinning before that: the kernel likes to
// put both sides on one core, where the spinning one keeps the other from running; on a busy
// machine that costs ten times what it saves on an idle one.

// The parent's end.
class Caller {
 public:
  enum class Outcome { answered, child_gone, timed_out };

  // @return the child's end of a new socket.
  FileDescriptor open();
  void close() { socket_.reset(); }
  // Wakes the child and waits for it. death_fd may be -1.
  Outcome exchange(int death_fd, Clock::time_point deadline);

 private:
  FileDescriptor socket_;
};

// The child's end: runs `answer` once per request; returns when the parent is gone.
void serve(int socket, const std::function<void()>& answer);

}  // namespace reprosum::reveal
