// The folded picture of an order at one n: splits and parts down to schemas.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "spec/error.h"
#include "spec/expand.h"
#include "src/report/picture/fold_schema.h"
#include "src/report/picture/fold_twins.h"
#include "src/report/picture/part_builder.h"
#include "src/report/picture/picture.h"
#include "src/report/wording.h"

namespace reprosum::report {
namespace {

constexpr std::size_t kMostParts = 400;       // beyond it pieces are only named
constexpr std::int64_t kMostPeels = 1 << 24;  // pieces cut off one by one
constexpr std::int64_t kSmall = 4;            // operands drawn one by one rather than counted

using Rule = const spec::Rule*;

class Folder {
 public:
  Folder(Picture& picture, int width) : picture_(picture), width_(width) {}

  // n summands from `at` on. rule == nullptr: the order's regime for n. whole: an order's own n, as
  // opposed to a piece of it.
  int piece(const spec::Order& order, Rule rule, std::int64_t n, std::int64_t at, bool whole) {
    const bool zero = whole && order.zero_start;
    if (rule == nullptr) {
      const spec::Regime* regime = spec::regime_of(order, n);
      if (regime == nullptr && n != 1)
        throw UserError("the order is not defined at n = " + std::to_string(n));
      if (regime != nullptr) rule = &regime->rule;
    }
    if (rule == nullptr) return add_part(picture_, leaf_part(spec::Leaf::rounded, at));
    const auto key = std::tuple(rule, n, zero);
    if (const auto drawn = drawn_.find(key); drawn != drawn_.end() && drawn->second > kSmall)
      return stub(picture_, n, at, "as drawn");
    if (picture_.parts.size() > kMostParts) return stub(picture_, n, at, "not drawn");
    const std::size_t before = picture_.parts.size();
    int root = std::visit([&](const auto& r) { return fold(r, order, n, at); }, *rule);
    if (zero) {
      const int constant = add_part(picture_, leaf_part(spec::Leaf::zero, at));
      root = add_part(picture_, sum_of(picture_, Part::Kind::add, {{constant}, {root}},
                                       spec::NodeFormat::narrow));
    }
    drawn_[key] = static_cast<std::int64_t>(picture_.parts.size() - before);
    return root;
  }

 private:
  struct Target {  // what a child resolves to
    const spec::Order* order;
    Rule rule;
    bool whole;
    bool operator==(const Target&) const = default;
  };

  static Target target(const spec::Order& order, const spec::Child& child, std::int64_t n) {
    const auto index = static_cast<std::size_t>(child.index);
    switch (child.kind) {
      case spec::Child::Kind::self:
        break;
      case spec::Child::Kind::sub:
        return {&order.subs.at(index), nullptr, true};
      case spec::Child::Kind::regime:
        if (n >= order.regimes.at(index).lo) return {&order, &order.regimes[index].rule, false};
    }
    const spec::Regime* regime = spec::regime_of(order, n);
    return {&order, regime == nullptr ? nullptr : &regime->rule, false};
  }
  int piece(const Target& t, std::int64_t n, std::int64_t at) {
    return piece(*t.order, t.rule, n, at, t.whole);
  }

  int fold(const spec::Explicit& rule, const spec::Order&, std::int64_t n, std::int64_t at) {
    for (const auto& entry : rule.entries)
      if (entry.n == n) return schema(entry.tree, 0, 0, at);
    throw UserError("the order is not defined at n = " + std::to_string(n));
  }

  int fold(const spec::Loop& rule, const spec::Order&, std::int64_t n, std::int64_t at) {
    const std::int64_t q = n / rule.block, r = n % rule.block;
    if (rule.pad && r != 0) {
      picture_.remarks.push_back("summands from " + with_commas(n) + " on do not exist: an " +
                                 "addition that loses one is its other side");
      const int root = schema(rule.cases.at(0).schema, q + 1, 0, at);
      picture_.parts[static_cast<std::size_t>(root)].leaves = n;
      return root;
    }
    for (const auto& c : rule.cases)
      if (c.r_lo <= r && r <= c.r_hi) return schema(c.schema, q, r, at);
    throw UserError("the order is not defined at n = " + std::to_string(n));
  }

  int schema(const spec::Schema& schema, std::int64_t q, std::int64_t r, std::int64_t at) {
    const int root = fold_schema(picture_, schema, q, r, at, width_);
    if (root < 0) throw UserError("the order has an empty tree");
    return root;
  }

  int fold(const spec::Split& rule, const spec::Order& order, std::int64_t n, std::int64_t at) {
    using Kind = spec::Split::Kind;
    if (rule.kind == Kind::last || rule.kind == Kind::last_const)
      return peel(rule, order, n, at, true);
    if (rule.kind == Kind::first || rule.kind == Kind::first_rest)
      return peel(rule, order, n, at, false);
    const std::int64_t h = point(rule, n);
    if (h == n) return piece(target(order, rule.left, n), n, at);  // remainder without a rest
    const Target left = target(order, rule.left, h), right = target(order, rule.right, n - h);
    if (left == right && h == n - h && h > kSmall) {
      const int half = piece(left, h, at);
      Part& part = picture_.parts[static_cast<std::size_t>(half)];
      if (part.kind == Part::Kind::balanced && part.format == rule.format) {
        // Halves of halves: one node for all levels.
        part.operands[0].copies *= 2;
        part.leaves *= 2;
        return half;
      }
      return add_part(picture_,
                      sum_of(picture_, Part::Kind::balanced, {{half, 2, h}}, rule.format));
    }
    const int l = piece(left, h, at), r = piece(right, n - h, at + h);
    return add_part(picture_, sum_of(picture_, Part::Kind::add, {{l}, {r}}, rule.format));
  }

  // Pieces of bounded length cut off at one end again and again: a fold, not a deep tree.
  int peel(const spec::Split& first, const spec::Order& order, std::int64_t n, std::int64_t at,
           bool from_end) {
    struct Cut {
      Target target;
      std::int64_t length, count;
    };
    std::vector<Cut> cuts;
    if (first.through)
      picture_.remarks.push_back(
          "a piece that begins with C goes on from the sum before it, rounded, which is its C");
    const spec::Split* rule = &first;
    const spec::Order* scope = &order;
    std::int64_t rest = n;
    Target rest_target{};
    for (std::int64_t peels = 0;; ++peels) {
      const std::int64_t h = point(*rule, rest);
      const std::int64_t length = from_end ? rest - h : h;
      const Target cut = target(*scope, from_end ? rule->right : rule->left, length);
      if (!cuts.empty() && cuts.back().target == cut && cuts.back().length == length)
        ++cuts.back().count;
      else
        cuts.push_back({cut, length, 1});
      rest -= length;
      rest_target = target(*scope, from_end ? rule->left : rule->right, rest);
      const auto* next =
          rest_target.rule == nullptr || rest_target.whole || rest_target.order != scope
              ? nullptr
              : std::get_if<spec::Split>(rest_target.rule);
      if (next == nullptr || next->kind != first.kind || next->format != first.format ||
          next->through != first.through || peels > kMostPeels || cuts.size() > 32)
        break;
      rule = next;
    }
    std::vector<Operand> operands;
    if (from_end) {
      // The last piece is often like the others.
      std::int64_t place = at + rest;
      if (!first.through && cuts.back().target == rest_target && cuts.back().length == rest) {
        ++cuts.back().count;
        place = at;
      } else {
        operands.push_back({piece(rest_target, rest, at)});
      }
      for (std::size_t k = cuts.size(); k-- > 0; place += cuts[k].length * cuts[k].count)
        append(operands, cuts[k].target, cuts[k].length, cuts[k].count, place);
      return add_part(picture_,
                      sum_of(picture_, Part::Kind::fold, std::move(operands), first.format));
    }
    std::int64_t place = at;
    for (const Cut& cut : cuts) {
      append(operands, cut.target, cut.length, cut.count, place);
      place += cut.length * cut.count;
    }
    operands.push_back({piece(rest_target, rest, place)});
    return add_part(picture_,
                    sum_of(picture_, Part::Kind::fold_back, std::move(operands), first.format));
  }

  // The sums of the windows are drawn as summands: each is one window, the first and the last cut.
  int fold(const spec::Windows& rule, const spec::Order& order, std::int64_t n, std::int64_t at) {
    const std::int64_t windows = spec::number_of_windows(rule, n);
    const spec::Window first = spec::window_at(rule, n, 0);
    picture_.remarks.push_back(
        "each summand of this picture is the sum of a window of " + with_commas(rule.width) +
        " places; there are " + with_commas(windows) + ", the first of which holds summands 0.." +
        with_commas(first.count - 1) + " at its places from " + with_commas(first.first) + " on");
    const int root = piece(target(order, rule.values, windows), windows, at);
    picture_.parts[static_cast<std::size_t>(root)].leaves = n;
    return root;
  }

  int fold(const spec::Parts& rule, const spec::Order& order, std::int64_t n, std::int64_t at) {
    const auto lengths = spec::piece_lengths(rule, n);
    if (!lengths) throw UserError("the order is not defined at n = " + std::to_string(n));
    using Onto = spec::Parts::Onto;
    std::vector<Operand> operands;
    if (rule.onto == Onto::first)
      operands.push_back({add_part(picture_, leaf_part(spec::Leaf::out, at))});
    if (rule.onto == Onto::zero)
      operands.push_back({add_part(picture_, leaf_part(spec::Leaf::zero, at))});
    std::int64_t place = at;
    for (std::size_t k = 0; k < lengths->size();) {
      // The first value of a fold has nothing to be fused with, so it stands alone.
      const bool starts = operands.empty();
      const bool alone = starts && (rule.scale == spec::Scale::fused || rule.onto == Onto::fused);
      std::size_t end = k;
      while (end < lengths->size() && (*lengths)[end] == (*lengths)[k] && !(alone && end > k))
        ++end;
      const auto count = static_cast<std::int64_t>(end - k);
      const spec::Scale scale =
          starts && rule.scale == spec::Scale::fused ? spec::Scale::rounded : rule.scale;
      append(operands, target(order, rule.child, (*lengths)[k]), (*lengths)[k], count, place,
             scale);
      if (starts && rule.onto == Onto::fused) {
        const int output = add_part(picture_, leaf_part(spec::Leaf::out_fused, at + n));
        operands = {{add_part(
            picture_, sum_of(picture_, Part::Kind::add, {operands[0], {output}}, rule.format))}};
      }
      place += (*lengths)[k] * count;
      k = end;
    }
    if (operands.size() == 1 && operands[0].copies == 1 && !operands[0].in_turn)
      return operands[0].part;
    const bool two = operands.size() == 2 && operands[0].copies == 1 && operands[1].copies == 1;
    return add_part(picture_, sum_of(picture_, two ? Part::Kind::add : Part::Kind::fold,
                                     std::move(operands), rule.format));
  }

  // count pieces of one length: single summands as a run, other pieces once with their number.
  void append(std::vector<Operand>& operands, const Target& what, std::int64_t length,
              std::int64_t count, std::int64_t place, spec::Scale scale = spec::Scale::none) {
    if (length == 1 && count > kSmall) {
      Part run = leaf_part(spec::Leaf::rounded, place);
      run.kind = Part::Kind::run;
      run.step = 1;
      run.scale = scale;
      run.times = run.leaves = count;
      operands.push_back({add_part(picture_, std::move(run)), 1, 0, true});
      return;
    }
    const int part = scaled(picture_, piece(what, length, place), scale);
    operands.push_back({part, count, length});
  }

  static std::int64_t point(const spec::Split& rule, std::int64_t n) {
    const std::optional<std::int64_t> h = spec::split_point(rule, n);
    if (!h) throw UserError("the order is not defined at n = " + std::to_string(n));
    return *h;
  }

  Picture& picture_;
  int width_;
  std::map<std::tuple<Rule, std::int64_t, bool>, std::int64_t> drawn_;
};

}  // namespace

Picture folded_picture(const spec::Order& order, std::int64_t n, int width) {
  Picture out;
  out.n = n;
  out.folded = true;
  out.root = Folder(out, width).piece(order, nullptr, n, 0, true);
  fold_twins(out, width);
  return out;
}

}  // namespace reprosum::report
