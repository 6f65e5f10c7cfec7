// Compiled programs of a device, kept in the process and on disk.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "kernels/device/device.h"
#include "kernels/object_cache.h"

namespace reprosum::kernels::device {

// What a compiled program depends on: the text, the options, the compiler, and what it runs on.
std::string program_key(const Facts& facts, const std::string& options, const std::string& text);

// Any thread. Files are verified as the CPU's are (kernels/object_cache.h); one that the driver
// does not take is made again.
class ProgramStore {
 public:
  ProgramStore(Device& device, std::string cache_directory)  // "" keeps nothing on disk
      : device_(device), cache_(std::move(cache_directory)) {}

  // Each text is compiled once; a thread that asks for one that another thread makes waits for it.
  std::shared_ptr<const Program> get(const std::string& text);

  // For `reprosum doctor` and tests: how many were compiled, and how many came from disk.
  struct Counts {
    int compiled = 0, loaded = 0;
  };
  Counts counts() const;

 private:
  std::shared_ptr<const Program> make(const std::string& text);
  Device& device_;
  const ObjectCache cache_;
  mutable std::mutex mutex_;
  // By text: to compare texts takes a tenth of the time that their hash takes, and every call asks.
  std::map<std::string, std::shared_ptr<const Program>> programs_;
  Counts counts_;
};

}  // namespace reprosum::kernels::device
