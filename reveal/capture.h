// Capture: from a target to a certified spec; and verify: does a spec still hold?
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reveal/mismatch.h"
#include "reveal/target.h"
#include "spec/spec.h"

namespace reprosum::reveal {

// A target process whose library was told to use this many threads.
using TargetFactory = std::function<std::unique_ptr<Target>(int threads)>;

struct Progress {
  std::string stage;  // "ddot incx=2 incy=1 threads=1: infer"
  std::int64_t calls = 0;
  double seconds = 0;
};

struct CaptureOptions {
  std::vector<std::pair<spec::Routine, spec::Type>> routines;  // empty: all the target has
  std::vector<int> threads{1};
  // Increments of x and y. sum uses those of x, gemv those other than 0. The capture finds out
  // which of them share an order. The plainest pair of the first part is the reference context.
  std::vector<spec::Increments> increments{
      {{spec::IncrementRange::kLeast, spec::IncrementRange::kGreatest},
       {spec::IncrementRange::kLeast, spec::IncrementRange::kGreatest}}};
  std::int64_t n_max = 10'000'000;     // ask for coverage up to here
  std::int64_t random_vectors = 2000;  // hostile vectors per context, replayed by the interpreter
  std::int64_t every_size_to = 4200;   // every n up to here is tried, with data of several classes
  spec::Shape3 largest{2048, 2048, 2048};  // of gemv and gemm: ask for coverage up to here
  // Rules that hold up to there are tried on longer products, and cover those for which they hold,
  // of at most so many rows, columns and summands, elements of one operand, and multiplications.
  struct Reach {
    std::int64_t size = 0;  // 0: not tried
    std::int64_t elements = std::int64_t{1} << 23;
    std::int64_t products = std::int64_t{1} << 33;
  };
  Reach reach;
  // Products of gemm up to this size are learned apart: every shape is looked at, which takes
  // minutes for each context. Whatever rules a context of gemm then has, they are compared at each
  // of these shapes. 0: none of that. (Products of gemv up to 64 are always learned apart where no
  // rule of all sizes covers them.)
  std::int64_t small_products = 0;
  // Transposes of A and B for gemm; gemv takes the first of each pair. Empty: all.
  std::vector<std::pair<spec::Trans, spec::Trans>> transposes;
  // Ask for calls of gemv and gemm with alpha = 1 alone. Where alpha acts is not looked at.
  bool alpha_one = false;
  double matrix_work = 1e8;  // multiplications replayed per matrix context
  // The limit for the inference of one order, and for the regions of one context of gemv or gemm.
  // It is counted in calls and products, as seconds of a usual machine.
  double time_limit_s = 120;
  // Ends the whole run: asked before every probe, by any worker. What is not captured then is
  // refused as not_reached; what is captured stays. Empty: never.
  std::function<bool()> is_over;
  // Captures the cheap routines first, for runs that are likely to end before all are done.
  // Otherwise the dear ones come first, so that no worker waits at the end.
  bool cheap_first = false;
  // Routines captured at the same time, each with targets and a part of the cores of its own.
  int workers = 2;
  std::uint64_t seed = 1;
  std::function<void(const Progress&)> progress;
};

// Never throws for a routine that cannot be captured: it is listed in Spec::refusals. Throws
// TargetError when the target cannot be used at all, UserError for impossible options.
spec::Spec capture(const TargetFactory& open, const CaptureOptions& options);

struct VerifyReport {
  bool holds = true;
  // Vectors: reductions, outputs of products, or rules of calls without summands.
  std::int64_t vectors = 0, calls = 0;
  std::vector<Mismatch> first;       // the first mismatch of each entry or rule
  std::vector<std::string> skipped;  // what could not be tested, with the reason
};

// Replays random data with the interpreter in every context of the spec, all-node checks included.
// Throws TargetError (timed_out) once options.is_over().
VerifyReport verify(const spec::Spec& spec, const TargetFactory& open,
                    const CaptureOptions& options);

}  // namespace reprosum::reveal
