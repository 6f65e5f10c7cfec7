#include "reveal/capture/matrix_reach.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "reveal/capture/matrix_beta.h"
#include "reveal/capture/product_capture.h"
#include "reveal/capture/reach_border.h"
#include "reveal/check/drawn_increments.h"
#include "reveal/check/matrix_check.h"
#include "spec/expand.h"

namespace reprosum::reveal {
namespace {

using spec::Atom;
using spec::MatrixRegime;
using spec::Shape3;

// Seldom is one not enough.
constexpr int kMostBorders = 10, kMostRounds = 16;
constexpr std::int64_t kLeastShapes = 25;  // compared, of every context
constexpr std::int64_t kByRows = 4;        // one of so many, where that is covered
// Products of random data without any two equal rows are asked for besides, as long as they are
// cheap: the interpreter adds them.
constexpr double kVaried = 0x1p20;
constexpr double kCheap = 0x1p22, kDear = 0x1p27;
constexpr std::int64_t kTellingOfSize = 2;
// A target that takes longer for 512 x 512 x 512 is not asked for larger products than these.
constexpr double kSlow = 0.15;
constexpr int kTurns = 8;
constexpr std::int64_t kProductsOfSlow = std::int64_t{1} << 30;

// The largest size that the bounds admit.
std::int64_t most(const ReachRegion& region, const Atom& side) {
  std::int64_t limit = spec::kFarthest;
  for (Atom bound : region.bounds)
    if (std::tie(bound.use_m, bound.use_n, bound.use_k) ==
        std::tie(side.use_m, side.use_n, side.use_k))
      limit = std::min(limit, bound.limit);
  return limit;
}

Shape3 most(const ReachRegion& region) {
  return {most(region, at_most(true, false, false, 0)),
          most(region, at_most(false, true, false, 0)),
          most(region, at_most(false, false, true, 0))};
}

bool cover(const std::vector<spec::Order>& orders, const MatrixRegime& regime, std::int64_t k) {
  return std::all_of(regime.classes.begin(), regime.classes.end(),
                     [&](const auto& output) { return spec::covers(orders[output.order], k); });
}

// The entry with what the region claims besides.
spec::Entry raised(spec::Entry entry, const std::vector<spec::Order>& orders,
                   const ReachRegion& region) {
  const Shape3 to = most(region);
  const auto raise = [](std::int64_t& limit, std::int64_t from, std::int64_t up_to) {
    if (limit >= from) limit = std::max(limit, up_to);
  };
  for (MatrixRegime& regime : entry.regimes) {
    for (auto [axis, from, up_to] : {std::tuple(&regime.rows, region.learned.m, to.m),
                                     std::tuple(&regime.columns, region.learned.n, to.n)})
      if (!axis->empty() && !axis->back().schemas.empty()) raise(axis->back().to, from, up_to);
    if (cover(orders, regime, to.k)) raise(regime.k_max, region.learned.k, to.k);
  }
  raise(entry.m_max, region.learned.m, to.m);
  raise(entry.n_max, region.learned.n, to.n);
  std::vector<MatrixRegime> nothing;
  const auto leave_out = [&](const std::vector<Atom>& guard) {
    MatrixRegime& regime = nothing.emplace_back();
    regime.guard = guard;
    regime.k_max = to.k;
    cover_nothing(regime);
  };
  for (const Atom& bound : region.bounds) {
    Atom above = bound;
    above.kind = Atom::Kind::above;
    if (above.holds(to))
      for (const auto& part : region.beyond({above})) leave_out(part);
  }
  for (const auto& part : region.left_out) leave_out(part);
  entry.regimes.insert(entry.regimes.begin(), nothing.begin(), nothing.end());
  return entry;
}

// One way in which an entry is called: with so many threads and such increments.
struct Context {
  Context(Target& target, const spec::Entry& entry, const std::vector<spec::Increments>& increments,
          std::uint64_t seed)
      : limited(target, entry.guard.beta),
        drawn(limited, increments, seed),
        call(call_without_sizes(entry.routine, entry.type, entry.guard.trans_a,
                                entry.guard.trans_b)) {
    std::tie(call.incx, call.incy) = increments.front().plainest();
  }
  BetaTarget limited;
  DrawnIncrements drawn;
  Call call;
};

class Reach {
 public:
  Reach(Targets& targets, const spec::Entry& entry, const std::vector<spec::Order>& orders,
        const CaptureOptions& options)
      : entry_(entry),
        orders_(orders),
        options_(options),
        region_(reach_of(entry, options)),
        random_(options.seed + 900),
        check_(check_of(entry, 1)) {
    for (const int threads : entry.guard.threads) {
      const auto target = std::find_if(targets.begin(), targets.end(),
                                       [&](const auto& one) { return one.first == threads; });
      if (target == targets.end()) continue;
      for (const auto& increments : by_zeros(entry.guard.increments))
        contexts_.push_back(std::make_unique<Context>(*target->second, entry, increments,
                                                      options.seed + 901 + contexts_.size()));
    }
  }

  // The entry with longer products; nullopt: none are right.
  std::optional<spec::Entry> run() {
    if (contexts_.empty()) return std::nullopt;
    limit_products();
    for (int round = 0; round < kMostRounds; ++round) {
      tried_ = raised(entry_, orders_, region_);
      if (!reaches_further()) return std::nullopt;
      spec::Entry result = tried_;
      auto wrong = first_wrong(plan_reach(region_, random_.bits()), result.certificate);
      if (!wrong) wrong = wrong_size(result.certificate);
      if (!wrong && is_enough_) return result;
      if (!wrong) return std::nullopt;
      if (round >= kMostBorders || !leave_out(*wrong)) drop(*wrong);
    }
    return std::nullopt;
  }

 private:
  bool reaches_further() const {
    const Shape3 to = most(region_);
    return region_.is_beyond(to);
  }

  void limit_products() {
    if (options_.reach.products <= kProductsOfSlow || entry_.routine == spec::Routine::gemv) return;
    // Other work makes it slow now and then.
    for (int turn = 0; turn < kTurns; ++turn) {
      const auto start = std::chrono::steady_clock::now();
      compare(entry_.regimes, *contexts_.front(), false, {{512, 512, 512}}, true, 0);
      if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < kSlow)
        return;
    }
    for (Atom& bound : region_.bounds)
      if (bound.use_m && bound.use_n && bound.use_k) bound.limit = kProductsOfSlow;
  }

  // In every context. What is right is added to the certificate.
  std::optional<Shape3> first_wrong(const std::vector<Shape3>& shapes,
                                    spec::Certificate& certificate) {
    is_enough_ = true;
    for (const auto& context : contexts_) {
      std::int64_t compared = 0;
      for (const bool by_rows : {false, true}) {
        if (by_rows && !entry_.guard.row_major) continue;
        std::vector<Shape3> cheap, usual, dear, varied;
        for (std::size_t at = 0; at < shapes.size(); ++at) {
          if (entry_.guard.row_major && (at % kByRows == 0) != by_rows) continue;
          const double all = cost(shapes[at]);
          (all > kDear ? dear : all > kCheap ? usual : cheap).push_back(shapes[at]);
          if (all <= kVaried) varied.push_back(shapes[at]);
        }
        for (const auto& [some, is_uniform, telling] :
             {std::tuple(&cheap, true, 6), std::tuple(&varied, false, 1),
              std::tuple(&usual, true, 2), std::tuple(&dear, true, 1)}) {
          const auto result = compare(*context, by_rows, *some, is_uniform, telling);
          if (result.wrong) return result.wrong->shape;
          add_result(certificate, result);
          if (is_uniform) compared += std::ssize(*some) - result.uncovered;
        }
      }
      is_enough_ = is_enough_ && compared >= kLeastShapes;
    }
    return std::nullopt;
  }

  // Of every size up to options.every_size_to.
  std::optional<Shape3> wrong_size(spec::Certificate& certificate) {
    const auto shapes = plan_every_size(region_, options_.every_size_to, random_.bits());
    for (const auto& context : contexts_) {
      const auto result = compare(*context, false, shapes, true, kTellingOfSize);
      if (result.wrong) return result.wrong->shape;
      add_result(certificate, result);
    }
    return std::nullopt;
  }

  MatrixReplayResult compare(Context& context, bool by_rows, const std::vector<Shape3>& shapes,
                             bool is_uniform, std::int64_t telling) {
    return compare(tried_.regimes, context, by_rows, shapes, is_uniform, telling);
  }
  MatrixReplayResult compare(const std::vector<MatrixRegime>& rules, Context& context, bool by_rows,
                             const std::vector<Shape3>& shapes, bool is_uniform,
                             std::int64_t telling) {
    MatrixCheck check = check_;
    check.seed = random_.bits();
    check.is_uniform = is_uniform;
    check.telling_outputs = telling;
    Call call = context.call;
    call.row_major = by_rows;
    return check_matrices(context.drawn, call, rules, orders_, shapes, check);
  }

  // Leaves out what is wrong, from its border on; false if none is found.
  bool leave_out(const Shape3& wrong) {
    // What is left out already, or dear, does not end the search for a border.
    ReachRegion whole{region_.learned, {}, {}};
    for (const Atom& bound : region_.bounds)
      if (int{bound.use_m} + int{bound.use_n} + int{bound.use_k} == 1)
        whole.bounds.push_back(bound);
    const auto rules = raised(entry_, orders_, whole).regimes;
    const auto is_wrong = [&](const std::vector<Shape3>& shapes) {
      return std::any_of(contexts_.begin(), contexts_.end(), [&](const auto& context) {
        return compare(rules, *context, false, shapes, true, 2).wrong.has_value();
      });
    };
    const auto border =
        border_below(wrong, region_.learned, most(region_), is_wrong, random_.bits());
    if (border.above.empty()) return false;
    const auto parts = border.is_learned ? std::vector<std::vector<Atom>>{border.above}
                                         : region_.beyond(border.above);
    region_.left_out.insert(region_.left_out.end(), parts.begin(), parts.end());
    return true;
  }

  // No longer sizes than the learned ones, where this shape has them.
  void drop(const Shape3& wrong) {
    for (const auto& [use_m, use_n, use_k, size, learned] :
         {std::tuple(true, false, false, wrong.m, region_.learned.m),
          std::tuple(false, true, false, wrong.n, region_.learned.n),
          std::tuple(false, false, true, wrong.k, region_.learned.k)})
      if (size > learned) region_.bounds.push_back(at_most(use_m, use_n, use_k, learned));
  }

  const spec::Entry& entry_;
  const std::vector<spec::Order>& orders_;
  const CaptureOptions& options_;
  ReachRegion region_;
  FastRandom random_;
  const MatrixCheck check_;
  std::vector<std::unique_ptr<Context>> contexts_;
  spec::Entry tried_;
  bool is_enough_ = false;
};

}  // namespace

ReachRegion reach_of(const spec::Entry& entry, const CaptureOptions& options) {
  ReachRegion region;
  const Shape3& largest = options.largest;
  region.learned = {std::min(entry.m_max, largest.m), std::min(entry.n_max, largest.n), largest.k};
  const auto& [asked, elements, products] = options.reach;
  // Products of one row or one column stay such.
  const auto size = [reach = asked](std::int64_t learned) {
    return learned == 1 ? 1 : std::max(learned, reach);
  };
  const Shape3 most{size(region.learned.m), size(region.learned.n), size(region.learned.k)};
  region.bounds = {at_most(true, false, false, most.m), at_most(false, true, false, most.n),
                   at_most(false, false, true, most.k)};
  for (const Atom& bound :
       {at_most(true, true, false, elements), at_most(true, false, true, elements),
        at_most(false, true, true, elements), at_most(true, true, true, products)}) {
    // With a size that is 1, another bound says the same.
    const bool says_more = (!bound.use_m || most.m > 1) && (!bound.use_n || most.n > 1) &&
                           (!bound.use_k || most.k > 1);
    if (says_more) region.bounds.push_back(bound);
  }
  return region;
}

std::string reach_not_checked(const Shape3& learned, std::int64_t every_size_to) {
  return "beyond m = " + std::to_string(learned.m) + ", n = " + std::to_string(learned.n) +
         ", k = " + std::to_string(learned.k) + ": every size up to " +
         std::to_string(every_size_to) +
         " was tried beside short other ones, and some hundred of those above (residues modulo "
         "1024, powers of 2, 3, 5 and 10 and their neighbours, thousands); another order of other "
         "sizes, or of few outputs, which random shapes and those close to the corners of what is "
         "covered did not have, would not have been found";
}

void reach_beyond(Targets& targets, spec::Entry& entry, const std::vector<spec::Order>& orders,
                  const CaptureOptions& options) {
  const Shape3 learned = reach_of(entry, options).learned;
  auto reached = Reach(targets, entry, orders, options).run();
  if (!reached) return;
  entry = *std::move(reached);
  entry.certificate.not_checked.push_back(reach_not_checked(learned, options.every_size_to));
}

}  // namespace reprosum::reveal
