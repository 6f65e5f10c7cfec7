#include "reveal/target/blas_symbols.h"

#include <dlfcn.h>

#include "reveal/target/probed_library.h"

namespace reprosum::reveal {
namespace {

constexpr SymbolForm kForms[] = {
    {"", "_", ""},
    {"", "_64_", "64_"},         // OpenBLAS with SYMBOLSUFFIX=64_, libblastrampoline
    {"", "_64_", "_64"},         // the reference BLAS from 3.11 on, MKL
    {"scipy_", "_", ""},         // wheels of SciPy
    {"scipy_", "_64_", "64_"}};  // wheels of NumPy

}  // namespace

std::string SymbolForm::fortran(const std::string& routine) const {
  return std::string(prefix) + routine + std::string(fortran_suffix);
}

std::string SymbolForm::cblas(const std::string& routine) const {
  return other("cblas_" + routine);
}

std::string SymbolForm::other(const std::string& name) const {
  return std::string(prefix) + name + std::string(suffix);
}

SymbolForm symbol_form(void* library) {
  SymbolForm best = kForms[0];
  int most = 0;
  for (const SymbolForm& form : kForms) {
    int found = 0;
    for (const auto& [routine, type] : kRoutines) {
      const std::string base = spec::blas_name(routine, type);
      found += dlsym(library, form.fortran(base).c_str()) != nullptr;
      found += dlsym(library, form.cblas(base).c_str()) != nullptr;
    }
    if (found > most) {
      best = form;
      most = found;
    }
  }
  return best;
}

}  // namespace reprosum::reveal
