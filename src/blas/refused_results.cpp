#include "src/blas/refused_results.h"

#include <cstring>
#include <limits>
#include <string>

#include "src/blas/refuse.h"

namespace reprosum::blas {
namespace {

template <class T>
constexpr T kNan = std::numeric_limits<T>::quiet_NaN();

// Increments and n are not looked at: their width does not matter.
template <class T>
void dot_sub(const void*, const void*, const void*, const void*, const void*, T* out) {
  out[0] = out[1] = kNan<T>;
}

// kParts: of a, b and s, 2 in complex rotations; c is real.
template <class T, int kParts>
void rotg(T* a, T* b, T* c, T* s) {
  for (int part = 0; part < kParts; ++part) a[part] = b[part] = s[part] = kNan<T>;
  *c = kNan<T>;
}

template <class T>
void rotmg(T* d1, T* d2, T* x1, const void*, T* parameters) {
  *d1 = *d2 = *x1 = kNan<T>;
  for (int k = 0; k < 5; ++k) parameters[k] = kNan<T>;
}

// CBLAS's y1 is a number, which passes in a register of its own kind.
template <class T>
void cblas_rotmg(T* d1, T* d2, T* x1, T, T* parameters) {
  rotmg(d1, d2, x1, nullptr, parameters);
}

struct Result {
  const char* routine;
  void* fortran;
  void* cblas;
};
template <class Fortran, class Cblas>
Result result(const char* routine, Fortran* fortran, Cblas* cblas) {
  return {routine, reinterpret_cast<void*>(fortran), reinterpret_cast<void*>(cblas)};
}
const Result kResults[] = {
    result("CDOTC_SUB", dot_sub<float>, dot_sub<float>),
    result("CDOTU_SUB", dot_sub<float>, dot_sub<float>),
    result("ZDOTC_SUB", dot_sub<double>, dot_sub<double>),
    result("ZDOTU_SUB", dot_sub<double>, dot_sub<double>),
    result("SROTG", rotg<float, 1>, rotg<float, 1>),
    result("DROTG", rotg<double, 1>, rotg<double, 1>),
    result("CROTG", rotg<float, 2>, rotg<float, 2>),
    result("ZROTG", rotg<double, 2>, rotg<double, 2>),
    result("SROTMG", rotmg<float>, cblas_rotmg<float>),
    result("DROTMG", rotmg<double>, cblas_rotmg<double>),
};

}  // namespace

void* refused_result(const char* symbol) {
  const std::string routine = routine_of(symbol);
  const bool is_cblas = std::strstr(symbol, "cblas_") != nullptr;
  for (const Result& one : kResults)
    if (routine == one.routine) return is_cblas ? one.cblas : one.fortran;
  return nullptr;
}

}  // namespace reprosum::blas
