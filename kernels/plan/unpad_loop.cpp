// Padded loops as loops with a case for every residue: the leaves beyond n are cut away here.
#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <variant>

#include "kernels/plan/loop_form.h"
#include "spec/expand.h"
#include "spec/linear.h"

namespace reprosum::kernels {
namespace {

using spec::Chain;
using spec::is_constant;
using spec::Item;
using spec::Linear;
using spec::Schema;

constexpr std::int64_t kMaxCopies = 256;    // of one item, looked at one by one
constexpr std::size_t kMaxChains = 20'000;  // of all cases together
constexpr std::int64_t kMaxBlock = 4096;
constexpr std::int64_t kMaxVisits = 2'000'000;  // of chains: a spec may name one in many ways

// What is cut depends on q otherwise than linearly, or is too much.
struct Unclear {};

Linear constant(std::int64_t c) { return {0, 0, c}; }

// ceil(value / by) for every q. @pre by > 0
Linear ceil_divide(const Linear& value, std::int64_t by) {
  if (value.q % by != 0) throw Unclear{};
  const std::int64_t rest = (value.c % by + by) % by;
  return {value.q / by, 0, spec::checked_difference(value.c, rest) / by + (rest > 0 ? 1 : 0)};
}

// The schema of a padded block count, without its leaves >= n. The given schema's q counts the
// padded blocks, so it is this one's q + 1.
class Truncator {
 public:
  Truncator(const Schema& schema, std::int64_t block, std::int64_t r, std::int64_t q_lo,
            std::int64_t& visits)
      : schema_(schema), n_{block, 0, r}, q_lo_(q_lo), visits_(visits) {}

  Schema run() {
    truncated(schema_.chains.size() - 1, {});
    return std::move(result_);
  }

 private:
  struct Span {
    bool any = false;
    std::int64_t low = 0, high = 0;
  };

  static std::int64_t sum(std::int64_t a, std::int64_t b, std::int64_t c = 0) {
    return spec::checked_sum(spec::checked_sum(a, b), c);
  }

  static Linear next(const Linear& v) { return {v.q, 0, sum(v.c, v.q)}; }

  static Item next(Item item) {
    for (Linear* v : {&item.at, &item.step, &item.times, &item.step2, &item.times2}) *v = next(*v);
    return item;
  }

  // Whether v >= bound for every q from q_lo on, or for none.
  bool reaches(const Linear& v, std::int64_t bound) const {
    const bool at_first = v.at(q_lo_, 0) >= bound;
    if (v.q == 0 || (at_first ? v.q > 0 : v.q < 0)) return at_first;
    throw Unclear{};
  }
  Linear least(const Linear& a, const Linear& b) const { return reaches(a - b, 0) ? b : a; }

  void visit() const {
    if (++visits_ > kMaxVisits) throw Unclear{};
  }

  static bool is_absent(const Item& item) {
    return (is_constant(item.times) && item.times.c <= 0) ||
           (is_constant(item.times2) && item.times2.c <= 0);
  }

  std::int32_t append(Chain chain) {
    if (result_.chains.size() >= kMaxChains) throw Unclear{};
    result_.chains.push_back(std::move(chain));
    return static_cast<std::int32_t>(result_.chains.size()) - 1;
  }

  // The chain as it is.
  std::int32_t whole(std::size_t index) {
    const auto it = wholes_.find(index);
    if (it != wholes_.end()) return it->second;
    Chain chain{schema_.chains[index].format, {}};
    for (const Item& item : schema_.chains[index].items) {
      chain.items.push_back(next(item));
      if (!item.shape.is_leaf())
        chain.items.back().shape.chain = whole(static_cast<std::size_t>(item.shape.chain));
    }
    return wholes_[index] = append(std::move(chain));
  }

  // Places of a chain's leaves relative to its origin, if they do not depend on q.
  Span span(std::size_t index) const {
    visit();
    Span all;
    for (const Item& original : schema_.chains[index].items) {
      const Item item = next(original);
      if (is_absent(item) || has_no_place(item)) continue;
      for (const Linear& v : {item.at, item.step, item.times, item.step2, item.times2})
        if (!is_constant(v)) throw Unclear{};
      const Span one = span_of(item);
      if (!one.any) continue;
      const std::int64_t along = spec::checked_product(item.times.c - 1, item.step.c);
      const std::int64_t across = spec::checked_product(item.times2.c - 1, item.step2.c);
      const std::int64_t low = sum(sum(item.at.c, one.low), std::min<std::int64_t>(along, 0),
                                   std::min<std::int64_t>(across, 0));
      const std::int64_t high = sum(sum(item.at.c, one.high), std::max<std::int64_t>(along, 0),
                                    std::max<std::int64_t>(across, 0));
      all = {true, all.any ? std::min(all.low, low) : low,
             all.any ? std::max(all.high, high) : high};
    }
    return all;
  }

  Span span_of(const Item& item) const {
    return item.shape.is_leaf() ? Span{true, 0, 0}
                                : span(static_cast<std::size_t>(item.shape.chain));
  }

  static bool has_no_place(const Item& item) {
    using spec::Leaf;
    const Leaf leaf = item.shape.leaf;
    return item.shape.is_leaf() &&
           (leaf == Leaf::zero || leaf == Leaf::out || leaf == Leaf::out_fused);
  }

  // The chain at `origin` without the leaves beyond n; -1 if nothing is left.
  std::int32_t truncated(std::size_t index, const Linear& origin) {
    visit();
    Chain chain{schema_.chains[index].format, {}};
    for (const Item& item : schema_.chains[index].items) {
      const Item padded = next(item);
      if (is_absent(padded)) continue;
      if (has_no_place(padded)) {
        chain.items.push_back(padded);
      } else {
        truncate(padded, origin, chain.items);
      }
    }
    return chain.items.empty() ? -1 : append(std::move(chain));
  }

  // Few copies are looked at one by one. If there are many, all but a constant number are whole or
  // absent.
  void truncate(const Item& item, const Linear& origin, std::vector<Item>& to) {
    const bool few = is_constant(item.times), few2 = is_constant(item.times2);
    if (few2 && item.times2.c > 1) {
      if (item.times2.c > kMaxCopies) throw Unclear{};
      for (std::int64_t u = 0; u < item.times2.c; ++u) {
        Item row = item;
        row.at = item.at + u * item.step2;
        row.step2 = {};
        row.times2 = constant(1);
        truncate(row, origin, to);
      }
      return;
    }
    if (few2 && few) return truncate_few(item, origin, to);
    if (few2) return truncate_many(item, item.times, item.step, span_of(item), origin, false, to);
    if (!few || !is_constant(item.step)) throw Unclear{};
    const Span one = span_of(item);
    const std::int64_t along = spec::checked_product(item.times.c - 1, item.step.c);
    truncate_many(item, item.times2, item.step2,
                  {one.any, sum(one.low, std::min<std::int64_t>(along, 0)),
                   sum(one.high, std::max<std::int64_t>(along, 0))},
                  origin, true, to);
  }

  void truncate_few(const Item& item, const Linear& origin, std::vector<Item>& to) {
    if (item.times.c > kMaxCopies) throw Unclear{};
    for (std::int64_t t = 0; t < item.times.c; ++t) {
      Item copy;
      copy.shape = item.shape;
      copy.at = item.at + t * item.step;
      if (item.shape.is_leaf()) {
        if (!reaches(n_ - origin - copy.at, 1)) continue;
      } else {
        copy.shape.chain = truncated(static_cast<std::size_t>(item.shape.chain), origin + copy.at);
        if (copy.shape.chain < 0) continue;
      }
      to.push_back(copy);
    }
  }

  // `count` copies, `step` apart, each with leaves from span.low to span.high.
  void truncate_many(const Item& item, const Linear& count, const Linear& step, const Span& span,
                     const Linear& origin, bool outer, std::vector<Item>& to) {
    if (!span.any || !is_constant(step) || step.c == 0) throw Unclear{};
    const Linear room = n_ - origin - item.at;
    if (step.c > 0) {
      const Linear full = least(count, ceil_divide(room - constant(span.high), step.c));
      const Linear some = least(count, ceil_divide(room - constant(span.low), step.c));
      append_many(item, constant(0), full, outer, to);
      append_partial(item, full, some - full, step, origin, outer, to);
      return;
    }
    // Backwards: the first copies are gone, some are cut, the others are whole.
    const Linear none = constant(0);
    const auto first_below = [&](std::int64_t place) {
      return ceil_divide(constant(sum(place, 1)) - room, -step.c);
    };
    Linear gone = first_below(span.low), cut = first_below(span.high);
    if (!reaches(gone, 0)) gone = none;
    if (!reaches(cut, 0)) cut = none;
    append_partial(item, gone, cut - gone, step, origin, outer, to);
    append_many(item, cut, count - cut, outer, to);
  }

  void append_many(Item item, const Linear& from, const Linear& count, bool outer,
                   std::vector<Item>& to) {
    const Linear& step = outer ? item.step2 : item.step;
    item.at = item.at + step.c * from;
    (outer ? item.times2 : item.times) = count;
    if (!item.shape.is_leaf()) item.shape.chain = whole(static_cast<std::size_t>(item.shape.chain));
    if (!is_absent(item)) to.push_back(item);
  }

  void append_partial(const Item& item, const Linear& from, const Linear& count, const Linear& step,
                      const Linear& origin, bool outer, std::vector<Item>& to) {
    if (!is_constant(count) || count.c > kMaxCopies) throw Unclear{};
    for (std::int64_t k = 0; k < count.c; ++k) {
      Item copy = item;
      copy.at = item.at + step.c * (from + constant(k));
      (outer ? copy.step2 : copy.step) = {};
      (outer ? copy.times2 : copy.times) = constant(1);
      // At the least q this copy may not exist yet: then its place is no place.
      if (!reaches(from + constant(k), 0)) throw Unclear{};
      truncate(copy, origin, to);
    }
  }

  const Schema& schema_;
  const Linear n_;
  const std::int64_t q_lo_;
  std::int64_t& visits_;
  Schema result_;
  std::map<std::size_t, std::int32_t> wholes_;
};

}  // namespace

std::optional<spec::Loop> unpad_loop(const spec::Regime& regime) {
  const auto* padded = std::get_if<spec::Loop>(&regime.rule);
  if (padded == nullptr || !padded->pad || padded->block > kMaxBlock ||
      spec::has_fused_nodes(regime.rule))
    return std::nullopt;
  spec::Loop loop;
  loop.block = padded->block;
  loop.cases.push_back({0, 0, padded->cases[0].schema});
  std::size_t chains = 0;
  std::int64_t visits = 0;
  try {
    for (std::int64_t r = 1; r < padded->block; ++r) {
      Schema cut =
          Truncator(padded->cases[0].schema, padded->block, r, regime.lo / padded->block, visits)
              .run();
      chains += cut.chains.size();
      if (chains > kMaxChains || cut.chains.empty()) return std::nullopt;
      loop.cases.push_back({r, r, std::move(cut)});
    }
  } catch (const Unclear&) {
    return std::nullopt;
  } catch (const spec::TooLarge&) {
    return std::nullopt;
  }
  return loop;
}

}  // namespace reprosum::kernels
