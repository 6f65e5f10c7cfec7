#include "reveal/matrix/class_by_k.h"

#include <algorithm>
#include <utility>

#include "reveal/matrix/running_update.h"

namespace reprosum::reveal {
namespace {

constexpr int kMostBorders = 4;            // of one class
constexpr std::int64_t kFewSummands = 64;  // up to which each number may have code of its own
constexpr int kMostAttempts = 6;           // to get past small sizes, and again to find the border
constexpr std::int64_t kMostSmall = 600;   // small sizes end here

class ByK {
 public:
  ByK(Target& target, const CellsAt& cells, const ClassOptions& options)
      : target_(target), cells_(cells), options_(options) {}

  std::vector<KPiece> run() {
    cover(1, options_.k_max);
    return std::move(pieces_);
  }

 private:
  // An order, or what stands in its way.
  struct Attempt {
    std::optional<ClassOrder> order;
    std::string reason, why;
    std::int64_t at = 0;     // the k to blame, 0 if none is
    bool is_border = false;  // both sides of `at` are understood
    bool is_hopeful() const { return order || is_border; }
  };

  Attempt attempt(std::int64_t lo, std::int64_t hi, const std::optional<KnownSums>& sums = {}) {
    ClassOptions options = options_;
    options.k_max = hi;
    options.sums = sums;
    const CellsAt inside = [&](std::int64_t k) {
      return lo <= k && k <= hi ? cells_(k) : std::nullopt;
    };
    Attempt result;
    const auto failed = [&](const Refused& refused, std::int64_t at, bool is_border) {
      result = {{}, refused.reason, refused.what(), at, is_border};
    };
    const bool has_shape = [&] {
      for (std::int64_t k = hi; k >= lo; --k)
        if (cells_(k)) return true;
      return false;
    }();
    if (!has_shape) return {{}, "not_probed", "no shape of the class was looked at", 0, false};
    try {
      result.order = reveal_class(target_, inside, options);
    } catch (const KBorder& refused) {
      failed(refused, refused.n, lo <= refused.n && refused.n < hi);
    } catch (const RefusedAt& refused) {
      failed(refused, refused.n, false);
    } catch (const Refused& refused) {
      failed(refused, 0, false);
    }
    return result;
  }

  bool is_few() const { return options_.k_max <= kFewSummands; }
  bool may_cut() const { return borders_ < (is_few() ? options_.k_max : kMostBorders); }

  void cover(std::int64_t lo, std::int64_t hi) { settle(lo, hi, attempt(lo, hi)); }

  void settle(std::int64_t lo, std::int64_t hi, Attempt found) {
    if (found.order) {
      const std::int64_t end = std::min(hi, found.order->k_max);
      const std::string stopped = found.order->stopped;
      const auto sums = std::move(found.order->sums_beyond);
      pieces_.push_back({lo, end, std::move(found.order), {}, {}});
      if (end == hi) return;
      if (!may_cut() || !sums) return refuse(end + 1, hi, {{}, "unknown_rule", stopped, 0, false});
      ++borders_;
      const std::int64_t last = std::min(hi, sums->k_max);
      if (Attempt above = attempt(end + 1, last, sums); above.is_hopeful())
        settle(end + 1, last, std::move(above));
      else
        refuse(end + 1, last, above);
      if (last < hi) refuse(last + 1, hi, {{}, "unknown_rule", stopped, 0, false});
      return;
    }
    if (may_cut() && found.is_border) {
      ++borders_;
      cover(lo, found.at);
      cover(found.at + 1, hi);
      return;
    }
    if (may_cut() && found.at >= lo && found.at < hi) {
      std::int64_t border = found.at;
      if (auto above = past_small_sizes(border, hi)) {
        ++borders_;
        cover(lo, border);
        settle(border + 1, hi, *std::move(above));
        return;
      }
    }
    if (is_few() && may_cut() && found.at >= lo && lo < hi) {
      ++borders_;
      if (found.at > lo) cover(lo, found.at - 1);
      refuse(found.at, found.at, found);
      if (found.at < hi) cover(found.at + 1, hi);
      return;
    }
    refuse(lo, hi, found);
  }

  void refuse(std::int64_t lo, std::int64_t hi, const Attempt& found) {
    if (auto order = beyond(lo, hi)) {
      const std::int64_t end = order->k_max;
      pieces_.push_back({lo, end, std::move(order), {}, {}});
      if (end < hi) refuse(end + 1, hi, found);
      return;
    }
    if (!pieces_.empty() && !pieces_.back().order && pieces_.back().reason == found.reason)
      pieces_.back().hi = hi;
    else
      pieces_.push_back({lo, hi, {}, found.reason, found.why});
  }

  // The orders of all smaller k, joined, may go on here.
  std::optional<ClassOrder> beyond(std::int64_t lo, std::int64_t hi) {
    if (continuations_ >= kMostBorders) return std::nullopt;
    const auto known = joined(pieces_);
    if (!known || known->k_max != lo - 1) return std::nullopt;
    ++continuations_;
    try {
      return go_on(target_, cells_, *known, lo, hi, options_);
    } catch (const Refused&) {
      return std::nullopt;
    }
  }

  // The least border, from `border` on, above which there is hope, and what is found there.
  std::optional<Attempt> past_small_sizes(std::int64_t& border, std::int64_t hi) {
    std::int64_t failed = border - 1;
    std::optional<Attempt> above;
    for (int turn = 0; turn < kMostAttempts && !above; ++turn) {
      if (border >= hi || border > kMostSmall) return std::nullopt;
      Attempt next = attempt(border + 1, hi);
      if (next.is_hopeful()) {
        above = std::move(next);
        break;
      }
      if (next.at <= border) return std::nullopt;
      failed = border;
      border = std::max(next.at, 2 * border);
    }
    for (int turn = 0; above && turn < kMostAttempts && border - failed > 1; ++turn) {
      const std::int64_t middle = failed + (border - failed) / 2;
      Attempt next = attempt(middle + 1, hi);
      if (next.is_hopeful()) {
        above = std::move(next);
        border = middle;
      } else {
        failed = middle;
      }
    }
    return above;
  }

  Target& target_;
  const CellsAt& cells_;
  const ClassOptions& options_;
  std::vector<KPiece> pieces_;
  std::int64_t borders_ = 0, continuations_ = 0;
};

}  // namespace

std::vector<KPiece> reveal_class_by_k(Target& target, const CellsAt& cells,
                                      const ClassOptions& options) {
  return ByK(target, cells, options).run();
}

}  // namespace reprosum::reveal
