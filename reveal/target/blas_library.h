// A BLAS loaded into this process. Only the probed child does this.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "reveal/target/blas_matrix_call.h"
#include "reveal/target/blas_symbols.h"
#include "reveal/target/probed_library.h"

namespace reprosum::reveal {

class BlasLibrary final : public ProbedLibrary {
 public:
  // Throws TargetError("cannot_load") with the loader's message.
  BlasLibrary(const std::string& name, std::vector<std::string> identity_symbols);

  // Calls those of the symbols that are there, under the library's form of names or as they are.
  void set_threads(const std::vector<std::string>& setters, int threads) const;

  // Also throws TargetError("returns_double"): see require_float().
  void call(int routine, const BlasArguments& arguments, double* output) override;
  void call(int routine, const MatrixArguments& arguments) override;
  void keep_to(const CoreSet& cores) override;
  // For gemv and gemm.
  const MatrixSymbols& matrix_symbols(int routine) const {
    return entries_[static_cast<std::size_t>(routine)].symbols;
  }

  // Besides: "provider.path" (where the symbols come from a dependency) and "says.<symbol>" for
  // each of the identity symbols that is there, in either form.
  std::vector<std::pair<std::string, std::string>> describe() const override;

 private:
  enum class Returns : bool { unknown, a_float };
  struct Entry {
    MatrixSymbols symbols;  // of every routine
    Returns fortran_returns = Returns::unknown, cblas_returns = Returns::unknown;  // in f32
    std::string symbol;  // the one that calls go through, unless they are row-major
    void* address() const { return symbols.fortran ? symbols.fortran : symbols.cblas; }
    bool has_both() const { return symbols.fortran && symbols.cblas; }
  };
  void* find(const std::string& symbol) const;
  // Throws TargetError("returns_double") where the function of sum or dot in f32 does.
  void require_float(int routine, bool fortran);

  void* handle_ = nullptr;
  std::vector<std::string> identity_symbols_;
  SymbolForm form_;
  std::array<Entry, kRoutines.size()> entries_;
};

}  // namespace reprosum::reveal
