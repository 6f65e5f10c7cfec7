// The probed child's answers to requests of gemv and gemm.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "reveal/target/blas_server.h"
#include "reveal/target/matrix_layout.h"
#include "reveal/target/probed_library.h"

namespace reprosum::reveal {

// Memory that only the child has. Growing drops what it held.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();
  // At a multiple of 4096. Memory far beyond `bytes` is given back. Throws std::bad_alloc.
  std::byte* take(std::size_t bytes);

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// Bytes that the operands need, with guards and the copy of C; kOperandsBytes + 1 or more if they
// are too many.
std::size_t operand_bytes(const MatrixLayouts& layouts, spec::Type type);

class MatrixServer {
 public:
  MatrixServer(std::byte* shared, BlasControl& control, ProbedLibrary& library)
      : shared_(shared), control_(control), library_(library) {}

  // The requests in control.matrices: outputs as doubles into the results part.
  void answer();
  // The request in control.signatures: hashes into the results part.
  void answer_signatures();

 private:
  template <typename T>
  void answer_as(const MatrixRequest& request);
  template <typename T>
  void answer_signatures_as();
  template <typename T>
  void arrange(const Call& call);
  template <typename T>
  void place(const MatrixRequest& request);
  template <typename T>
  void hold(bool is_new);
  void run(int routine, MatrixArguments& arguments, double alpha, double beta);
  MatrixArguments arguments(const Call& call) const;
  template <typename T>
  T* first(std::size_t operand) const;
  // Call this after an operand was written.
  template <typename T>
  void changed(std::size_t operand);

  std::byte* shared_;
  BlasControl& control_;
  ProbedLibrary& library_;
  Arena arena_;
  MatrixLayouts layouts_;
  std::array<std::byte*, 3> first_{};    // of each operand
  std::byte* base_c_ = nullptr;          // C's extent as it is before each call
  std::vector<std::uint64_t> hashes_;    // in the order of C's memory
  std::vector<std::byte> typed_values_;  // one row in the routine's type
};

}  // namespace reprosum::reveal
