// What a context of gemv or gemm has: region rules and the order of every class.
//
// One call has several orders, so a capture of a product (capture/matrix_*) asks three questions
// for each pair of transposes, class of increments and thread count. region/: which outputs
// share an order, as a rule over m, n and k. matrix/: which order has each of these classes,
// over k, and where do alpha, beta and C enter. check/matrix_check: do both give the bits of
// whole random matrices at held-out shapes (every m, n, k up to 64 with random others, both
// sides of guards, segments and thresholds, log-uniform ones beyond, thousands of small ones and
// many long thin ones of gemv, the cheapest where all are dear), with alpha and beta of 0 and
// -0, 1, -1, random and, now and then, NaN, Inf, subnormal or huge, gaps and odd addresses,
// signed zeros, subnormals, Inf and NaN? Rules that are known from another context are tried
// first. What does not hold is narrowed to what does (matrices without gaps, aligned operands,
// finite data, alpha = 1; the rest is a context of its own; where it is finite data, rules of
// fewer classes for all data are an entry besides), or products of one row or one column are
// captured apart where larger ones are right or where they are not covered (matrix_thin: BLIS
// runs a gemv for them, to which gaps are increments), or the regime is cut where another one
// has a bound of m*k or the like, or the shapes on the very bound get the rule from below it
// (matrix_edge: OpenBLAS shares rows from m*k = 9216 on, summands above), or a strip below an
// upper limit is left out (matrix_strip: ATLAS compares (m+1)*(k+1), which no limit of m*k is),
// or few lengths of the long side of a thin gemv are (matrix_band: rows behind the 472nd, where
// ATLAS has up to 16 columns; no context of these transposes covers what one of them has shown),
// or shapes of equal sizes are, or single sizes (matrix_sizes: a library may ask whether m = n),
// or that class is taken out, for few k if only these are wrong (rather than all other alpha, up
// to k = 8), and the first wrong output is the reason. Where it is right for data without zero
// factors, the rules that still had it become an entry besides, for these data alone: BLIS
// leaves products of zeros out by blocks that no rule says. Classes that few of the shapes have
// are looked for among all sizes up to 64, then 96; what none has shown is not covered. Other
// shapes are then called by rows. What is wrong there is called by columns: if it is wrong, too,
// the rules are, and they are certified again, these products included (of their own, where
// other contexts have them); else they are for column-major calls alone. Small products that
// were asked for are compared last, all of them: after a repair from the one that was wrong on,
// and once more from the first when the last is right (capture/matrix_box_walk). Where regions
// cover less than half of all shapes, those of alpha = 1 are learned as well: a library may
// choose by the shape where alpha acts (ATLAS), while the order of the sums needs no condition.
// Such rules are an entry of their own. Not where small products were asked for (--small-
// products) and nearly all of them have rules: these tell what alpha = 1 needs, too. For gemv
// alpha = 1 is looked at wherever 2 of 100 shapes or more are left, and rules for any alpha are
// searched from one start in a tenth of the time. All 4096 shapes of m and k up to 64 are looked
// at besides, for alpha = 1 in any case: what is wrong with larger ones does not touch them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reveal/capture.h"
#include "reveal/capture/increment_classes.h"
#include "reveal/capture/matrix_thin.h"
#include "reveal/capture/routine_capture.h"
#include "reveal/check/drawn_increments.h"
#include "reveal/check/matrix_check.h"
#include "reveal/matrix/class_by_k.h"
#include "reveal/matrix/class_order.h"
#include "reveal/region.h"

namespace reprosum::reveal {

// What was found in one context (transposes, increments, threads, ...), column-major.
struct MatrixPiece {
  bool row_major = false;
  int alignment = 1;
  spec::Leadings leading{};
  Outputs outputs = Outputs::all;
  MatrixDataLimits limits;
  std::size_t rules = 0;  // index into the capture's rule sets
  spec::Certificate certificate;
};

// Of each shape that shapes_listed() names.
inline constexpr std::int64_t kTellingOutputs = 64;

// For check_matrices(), which makes the same products of the same shapes and seed.
struct HeldOut {
  std::vector<spec::Shape3> shapes;
  std::uint64_t seed = 1;
  bool is_uniform = false;
};

// A condition on the number of summands alone.
spec::Atom k_atom(spec::Atom::Kind kind, std::int64_t limit);

// Makes the regime cover nothing: its guard still keeps its shapes from the regimes after it.
void cover_nothing(spec::MatrixRegime& regime);

// A class that none of the shapes has where they are covered was not compared: it is taken out, and
// a regime without any covers nothing.
void cover_only_tried(std::vector<spec::MatrixRegime>& regimes,
                      const std::vector<spec::Shape3>& shapes);

// What a replay says for a certificate.
void add_result(spec::Certificate& certificate, const MatrixReplayResult& result);

// Takes one class out of the regime: shapes that have it are not covered any more.
void take_out(spec::MatrixRegime& regime, std::int32_t output_class);

class ProductCapture final : public RoutineCapture {
 public:
  using RoutineCapture::RoutineCapture;

 private:
  // Region rules with the orders of their classes (indices into spec_.orders).
  struct RuleSet {
    std::vector<spec::MatrixRegime> regimes;
    MatrixDataLimits limits;
    Alphas alphas = Alphas::any;  // which its regions were learned with
    int alignment = 1;
    // Some classes are known for alpha = 1 or finite data alone; in another context more may be
    // found.
    bool is_partial = false;
    // Rather a class is taken out than data with Inf and NaN: other rules are for finite data.
    bool keeps_special = false;
    Outputs outputs = Outputs::all;
    std::vector<std::string> not_checked;
    std::int64_t shapes_learned = 0;
  };

  // A class at lo <= k <= hi; nullopt where it is refused.
  struct OutputPiece {
    std::int64_t lo = 1, hi = 0;
    std::optional<spec::MatrixClass> output;
  };

  // One class of beta, and in it one of addresses, after the other.
  void capture_context(Target& target, const Call& call, const IncrementClass& increments) override;
  void capture_betas(Target& target, const Call& call);
  void capture_addresses(Target& target, const Call& call);
  std::vector<CapturedRules> rules() override;
  // Puts it to pieces_, as one of the context at hand.
  void add(const Call& call, const MatrixPiece& piece);
  // Everything that the scope admits: where rules hold for less, the rest is captured apart.
  // `scope.leading` is what the pads of the call stand for.
  struct Scope {
    spec::Leadings leading{};
    Outputs outputs = Outputs::all;
  };
  void capture_scope(Target& target, const Call& call, const Scope& scope);
  // The piece that is returned may cover less than the scope.
  MatrixPiece capture_leading(Target& target, const Call& call, const Scope& scope);
  // Rules that were learned for one pair of increments, for others of the context. Throws
  // OneOfMany.
  void confirm_increments(Target& target, const Call& call, const MatrixPiece& piece);
  std::optional<MatrixPiece> recognise(Target& target, const Call& call, const Scope& scope);
  std::vector<spec::Shape3> shapes_of_all_rules(Outputs outputs) const;
  // Of gemm, all that options_.small_products names: rules that list small products one by one, as
  // those of another context may, are wrong where only few of them differ.
  std::vector<spec::Shape3> shapes_listed(const spec::Shape3& most, std::uint64_t salt) const;
  MatrixPiece learn(Target& target, const Call& call, const Scope& scope);
  // The rules without the classes that are known for alpha = 1 alone, or for finite data alone.
  RuleSet for_any_alpha(const RuleSet& set) const;
  RuleSet for_all_data(const RuleSet& set) const;
  // Pieces for alpha = 1 alone, where no rule of every alpha holds; empty if there are none.
  std::vector<MatrixPiece> learn_alpha_one(Target& target, const Call& call, const Scope& scope);
  // Certifies the rules; where they hold for finite data alone, those of all data as well, and
  // where zero factors cost a class, those of data without.
  std::vector<MatrixPiece> certified(Target& target, const Call& call, RuleSet set,
                                     const Scope& scope);
  // What the pieces of a capture_leading() need after their rules.
  void complete(Target& target, const Call& call, MatrixPiece& piece);
  // The rules of such regions. Throws nothing: what has no order is refused.
  RuleSet rules_of(Target& target, const Call& call, const LearnedRegions& learned, Outputs outputs,
                   Alphas alphas);
  // Which outputs share an order: as in a context before, or learned anew.
  LearnedRegions regions_of(Target& target, const Call& call, Outputs outputs, Alphas alphas);
  // The regime with the orders of its classes, cut where one of them changes with k; what is
  // refused is -1 in the tables. Those before it decide first.
  std::vector<spec::MatrixRegime> with_orders(Target& target, const Call& call,
                                              std::span<const LearnedRegime> before,
                                              const LearnedRegime& regime, RuleSet& set);
  spec::Shape3 largest(Outputs outputs) const { return largest_of(outputs, options_.largest); }
  // What regions are learned from: more rows than are certified, where longer products are asked
  // for.
  spec::Shape3 learned_to(Outputs outputs) const;
  std::vector<OutputPiece> order_of(Target& target, const Call& call,
                                    std::span<const LearnedRegime> before,
                                    const LearnedRegime& regime, std::size_t output_class,
                                    RuleSet& set);
  // Sums of gemv that are longer than the learned ones may go on in blocks.
  void go_on_beyond(Target& target, const Call& call, std::span<const LearnedRegime> before,
                    const LearnedRegime& regime, std::size_t output_class,
                    const ClassOptions& options, KPiece& found);
  // Of the order in spec_.orders, where it is put if it is new.
  std::size_t index_of(const ClassOrder& found);
  // Whole random matrices; what is wrong is narrowed to what holds: finite data, alpha = 1, ...; or
  // its class is taken out, for few k where only they are wrong. false if nothing is left.
  // `besides`: products that must be right, too.
  bool certify(Target& target, const Call& call, MatrixPiece& piece, const HeldOut& besides = {});
  MatrixCheck check_of(int alignment, const spec::Leadings& leading, const MatrixDataLimits& limits,
                       std::uint64_t seed) const;
  // The same problems through CBLAS by rows. Where these are wrong by columns, too, the rules are:
  // they are certified again. Throws Refused where nothing is left of them.
  void look_at_layouts(Target& target, const Call& call, MatrixPiece& piece);
  // Every class of data, and every small size. What is wrong for any data is certified again.
  // Throws Refused where a class alone is wrong, or nothing is left.
  void look_at_classes(Target& target, const Call& call, MatrixPiece& piece);
  // nullopt: the target has no such layout.
  std::optional<MatrixReplayResult> check_by_rows(Target& target, const Call& call,
                                                  const MatrixPiece& piece,
                                                  const HeldOut& products);
  MatrixReplayResult check_products(Target& target, const Call& call, const MatrixPiece& piece,
                                    const HeldOut& products);
  bool certify_again(Target& target, const Call& call, const HeldOut& wrong, MatrixPiece& piece);
  // Of all contexts of these transposes, the bands that one of them showed.
  void leave_out_bands();
  // Each context that is compared with rules of others has shapes and data of its own: what few
  // shapes show, and is wrong in all of them, is met in one.
  std::uint64_t seed_of_context() const;
  std::int64_t long_calls() const;

  std::vector<KnownClassOrder> known_;  // parallel to spec_.orders
  std::vector<RuleSet> rules_;
  // Of all contexts, without their orders, and for which products and alpha each is.
  struct Learned {
    LearnedRegions regions;
    Outputs outputs;
    Alphas alphas;
  };
  std::vector<Learned> learned_;
  std::vector<std::pair<Call, std::size_t>> contexts_;  // and which of these they have
  // Regimes that cover nothing, of bands (matrix_band.h).
  std::map<std::pair<spec::Trans, spec::Trans>, std::vector<spec::MatrixRegime>> bands_;
  DrawnIncrements* drawn_ = nullptr;          // the increments that are captured now
  std::vector<spec::Increments> increments_;  // the same
  spec::AddressGuard addresses_;              // those that are captured now
  bool nan_beta_is_zero_ = false;             // the same
  std::vector<MatrixPiece> besides_;          // beside the piece that was learned last
  std::optional<RuleSet> for_all_data_;  // what certify() limited to finite data, before it did
  std::optional<RuleSet> for_nonzero_;   // what certify() took a class out of for zero factors
};

}  // namespace reprosum::reveal
