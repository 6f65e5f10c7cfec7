// gemv and gemm of a spec: from a call to its regions, from regions to kernels, to bits.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kernels/matrix.h"
#include "spec/spec.h"
#include "src/runtime/kernel_slot.h"

namespace reprosum::runtime {

enum class Layout { column_major, row_major };

// A call in BLAS's words. gemv: A is m x n, b and ldb are x and incx, c and ldc are y and incy.
template <class T>
struct MatrixCall {
  spec::Routine routine = spec::Routine::gemm;
  Layout layout = Layout::column_major;
  spec::Trans trans_a = spec::Trans::no, trans_b = spec::Trans::no;
  std::int64_t m = 0, n = 0, k = 0;
  T alpha{1};
  const T* a = nullptr;
  std::int64_t lda = 0;
  const T* b = nullptr;
  std::int64_t ldb = 0;
  T beta{0};
  T* c = nullptr;
  std::int64_t ldc = 0;
};

// Thread safe.
class Products {
 public:
  // The spec must outlive this.
  Products(const spec::Spec& spec, std::string cache_directory);

  // Throws BadArgument or NotCovered before anything is written.
  template <class T>
  void run(const MatrixCall<T>& call, int threads, kernels::Isa isa, int workers) const;

  // What covers a call, and with which regions, for those who run it elsewhere. A call that is
  // looked at may have addresses of another memory; its data count where sees_data, else only an
  // entry for all data covers it. @pre m, n, k >= 1, arguments == column_major(call); what beta is
  // taken for is changed in them. Throws BadArgument for factors that are read and null,
  // NotCovered.
  struct Cover {
    const spec::Entry* entry = nullptr;
    spec::RegionMap map;
    bool reads_factors = true;
  };
  template <class T>
  Cover cover(const MatrixCall<T>& call, spec::MatrixArguments<T>& arguments, int threads,
              bool sees_data) const;
  // The same of a context, whatever the data and scalars are.
  Cover cover(const spec::Context& context) const;
  // What becomes of C without summands (k = 0). Throws NotCovered.
  template <class T>
  const spec::EmptyRule& empty(const MatrixCall<T>& call, const spec::MatrixArguments<T>& arguments,
                               int threads) const;

  // Throws NotCovered.
  std::string kernels(const spec::Context& context, kernels::Isa isa) const;

 private:
  // The generated kernels of one entry, made when they are first called for.
  struct Slot {
    std::mutex mutex;
    std::array<std::shared_ptr<const kernels::MatrixKernels<float>>, kernels::kMaxBackends> f32;
    std::array<std::shared_ptr<const kernels::MatrixKernels<double>>, kernels::kMaxBackends> f64;
    // The same, for calls that need not wait: written once, under the mutex.
    std::array<std::atomic<const kernels::MatrixKernels<float>*>, kernels::kMaxBackends>
        ready_f32{};
    std::array<std::atomic<const kernels::MatrixKernels<double>*>, kernels::kMaxBackends>
        ready_f64{};
  };
  // The context without what k = 0 does not ask about; then that.
  template <class T>
  spec::Context context_of(const MatrixCall<T>& call, const spec::MatrixArguments<T>& arguments,
                           int threads) const;
  template <class T>
  void add_operands(const MatrixCall<T>& call, const spec::MatrixArguments<T>& arguments,
                    spec::Context& context) const;
  template <class T>
  const kernels::MatrixKernels<T>& kernels_of(const spec::Entry& entry, kernels::Isa isa) const;

  const spec::Spec& spec_;
  const std::uint64_t id_;  // no two replayers of a process share it
  const std::string cache_directory_;
  const spec::Residues address_masks_;
  const spec::Tightness asked_leadings_;
  // Where the intervals of increments begin, for x and for y: within one no guard tells increments
  // apart.
  const std::array<std::vector<std::int64_t>, 2> increment_starts_;
  const bool asks_beta_;                      // some entry is for some beta only
  std::vector<std::unique_ptr<Slot>> slots_;  // parallel to spec_.entries; of products
};

}  // namespace reprosum::runtime
