#include "src/blas/forwarded.h"

#include <array>
#include <atomic>
#include <iterator>
#include <string>
#include <string_view>

#include "src/blas/backing.h"
#include "src/blas/counts.h"
#include "src/blas/entry.h"
#include "src/blas/exact_routines.h"
#include "src/blas/forwarding.h"
#include "src/blas/own_names.h"
#include "src/blas/refuse.h"
#include "src/blas/refused_results.h"
#include "src/blas/settings.h"

// Shared with the trampolines. They read a slot and increment a counter without a lock.
extern "C" {
extern void* reprosum_blas_slots[];
extern std::uint64_t reprosum_blas_calls[];
void reprosum_blas_refused();
void* reprosum_blas_target(unsigned number, const void* caller, const std::uint64_t* whole,
                           const char* real, const std::uint64_t* stack);
#define REPLAYED(name, twin) void REPROSUM_BLAS_NAME_OF_ENTRY(name)();
#include REPROSUM_BLAS_REPLAYED
#undef REPLAYED
}

namespace reprosum::blas {
namespace {

// In the order of Symbol.
void (*const kEntries[])() = {
#define REPLAYED(name, twin) REPROSUM_BLAS_NAME_OF_ENTRY(name),
#include REPROSUM_BLAS_REPLAYED
#undef REPLAYED
};

// What reads a call of the symbol and answers it; null for symbols that no spec has.
void* entry_of(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kEntries); ++i)
    if (name == name_of(static_cast<Symbol>(i))) return reinterpret_cast<void*>(kEntries[i]);
  return nullptr;
}

struct Names {
  const char* name;
  const char* twin;   // the other name that a backing may have it by
  int arguments = 0;  // of a driver of LAPACK: the last is INFO. 0: a routine of BLAS
};
constexpr Names kNames[] = {
#define FORWARDED(name, twin) {#name, #twin},
#define FORWARDED_AS(name, plain) {#name, #plain},
#define LAPACK(name, twin, arguments) {#name, #twin, arguments},
#include REPROSUM_BLAS_FORWARDED
#undef LAPACK
#undef FORWARDED_AS
#undef FORWARDED
};
constexpr std::size_t kCount = std::size(kNames);

constinit std::array<std::atomic<std::uint64_t>, kCount> refusals{};
constinit std::array<std::atomic<void*>, kCount> targets{};
// With 64-bit integers under a name without 64: for callers that need that library themselves.
// Where there is one, each call is asked whose it is.
constinit std::array<std::atomic<void*>, kCount> wide_targets{};
// Calls that reached a program's own function, which is not ours to count.
constinit std::array<std::atomic<std::uint64_t>, kCount> own_calls{};
constexpr std::uint64_t kAll = ~std::uint64_t{0};

// From now on the trampoline jumps there without asking.
void keep(unsigned number, void* target) {
  std::atomic_ref(reprosum_blas_slots[number]).store(target, std::memory_order_release);
}

// Where calls are computed exactly, what computes this one.
void* exact_routine_of(const Names& names) {
  if (!settings().prefers_exact() || names.arguments != 0) return nullptr;
  void* const found = exact_routine(names.name);
  return found != nullptr ? found : exact_routine(names.twin);
}

void* to_own(unsigned number, const OwnName& own) {
  if (own.is_final) {
    own_calls[number].store(kAll, std::memory_order_relaxed);
    keep(number, own.address);
  } else if (own_calls[number].load(std::memory_order_relaxed) != kAll) {
    own_calls[number].fetch_add(1, std::memory_order_relaxed);
  }
  return own.address;
}

void* refused(unsigned number, const std::string& why, const SavedArguments& saved) {
  refusals[number].fetch_add(1, std::memory_order_relaxed);
  const char* const name = kNames[number].name;
  refuse(routine_of(name), name, "forwarded", why, 0);
  if (kNames[number].arguments != 0)
    put_info_of_refused(name, kNames[number].arguments, saved);
  else
    put_nan_in_outputs(name, saved);
  return reinterpret_cast<void*>(&reprosum_blas_refused);
}

// What a call goes on to that is not computed here. A driver of LAPACK is counted and never sent
// elsewhere than where its caller's program has it: REPROSUM_BACKING names a BLAS, and a LAPACK
// over that calls our symbols.
Found behind(unsigned number, const OwnName& meant, const void* caller) {
  if (meant.address != nullptr) return {meant.address, ""};
  const Names& names = kNames[number];
  if (void* const wide = wide_targets[number].load(std::memory_order_acquire))
    if (own_name(names.name, caller).address == wide) return {wide, "", false};
  if (void* const known = targets[number].load(std::memory_order_acquire))
    return {known, "", wide_targets[number].load(std::memory_order_acquire) == nullptr};
  Found found = find_in_backing(names.name, names.twin);
  // First, for who finds the other one does not ask again.
  if (found.wide != nullptr) wide_targets[number].store(found.wide, std::memory_order_release);
  if (found.address != nullptr && found.is_final)
    targets[number].store(found.address, std::memory_order_release);
  if (found.wide == nullptr) return found;
  if (own_name(names.name, caller).address == found.wide) return {found.wide, "", false};
  found.is_final = false;
  return found;
}

// Whether this library would read half of each integer that the call passes.
bool is_wide(unsigned number, const void* target) {
  if (!is_narrow(kNames[number].name)) return false;
  return target == wide_targets[number].load(std::memory_order_acquire) ||
         !why_no_narrow_names().empty();
}

// Where a call goes in forward mode that has an entry: on, as it came, whatever its integers are.
// The entry refuses what has no place to go, and prints a call whose arguments it can read.
Found handed_on(unsigned number, const OwnName& own, const void* caller, void* entry) {
  const Found found = behind(number, own, caller);
  if (found.address == nullptr) return {entry, "", false};
  if (settings().verbose && !is_wide(number, found.address)) return {entry, ""};
  return found;
}

// Once known, it stands in the slot and this is not asked again, unless each call is to be printed.
void* target_of(unsigned number, const void* caller, const SavedArguments& saved) {
  const Names& names = kNames[number];
  OwnName own;
  if (names.arguments != 0 || is_extra(names.name)) own = own_name(names.name, caller);
  if (own.address != nullptr && names.arguments == 0) return to_own(number, own);
  const Settings& asked = settings();
  if (void* const entry = entry_of(names.name)) {
    const bool is_read = asked.mode != Mode::forward || !asked.why.empty();
    const Found found = is_read ? Found{entry, ""} : handed_on(number, own, caller, entry);
    if (found.address != entry && asked.verbose)
      print_call(names.name, End::forwarded);
    else if (own.is_final && found.is_final)
      keep(number, found.address);
    return found.address;
  }
  if (!asked.why.empty()) return refused(number, asked.why, saved);
  void* const exact = exact_routine_of(names);
  if (exact != nullptr && is_narrow(names.name) && !why_no_narrow_names().empty())
    return refused(number, why_no_narrow_names(), saved);
  void* target = exact;
  bool is_final = own.is_final;
  if (exact == nullptr) {
    const Found found = behind(number, own, caller);
    is_final = is_final && found.is_final;
    if (found.address == nullptr) return refused(number, found.why, saved);
    if (!may_forward(names.name)) return refused(number, not_forwarded_text(), saved);
    target = found.address;
  }
  if (asked.verbose) {
    print_call(names.name, exact != nullptr ? End::exact : End::forwarded);
  } else if (is_final) {
    keep(number, target);
  }
  return target;
}

}  // namespace

std::vector<ForwardedCount> forwarded_counts() {
  std::vector<ForwardedCount> counts;
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::uint64_t calls = std::atomic_ref(reprosum_blas_calls[i]).load();
    const std::uint64_t refused = refusals[i].load();
    const std::uint64_t own = own_calls[i].load();
    if (calls == 0 || own == kAll || calls == own) continue;
    if (entry_of(kNames[i].name) != nullptr) continue;
    const bool exact = exact_routine_of(kNames[i]) != nullptr;
    const std::uint64_t served = calls - refused - own;
    counts.push_back({kNames[i].name, exact ? served : 0, exact ? 0 : served, refused});
  }
  return counts;
}

std::uint64_t calls_of(const char* name) {
  for (std::size_t i = 0; i < kCount; ++i) {
    if (std::string_view(kNames[i].name) != name) continue;
    const std::uint64_t own = own_calls[i].load();
    return own == kAll ? 0 : std::atomic_ref(reprosum_blas_calls[i]).load() - own;
  }
  return 0;
}

}  // namespace reprosum::blas

// Where a trampoline's call goes on.
extern "C" void* reprosum_blas_target(unsigned number, const void* caller,
                                      const std::uint64_t* whole, const char* real,
                                      const std::uint64_t* stack) {
  return reprosum::blas::target_of(number, caller, {whole, real, stack});
}
