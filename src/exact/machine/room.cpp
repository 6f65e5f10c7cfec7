#include "src/exact/machine/room.h"

#include <cstdlib>

namespace reprosum::exact::detail {
namespace {

// All that calls take inside one another. Pages that are never touched cost nothing.
constexpr std::size_t kAll = std::size_t{256} << 10, kLine = 64;

struct Arena {
  ~Arena() {
    std::free(memory);
    memory = nullptr;
    is_over = true;
  }
  void* memory = nullptr;
  std::size_t used = 0;
  bool is_over = false;  // a later destructor of the thread may still call
};
thread_local Arena arena;

constexpr std::size_t whole_lines(std::size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

}  // namespace

void* take_room(std::size_t bytes) {
  Arena& mine = arena;
  bytes = whole_lines(bytes);
  if (mine.memory == nullptr && !mine.is_over) mine.memory = std::aligned_alloc(kLine, kAll);
  if (mine.memory == nullptr || kAll - mine.used < bytes) return nullptr;
  void* const first = static_cast<std::byte*>(mine.memory) + mine.used;
  mine.used += bytes;
  return first;
}

void give_room_back(std::size_t bytes) { arena.used -= whole_lines(bytes); }

}  // namespace reprosum::exact::detail
