// Products whose matrices lie row by row, and what is learned from those that are wrong.
#include <algorithm>
#include <utility>

#include "reveal/capture/product_capture.h"
#include "reveal/refused.h"

namespace reprosum::reveal {
namespace {

constexpr double kWork = 1e7;  // multiplications; certification costs options.matrix_work
constexpr std::int64_t kLongCalls = 400;  // of gemv
constexpr int kMostTurns = 6;             // of certifying again

}  // namespace

MatrixReplayResult ProductCapture::check_products(Target& target, const Call& call,
                                                  const MatrixPiece& piece,
                                                  const HeldOut& products) {
  return check_matrices(target, call, rules_[piece.rules].regimes, spec_.orders, products.shapes,
                        check_of(piece.alignment, piece.leading, piece.limits, products.seed));
}

std::optional<MatrixReplayResult> ProductCapture::check_by_rows(Target& target, const Call& call,
                                                                const MatrixPiece& piece,
                                                                const HeldOut& products) {
  Call rows = call;
  rows.row_major = true;
  try {
    return check_products(target, rows, piece, products);
  } catch (const TargetError& error) {
    if (error.reason != "declined" && error.reason != "missing_symbol") throw;
    return std::nullopt;
  }
}

bool ProductCapture::certify_again(Target& target, const Call& call, const HeldOut& wrong,
                                   MatrixPiece& piece) {
  // Other contexts may have the same rules, and be right.
  if (std::any_of(pieces_.begin(), pieces_.end(),
                  [&](const CapturedContext& other) { return other.rules == piece.rules; })) {
    RuleSet own = rules_[piece.rules];
    piece.rules = rules_.size();
    rules_.push_back(std::move(own));
  }
  piece.certificate = {};
  return certify(target, call, piece, wrong);
}

void ProductCapture::look_at_layouts(Target& target, const Call& call, MatrixPiece& piece) {
  const bool gemv = routine_ == spec::Routine::gemv;
  const spec::Shape3 most = largest(piece.outputs);
  const std::uint64_t seed = seed_of_context();
  for (int turn = 0;; ++turn) {
    HeldOut products{
        plan_shapes(rules_[piece.rules].regimes, spec_.orders, gemv, most, kWork, seed + 300),
        seed + 9};
    if (gemv) {
      const auto longer = plan_long(most, kLongCalls, seed + 700);
      products.shapes.insert(products.shapes.end(), longer.begin(), longer.end());
    }
    const auto result = check_by_rows(target, call, piece, products);
    piece.row_major = result && !result->wrong && result->shapes > 0;
    if (piece.row_major) add_result(piece.certificate, *result);
    if (!result || !result->wrong) return;
    const MatrixReplayResult by_columns = check_products(target, call, piece, products);
    if (!by_columns.wrong) return;  // it is the layout
    if (turn < kMostTurns && certify_again(target, call, products, piece)) continue;
    for (spec::MatrixRegime& regime : rules_[piece.rules].regimes) cover_nothing(regime);
    throw Refused("unknown_region",
                  "the rules do not give the bits: " + text_of(by_columns.wrong->mismatch));
  }
}

}  // namespace reprosum::reveal
