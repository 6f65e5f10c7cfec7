// Whole random matrices against new rules, and what to do with a rule that is wrong.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "reveal/capture/matrix_band.h"
#include "reveal/capture/matrix_box_walk.h"
#include "reveal/capture/matrix_edge.h"
#include "reveal/capture/matrix_neighbourhood.h"
#include "reveal/capture/matrix_sizes.h"
#include "reveal/capture/matrix_strip.h"
#include "reveal/capture/product_capture.h"
#include "reveal/check/related_shapes.h"
#include "reveal/refused.h"
#include "reveal/target/layout.h"
#include "spec/describe_matrix.h"

namespace reprosum::reveal {
namespace {

constexpr std::int64_t kSmallCalls = 48000;  // of gemv; a twelfth of it of gemm
// Of gemv. Rules that hold for alpha = 1 alone, or stand beside others, are those of a library
// that compares sizes in many ways: there few lengths are looked for in earnest.
constexpr std::int64_t kLongCalls = 800, kMostLongCalls = 5000;
constexpr int kMostRepairs = 24;
constexpr std::int64_t kLeastShapes = 25;  // that are covered: fewer say nothing of rare outputs
constexpr int kTrials = 48;                // of one hypothesis about a wrong output, at least
constexpr int kMuchRarer = 8;
constexpr int kMostTrials = 2000;  // and at most, where few calls are wrong
// Products of uniform data cost the target alone.
constexpr double kRelatedWork = 8;           // times options.matrix_work
constexpr std::int64_t kTellingOfSizes = 4;  // products of each shape that is asked in earnest
constexpr std::int64_t kFewK = 8;  // wrong k up to here are cut off rather than all alpha but 1

// What might explain the mismatch, the least loss of coverage first.
std::vector<MatrixCheck> hypotheses(const MatrixCheck& check, spec::Type type, bool gemv,
                                    const MatrixReplayResult::Wrong& wrong, bool keeps_special) {
  // The operands whose gaps may matter: few first, then together.
  static const auto& kGaps = *new const std::vector<std::vector<std::size_t>>{
      {0}, {1}, {2}, {0, 2}, {1, 2}, {0, 1}, {0, 1, 2}};
  std::vector<MatrixCheck> ways;
  const auto add = [&](auto change) {
    ways.push_back(check);
    change(ways.back());
  };
  const bool is_special =
      wrong.data == Data::special || !std::isfinite(wrong.alpha) || !std::isfinite(wrong.beta);
  if (is_special && !check.limits.finite_only && !keeps_special)
    add([](MatrixCheck& way) { way.limits.finite_only = true; });
  for (const std::vector<std::size_t>& operands : kGaps)
    if (std::all_of(operands.begin(), operands.end(), [&](std::size_t k) {
          return check.leading[k] == spec::Leading::any && (!gemv || k == 0);
        }))
      add([&](MatrixCheck& way) {
        for (const std::size_t k : operands) way.leading[k] = spec::Leading::tight;
      });
  if (wrong.alpha != 1 && !check.limits.alpha_one)
    add([](MatrixCheck& way) { way.limits.alpha_one = true; });
  for (int bytes = 2 * static_cast<int>(element_size(type)); bytes <= 64; bytes *= 2)
    if (check.alignment < bytes) add([&](MatrixCheck& way) { way.alignment = bytes; });
  return ways;
}

// Where it shows for some places of the operands, some faces or some data alone.
std::optional<Refused> place_of(Neighbourhood& near, const MatrixCheck& check, int trials,
                                const MatrixReplayResult::Wrong& wrong) {
  MatrixCheck kept = check;
  kept.keeps_face = true;
  if (near.wrong(kept, trials) == 0)
    return Refused("faces_differ",
                   text_of(wrong.mismatch) +
                       "; calls of one face alone, Fortran's with N or T, have these orders");
  kept = check;
  kept.keeps_data = true;
  if (near.wrong(kept, trials) == 0)
    return Refused(
        "input_dependent",
        text_of(wrong.mismatch) + "; right where the elements of A and of B are not all the same");
  kept = check;
  kept.keeps_place = true;
  if (near.wrong(kept, trials) == 0)
    return Refused("address_dependent",
                   text_of(wrong.mismatch) +
                       "; right where only addresses modulo 64 differ: it matters on which page "
                       "operands lie, which of them lies first, or that A and B are one matrix");
  return std::nullopt;
}

struct Border {
  spec::Atom within;
  const spec::MatrixRegime* like = nullptr;  // a regime with this bound and as many classes
};

// A bound of m*n, m*k, ... that another regime has and this one has not, with the shape within:
// where few shapes of a regime lie within it, its rule may have been learned across it.
std::optional<Border> missing_border(const std::vector<spec::MatrixRegime>& regimes,
                                     std::size_t wrong, const spec::Shape3& shape) {
  const spec::MatrixRegime& regime = regimes[wrong];
  const auto same_product = [](const spec::Atom& a, const spec::Atom& b) {
    return b.is_bound() && a.use_m == b.use_m && a.use_n == b.use_n && a.use_k == b.use_k;
  };
  for (const spec::MatrixRegime& other : regimes) {
    if (&other == &regime || other.classes.size() != regime.classes.size()) continue;
    for (const spec::Atom& atom : other.guard) {
      const bool is_product = int{atom.use_m} + int{atom.use_n} + int{atom.use_k} > 1;
      if (atom.kind != spec::Atom::Kind::at_most || !is_product || !atom.holds(shape)) continue;
      if (std::any_of(regime.guard.begin(), regime.guard.end(),
                      [&](const spec::Atom& own) { return same_product(atom, own); }))
        continue;
      return Border{atom, &other};
    }
  }
  return std::nullopt;
}

}  // namespace

bool ProductCapture::certify(Target& target, const Call& call, MatrixPiece& piece,
                             const HeldOut& besides) {
  RuleSet& set = rules_[piece.rules];
  const bool gemv = routine_ == spec::Routine::gemv;
  const spec::Shape3 most = largest(set.outputs);
  report_(context_of(call) + ": certify");
  MatrixCheck check = check_of(piece.alignment, piece.leading, set.limits, options_.seed + 5);
  FastRandom sizes_seed(options_.seed + 900);
  BoxWalk box(shapes_listed(most, options_.seed + 700));
  for (int repair = 0; repair < kMostRepairs; ++repair) {
    auto shapes = plan_shapes(set.regimes, spec_.orders, gemv, most, options_.matrix_work,
                              options_.seed + 100);
    const auto small =
        plan_small(gemv, most, gemv ? kSmallCalls : kSmallCalls / 12, options_.seed + 200);
    shapes.insert(shapes.end(), small.begin(), small.end());
    if (gemv) {
      const bool is_in_earnest = set.is_partial || check.limits.alpha_one;
      const auto longer =
          plan_long(most, is_in_earnest ? kMostLongCalls : kLongCalls, options_.seed + 600);
      shapes.insert(shapes.end(), longer.begin(), longer.end());
    }
    const auto inside =
        shapes_inside(set.regimes, gemv, most, options_.matrix_work / 8, options_.seed + 300);
    shapes.insert(shapes.end(), inside.begin(), inside.end());
    const auto rare = shapes_of_rare(set.regimes, gemv, most, shapes, options_.seed + 400);
    shapes.insert(shapes.end(), rare.begin(), rare.end());
    const auto compare = [&](std::span<const spec::Shape3> tried, std::uint64_t seed,
                             std::int64_t telling_outputs = 0, bool is_uniform = false) {
      MatrixCheck seeded = check;
      seeded.seed = seed;
      seeded.telling_outputs = telling_outputs;
      seeded.is_uniform = is_uniform;
      return check_matrices(target, call, set.regimes, spec_.orders, tried, seeded);
    };
    MatrixReplayResult result = compare(shapes, check.seed);
    MatrixReplayResult related;
    if (!result.wrong)
      related = check_sizes(
          target, call, set.regimes, spec_.orders,
          plan_related(gemv, most, kRelatedWork * options_.matrix_work, options_.seed + 800),
          check);
    if (related.wrong) result = std::move(related);
    if (!result.wrong && !besides.shapes.empty()) {
      MatrixReplayResult more =
          compare(besides.shapes, besides.seed, besides.is_uniform ? 1 : 0, besides.is_uniform);
      if (more.wrong) result = std::move(more);
    }
    MatrixReplayResult boxed;
    if (!result.wrong)
      boxed = box.go_on([&](std::span<const spec::Shape3> rest) {
        return compare(rest, check.seed + 1 + static_cast<std::uint64_t>(repair), kTellingOutputs);
      });
    if (boxed.wrong) result = std::move(boxed);
    if (!result.wrong) {
      if (result.shapes + boxed.shapes < kLeastShapes) return false;
      shapes.insert(shapes.end(), box.shapes().begin(), box.shapes().end());
      cover_only_tried(set.regimes, shapes);
      add_result(piece.certificate, result);
      add_result(piece.certificate, related);
      add_result(piece.certificate, boxed);
      set.limits = check.limits;
      set.alignment = check.alignment;
      piece.limits = check.limits;
      piece.alignment = check.alignment;
      piece.leading = check.leading;
      return true;
    }
    const MatrixReplayResult::Wrong& wrong = *result.wrong;
    const auto first_wrong_size =
        [&](std::span<const spec::Shape3> tried) -> std::optional<spec::Shape3> {
      const auto looks = compare(tried, sizes_seed.bits(), kTellingOfSizes, true);
      return looks.wrong ? std::optional(looks.wrong->shape) : std::nullopt;
    };
    // What is wrong at equal sizes alone, whatever the data are, has no other reason.
    const auto sizes = sizes_of_wrong(wrong.shape, most, gemv, first_wrong_size);
    const auto leave_out = [&] {
      refuse(context_of(call), "unknown_region",
             "other orders where " + spec::describe(sizes) + ": " + text_of(wrong.mismatch));
      leave_out_sizes(set.regimes, sizes, wrong.shape, most, first_wrong_size);
    };
    if (std::any_of(sizes.begin(), sizes.end(),
                    [](const spec::Atom& atom) { return atom.compares_sizes(); })) {
      leave_out();
      continue;
    }
    check.is_uniform = wrong.is_uniform;
    Neighbourhood near(target, call, set.regimes, spec_.orders, wrong.shape,
                       options_.seed * 1000003 + static_cast<std::uint64_t>(repair) * 65537);
    // A hypothesis holds if it would be a miracle that none of its products is wrong.
    const int all = 4 * kTrials;
    const int often = near.wrong(check, all);
    const int trials = std::clamp(12 * all / std::max(often, 1), kTrials, kMostTrials);
    if (const auto why = place_of(near, check, trials, wrong)) throw Refused(*why);
    const auto thin =
        set.outputs == Outputs::all ? near.thin(check, trials) : std::vector<spec::Atom>{};
    if (!thin.empty()) {
      // The routine may be another one for these, which sees other leading dimensions: they are
      // captured apart.
      spec::MatrixRegime none;
      none.guard = thin;
      none.k_max = options_.largest.k;
      cover_nothing(none);
      set.regimes.insert(set.regimes.begin(), std::move(none));
      continue;
    }
    const auto ways = hypotheses(check, type_, gemv, wrong, set.keeps_special);
    const auto way = std::find_if(ways.begin(), ways.end(), [&](const MatrixCheck& one) {
      // Rules are learned without gaps; they may be wrong there for another reason, too.
      if (one.leading != check.leading) {
        MatrixCheck padded = check;
        for (std::size_t k = 0; k < spec::kLeadingPlaces; ++k)
          if (one.leading[k] != check.leading[k]) padded.leading[k] = spec::Leading::padded;
        const int with_gaps = near.wrong(padded, trials);
        return with_gaps > 0 && kMuchRarer * near.wrong(one, trials) <= with_gaps;
      }
      return near.wrong(one, trials) == 0;
    });
    const auto last_wrong = [&] { return near.last_wrong_k(check, trials, options_.largest.k); };
    // What is left out where a factor is zero may have no form: beside rules that lose a class, or
    // data with Inf and NaN, those that they are made from hold for data without zeros.
    const auto keep_for_nonzero = [&] {
      if (check.limits.nonzero_only || for_nonzero_ || wrong.data == Data::ordinary ||
          wrong.data == Data::wide)
        return;
      MatrixCheck without = check;
      without.limits = without_zeros(check.limits);
      if (near.wrong(without, trials) > 0) return;
      for_nonzero_ = set;
      for_nonzero_->limits = without.limits;
    };
    // Few k are less to lose than every other alpha.
    const bool is_for_alpha = way != ways.end() && way->limits.alpha_one != check.limits.alpha_one;
    const std::int64_t few = is_for_alpha && wrong.shape.k <= kFewK ? last_wrong() : 0;
    if (way != ways.end() && (few == 0 || few > kFewK)) {
      if (way->limits.finite_only && !check.limits.finite_only) {
        for_all_data_ = set;
        keep_for_nonzero();
      }
      check = *way;
      continue;
    }
    const auto is_right = [&](const std::vector<spec::MatrixRegime>& rules,
                              const spec::Shape3& shape) {
      const std::vector<spec::Shape3> again(static_cast<std::size_t>(trials), shape);
      const MatrixReplayResult looks =
          check_matrices(target, call, rules, spec_.orders, again, check);
      return !looks.wrong && looks.shapes > 0;
    };
    if (auto edge = on_the_edge(set.regimes, wrong.regime, wrong.shape, most, gemv, is_right)) {
      set.regimes.insert(set.regimes.begin() + static_cast<std::ptrdiff_t>(wrong.regime),
                         *std::move(edge));
      continue;
    }
    const auto first_wrong =
        [&](std::span<const spec::Shape3> tried) -> std::optional<spec::Shape3> {
      const auto looks = check_matrices(target, call, set.regimes, spec_.orders, tried, check);
      return looks.wrong ? std::optional(looks.wrong->shape) : std::nullopt;
    };
    const auto refuse_wrong = [&] {
      refuse(context_of(call), "unknown_region",
             "a rule for some shapes does not give the bits: " + text_of(wrong.mismatch));
    };
    const auto are_right = [&](std::span<const spec::Shape3> tried) { return !first_wrong(tried); };
    const auto leave_out_strip = [&] {
      auto strip = strip_below_limit(set.regimes, wrong.regime, wrong.output_class, wrong.shape,
                                     most, gemv, trials, options_.seed + 500, are_right);
      if (!strip) return false;
      refuse_wrong();
      set.regimes.insert(set.regimes.begin() + static_cast<std::ptrdiff_t>(wrong.regime),
                         *std::move(strip));
      return true;
    };
    // Where a limit is wrong, each length of the short side looks like a band.
    if (gemv && leave_out_strip()) continue;
    const auto bands = gemv ? bands_of_few_sizes(wrong.shape, most, trials, first_wrong)
                            : std::vector<spec::MatrixRegime>{};
    if (!bands.empty()) {
      refuse_wrong();
      set.regimes.insert(set.regimes.begin(), bands.begin(), bands.end());
      auto& known = bands_[{call.trans_a, call.trans_b}];
      known.insert(known.end(), bands.begin(), bands.end());
      continue;
    }
    if (const auto border = missing_border(set.regimes, wrong.regime, wrong.shape)) {
      spec::MatrixRegime rest = set.regimes[wrong.regime], inside = rest;
      inside.guard.push_back(border->within);
      inside.rows = border->like->rows;
      inside.columns = border->like->columns;
      inside.table = border->like->table;
      rest.guard.push_back(border->within);
      rest.guard.back().kind = spec::Atom::Kind::above;
      set.regimes[wrong.regime] = std::move(inside);
      set.regimes.insert(set.regimes.begin() + static_cast<std::ptrdiff_t>(wrong.regime) + 1,
                         std::move(rest));
      continue;
    }
    if (!gemv && leave_out_strip()) continue;
    // Where few summands alone are wrong, the class goes and the other classes stay.
    if (!sizes.empty() && (few == 0 || few > kFewK)) {
      leave_out();
      continue;
    }
    const std::int64_t last = few > 0 ? few : last_wrong();
    keep_for_nonzero();
    refuse_wrong();
    spec::MatrixRegime& regime = set.regimes[wrong.regime];
    if (last == 0 || last >= regime.k_max) {
      take_out(regime, wrong.output_class);
      continue;
    }
    spec::MatrixRegime rest = regime;
    regime.guard.push_back(k_atom(spec::Atom::Kind::at_most, last));
    regime.k_max = std::min(regime.k_max, last);
    rest.guard.push_back(k_atom(spec::Atom::Kind::above, last));
    take_out(regime, wrong.output_class);
    set.regimes.insert(set.regimes.begin() + static_cast<std::ptrdiff_t>(wrong.regime) + 1,
                       std::move(rest));
  }
  return false;
}

}  // namespace reprosum::reveal
