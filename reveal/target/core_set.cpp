#include "reveal/target/core_set.h"

#include <dirent.h>

#include <cstdlib>

namespace reprosum::reveal {

CoreSet CoreSet::of_this_thread() {
  CoreSet set;
  if (sched_getaffinity(0, sizeof set.cores_, &set.cores_) != 0) CPU_ZERO(&set.cores_);
  return set;
}

CoreSet CoreSet::part(std::size_t index, std::size_t parts) const {
  const std::size_t all = count();
  CoreSet some;
  std::size_t position = 0;
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &cores_)) continue;
    const bool mine = parts <= all ? position * parts / all == index : position == index % all;
    if (mine) CPU_SET(core, &some.cores_);
    ++position;
  }
  return some;
}

void CoreSet::keep_this_thread() const {
  if (count() > 0) sched_setaffinity(0, sizeof cores_, &cores_);
}

void CoreSet::keep_this_process() const {
  if (count() == 0) return;
  DIR* const threads = opendir("/proc/self/task");
  if (threads == nullptr) return;
  while (const dirent* const entry = readdir(threads)) {
    const int id = std::atoi(entry->d_name);
    if (id > 0) sched_setaffinity(id, sizeof cores_, &cores_);
  }
  closedir(threads);
}

}  // namespace reprosum::reveal
