#include "src/blas/refuse.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "src/base/printable.h"
#include "src/blas/backing.h"
#include "src/blas/settings.h"

// Weak: the program or a BLAS in the process has them, or nobody has. That they are named here
// makes the linker show those of a program, which the backing calls then.
extern "C" {
__attribute__((weak)) void xerbla_(const char* name, const int* argument, std::size_t name_length);
__attribute__((weak)) void cblas_xerbla(int argument, const char* name, const char* form, ...);
}

namespace reprosum::blas {
namespace {

[[gnu::used]] void* const kShown[] = {reinterpret_cast<void*>(&xerbla_),
                                      reinterpret_cast<void*>(&cblas_xerbla)};

void call_xerbla(const std::string& routine, int argument) {
  const auto xerbla = reinterpret_cast<decltype(&xerbla_)>(
      find_handler("xerbla_", reinterpret_cast<void*>(&xerbla_)));
  if (xerbla == nullptr) std::exit(EXIT_FAILURE);
  std::string name = routine;
  if (name.size() < 6) name.resize(6, ' ');
  // Also what an ILP64 xerbla_ reads, on a little-endian machine.
  alignas(8) const int number[2] = {argument, 0};
  xerbla(name.c_str(), number, name.size());
}

}  // namespace

std::string routine_of(const char* symbol) {
  std::string name = symbol;
  for (const std::string prefix : {"scipy_", "cblas_"})
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
  for (const char* const suffix : {"_64_", "_64", "64_", "_"}) {
    const std::size_t length = std::strlen(suffix);
    if (name.size() > length && name.compare(name.size() - length, length, suffix) == 0) {
      name.resize(name.size() - length);
      break;
    }
  }
  for (char& letter : name)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  return name;
}

void refuse(const std::string& routine, const std::string& call, const char* done,
            const std::string& why, int argument) {
  const bool aborts = settings().on_refused == OnRefused::abort;
  const std::string line = "libreprosum_blas: " + call + " cannot be " + done + ": " + why +
                           (aborts          ? "; REPROSUM_ON_REFUSED=abort ends the process"
                            : argument == 0 ? " (xerbla argument 0: all arguments are valid)"
                                            : "") +
                           "\n";
  std::fputs(base::printable(line).c_str(), stderr);
  if (aborts) std::abort();
  call_xerbla(routine, argument);
}

void report_argument(const std::string& routine, int argument) { call_xerbla(routine, argument); }

}  // namespace reprosum::blas
