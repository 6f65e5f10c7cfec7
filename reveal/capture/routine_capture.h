// The capture of one routine: every context, each order inferred once and recognised afterwards.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reveal/capture.h"
#include "reveal/capture/increment_classes.h"
#include "reveal/capture/merge.h"
#include "reveal/check/drawn_increments.h"
#include "reveal/refused.h"

namespace reprosum::reveal {

// One target per thread count, in the order of CaptureOptions::threads.
using Targets = std::vector<std::pair<int, std::unique_ptr<Target>>>;

class RoutineCapture {
 public:
  using Report = std::function<void(const std::string& stage)>;

  RoutineCapture(spec::Routine routine, spec::Type type, Targets& targets,
                 const CaptureOptions& options, Report report)
      : routine_(routine),
        type_(type),
        targets_(targets),
        options_(options),
        report_(std::move(report)) {}

  // Orders, entries and refusals of this routine; nothing else. Never throws Refused or
  // TargetError.
  spec::Spec run();

 private:
  // n <= 0.
  void capture_empty(Target& target, int threads, std::vector<std::string>& left);
  // Every class of increments.
  void capture_threads(Target& target, int threads, std::vector<std::string>& left);
  std::vector<IncrementClass> classes_of(Target& target, int threads);
  // One class. Where an order holds for a part of it alone, the rest is put to `more`.
  void capture_class(Target& target, const IncrementClass& increments, int threads,
                     std::vector<IncrementClass>& more);
  void capture_context(Target& target, Call call, const std::vector<spec::Increments>& increments,
                       int threads, bool thorough);
  // Asks for fewer sizes where the target makes code for each of them.
  void weigh_sizes(Target& target, const Call& call);
  // `drawn` is the target with any increments of the context, for which an order must hold.
  Piece identify(DrawnIncrements& drawn, const Call& call, bool thorough);
  // Vectors that the order was right for; nullopt where it is wrong.
  std::optional<std::int64_t> replays(DrawnIncrements& drawn, const Call& call, std::size_t order,
                                      std::int64_t n_max, std::int64_t salt);
  std::string context_of(const IncrementClass& increments, int threads) const;
  void refuse(const std::string& context, const std::string& reason, const std::string& detail);

  const spec::Routine routine_;
  const spec::Type type_;
  Targets& targets_;
  CaptureOptions options_;                                   // with fewer sizes where each is dear
  const std::int64_t asked_sizes_ = options_.every_size_to;  // every one up to there
  const Report report_;
  spec::Spec spec_;
  // Parallel to spec_.orders.
  std::vector<spec::Certificate> certificates_;
  std::vector<std::int64_t> n_max_;
  std::vector<Piece> pieces_;
  std::vector<spec::Increments> asked_;  // y is 0 for sum
  // Of the context at hand:
  bool addresses_varied_ = true;
  spec::Flush flush_ = spec::Flush::none;
  std::optional<double> size_seconds_;  // of the first call of a size, once it is known
};

}  // namespace reprosum::reveal
