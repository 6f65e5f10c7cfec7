#include "change_spec.h"

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

using namespace reprosum::spec;

namespace {

class Changer {
 public:
  explicit Changer(std::mt19937_64& random) : random_(random) {}

  void order(Order& order) {
    if (!order.subs.empty() && below(3) == 0) return this->order(pick(order.subs));
    Regime& regime = pick(order.regimes);
    switch (below(12)) {
      case 0:
        return bump(regime.lo);
      case 1:
        return bump(regime.hi);
      case 2:
        order.zero_start = !order.zero_start;
        return;
      case 4:
        order.flush = static_cast<Flush>(below(4));
        return;
      case 3:
        if (order.regimes.size() < 8) order.regimes.push_back(split_of(regime));
        return;
      default:
        std::visit([&](auto& rule) { change(rule); }, regime.rule);
    }
  }

  void region(MatrixRegime& regime) {
    Axis& axis = below(2) == 0 ? regime.rows : regime.columns;
    switch (below(8)) {
      case 0:
        return bump(regime.k_max);
      case 1:
        if (!regime.guard.empty()) bump(pick(regime.guard).limit);
        return;
      case 2: {
        if (regime.classes.empty()) return;
        MatrixClass& one = pick(regime.classes);
        one.beta_zero = static_cast<MatrixClass::BetaZero>(below(5));
        if (below(2) == 0) one.alpha_zero = static_cast<MatrixClass::AlphaZero>(below(2));
        return;
      }
      case 3:
        std::swap(pick(pick(regime.table)), pick(pick(regime.table)));
        return;
      default: {
        Segment& segment = pick(axis);
        if (below(4) == 0) return bump(below(2) == 0 ? segment.to : segment.base);
        auto& words = segment.schemas.empty() || below(3) == 0 ? segment.words : segment.schemas;
        if (words.empty()) return;
        Word& word = pick(words);
        if (word.empty()) return;
        WordItem& item = pick(word);
        if (below(3) == 0) return bump(item.times.c);
        if (item.runs.empty()) return;
        TypeRun& run = pick(item.runs);
        if (below(2) == 0)
          run.type = static_cast<std::int32_t>(below(regime.table.size()));
        else
          bump(run.length.c);
      }
    }
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  template <class T>
  T& pick(std::vector<T>& list) {
    return list[below(list.size())];
  }
  void bump(std::int64_t& value) {
    switch (below(8)) {
      case 0:
        value = -value;
        return;
      case 1:
        value = value * 2;
        return;
      case 2:
        value = std::int64_t{1} << below(41);
        return;
      case 3:
        value = 0;
        return;
      default:
        value += static_cast<std::int64_t>(below(7)) - 3;
    }
    if (value > kMaxLeaves) value = kMaxLeaves;
    if (value < -kMaxLeaves) value = -kMaxLeaves;
  }

  Regime split_of(const Regime& last) {
    Split split;
    split.kind = static_cast<Split::Kind>(below(11));
    split.m = 1 + static_cast<std::int64_t>(below(40));
    split.left.kind = split.right.kind = Child::Kind::self;
    if (below(2) == 0) split.right = {Child::Kind::regime, 0};
    return {last.hi + 1, last.hi + 1 + static_cast<std::int64_t>(below(5000)), split};
  }

  void change(Explicit& rule) {
    if (below(6) == 0) return bump(pick(rule.entries).n);
    change(pick(rule.entries).tree);
  }
  void change(Loop& rule) {
    switch (below(10)) {
      case 0:
        return bump(rule.block);
      case 1:
        rule.pad = !rule.pad;
        return;
      case 2:
        return bump(below(2) == 0 ? pick(rule.cases).r_lo : pick(rule.cases).r_hi);
      case 3:
        std::swap(pick(rule.cases).schema, pick(rule.cases).schema);
        return;
      default:
        change(pick(rule.cases).schema);
    }
  }
  void change(Split& rule) {
    switch (below(4)) {
      case 0:
        rule.kind = static_cast<Split::Kind>(below(11));
        return;
      case 1:
        return bump(rule.m);
      case 2:
        std::swap(rule.left, rule.right);
        return;
      default:
        rule.format = other(rule.format);
    }
  }
  void change(Parts& rule) {
    switch (below(5)) {
      case 0:
        rule.kind = static_cast<Parts::Kind>(below(8));
        return;
      case 1:
        return bump(rule.m);
      case 2:
        return bump(rule.count);
      case 3:
        rule.onto = static_cast<Parts::Onto>(below(4));
        return;
      default:
        rule.scale = static_cast<Scale>(below(5));
    }
  }
  void change(Windows& rule) {
    switch (below(3)) {
      case 0:
        return bump(rule.width);
      case 1:
        std::swap(rule.piece, rule.values);
        return;
      default:
        rule.values.kind = static_cast<Child::Kind>(below(3));
    }
  }
  static NodeFormat other(NodeFormat format) {
    return format == NodeFormat::wide ? NodeFormat::narrow : NodeFormat::wide;
  }

  // The first ones keep a tree a tree: what is added to what changes, or how.
  void change(Schema& schema) {
    Chain& chain = pick(schema.chains);
    Item& item = pick(chain.items);
    Item zero;
    zero.shape.leaf = Leaf::zero;
    switch (below(16)) {
      case 0:
      case 1:
        std::swap(pick(chain.items), pick(chain.items));
        return;
      case 2:
        chain.format = other(chain.format);
        return;
      case 3:
        chain.items.insert(chain.items.begin() + static_cast<std::ptrdiff_t>(below(2)), zero);
        return;
      case 4:
        if (item.shape.is_leaf()) item.shape.leaf = static_cast<Leaf>(below(6));
        return;
      case 5: {  // backwards
        const Linear& t = item.times;
        if (t.q == 0 && t.r == 0) {
          for (auto part : {&Linear::q, &Linear::r, &Linear::c}) {
            item.at.*part += (t.c - 1) * (item.step.*part);
            item.step.*part = -(item.step.*part);
          }
        } else if (item.step.q == 0 && item.step.r == 0) {
          item.at.q += t.q * item.step.c;
          item.at.r += t.r * item.step.c;
          item.at.c += (t.c - 1) * item.step.c;
          item.step.c = -item.step.c;
        }
        return;
      }
      case 6: {  // one copy apart
        if (item.times.q + item.times.r == 0 && item.times.c < 2) return;
        Item first = item;
        first.times = {0, 0, 1};
        first.step = {};
        item.at.q += item.step.q;
        item.at.r += item.step.r;
        item.at.c += item.step.c;
        --item.times.c;
        chain.items.push_back(first);
        return;
      }
      case 7:
        item.shape.scale = static_cast<Scale>(below(5));
        return;
      case 8:
        item.shape.skip = static_cast<Skip>(below(4));
        return;
      case 9:
        if (chain.items.size() > 1)
          chain.items.erase(chain.items.begin() +
                            static_cast<std::ptrdiff_t>(below(chain.items.size())));
        return;
      case 10:
        chain.items.push_back(Item(item));
        return;
      case 11:
        if (!item.shape.is_leaf() && schema.chains.size() > 1)
          item.shape.chain = static_cast<std::int32_t>(below(schema.chains.size()));
        return;
      default: {
        Linear* const parts[] = {&item.at, &item.step, &item.times, &item.step2, &item.times2};
        Linear& part = *parts[below(5)];
        std::int64_t* const numbers[] = {&part.q, &part.r, &part.c};
        bump(*numbers[below(3)]);
      }
    }
  }

  std::mt19937_64& random_;
};

}  // namespace

void change(Spec& spec, std::mt19937_64& random) {
  Changer changer(random);
  Entry& entry = spec.entries[random() % spec.entries.size()];
  // The same order for numbers of another type, or of products where it was of summands.
  if (random() % 12 == 0) {
    entry.type = entry.type == Type::f32 ? Type::f64 : Type::f32;
    return;
  }
  if (!has_matrices(entry.routine) && random() % 24 == 0) {
    entry.routine = entry.routine == Routine::sum ? Routine::dot : Routine::sum;
    return;
  }
  if (has_matrices(entry.routine) && random() % 3 == 0)
    return changer.region(entry.regimes[random() % entry.regimes.size()]);
  changer.order(spec.orders[random() % spec.orders.size()]);
}
