#include "src/runtime/forced_device.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "src/base/environment.h"
#include "src/base/fork_gate.h"
#include "src/base/thread_object.h"
#include "src/runtime/cache_directory.h"

namespace reprosum::runtime {
namespace {

using kernels::device::Dialect;

constinit std::atomic<int> visits{0};
constinit std::atomic<int> generation_of_visits{0};
constinit std::atomic<bool> ended{false};
constinit thread_local int visits_of_this_thread = 0;

void leave() {
  visits.fetch_sub(1);
  if (ended.load()) visits.notify_all();
}

void end_visits() {
  ended.store(true);
  if (generation_of_visits.load() != base::generation()) return;  // a parent's are not here
  if (visits_of_this_thread > 0) return;                          // exit() in a handler of a signal
  for (int left = visits.load(); left > 0; left = visits.load()) visits.wait(left);
}

struct EndOfThread {
  ~EndOfThread() { end_visits(); }
};

// exit() destroys the objects of the thread that calls it before it calls any handler. Drivers and
// the compilers in them register handlers while they work, which would come before one of ours. So
// the main thread, which ends most processes, has an object that waits; it also keeps dlclose()
// from unloading this library.
void wait_in_main_thread() {
#if defined(__linux__)
  constinit static thread_local int is_main = -1;
  if (is_main < 0) is_main = ::gettid() == ::getpid() ? 1 : 0;
  if (is_main == 0) return;
  base::kept_by_this_thread<EndOfThread>();
#endif
}

// A program whose main thread makes no call has loaded the library there.
[[gnu::constructor]] void wait_from_the_start() {
  const char* const isa = base::variable("REPROSUM_ISA");
  if (isa == nullptr) return;
  const std::optional<kernels::Isa> known = kernels::find_isa(isa);
  if (known && kernels::backend(*known).on_device) wait_in_main_thread();
}

}  // namespace

ForcedDevice::Visit::Visit(int generation) {
  if (generation != base::generation())
    throw EnvironmentError("the device was opened before this process was forked");
  wait_in_main_thread();
  constexpr const char* kEnding = "the process is ending";
  if (ended.load()) throw EnvironmentError(kEnding);
  generation_of_visits.store(generation);
  visits.fetch_add(1);
  if (ended.load()) {
    leave();
    throw EnvironmentError(kEnding);
  }
  ++visits_of_this_thread;
}

ForcedDevice::Visit::~Visit() {
  --visits_of_this_thread;
  leave();
}

std::shared_ptr<kernels::device::OpenDevice> ForcedDevice::opened(kernels::Isa isa) {
  const Visit visit(base::generation());
  const Dialect dialect = isa == kernels::Isa::cuda ? Dialect::cuda : Dialect::opencl;
  return open_with_room([&] {
    auto found = kernels::device::find_device(dialect, 0);
    std::atexit(end_visits);  // another thread may end the process
    return std::make_shared<kernels::device::OpenDevice>(std::move(found), cache_directory());
  });
}

ForcedDevice::ForcedDevice(const Replayer& replayer, kernels::Isa isa)
    : isa_(isa), generation_(base::generation()), orders_(replayer, opened(isa)) {}

std::optional<std::string> ForcedDevice::kernel(const spec::Context& context) const {
  try {
    const Visit visit(generation_);
    return orders_.sums.kernel(context) + "_" + kernels::name(isa_);
  } catch (const UserError&) {
  } catch (const EnvironmentError&) {
  }
  return std::nullopt;
}

std::optional<std::string> ForcedDevice::product_kernels(const spec::Context& context) const {
  try {
    const Visit visit(generation_);
    orders_.products.check_kernels(context);
    return std::string(kernels::name(isa_)) + ": every output";
  } catch (const UserError&) {
  } catch (const EnvironmentError&) {
  }
  return std::nullopt;
}

}  // namespace reprosum::runtime
