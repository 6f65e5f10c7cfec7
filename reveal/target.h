// A target: the black box that is probed. It answers batches of probes and nothing else is known.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reveal/target/core_set.h"
#include "reveal/target/place.h"
#include "spec/error.h"
#include "spec/spec.h"

namespace reprosum::reveal {

// One call in one context: the product op(A)*op(B) of a row and a column, or C := alpha*op(A)*op(B)
// + beta*C. op(A) is m x k, op(B) k x n, C m x n.
//
// A sum or dot product of k numbers has m = n = 1: op(A) is x and op(B) is y, which is ignored by
// sum. Its leaf index is BLAS's logical index: summand p of a call with a negative increment is the
// p-th one that the routine's definition visits, at x[(1 - k) * incx + p * incx] for incx < 0. For
// incx == 0 every summand shares x[0].
//
// gemv: n = 1, op(B) is x (increment incx) and C is y (increment incy); the matrix of the call is
// m x k for trans_a no and k x m for yes. All indices of a batch are logical: of op(A), op(B) and
// C, whatever the transposes, the layout and the increments make of them in memory.
struct Call {
  spec::Routine routine = spec::Routine::dot;
  spec::Type type = spec::Type::f64;
  spec::Trans trans_a = spec::Trans::no, trans_b = spec::Trans::no;
  bool row_major = false;  // through CBLAS, with the operands stored by rows
  std::int64_t m = 1, n = 1;
  std::int64_t k = 0;                            // of sum and dot below 0: no summands either
  std::int64_t incx = 1, incy = 1;               // of vectors
  std::int64_t pad_a = 0, pad_b = 0, pad_c = 0;  // leading dimensions are the least ones plus this
  // Addresses of the first elements in memory modulo place.modulus bytes; those of x and y of a dot
  // product are a and b.
  int align_a = 0, align_b = 0, align_c = 0;
  Place place{};
  // Through CBLAS, also where the target has the Fortran routine.
  bool cblas = false;
  // Transposes are asked for as conjugate ones, which of real numbers are the same.
  bool conjugate = false;
  bool operator==(const Call&) const = default;
};

// A call of sum or dot of n numbers.
Call call_of_vectors(spec::Routine routine, spec::Type type, std::int64_t n, std::int64_t incx = 1,
                     std::int64_t incy = 1, int align_a = 0, int align_b = 0);
// A call without sizes: no summands, and for gemv and gemm no rows.
Call call_without_sizes(spec::Routine routine, spec::Type type,
                        spec::Trans trans_a = spec::Trans::no,
                        spec::Trans trans_b = spec::Trans::no);

// "ddot n=7 incx=1 incy=1 align=(0,8)"; "sgemm NT m=3 n=4 k=5", and what else is not usual about
// the call. Sizes only if there are any.
std::string describe(const Call& call);

struct Edit {
  std::int64_t index = 0;
  double value = 0;
};

// The batch's base vectors with some summands replaced.
struct Probe {
  std::vector<Edit> x{}, y{};
};

// Calls of sum or dot.
// @pre every value is representable in call.type; x.size() == rows * max(0, k), y likewise or empty
// (all ones; also what sum gets). With incx == 0 only x[0] of each row is used; the same for y.
// @post of run(): rows * max(1, probes.size()) outputs; row r's probes are consecutive.
struct Batch {
  Call call{};
  std::int64_t rows = 1;
  std::span<const double> x{}, y{};
  std::vector<Probe> probes{};
  // Nonzero and equal to the previous batch's: the base vectors (and call) have not changed, so a
  // target may skip sending them.
  std::uint64_t base_id = 0;
};

// ---- gemv and gemm ----

struct MatrixEdit {
  enum class Operand : std::uint8_t { a, b, c };
  Operand operand = Operand::a;
  std::int64_t row = 0, column = 0;  // of op(A), op(B) or C
  double value = 0;
};

// @pre every value is representable in call.type.
// @post of run_matrix(): max(1, probes) * outputs values; each probe starts from the base data.
struct MatrixBatch {
  Call call{.routine = spec::Routine::gemm};
  double alpha = 1, beta = 0;
  // op(A): k values, the same in every row, or m*k values, row i at a[i*k].
  // op(B): k values, the same in every column, or n*k values, column j at b[j*k].
  // C: one value, the same everywhere, or m*n values, output (i, j) at c[i + j*m].
  std::span<const double> a{}, b{}, c{};
  std::vector<std::vector<MatrixEdit>> probes{};
  std::vector<std::pair<std::int64_t, std::int64_t>> outputs{};  // empty: all, (i, j) at i + j*m
  std::uint64_t base_id = 0;                                     // as in Batch
};

// Data that are the same for every output: row a everywhere in op(A), column b everywhere in op(B).
struct UniformProbe {
  std::vector<double> a, b;  // k values each
  double alpha = 1, beta = 0, c = 0;
};

// The probed process died, hung or answered nonsense. `reason` is one of crashed,
// illegal_instruction, timed_out, protocol, missing_symbol, cannot_load, failed (a call of the
// library reported an error), returns_double (a function of f32 returns a double, as f2c's do), or
// declined (the target cannot run this context: an increment, an
// alignment or an n it has no means for; nothing was run and nothing is wrong with it).
struct TargetError : EnvironmentError {
  TargetError(std::string reason, const std::string& what)
      : EnvironmentError(what), reason(std::move(reason)) {}
  std::string reason;
};

class Target {
 public:
  virtual ~Target() = default;
  // Outputs as doubles (an f32 output is exact). Throws TargetError; the target may be used again
  // after that (its process is started anew).
  virtual std::vector<double> run(const Batch& batch) = 0;
  virtual bool has(spec::Routine routine, spec::Type type) = 0;
  // The same for gemv and gemm; a target without them throws TargetError("declined").
  virtual std::vector<double> run_matrix(const MatrixBatch& batch);
  // run_matrix() of each batch in turn. A target may be asked for many small ones at once; where
  // one of them throws, the outputs of the others are lost.
  virtual std::vector<std::vector<double>> run_matrices(std::span<const MatrixBatch> batches);
  // One hash per output, (i, j) at i + j*m, over its bits in all the probes (NaNs are equal, -0 and
  // +0 are not). Equal hashes at different shapes with equal k mean equal bits in every probe.
  virtual std::vector<std::uint64_t> signatures(const Call& call,
                                                std::span<const UniformProbe> probes);
  // What is probed, for provenance: key/value pairs such as {"target", "blas:libfoo.so.0"}.
  virtual std::vector<std::pair<std::string, std::string>> identity() = 0;
  // Whether the target has the routine both as Fortran's and as CBLAS's, so that Call::cblas
  // chooses.
  virtual bool has_both_faces(spec::Routine, spec::Type) { return false; }
  // Whether Call::conjugate asks for anything.
  virtual bool has_conjugate() { return false; }
  // Where the probed process should run from now on. Only advice: outputs do not depend on it, and
  // a target that cannot follow it, or would be much slower, stays where it is.
  virtual void keep_to(const CoreSet&) {}
  // Executions of the probed routine so far.
  virtual std::int64_t calls() const = 0;
};

struct TargetOptions {
  double timeout_s = 20;  // for one batch
  // NAME=VALUE pairs set in the probed process before the library is loaded (thread counts, ...).
  std::vector<std::string> environment{};
  // blas: symbols of type `const char* (*)(void)` to ask for identity(), where present.
  std::vector<std::string> identity_symbols{};
  // blas: symbols of type `void (*)(int)` that are called with `threads`, where present, once the
  // library is loaded: some cut what the environment says to the number of processors.
  std::vector<std::string> thread_setters{};
  int threads = 0;  // 0: none is called
};

// What target_forms() says. Throws UserError on another name, TargetError if it cannot be started.
std::unique_ptr<Target> open_target(const std::string& name, const TargetOptions& options = {});
const char* target_forms();  // of names, for messages

}  // namespace reprosum::reveal
