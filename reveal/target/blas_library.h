// A BLAS loaded into this process. Only the probed child does this.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "reveal/target.h"
#include "reveal/target/blas_matrix_call.h"
#include "reveal/target/blas_symbols.h"

namespace reprosum::reveal {

// Every routine and type, in the order of routine_index().
inline constexpr std::array<std::pair<spec::Routine, spec::Type>, 8> kRoutines{{
    {spec::Routine::sum, spec::Type::f32},
    {spec::Routine::sum, spec::Type::f64},
    {spec::Routine::dot, spec::Type::f32},
    {spec::Routine::dot, spec::Type::f64},
    {spec::Routine::gemv, spec::Type::f32},
    {spec::Routine::gemv, spec::Type::f64},
    {spec::Routine::gemm, spec::Type::f32},
    {spec::Routine::gemm, spec::Type::f64},
}};
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

  // Calls those of the symbols that are there, under the library's form of names or as they are.
  void set_threads(const std::vector<std::string>& setters, int threads) const;

  // @pre the library has the routine, which is sum or dot.
  double call(int routine, const BlasArguments& arguments) const;
  // For gemv and gemm.
  const MatrixSymbols& matrix_symbols(int routine) const {
    return entries_[static_cast<std::size_t>(routine)].symbols;
  }

  // "library.path", "library.soname", "symbol.ddot", "symbol.dgemm" and "row_major.dgemm" (what
  // row-major calls go through), "provider.path" (where the symbols come from a dependency) and
  // "says.<symbol>" for each of the asked symbols that is there, in either form.
  std::vector<std::pair<std::string, std::string>> describe(
      const std::vector<std::string>& identity_symbols) const;

 private:
  struct Entry {
    MatrixSymbols symbols;  // of every routine
    std::string symbol;     // the one that calls go through, unless they are row-major
    void* address() const { return symbols.fortran ? symbols.fortran : symbols.cblas; }
  };
  void* find(const std::string& symbol) const;

  void* handle_ = nullptr;
  SymbolForm form_;
  std::array<Entry, kRoutines.size()> entries_;
};

}  // namespace reprosum::reveal
