// Kernels: code that adds in exactly the order of a spec, made by a backend.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/backends.h"
#include "spec/order.h"
#include "spec/spec.h"

namespace reprosum::kernels {

// A kernel for one order, routine and type: a named, listable, forceable thing.
// Thread safe after construction: call and batch may run concurrently.
template <class T>
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual std::string name() const = 0;  // e.g. "ddot_<first 12 digits of the order's hash>_avx512"
  // The name of the code that serves this n. It ends in "_chain" for a long sum of one accumulator
  // that is added out of order, with the same bits (chain/README.md).
  virtual std::string name(std::int64_t n) const = 0;
  // The least n that is served so; 0: none.
  virtual std::int64_t first_out_of_order() const = 0;
  virtual Isa isa() const = 0;
  virtual std::int64_t n_max() const = 0;
  // 1 <= n <= n_max, unit stride; y is ignored by sum.
  virtual T call(std::int64_t n, const T* x, const T* y) const = 0;
  // The same with increments of either sign, x and y pointing at the first summand. Returns false,
  // with nothing done, if it is not to be had: then the operands have to be copied.
  virtual bool call_strided(std::int64_t n, const T* x, std::int64_t incx, const T* y,
                            std::int64_t incy, T* out) const = 0;
  // rows independent reductions; row i reads x + i*ldx and y + i*ldy (ldy may be 0: shared y).
  virtual void batch(std::int64_t n, std::int64_t rows, const T* x, std::int64_t ldx, const T* y,
                     std::int64_t ldy, T* out) const = 0;
};

// Orders of a spec, in the sequence of the document, for which kernels are made; later ones are
// left to the interpreter: one call of a gemm may have as many classes as a table has room for.
inline constexpr std::size_t kMaxGeneratedOrders = 512;

struct CompileOptions {
  Isa isa;
  // Directory of the on-disk cache; empty: in memory only. Keyed by order hash, generator version,
  // LLVM version and CPU features; every file is verified (SHA-256 of its content and key) on load,
  // and a damaged one is regenerated.
  std::string cache_directory;
};

// Never fails for an order that the interpreter can run: a rule that the generator cannot emit, or
// an ISA the host lacks, gives the interpreter, and `why` says so. routine is sum or dot. The code
// is made by the compile thread; where no thread can be had it is the interpreter, *for_now is
// true, and another call may give better.
template <class T>
std::shared_ptr<const Kernel<T>> compile(const spec::Order& order, spec::Routine routine,
                                         const CompileOptions& options, std::string* why = nullptr,
                                         bool* for_now = nullptr);

// The text of the generated code, for tests and `reprosum show`: LLVM IR and assembly. The host
// need not be able to run it.
struct Listing {
  std::string ir, assembly;
};
Listing listing(const spec::Order& order, spec::Routine routine, spec::Type type, Isa isa);

}  // namespace reprosum::kernels
