// A target: the black box that is probed. It answers batches of probes and nothing else is known.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "spec/error.h"
#include "spec/spec.h"

namespace reprosum::reveal {

// One execution context of the routine. The leaf index is BLAS's logical index: summand k of a call
// with a negative increment is the k-th one that the routine's definition visits, at
// x[(1 - n) * incx + k * incx] for incx < 0. For incx == 0 every summand shares x[0].
struct Call {
  spec::Routine routine = spec::Routine::dot;
  spec::Type type = spec::Type::f64;
  std::int64_t n = 0;
  std::int64_t incx = 1, incy = 1;  // incy is ignored by sum
  int align_x = 0, align_y = 0;     // address of the first element in memory, modulo 64 bytes
  bool operator==(const Call&) const = default;
};

struct Edit {
  std::int64_t index = 0;
  double value = 0;
};

// The batch's base vectors with some summands replaced.
struct Probe {
  std::vector<Edit> x{}, y{};
};

// @pre every value is representable in call.type; x.size() == rows * n, y likewise or empty (all
// ones; also what sum gets). With incx == 0 only x[0] of each row is used; the same for y.
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

// The probed process died, hung or answered nonsense. `reason` is one of crashed,
// illegal_instruction, timed_out, protocol, missing_symbol, cannot_load, or declined (the target
// cannot run this context: an increment, an alignment or an n it has no means for; nothing was run
// and nothing is wrong with it).
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
  // What is probed, for provenance: key/value pairs such as {"target", "blas:libfoo.so.0"}.
  virtual std::vector<std::pair<std::string, std::string>> identity() = 0;
  // Executions of the probed routine so far.
  virtual std::int64_t calls() const = 0;
};

struct TargetOptions {
  double timeout_s = 20;  // for one batch
  // NAME=VALUE pairs set in the probed process before the library is loaded (thread counts, ...).
  std::vector<std::string> environment{};
  // blas: symbols of type `const char* (*)(void)` to ask for identity(), where present.
  std::vector<std::string> identity_symbols{};
};

// "blas:<path or soname>" or "exec:<command>". Throws UserError on another prefix, TargetError if
// it cannot be started.
std::unique_ptr<Target> open_target(const std::string& name, const TargetOptions& options = {});

}  // namespace reprosum::reveal
