#include "src/blas/forwarding.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "src/base/printable.h"
#include "src/blas/exact_routines.h"
#include "src/blas/refuse.h"
#include "src/blas/settings.h"

namespace reprosum::blas {
namespace {

// cscal and zscal are not among them: a product of complex numbers is rounded more than once.
constexpr std::string_view kSame[] = {
    "SCOPY",  "DCOPY",  "CCOPY",        "ZCOPY",     "SSWAP",     "DSWAP",     "CSWAP",
    "ZSWAP",  "SSCAL",  "DSCAL",        "CSSCAL",    "ZDSCAL",    "SCABS1",    "DCABS1",
    "ISAMAX", "IDAMAX", "ICAMAX",       "IZAMAX",    "ISAMIN",    "IDAMIN",    "ICAMIN",
    "IZAMIN", "ISMAX",  "IDMAX",        "ICMAX",     "IZMAX",     "ISMIN",     "IDMIN",
    "ICMIN",  "IZMIN",  "SAMAX",        "DAMAX",     "SCAMAX",    "DZAMAX",    "SAMIN",
    "DAMIN",  "SCAMIN", "DZAMIN",       "SMAX",      "DMAX",      "SMIN",      "DMIN",
    "LSAME",  "XERBLA", "XERBLA_ARRAY", "SOMATCOPY", "DOMATCOPY", "SIMATCOPY", "DIMATCOPY",
};

// Hashes of the routines that were named; more places than there are routines.
constexpr std::size_t kPlaces = 2048;
constinit std::array<std::atomic<std::uint64_t>, kPlaces> named{};

bool is_first(std::string_view routine) {
  std::uint64_t hash = 0xCBF29CE484222325;  // FNV-1a
  for (const char letter : routine)
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3;
  for (std::size_t i = 0; i < kPlaces; ++i) {
    std::uint64_t there = 0;
    if (named[(hash + i) % kPlaces].compare_exchange_strong(there, hash)) return true;
    if (there == hash) return false;
  }
  return true;
}

void warn(const std::string& routine, bool has_exact) {
  const std::string line =
      "libreprosum_blas: " + routine +
      " is forwarded: its bits are those of the library behind, here and now" +
      (has_exact ? " (REPROSUM_ON_UNCOVERED=exact computes it)" : "") +
      "; REPROSUM_ON_FORWARDED=allow does not say so, error refuses the call\n";
  std::fputs(base::printable(line).c_str(), stderr);
}

}  // namespace

bool is_the_same_everywhere(const char* symbol) {
  const std::string routine = routine_of(symbol);
  for (const std::string_view one : kSame)
    if (routine == one) return true;
  return false;
}

bool may_forward(const char* symbol) {
  const Settings& asked = settings();
  if (asked.mode == Mode::forward || asked.on_forwarded == OnForwarded::allow) return true;
  if (is_the_same_everywhere(symbol)) return true;
  if (asked.on_forwarded == OnForwarded::error) return false;
  const std::string routine = routine_of(symbol);
  if (is_first(routine)) warn(routine, asked.mode == Mode::replay && has_exact(symbol));
  return true;
}

const char* not_forwarded_text() {
  return "REPROSUM_ON_FORWARDED=error, and its bits would be those of the library behind";
}

}  // namespace reprosum::blas
