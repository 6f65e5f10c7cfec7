// One pass of a sum in windows (Windows): the sums of all windows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "spec/evaluate/evaluate.h"
#include "spec/evaluate/leaf_run.h"
#include "spec/expand.h"
#include "spec/order.h"

namespace reprosum::spec {

// The sums of the windows over the n summands from `at` on, in their order. They are summands
// themselves, so their format is T.
// piece(order, rule, n, at, data) gives the value of a rule of the sub-order that adds windows.
template <class T, class Piece>
std::vector<T> sums_of_windows(const Order& order, const Windows& rule, std::int64_t n,
                               std::int64_t at, const Operands<T>& data, const Piece& piece) {
  const Order& sub = order.subs[static_cast<std::size_t>(rule.piece.index)];
  const Regime* regime = regime_of(sub, rule.width);
  const bool is_simple = regime != nullptr && !sub.zero_start;
  const Tree tree = expand(sub, rule.width);
  const std::int64_t windows = number_of_windows(rule, n);
  std::vector<T> sums;
  sums.reserve(static_cast<std::size_t>(windows));
  for (std::int64_t w = 0; w < windows; ++w) {
    const Window window = window_at(rule, n, w);
    const bool is_whole = window.count == rule.width;
    if (is_whole && is_simple) {
      if (const std::optional<double> value =
              piece(sub, regime->rule, rule.width, at + window.from, data)) {
        sums.push_back(static_cast<T>(*value));
        continue;
      }
    }
    // The first and the last window, and pieces that are cut in turn.
    Tree held = is_whole ? tree : restrict_to(tree, window.first, window.first + window.count);
    held.flush = data.flush;
    const std::int64_t from = at + window.from;
    sums.push_back(evaluate(held, data.x + from * data.incx, data.incx,
                            data.y == nullptr ? nullptr : data.y + from * data.incy, data.incy));
  }
  return sums;
}

}  // namespace reprosum::spec
