// What a context of gemv or gemm has: region rules and the order of every class.
//
// One call has several orders. So a capture of a product asks three questions for each pair of
// transposes, class of increments and thread count:
//
//   1. Which outputs share an order? region/ answers with a rule over m, n and k.
//   2. Which order has each of these classes, over k, and where do alpha, beta and C enter?
//      matrix/ answers.
//   3. Do both give the bits of whole random matrices? check/matrix_check answers.
//
// recognise() first tries the rules that other contexts have; learn() searches new ones only if
// none of them holds. certify() then compares whole products:
//
//   shapes | every m, n and k up to 64 with other sizes drawn at random; both sides of guards,
//          | segments and thresholds; log-uniform sizes; thousands of small shapes; for gemv also
//          | long thin ones; from a regime whose shapes are all dear, its cheapest ones. A class
//          | that few of these shapes have is looked for among all m and n up to 64, then 96; a
//          | class that no shape has shown is not covered.
//   data   | alpha and beta of 0, -0, 1, -1, random and, now and then, NaN, Inf, subnormal or huge;
//          | gaps between columns and odd addresses; signed zeros, subnormals, Inf and NaN.
//
// If an output is wrong, certify() repairs the rules, at most 24 times. It looks beside the wrong
// shape for the evidence of each row of this table, in about this order, and takes the first that
// it finds (files are in capture/):
//
//   what is wrong                      | repair                               | file
//   -----------------------------------+--------------------------------------+---------------
//   equal sizes, such as m = n         | not covered                          | matrix_sizes
//   one row or one column of a gemm,   | captured apart, as another routine's | matrix_thin
//     larger products are right        |   (BLIS runs a gemv for them)        |
//   only data with Inf or NaN          | rules for finite data; those without | matrix_certify
//                                      |   the wrong classes stay for all     |   (hypotheses)
//   only columns with gaps             | those with gaps are captured apart   | the same
//   only alpha other than 1, and not   | rules for alpha = 1                  | the same
//     for k <= 8 alone                 |                                      |
//   only addresses that are not        | rules for aligned operands           | the same
//     aligned                          |                                      |
//   faces other than Fortran's with N  | refused, as what a few calls before  | matrix_certify
//     and T, places of operands other  |   that differ in nothing else show   |   (place_of),
//     than the usual                   |   (faces_differ, address_dependent)  |   matrix_places
//   the shapes on a bound of m*k       | rule of the other side of the bound  | matrix_edge
//     (OpenBLAS: at m*k = 9216)        |                                      |
//   a strip below a bound (ATLAS       | not covered                          | matrix_strip
//     compares (m+1)*(k+1))            |                                      |
//   few lengths of the long side of a  | not covered, in no context of these  | matrix_band
//     thin gemv (ATLAS: rows behind    |   transposes                         |
//     the 472nd, up to 16 columns)     |                                      |
//   shapes within a bound that only    | the regime is cut at that bound      | matrix_certify
//     another regime has               |                                      |   (missing_border)
//   single sizes, such as m = 1000     | not covered                          | matrix_sizes
//   anything else                      | the class is taken out, only for few | matrix_certify
//                                      |   k if larger k are right            |
//
// What is not covered is refused, with the first wrong output as the reason. Before a class is
// taken out because of zeros in the data, the rules that still have it are kept as an entry for
// data without zero factors: BLIS leaves products of zeros out by blocks that no rule describes.
//
// If the user asked for small products (--small-products), certify() compares all of them last.
// After a repair the comparison goes on from the product that was wrong, and it starts once more
// from the first when the last one is right (matrix_box_walk).
//
// look_at_layouts() then calls the same problems by rows. If a product is wrong there, it is called
// by columns. If it is wrong by columns as well, the rules are at fault: they are certified again
// with these products. Otherwise the rules cover column-major calls alone.
//
// alpha = 1 alone is learned as well, as an entry of its own, where rules for every alpha cover
// little: less than half of all shapes of gemm (unless nearly all small products have rules), less
// than 98 of 100 of gemv, or, without --small-products, if none of the rules could be certified. A
// library may choose by the shape where alpha acts (ATLAS does), while the order of its sums needs
// no such condition. Rules of gemv for every alpha are therefore searched for a tenth of the time
// only. The 4096 shapes of gemv with m and k up to 64 are also learned one by one, always for
// alpha = 1, else where rules of all sizes cover few of them: such a rule may fail at large sizes
// alone.
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
#include "reveal/check/recall.h"
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

// Outputs that are compared of each shape that shapes_listed() names.
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
  // Throws Refused where calls give other bits now and then.
  void require_repeatable(Target& target, const Call& call) const;
  void capture_betas(Target& target, const Call& call);
  void capture_addresses(Target& target, const Call& call);
  // Throws Refused where it matters where operands lie, or which face is called (matrix_places.h).
  void check_places(Target& target, const Call& call);
  std::vector<CapturedRules> rules() override;
  // Adds it to pieces_, as a piece of the context that is being captured.
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
  // All small products of gemm that options_.small_products names. Rules may list small products
  // one by one, and those of another context are then wrong where only a few products differ.
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
  // Index of the order in spec_.orders, to which a new order is added.
  std::size_t index_of(const ClassOrder& found);
  // Compares whole random matrices and repairs the rules as the table above says. false if no rule
  // remains. `besides`: further products that must be right.
  bool certify(Target& target, const Call& call, MatrixPiece& piece, const HeldOut& besides = {});
  MatrixCheck check_of(int alignment, const spec::Leadings& leading, const MatrixDataLimits& limits,
                       std::uint64_t seed) const;
  // Compares the same problems through CBLAS by rows. If one is wrong by columns as well, the rules
  // are at fault and are certified again. Throws Refused if no rule remains.
  void look_at_layouts(Target& target, const Call& call, MatrixPiece& piece);
  // Compares every class of data, and every small size. If a shape is wrong for hostile data as
  // well, the rules are certified again. Throws Refused if only a class of data is wrong, or if no
  // rule remains.
  void look_at_classes(Target& target, const Call& call, MatrixPiece& piece);
  // nullopt: the target has no such layout.
  std::optional<MatrixReplayResult> check_by_rows(Target& target, const Call& call,
                                                  const MatrixPiece& piece,
                                                  const HeldOut& products);
  MatrixReplayResult check_products(Target& target, const Call& call, const MatrixPiece& piece,
                                    const HeldOut& products);
  bool certify_again(Target& target, const Call& call, const HeldOut& wrong, MatrixPiece& piece);
  // Excludes the bands that one context showed from all contexts of the same transposes.
  void leave_out_bands();
  // Each context that is compared with rules of others has shapes and data of its own. If the rules
  // are wrong at few shapes, in all contexts alike, one of the contexts will meet such a shape.
  std::uint64_t seed_of_context() const;
  std::int64_t long_calls() const;

  std::vector<KnownClassOrder> known_;  // parallel to spec_.orders
  std::vector<RuleSet> rules_;
  // The regions of all contexts, without their orders, and for which products and alpha each is.
  struct Learned {
    LearnedRegions regions;
    Outputs outputs;
    Alphas alphas;
  };
  std::vector<Learned> learned_;
  std::vector<std::pair<Call, std::size_t>> contexts_;  // and which of learned_ they have
  // Regimes that cover nothing, of bands (matrix_band.h).
  std::map<std::pair<spec::Trans, spec::Trans>, std::vector<spec::MatrixRegime>> bands_;
  // The context that is being captured:
  DrawnIncrements* drawn_ = nullptr;
  std::vector<spec::Increments> increments_;
  spec::AddressGuard addresses_;
  bool nan_beta_is_zero_ = false;
  // What belongs to the piece that was learned last: further pieces; the rules before certify()
  // limited them to finite data, and before it took a class out because of zero factors.
  std::vector<MatrixPiece> besides_;
  std::optional<RuleSet> for_all_data_;
  std::optional<RuleSet> for_nonzero_;
  std::map<int, ProductRecall> recalls_;  // by threads: of the first products
};

}  // namespace reprosum::reveal
