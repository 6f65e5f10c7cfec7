#include "src/base/opencl_driver.h"

#include <atomic>

#include "src/base/fork_gate.h"
#include "src/base/shared_library.h"

namespace reprosum::base {
namespace {

constinit std::atomic<const OpenClDriver*> found{nullptr};

bool fill(const SharedLibrary& library, OpenClDriver& driver, std::string* why) {
  driver.library = library.name();
  driver.generation = generation();
#define REPROSUM_FIND(function)                                                       \
  driver.function = reinterpret_cast<decltype(&::function)>(library.find(#function)); \
  if (driver.function == nullptr) {                                                   \
    *why = library.name() + " has no " #function;                                     \
    return false;                                                                     \
  }
  REPROSUM_OPENCL_FUNCTIONS(REPROSUM_FIND)
#undef REPROSUM_FIND
  return true;
}

}  // namespace

const OpenClDriver* opencl_driver(std::string* why) {
  if (const OpenClDriver* const there = found.load(std::memory_order_acquire))
    return is_lost_by_fork(there->library, there->generation, why) ? nullptr : there;
  const NoFork whole;
  const SharedLibrary library = SharedLibrary::open({"libOpenCL.so.1"}, why);
  OpenClDriver driver;
  if (!library.is_open() || !fill(library, driver, why)) return nullptr;
  return &made_once(found, [&] { return driver; });
}

}  // namespace reprosum::base
