// What a context of sum or dot has: one order, inferred once and recognised afterwards.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "reveal/capture/routine_capture.h"
#include "reveal/check/drawn_increments.h"
#include "reveal/check/recall.h"

namespace reprosum::reveal {

class SumCapture final : public RoutineCapture {
 public:
  using RoutineCapture::RoutineCapture;

 private:
  // An order, as far as it is claimed.
  struct Claim {
    std::size_t order = 0;  // index into Spec::orders
    std::int64_t n_max = 0;
    bool operator==(const Claim&) const = default;
  };
  struct Found {
    Claim claim;
    std::int64_t replayed = 0;  // random vectors beyond the order's own certificate
    bool is_new = false;        // it was revealed here
  };

  // If the target changes in time, the context is refused, and so are all that were captured
  // before.
  void capture_context(Target& target, const Call& call, const IncrementClass& increments) override;
  // Throws Refused if the first calls have other bits by now, and drops pieces_.
  void require_unchanged(Target& target);
  // Throws Refused where calls give other bits now and then, and drops the pieces from `first` on:
  // nothing else that was found of the context can be believed then.
  void require_repeatable(Target& target, const Call& context, std::int64_t n, std::size_t first);
  // Captures one class of addresses after the other.
  void capture_addresses(Target& target, const Call& call, const IncrementClass& increments);
  // Throws Refused if the order depends on where vectors lie in a way that no guard describes.
  void check_places(Target& target, const Call& call, std::span<const std::int64_t> sizes);
  std::vector<CapturedRules> rules() override;
  // Asks for fewer sizes where the target makes code for each of them.
  void weigh_sizes(Target& target, const Call& call);
  // `drawn` is the target with any increments of the context, for which an order must hold.
  Found identify(DrawnIncrements& drawn, const Call& call, bool thorough);
  // How many vectors the order was right for; nullopt if it is wrong.
  std::optional<std::int64_t> replays(DrawnIncrements& drawn, const Call& call, const Claim& claim,
                                      std::int64_t salt);
  // The size at which the last wrong replay was wrong.
  std::int64_t wrong_n_ = 0;

  const std::int64_t asked_sizes_ = options_.every_size_to;  // every one up to there
  std::vector<Claim> claims_;                                // of pieces_
  // Parallel to spec_.orders.
  std::vector<spec::Certificate> certificates_;
  std::vector<std::int64_t> n_max_;
  std::map<int, Recall> recalls_;  // by threads: of the first calls
  // The context that is being captured:
  bool addresses_varied_ = true;
  spec::Flush flush_ = spec::Flush::none;
  std::optional<double> size_seconds_;  // of the first call of a size, once it is known
};

}  // namespace reprosum::reveal
