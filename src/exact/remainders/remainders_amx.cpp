// The loops of products by remainders with AMX-INT8, where the machine has it, the system lets the
// process use it, and it does what its emulation does.
//
// AMX-INT8 takes the place of VNNI where the processor has it, Linux grants it (arch_prctl) and
// its unit gives what the emulated one gives on a trial product, from n = 128 on; the caller's
// tile configuration is given back. Blocks of 512 rows by 1024 elements stay in the second level
// of cache and two blocks of 16 columns in the first while tiles of rows pass (tile_product.h).
// Permission holds for the process: Linux then refuses signal stacks without room for tiles
// (sigaltstack: ENOMEM), and it refuses the permission where there is one already; products go
// by VNNI then. path_counts() says which way a thread's products took.
#include <atomic>

#include "src/base/fork_gate.h"
#include "src/exact/remainders/remainder_kernels_x86.h"
#include "src/exact/remainders/tile_unit.h"

#if defined(__x86_64__) && defined(__linux__) && __has_include(<amxtileintrin.h>)
#define REPROSUM_HAS_AMX 1
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#if defined(REPROSUM_HAS_AMX)

#include "src/exact/machine/avx512_intrinsics.h"

#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx512vnni,fma")

#include "src/exact/remainders/tile_product.h"

namespace reprosum::exact {
namespace {

#include "src/exact/remainders/reduce_sums_avx512.h"

// The machine's tiles. Assembly rather than intrinsics: those take literal numbers only.
class MachineTiles {
 public:
  void configure(const TileConfig& config) {
    asm volatile("ldtilecfg %0" : : "m"(config) : "memory");
  }
  void release() { asm volatile("tilerelease" : : : "memory"); }
  template <int kTile>
  void zero() {
    asm volatile("tilezero %%tmm%c0" : : "i"(kTile));
  }
  template <int kTile>
  void load(const void* from, std::int64_t stride) {
    asm volatile("tileloadd (%1,%2,1), %%tmm%c0"
                 :
                 : "i"(kTile), "r"(from), "r"(stride), "m"(all(from)));
  }
  template <int kTile>
  void load_once(const void* from, std::int64_t stride) {
    asm volatile("tileloaddt1 (%1,%2,1), %%tmm%c0"
                 :
                 : "i"(kTile), "r"(from), "r"(stride), "m"(all(from)));
  }
  template <int kTile>
  void store(void* to, std::int64_t stride) {
    asm volatile("tilestored %%tmm%c0, (%1,%2,1)" : : "i"(kTile), "r"(to), "r"(stride) : "memory");
  }
  template <int kSum, int kA, int kB>
  void multiply() {
    asm volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kSum), "i"(kA), "i"(kB));
  }

 private:
  // What a load may read: less for the compiler to forget than all memory.
  using Bytes = const char[];
  static const Bytes& all(const void* from) { return *static_cast<const Bytes*>(from); }
};

// The caller's configuration, given back at the end; tiles themselves are a caller's to save, as
// the ABI has it. The state is the initial one if there was no configuration.
class CallersTiles {
 public:
  CallersTiles() { asm volatile("sttilecfg %0" : "=m"(config_) : : "memory"); }
  ~CallersTiles() {
    if (config_.palette == 0)
      MachineTiles().release();
    else
      MachineTiles().configure(config_);
  }
  CallersTiles(const CallersTiles&) = delete;
  CallersTiles& operator=(const CallersTiles&) = delete;

 private:
  TileConfig config_;
};

bool machine_has_tiles() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kXsaveUsed = 1u << 27, kTile = 1u << 24, kInt8 = 1u << 25;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kXsaveUsed) == 0) return false;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & kTile) == 0 || (d & kInt8) == 0)
    return false;
  // Palette 1: eight tiles of 16 rows of 64 bytes.
  if (__get_cpuid_count(0x1d, 1, &a, &b, &c, &d) == 0) return false;
  if (b >> 16 != 8 || (b & 0xffff) != 64 || (c & 0xffff) != 16) return false;
  unsigned low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  constexpr unsigned kTileState = 3u << 17;
  if ((low & kTileState) != kTileState) return false;
  // Linux wants to be asked, for the process, before tiles are used; it refuses where a signal
  // stack has no room for them.
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

bool tiles_are_usable() {
  if (vnni_remainders() == nullptr || !machine_has_tiles()) return false;
  const CallersTiles callers;
  MachineTiles tiles;
  return does_as_emulated(tiles);
}

void multiply(const RemainderBlock& block, const Modulus& modulus) {
  const CallersTiles callers;
  MachineTiles unit;
  unit.configure(whole_tiles());
  const SumReducer reducer(modulus);
  const auto reduce = [reducer](const std::int32_t* sums, bool adds, std::int8_t* out)
      __attribute__((always_inline)) {
    reducer.store(_mm512_load_si512(sums), adds, out);
  };
  multiply_by_tiles(unit, reduce, block);
}

}  // namespace

const RemainderKernels* amx_remainders() {
  // 16 KiB of each block of two of columns fit the first-level cache, as the rows pass; 512 KiB of
  // rows, and as much of the next ones, the second.
  static std::atomic<const RemainderKernels*> loops{nullptr};
  static std::atomic<const bool*> usable{nullptr};
  if (!base::made_once(usable, tiles_are_usable)) return nullptr;
  return &base::made_once(loops, [] {
    return RemainderKernels{"AMX",
                            &PathCounts::amx_products,
                            1.0 / 32,
                            3000,
                            {512, 512, 16},
                            kVnniRemainders.gather,
                            kVnniRemainders.convert,
                            multiply,
                            kVnniRemainders.combine};
  });
}

}  // namespace reprosum::exact

#pragma GCC pop_options

#elif defined(__x86_64__)
namespace reprosum::exact {
const RemainderKernels* amx_remainders() { return nullptr; }
}  // namespace reprosum::exact
#endif
