// A spec made ready to be replayed: contexts to orders, orders to kernels, calls to bits.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/kernel.h"
#include "spec/spec.h"
#include "src/runtime/kernel_slot.h"
#include "src/runtime/products.h"
#include "src/runtime/routes.h"
#include "src/runtime/short_cuts.h"

namespace reprosum::runtime {

// The backend of that name (kernels/backends.h). Throws BadArgument for another name.
kernels::Isa known_isa(const std::string& name);
// Throws EnvironmentError for one that this host cannot run on operands of its own.
void check_host(kernels::Isa isa);

// The kernel that a context leads to.
struct ChosenKernel {
  std::string name;
  kernels::Isa isa = kernels::Isa::interpreter;
};

// Thread safe. Every call leaves the caller's floating-point environment as it was.
class Replayer {
 public:
  // An unset isa is the best of the host. Throws UserError for an inconsistent spec.
  Replayer(spec::Spec spec, std::string cache_directory, std::optional<kernels::Isa> isa = {});

  const spec::Spec& spec() const { return spec_; }

  // Throws NotCovered if no entry has this thread count.
  void set_threads(int threads);
  int threads() const { return routes_.load(std::memory_order_acquire)->threads(); }

  void set_isa(kernels::Isa isa) { isa_.store(isa, std::memory_order_relaxed); }
  void set_best_isa() { set_isa(best_isa_); }

  // BLAS's pointers and increments; y is ignored by sum. n <= 0 gives what the spec says, whatever
  // the vectors are. Throws BadArgument or NotCovered before any data is read.
  template <class T>
  T call(spec::Routine routine, std::int64_t n, const T* x, std::int64_t incx, const T* y,
         std::int64_t incy) const;

  // Row i is call(x + i * ldx, y + i * ldy), bit for bit. Nothing is written unless every row is
  // covered.
  template <class T>
  void batch(spec::Routine routine, std::int64_t n, std::int64_t rows, const T* x,
             std::int64_t incx, std::int64_t ldx, const T* y, std::int64_t incy, std::int64_t ldy,
             T* out) const;

  // Own threads of product(): they never change a bit.
  void set_workers(int workers) { workers_.store(workers, std::memory_order_relaxed); }

  // gemv or gemm. Throws BadArgument or NotCovered before anything is written.
  template <class T>
  void product(const MatrixCall<T>& call) const {
    products_.run(call, threads(), isa_.load(std::memory_order_relaxed),
                  workers_.load(std::memory_order_relaxed));
  }
  const Products& products() const { return products_; }
  std::string product_kernels(const spec::Context& context) const {
    return products_.kernels(context, isa_.load(std::memory_order_relaxed));
  }

  // The largest n covered in this context (its n is ignored), 0 if there is none.
  std::int64_t largest_n(const spec::Context& context) const;

  // Throws NotCovered. Generates the kernel if need be.
  ChosenKernel kernel(const spec::Context& context) const;

 private:
  template <class T>
  using Slots = std::vector<std::unique_ptr<KernelSlot<T>>>;  // 2 * order + routine

  template <class T>
  const kernels::Kernel<T>& kernel_of(const Route& route, spec::Routine routine, kernels::Isa isa,
                                      std::int64_t n) const;
  template <class T>
  const Route& route_of(const Routes& routes, spec::Routine routine, std::int64_t n, const T* x,
                        std::int64_t incx, const T* y, std::int64_t incy) const;
  // The ways without a short cut; apart, so that the short way has few registers to save.
  template <class T>
  [[gnu::noinline]] T call_without_short_cut(spec::Routine routine, std::int64_t n, const T* x,
                                             std::int64_t incx, const T* y,
                                             std::int64_t incy) const;
  template <class T>
  T empty(spec::Routine routine, std::int64_t n) const;
  template <class T>
  T call_by_route(const Routes& routes, kernels::Isa isa, spec::Routine routine, std::int64_t n,
                  const T* x, std::int64_t incx, const T* y, std::int64_t incy) const;
  template <class T>
  void rows_of_one_kernel(const kernels::Kernel<T>& kernel, bool with_y, std::int64_t n,
                          std::int64_t rows, const T* x, std::int64_t incx, std::int64_t ldx,
                          const T* y, std::int64_t incy, std::int64_t ldy, T* out) const;
  [[noreturn]] void refuse(const spec::Context& context) const;
  template <class T>
  const Slots<T>& slots() const;
  template <class T>
  ShortCuts<T>& short_cuts() const;

  const spec::Spec spec_;
  const std::string cache_directory_;
  const kernels::Isa best_isa_;
  std::atomic<kernels::Isa> isa_;
  std::atomic<int> workers_{1};
  const Products products_;
  Slots<float> slots_f32_;
  Slots<double> slots_f64_;
  std::mutex mutex_;                                         // of all_routes_
  std::map<int, std::unique_ptr<const Routes>> all_routes_;  // by thread count, never shrinks
  std::atomic<const Routes*> routes_;
  mutable ShortCuts<float> short_cuts_f32_;
  mutable ShortCuts<double> short_cuts_f64_;
};

}  // namespace reprosum::runtime
