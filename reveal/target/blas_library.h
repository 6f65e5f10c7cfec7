// A BLAS loaded into this process. Only the probed child does this.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "reveal/target.h"

namespace reprosum::reveal {

// The four routines in the order of routine_index().
inline constexpr int kRoutineCount = 4;
int routine_index(spec::Routine routine, spec::Type type);

// Arguments of one call; y and incy are ignored by sum.
struct BlasArguments {
  int n = 0;
  const void* x = nullptr;
  int incx = 1;
  const void* y = nullptr;
  int incy = 1;
};

class BlasLibrary {
 public:
  // Throws TargetError("cannot_load") with the loader's message.
  explicit BlasLibrary(const std::string& name);

  bool has(int routine) const { return entries_[static_cast<std::size_t>(routine)].address; }
  double call(int routine, const BlasArguments& arguments) const;

  // "library.path", "library.soname", "symbol.ddot", "provider.path" (where the symbols come from a
  // dependency) and "says.<symbol>" for each of the asked symbols that is there.
  std::vector<std::pair<std::string, std::string>> describe(
      const std::vector<std::string>& identity_symbols) const;

 private:
  struct Entry {
    void* address = nullptr;
    bool fortran = false;
    std::string symbol;
  };
  void* handle_;
  std::array<Entry, kRoutineCount> entries_;
};

}  // namespace reprosum::reveal
