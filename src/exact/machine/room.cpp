#include "src/exact/machine/room.h"

#include <cstdlib>
#include <new>

#include "src/base/thread_object.h"

namespace reprosum::exact::detail {
namespace {

// All that calls take inside one another. Pages that are never touched cost nothing.
constexpr std::size_t kAll = std::size_t{256} << 10, kLine = 64;

struct Arena {
  Arena() = default;
  ~Arena() { std::free(memory); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  void* const memory = std::aligned_alloc(kLine, kAll);
  std::size_t used = 0;
};

Arena* arena_of_this_thread() noexcept {
  try {
    return base::kept_by_this_thread<Arena>();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

constexpr std::size_t whole_lines(std::size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

}  // namespace

Room::Room(std::size_t bytes) : bytes_(whole_lines(bytes)) {
  Arena* const arena = arena_of_this_thread();
  if (arena == nullptr) {
    first_ = std::aligned_alloc(kLine, bytes_);
    return;
  }
  if (arena->memory == nullptr || kAll - arena->used < bytes_) return;
  first_ = static_cast<std::byte*>(arena->memory) + arena->used;
  used_ = &arena->used;
  *used_ += bytes_;
}

Room::~Room() {
  if (used_ != nullptr)
    *used_ -= bytes_;
  else
    std::free(first_);
}

}  // namespace reprosum::exact::detail
