#include "reveal/matrix/known_pieces.h"

#include <algorithm>
#include <utility>

#include "reveal/matrix/buffered_update.h"
#include "reveal/matrix/rule_update.h"
#include "spec/error.h"
#include "spec/expand.h"

namespace reprosum::reveal {
namespace {

using spec::Order;
using spec::Parts;
using spec::Scale;

struct Piece {
  Order sum;
  Scale scale;  // where alpha meets the whole piece
};

std::vector<Piece> pieces_of(const KnownClassOrder& known, bool alpha_one) {
  std::vector<Piece> pieces;
  if (alpha_one || !known.alpha_one_only) pieces.push_back({from_zero(known.order), Scale::none});
  try {
    const Order from = spec::without_update(from_zero(known.order));
    const Order bare = spec::without_update(known.order);
    const std::vector<Scale> scales =
        alpha_one ? std::vector{Scale::none} : std::vector{Scale::rounded, Scale::fused};
    for (const Order& sum : {from, bare})
      for (const Scale scale : scales) pieces.push_back({sum, scale});
  } catch (const UserError&) {
    // It has no plain form.
  }
  return pieces;
}

// The least n from which on every sum is cut.
std::int64_t cuts_from(const Parts& parts) {
  constexpr std::int64_t kLooks = 1024;
  std::int64_t from = kLooks;
  while (from > 1 && spec::piece_lengths(parts, from - 1)) --from;
  return from;
}

}  // namespace

std::vector<KnownClassOrder> sums_of_known_pieces(const std::vector<Parts>& cuts,
                                                  const std::vector<KnownClassOrder>& known,
                                                  std::int64_t k_max, bool alpha_one) {
  std::vector<KnownClassOrder> found;
  for (const Parts& cut : cuts)
    for (const KnownClassOrder& one : known) {
      if (!spec::covers(one.order, k_max)) continue;
      for (Piece& piece : pieces_of(one, alpha_one)) {
        Parts parts = cut;
        parts.onto = Parts::Onto::first;
        parts.scale = piece.scale;
        parts.child = {spec::Child::Kind::sub, 0};
        KnownClassOrder sum = one;
        sum.alpha_one_only = alpha_one;
        sum.k_max = k_max;
        sum.order = {false, {{1, spec::kMaxLeaves, parts}}, {std::move(piece.sum)}};
        if (const std::int64_t from = cuts_from(parts); from > 1) {
          RuleUpdate whole = whole_sum(sum.order.subs[0], Parts::Onto::first, piece.scale);
          sum.order.regimes = {{1, from - 1, std::move(whole.rule)},
                               {from, spec::kMaxLeaves, parts}};
        }
        const bool is_new = std::none_of(found.begin(), found.end(), [&](const auto& other) {
          return other.order == sum.order;
        });
        if (is_new) found.push_back(std::move(sum));
      }
    }
  return found;
}

}  // namespace reprosum::reveal
