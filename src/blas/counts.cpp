#include "src/blas/counts.h"

#include <array>
#include <cstdio>
#include <vector>

#include "src/base/printable.h"
#include "src/blas/forwarded.h"
#include "src/blas/settings.h"
#include "src/blas/shared_handle.h"

namespace reprosum::blas {
namespace {

constexpr std::size_t kSymbols = static_cast<std::size_t>(Symbol::count);
constexpr std::array<const char*, kSymbols> kNames = {
#define REPLAYED(name, twin) #name,
#include REPROSUM_BLAS_REPLAYED
#undef REPLAYED
};
constexpr std::array<const char*, kSymbols> kTwins = {
#define REPLAYED(name, twin) #twin,
#include REPROSUM_BLAS_REPLAYED
#undef REPLAYED
};

// A symbol's counters share a cache line and have it for themselves.
struct alignas(64) Counters {
  std::array<std::atomic<std::uint64_t>, kEnds> ends{};
};
constinit std::array<Counters, kSymbols> counters{};

const char* word(End end) {
  static constexpr const char* kWords[] = {"replayed", "exact", "forwarded", "refused"};
  return kWords[static_cast<std::size_t>(end)];
}

using Ends = std::array<std::uint64_t, kEnds>;

std::string row(const char* name, const Ends& ends) {
  char text[128];
  int length = std::snprintf(text, sizeof text, "REPROSUM %-20s", name);
  for (const std::uint64_t count : ends)
    length += std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length),
                            " %12llu", static_cast<unsigned long long>(count));
  return std::string(text) + "\n";
}

// Where the replayed calls were done, if a device was asked for.
std::string device_row() {
  const SharedHandle* const opened = opened_handle();
  std::int64_t there = 0, here = 0;
  if (opened == nullptr || opened->handle == nullptr ||
      reprosum_device_calls(opened->handle, &there, &here) != REPROSUM_OK || there + here == 0)
    return "";
  return "REPROSUM " + std::to_string(there) + " replayed on the device, " + std::to_string(here) +
         " that it did not do by this host's kernels\n";
}

// What became of the calls of a symbol: of those that nobody counted, what is usual in this mode.
Ends ends_of(std::size_t symbol) {
  Ends ends{};
  std::uint64_t counted = 0;
  for (std::size_t end = 0; end < kEnds; ++end)
    counted += ends[end] = counters[symbol].ends[end].load();
  const std::uint64_t calls = calls_of(kNames[symbol]);
  if (calls > counted) ends[static_cast<std::size_t>(usual_end())] += calls - counted;
  return ends;
}

// A process that called no BLAS says nothing: REPROSUM_VERBOSE reaches every child.
__attribute__((destructor)) void print_summary() {
  std::string rows;
  for (std::size_t i = 0; i < kSymbols; ++i) {
    const Ends ends = ends_of(i);
    if (ends != Ends{}) rows += row(kNames[i], ends);
  }
  for (const ForwardedCount& counted : forwarded_counts())
    rows += row(counted.name, {0, counted.exact, counted.forwarded, counted.refused});
  if (rows.empty() || !settings().has_summary) return;
  char head[128];
  std::snprintf(head, sizeof head, "REPROSUM %-20s %12s %12s %12s %12s\n", "summary", "replayed",
                "exact", "forwarded", "refused");
  std::fputs((head + rows + device_row()).c_str(), stderr);
}

}  // namespace

const char* name_of(Symbol symbol) { return kNames[static_cast<std::size_t>(symbol)]; }
const char* twin_of(Symbol symbol) { return kTwins[static_cast<std::size_t>(symbol)]; }

End usual_end() {
  const Mode mode = settings().mode;
  return mode == Mode::replay ? End::replayed : mode == Mode::exact ? End::exact : End::forwarded;
}

void count(Symbol symbol, End end) {
  if (end == usual_end()) return;  // the trampoline has counted the call
  counters[static_cast<std::size_t>(symbol)].ends[static_cast<std::size_t>(end)].fetch_add(
      1, std::memory_order_relaxed);
}

void print_call(const std::string& call, std::chrono::nanoseconds taken, End end,
                const std::string& note) {
  char time[32];
  std::snprintf(time, sizeof time, " %.2fus ", static_cast<double>(taken.count()) / 1000);
  const std::string line =
      "REPROSUM " + call + time + word(end) + (note.empty() ? "" : " " + note) + "\n";
  std::fputs(base::printable(line).c_str(), stderr);
}

void print_call(const std::string& call, End end) {
  const std::string line = "REPROSUM " + call + " " + word(end) + "\n";
  std::fputs(base::printable(line).c_str(), stderr);
}

}  // namespace reprosum::blas
