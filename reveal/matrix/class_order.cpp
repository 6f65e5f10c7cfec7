// Known orders first; then the plain order, where the scalars enter, and the certificate.
#include "reveal/matrix/class_order.h"

#include <algorithm>
#include <utility>

#include "reveal/check/classify.h"
#include "reveal/check/random_data.h"
#include "reveal/infer.h"
#include "reveal/matrix/cell_target.h"
#include "reveal/matrix/check_update.h"
#include "reveal/matrix/known_pieces.h"
#include "reveal/matrix/place_update.h"
#include "reveal/matrix/plain_order.h"
#include "reveal/matrix/rule_update.h"
#include "reveal/matrix/skipped_factors.h"
#include "reveal/matrix/zero_scalars.h"
#include "reveal/refused.h"
#include "reveal/target_oracle.h"
#include "spec/error.h"
#include "spec/expand.h"
#include "spec/surface.h"

namespace reprosum::reveal {
namespace {

constexpr int kMaxRounds = 5;                    // placements refuted by hostile data
constexpr std::int64_t kLeastCovered = 100;      // an order of fewer sizes is refused
constexpr std::int64_t kOutputsToRecognise = 8;  // per size that may tell orders apart
constexpr std::int64_t kSizesAtEnd = 8, kOutputsAtEnd = 2000;
constexpr std::int64_t kSizesToCut = 12;  // of whose sums the last addition is looked at

class ClassCapture {
 public:
  ClassCapture(Target& target, const CellsAt& cells, const ClassOptions& options)
      : target_(target), options_(options), cells_(target, cells), first_call_(target.calls()) {
    k_max_ = options.k_max;
    while (k_max_ > 0 && !cells_.has_shape(k_max_)) --k_max_;
    if (k_max_ < 1) throw UserError("reveal_class: the class has no shape");
    while (!cells_.has_shape(k_min_)) ++k_min_;
    type_ = cells(k_max_)->call.type;
  }

  ClassOrder run() {
    if (auto known = recognise(false)) return *std::move(known);
    if (options_.sums)
      return with_update({options_.sums->order, std::min(options_.sums->k_max, k_max_), {}, {}});
    if (auto blocks = recognise_blocks()) return *std::move(blocks);
    if (auto pieces = recognise_pieces()) return *std::move(pieces);
    const std::vector<spec::Skip> skips = SkippedFactors(cells_, type_).look(k_min_, k_max_);
    if (!skips.empty()) cells_.keep_operands();
    try {
      if (!skips.empty()) return reveal(skips);
    } catch (const KBorder&) {
      throw;  // both sides have an order of all data
    } catch (const Refused& e) {
      // Perhaps no form says which products are left out; the order of finite data needs none.
      log(std::string("with products left out where a factor is zero: ") + e.what());
    }
    // Orders that are known for finite data alone come last: the class may have one for all data.
    if (auto known = recognise(true)) return *std::move(known);
    return reveal({});
  }

 private:
  void log(const std::string& line) const {
    if (options_.log) options_.log(line);
  }

  std::optional<ClassOrder> recognise(bool is_finite_only) {
    for (std::size_t at = 0; at < options_.known.size(); ++at) {
      KnownClassOrder known = options_.known[at];
      if (known.finite_only != is_finite_only) continue;
      known.alpha_one_only |= options_.alpha_one;
      if (known.k_max < k_max_ && !reaches(known)) continue;
      known.k_max = k_max_;
      const auto sizes = update_sizes(known.order, k_min_, k_max_, options_.seed + 5);
      const auto quick = with_beta_rules(known, sizes, options_.seed + 6);
      if (!quick) continue;
      ClassOrder result = result_of(known);
      result.known = at;
      result.random_vectors = quick->outputs;
      result.not_checked.push_back(
          "the trees of this class: its bits are those of another class on random data");
      return result;
    }
    return std::nullopt;
  }

  // A known order whose bits may be those of this class gets the rules for beta = 0 of this class.
  // nullopt: it is wrong.
  std::optional<UpdateCheck> with_beta_rules(KnownClassOrder& known,
                                             std::span<const std::int64_t> sizes,
                                             std::uint64_t seed) {
    const auto check = [&] {
      return check_update(cells_, type_, known, sizes, kOutputsToRecognise * std::ssize(sizes),
                          seed);
    };
    UpdateCheck quick = check();
    if (quick.special_differs || (quick.wrong && quick.wrong->data.beta != 0)) return std::nullopt;
    const auto before = std::pair{known.beta_zero, known.beta_zero_up_to};
    try {
      decide_beta_zero(cells_, type_, known, k_min_, options_);
    } catch (const Refused&) {
      return std::nullopt;
    }
    if (before != std::pair{known.beta_zero, known.beta_zero_up_to}) quick = check();
    if (quick.wrong || quick.special_differs) return std::nullopt;
    return quick;
  }

  // How many outputs the order was right in; nothing if it was wrong in one. Few are looked at
  // first, where most orders end that are not the class's.
  std::optional<std::int64_t> replayed(KnownClassOrder& known, std::uint64_t seed) {
    const auto sizes = update_sizes(known.order, k_min_, k_max_, seed);
    if (!with_beta_rules(known, sizes, seed + 1)) return std::nullopt;
    const UpdateCheck check =
        check_update(cells_, type_, known, sizes, options_.random_vectors, seed + 2);
    if (check.wrong || check.special_differs) return std::nullopt;
    return check.outputs;
  }

  // The blocks of one known order, each summed as a class of few summands is: where no shape of
  // this class has so few, its blocks are never seen alone.
  std::optional<ClassOrder> recognise_blocks() {
    std::vector<spec::Order> tried;
    for (const KnownClassOrder& blocks : options_.known)
      for (const KnownClassOrder& piece : options_.known) {
        auto order = blocks_of(blocks.order, piece.order);
        if (!order) continue;
        if (!options_.alpha_one && (blocks.alpha_one_only || piece.alpha_one_only)) continue;
        if (std::find(tried.begin(), tried.end(), *order) != tried.end()) continue;
        tried.push_back(*order);
        KnownClassOrder known = blocks;
        known.order = *std::move(order);
        known.alpha_one_only = options_.alpha_one;
        known.k_max = k_max_;
        const auto outputs = replayed(known, options_.seed + 7);
        if (!outputs) continue;
        ClassOrder result = result_of(known);
        result.random_vectors = *outputs;
        result.calls = target_.calls() - first_call_;
        result.not_checked.push_back(
            "the trees of this class: its bits are those of known blocks with known sums in them");
        return result;
      }
    return std::nullopt;
  }

  // The pieces of known sums that threads make: the rule that cuts shows without a reveal. Where
  // some shape of this class has one summand, its short pieces are seen, and the whole order is
  // revealed.
  std::optional<ClassOrder> recognise_pieces() {
    if (k_min_ == 1 || options_.known.empty()) return std::nullopt;
    const Call context = call_without_sizes(spec::Routine::dot, type_);
    const auto oracle = make_target_oracle(cells_, context, options_.seed);
    FastRandom random(options_.seed + 10);
    std::vector<std::int64_t> sizes;
    for (std::int64_t turn = 0; turn < kSizesToCut; ++turn) {
      const std::int64_t n = k_min_ + (turn < 4 ? turn : random.below(k_max_ - k_min_ + 1));
      if (n <= k_max_ && cells_.has_shape(n)) sizes.push_back(n);
    }
    std::vector<spec::Parts> cuts;
    try {
      cuts = parts_of(*oracle, sizes, options_.seed);
    } catch (const Refused&) {
      return std::nullopt;  // no tree: what reveals the class will say so
    }
    for (KnownClassOrder& known :
         sums_of_known_pieces(cuts, options_.known, k_max_, options_.alpha_one)) {
      const auto outputs = replayed(known, options_.seed + 11);
      if (!outputs) continue;
      ClassOrder result = result_of(known);
      result.random_vectors = *outputs;
      try {
        result.all_nodes = check_plain_nodes(cells_, type_, spec::without_update(known.order),
                                             k_min_, k_max_, options_.seed + 14);
      } catch (const Refused&) {
        continue;
      }
      result.calls = target_.calls() - first_call_;
      result.not_checked.push_back("a k that differs alone from the rule that cuts the sum");
      return result;
    }
    return std::nullopt;
  }

  // `blocks` with the sums of `piece` in each block; nullopt if that is no order of blocks, or
  // nothing new.
  std::optional<spec::Order> blocks_of(const spec::Order& blocks, const spec::Order& piece) const {
    const auto parts_of = [](const spec::Order& order) {
      return order.regimes.size() == 1 ? std::get_if<spec::Parts>(&order.regimes[0].rule) : nullptr;
    };
    const spec::Parts* const parts = parts_of(blocks);
    if (parts == nullptr || parts->count != 0 || blocks.subs.size() != 1 ||
        parts->child.kind != spec::Child::Kind::sub || blocks.zero_start || k_min_ <= parts->m)
      return std::nullopt;
    if (parts_of(piece) != nullptr || !spec::covers(piece, parts->m)) return std::nullopt;
    spec::Order result = blocks;
    spec::Order& sub = result.subs[0];
    try {
      sub = spec::without_update(piece);
    } catch (const UserError&) {
      return std::nullopt;  // it has no plain form
    }
    while (sub.regimes.back().lo > parts->m) sub.regimes.pop_back();
    sub.regimes.back().hi = parts->m;
    if (auto* listed = std::get_if<spec::Explicit>(&sub.regimes.back().rule))
      std::erase_if(listed->entries, [&](const auto& one) { return one.n > parts->m; });
    return result == blocks ? std::nullopt : std::optional(std::move(result));
  }

  // Orders go on for ever beyond what was certified, unless they are listed.
  bool reaches(const KnownClassOrder& known) const { return spec::covers(known.order, k_max_); }

  ClassOrder reveal(const std::vector<spec::Skip>& skips) {
    return with_update(reveal_plain_order(cells_, type_, k_max_, options_, skips));
  }

  // The order of these sums with alpha and C, as far as one way explains the bits.
  ClassOrder with_update(PlainOrder plain) {
    const KnownSums all{plain.order, plain.k_max};
    log("plain order up to " + std::to_string(plain.k_max) + " " + plain.stopped + "\n" +
        spec::print(plain.order));
    KnownClassOrder known;
    std::vector<Observation> counterexamples;
    UpdateCheck check;
    for (int round = 0;; ++round) {
      known.k_max = plain.k_max;
      std::int64_t unexplained = 0;
      const auto placed = place_update(cells_, type_, plain.order, k_min_, plain.k_max,
                                       counterexamples, options_, &unexplained);
      if (!placed) {
        shorten(plain, unexplained,
                cells_.describe(std::max<std::int64_t>(unexplained, 1)) +
                    ": no known place of alpha and C in the revealed order gives the bits of "
                    "random updates, not even with alpha = 1");
        continue;
      }
      known.order = placed->order;
      known.alpha_one_only = placed->alpha_one_only;
      log("placed\n" + spec::print(known.order));
      decide_zero_scalars(cells_, type_, known, k_min_, options_);
      const auto sizes = update_sizes(known.order, k_min_, plain.k_max,
                                      options_.seed + static_cast<std::uint64_t>(round) + 77);
      check = check_update(cells_, type_, known, sizes, options_.random_vectors,
                           options_.seed * 7 + static_cast<std::uint64_t>(round));
      if (!check.wrong && plain.k_max < all.k_max) look_at_end(known, check);
      if (!check.wrong) break;
      log("refuted: " + check.what);
      const double alpha = check.wrong->data.alpha, beta = check.wrong->data.beta;
      // With a zero scalar the placement says nothing; the rules for zeros were settled.
      if (round >= kMaxRounds || alpha == 0 || beta == 0) {
        shorten(plain, check.wrong->data.k,
                check.what +
                    "; the revealed tree with the placement of alpha and C that other "
                    "data showed does not give these bits");
        counterexamples.clear();
        continue;
      }
      counterexamples.push_back(*check.wrong);
    }
    known.finite_only = check.special_differs;
    ClassOrder result = result_of(known);
    result.random_vectors = check.outputs;
    result.stopped = plain.stopped;
    result.revealed = plain.revealed;
    result.all_nodes =
        check_plain_nodes(cells_, type_, spec::without_update(known.order),
                          options_.sums ? k_min_ : 1, plain.k_max, options_.seed + 3);
    if (plain.k_max < all.k_max) result.sums_beyond = all;
    result.calls = target_.calls() - first_call_;
    result.not_checked.push_back(
        "a k that differs alone from its regime's rule, between the sizes that were tested");
    result.not_checked.push_back("NaN payloads");
    return result;
  }

  // Where another way begins beyond the last size, the border is exact.
  void look_at_end(const KnownClassOrder& known, UpdateCheck& check) {
    std::vector<std::int64_t> sizes;
    for (std::int64_t k = std::max(k_min_, known.k_max - kSizesAtEnd + 1); k <= known.k_max; ++k)
      sizes.push_back(k);
    UpdateCheck end =
        check_update(cells_, type_, known, sizes, kOutputsAtEnd, options_.seed * 7 + 3);
    end.outputs += check.outputs;
    end.special_differs |= check.special_differs;
    check = std::move(end);
  }

  // Gives up the sizes from `wrong` on, or everything if few sizes would be left.
  void shorten(PlainOrder& plain, std::int64_t wrong, const std::string& why) {
    if (wrong < k_min_ + kLeastCovered || wrong > plain.k_max)
      throw RefusedAt("unknown_arithmetic", why, std::max<std::int64_t>(wrong, 1));
    log("k below " + std::to_string(wrong) + " only: " + why);
    plain.k_max = wrong - 1;
    plain.stopped = why;
    plain.order = clipped(std::move(plain.order), plain.k_max);
  }

  ClassOrder result_of(const KnownClassOrder& known) const {
    ClassOrder result;
    result.order = known.order;
    result.beta_zero = known.beta_zero;
    result.beta_zero_up_to = known.beta_zero_up_to;
    result.alpha_zero = known.alpha_zero;
    result.k_max = known.k_max;
    result.alpha_one_only = known.alpha_one_only;
    result.finite_only = known.finite_only;
    result.calls = target_.calls() - first_call_;
    if (options_.alpha_one)
      result.not_checked.push_back("alpha other than 1");
    else if (known.alpha_one_only)
      result.not_checked.push_back("alpha other than 1: no known place of it gives the bits");
    if (known.finite_only)
      result.not_checked.push_back("data with an Inf or NaN: the bits differ there");
    return result;
  }

  Target& target_;
  const ClassOptions& options_;
  CellTarget cells_;
  const std::int64_t first_call_;
  std::int64_t k_min_ = 1, k_max_ = 0;
  spec::Type type_{};
};

}  // namespace

ClassOrder reveal_class(Target& target, const CellsAt& cells, const ClassOptions& options) {
  return ClassCapture(target, cells, options).run();
}

}  // namespace reprosum::reveal
