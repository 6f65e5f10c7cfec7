// The capture of one routine: every context, each order inferred once and recognised afterwards.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reveal/capture.h"
#include "reveal/capture/merge.h"
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
  void capture_context(Target& target, Call call, int threads, bool thorough);
  Piece identify(Target& target, const Call& call, bool thorough);
  void refuse(const std::string& context, const std::string& reason, const std::string& detail);

  const spec::Routine routine_;
  const spec::Type type_;
  Targets& targets_;
  const CaptureOptions& options_;
  const Report report_;
  spec::Spec spec_;
  // Parallel to spec_.orders.
  std::vector<spec::Certificate> certificates_;
  std::vector<std::int64_t> n_max_;
  std::vector<Piece> pieces_;
  bool addresses_varied_ = true;  // in the context at hand
};

}  // namespace reprosum::reveal
