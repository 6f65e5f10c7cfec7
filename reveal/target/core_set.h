// The cores that threads may run on.
#pragma once

#include <sched.h>

#include <cstddef>

namespace reprosum::reveal {

// Bytes that another process understands. Empty where the system does not say which cores there are
// (it has more than CPU_SETSIZE): then nothing is moved.
class CoreSet {
 public:
  CoreSet() { CPU_ZERO(&cores_); }
  static CoreSet of_this_thread();

  std::size_t count() const { return static_cast<std::size_t>(CPU_COUNT(&cores_)); }
  bool operator==(const CoreSet& other) const { return CPU_EQUAL(&cores_, &other.cores_); }

  // Part `index` of `parts`: neighbours, each core in one part; single cores by turns where there
  // are more parts than cores. @pre 0 <= index < parts
  CoreSet part(std::size_t index, std::size_t parts) const;

  // Keeps this thread to these cores; changes nothing if the system does not allow it.
  void keep_this_thread() const;
  // All threads of this process, and those that they will start.
  void keep_this_process() const;

 private:
  cpu_set_t cores_;
};

// The thread that it lives in keeps to these cores for that long.
class KeptToCores {
 public:
  explicit KeptToCores(const CoreSet& cores) : before_(CoreSet::of_this_thread()) {
    cores.keep_this_thread();
  }
  ~KeptToCores() { before_.keep_this_thread(); }
  KeptToCores(const KeptToCores&) = delete;
  KeptToCores& operator=(const KeptToCores&) = delete;

 private:
  const CoreSet before_;
};

}  // namespace reprosum::reveal
