#include "src/blas/shared_handle.h"

#include <atomic>
#include <charconv>
#include <cstring>
#include <mutex>

#include "src/base/environment.h"
#include "src/base/fork_gate.h"
#include "src/blas/settings.h"
#include "src/blas/start_directory.h"

namespace reprosum::blas {
namespace {

// REPROSUM_THREADS: which of the captured thread counts is replayed. "" or why it cannot be.
std::string choose_threads(reprosum_handle* handle) {
  const char* text = base::variable("REPROSUM_THREADS");
  if (text == nullptr || text[0] == '\0') return "";
  int threads = 0;
  const char* end = text + std::strlen(text);
  const auto read = std::from_chars(text, end, threads);
  if (read.ec != std::errc() || read.ptr != end)
    return std::string("REPROSUM_THREADS = \"") + text + "\" is not a number";
  if (reprosum_set_threads(handle, threads) == REPROSUM_OK) return "";
  return std::string("REPROSUM_THREADS: ") + reprosum_last_error(handle);
}

constinit std::atomic<const SharedHandle*> shared{nullptr};

SharedHandle* open() {
  // Never freed, as the handle is not.
  auto* const made = new SharedHandle;
  const char* path = base::variable("REPROSUM_SPEC");
  if (path == nullptr || path[0] == '\0') {
    made->why = std::string("REPROSUM_SPEC names no spec") + privileged_note();
    made->none_named = true;
    return made;
  }
  reprosum_handle* handle = nullptr;
  if (reprosum_open_file(from_start(path).c_str(), &handle) != REPROSUM_OK) {
    const std::string why = reprosum_last_error(nullptr);
    // Another variable's fault says so itself.
    made->why = (why.starts_with("REPROSUM_") ? "" : "REPROSUM_SPEC: ") + why;
    return made;
  }
  made->why = choose_threads(handle);
  if (settings().workers != 0 && reprosum_set_workers(handle, settings().workers) != REPROSUM_OK)
    made->why = std::string("REPROSUM_NUM_THREADS: ") + reprosum_last_error(handle);
  if (made->why.empty()) {
    made->handle = handle;
  } else {
    reprosum_close(handle);
  }
  return made;
}

}  // namespace

const SharedHandle& shared_handle() {
  if (const SharedHandle* const there = shared.load(std::memory_order_acquire)) [[likely]]
    return *there;
  static std::mutex mutex;  // a spec is opened once
  const base::ForkSafeLock lock(mutex);
  const SharedHandle* there = shared.load(std::memory_order_acquire);
  if (there == nullptr) {
    there = open();
    shared.store(there, std::memory_order_release);
  }
  return *there;
}

const SharedHandle* opened_handle() { return shared.load(std::memory_order_acquire); }

}  // namespace reprosum::blas
