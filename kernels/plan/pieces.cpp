#include "kernels/plan/pieces.h"

#include <variant>

#include "kernels/plan/loop_form.h"

namespace reprosum::kernels {
namespace {

// Budgets of an order: beyond them pieces are left to the interpreter. Never in seconds, for the
// host's load must not choose kernels. OpenBLAS needs a twentieth of them.
constexpr std::size_t kMaxPieces = 256;
constexpr std::size_t kMaxRegimes = 4096;  // of an order of which pieces are made

void collect(const spec::Order& order, std::vector<Piece>& pieces) {
  if (order.regimes.size() > kMaxRegimes) return;
  for (const spec::Regime& regime : order.regimes) {
    if (pieces.size() >= kMaxPieces) return;
    if (std::holds_alternative<spec::Loop>(regime.rule) ||
        std::holds_alternative<spec::Explicit>(regime.rule) || fold_split(order, regime))
      pieces.push_back({&order, &regime});
  }
  for (const spec::Order& sub : order.subs) collect(sub, pieces);
}

}  // namespace

std::vector<Piece> pieces_of(const spec::Order& order) {
  std::vector<Piece> pieces;
  collect(order, pieces);
  return pieces;
}

}  // namespace reprosum::kernels
