// Products of every class of data, and of every size: where the rules are wrong there, either they
// are wrong for any data, and are mended, or the library looks at the values.
#include <utility>

#include "reveal/capture/matrix_neighbourhood.h"
#include "reveal/capture/product_capture.h"
#include "reveal/refused.h"

namespace reprosum::reveal {
namespace {

constexpr int kMostTurns = 6;         // of certifying again
constexpr std::int64_t kUniform = 6;  // products of a shape that may be large
constexpr int kHostile = 300;         // products that tell a shape from a class

}  // namespace

void ProductCapture::look_at_classes(Target& target, const Call& call, MatrixPiece& piece) {
  const bool gemv = routine_ == spec::Routine::gemv;
  for (int turn = 0;; ++turn) {
    MatrixCheck check = check_of(piece.alignment, piece.leading, piece.limits,
                                 seed_of_context() + 11 + static_cast<std::uint64_t>(turn));
    const MatrixReplayResult result =
        check_matrix_classes(target, call, rules_[piece.rules].regimes, spec_.orders,
                             {gemv, largest(piece.outputs), options_.matrix_work / 4}, check);
    if (!result.wrong) {
      add_result(piece.certificate, result);
      return;
    }
    const MatrixReplayResult::Wrong& wrong = *result.wrong;
    const std::string evidence = text_of(wrong.mismatch);
    check.is_uniform = wrong.is_uniform;
    Neighbourhood near(target, call, rules_[piece.rules].regimes, spec_.orders, wrong.shape,
                       check.seed);
    if (is_class(wrong.data) && near.wrong(check, kHostile) == 0)
      throw Refused("input_dependent",
                    evidence + "; the rules that give the bits of hostile random data at this " +
                        "shape do not give those of data of the class '" + name(wrong.data) +
                        "': the library looks at the values");
    const HeldOut again{
        std::vector<spec::Shape3>(wrong.is_uniform ? kUniform : kTellingOutputs, wrong.shape),
        check.seed + 100, wrong.is_uniform};
    if (turn < kMostTurns && certify_again(target, call, again, piece)) continue;
    for (spec::MatrixRegime& regime : rules_[piece.rules].regimes) cover_nothing(regime);
    throw Refused("unknown_region", "the rules do not give the bits: " + evidence);
  }
}

}  // namespace reprosum::reveal
