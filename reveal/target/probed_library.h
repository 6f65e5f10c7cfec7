// A library in this process that is called with operands in this process's memory, wherever it
// computes. Only the probed child has one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "reveal/target.h"
#include "reveal/target/core_set.h"

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

// The fact of a library whose operands cannot be placed at every address: it says where they begin.
inline constexpr const char* kAddresses = "addresses";

// The fact of a routine that is there as Fortran's and as CBLAS's: it names the second symbol.
inline constexpr const char* kOtherFace = "cblas.";

// Arguments of one call; y and incy are ignored by sum.
struct BlasArguments {
  int n = 0;
  const void* x = nullptr;
  int incx = 1;
  const void* y = nullptr;
  int incy = 1;
  bool cblas = false;  // also where there is the Fortran symbol
};

// The call's operands in memory. m, n, k are those of the product (op(A) is m x k); gemv has x for
// b and y for c, with increments for leading dimensions. The pointers are the lowest addresses.
struct MatrixArguments {
  bool gemv = false;
  bool row_major = false;
  bool cblas = false;      // also where there is the Fortran symbol
  bool conjugate = false;  // transposes are conjugate ones
  spec::Trans trans_a = spec::Trans::no, trans_b = spec::Trans::no;
  int m = 0, n = 1, k = 0;
  double alpha = 1, beta = 0;
  const void* a = nullptr;
  int lda = 1;
  const void* b = nullptr;
  int ldb = 1;  // gemv: incx
  void* c = nullptr;
  int ldc = 1;  // gemv: incy
};

class ProbedLibrary {
 public:
  virtual ~ProbedLibrary() = default;

  // "library.path", "symbol.ddot" of each routine that it has, "row_major.dgemm" of each that takes
  // matrices by rows, "cblas.ddot" of each that has both faces, kAddresses if it has that, and what
  // else decides its bits.
  virtual std::vector<std::pair<std::string, std::string>> describe() const = 0;

  // An operand of the calls to come begins at `first`: 0 is x or A, 1 is y of dot or B, 2 is C.
  // A library with memory of its own copies it, unless it is not new and is there already.
  virtual void hold(int operand, const void* first, std::size_t bytes, bool is_new) {
    static_cast<void>(operand), static_cast<void>(first);
    static_cast<void>(bytes), static_cast<void>(is_new);
  }
  // Memory inside a held operand was written.
  virtual void changed(const void* first, std::size_t bytes) {
    static_cast<void>(first), static_cast<void>(bytes);
  }
  // Brings what calls have written to a held operand.
  virtual void fetch(void* first, std::size_t bytes) {
    static_cast<void>(first), static_cast<void>(bytes);
  }

  // @pre the library has the routine. Throw TargetError: declined for a call that the library does
  // not take, failed where it reports an error.
  // A sum or dot product; `output` is written by finish() at the latest.
  virtual void call(int routine, const BlasArguments& arguments, double* output) = 0;
  virtual void call(int routine, const MatrixArguments& arguments) = 0;
  virtual void finish() {}

  // Advice, as in Target::keep_to().
  virtual void keep_to(const CoreSet&) {}
};

}  // namespace reprosum::reveal
