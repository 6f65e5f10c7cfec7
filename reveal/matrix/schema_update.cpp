// Rebuilds a schema around an output leaf. Chains may be shared by items that alpha meets in
// different ways, so every use is copied with its own scale.
#include "reveal/matrix/schema_update.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace reprosum::reveal {
namespace {

using spec::Chain;
using spec::Item;
using spec::Leaf;
using spec::Scale;
using spec::Schema;

constexpr std::size_t kMostCuts = 8;    // of a root chain into first items and the rest
constexpr std::size_t kMostBodies = 3;  // chains after the group that are scaled like it
constexpr int kDeepest = 4;
constexpr std::int64_t kMostUnrolled = 16;

constexpr spec::Linear kOnce{0, 0, 1};

bool is_factor(Scale scale) { return scale == Scale::x || scale == Scale::y; }
bool is_single(const Item& item) { return item.times == kOnce && item.times2 == kOnce; }
bool is_summand(Leaf leaf) {
  return leaf == Leaf::rounded || leaf == Leaf::fused || leaf == Leaf::exact;
}

bool starts_with_zero(const Chain& chain) {
  return chain.items[0].shape.is_leaf() && chain.items[0].shape.leaf == Leaf::zero;
}

// A root of one chain is that chain.
void pop_single_root(Schema& schema) {
  while (schema.chains.size() > 1 && schema.chains.back().items.size() == 1) {
    const Item& only = schema.chains.back().items[0];
    if (only.shape.chain != static_cast<std::int32_t>(schema.chains.size()) - 2 ||
        !is_single(only) || only.at != spec::Linear{})
      return;
    schema.chains.pop_back();
  }
}

Item output(Leaf kind) {
  Item item;
  item.shape.leaf = kind;
  return item;
}

const char* name(Scale scale) {
  switch (scale) {
    case Scale::none:
      return "none";
    case Scale::x:
      return "x";
    case Scale::y:
      return "y";
    case Scale::rounded:
      return "rounded";
    case Scale::fused:
      return "fused";
  }
  return "?";
}

class Builder {
 public:
  explicit Builder(const Schema& from) : from_(from) {}

  // The item with alpha at every factor below it (x, y), or at what it adds (rounded, fused).
  // nullopt where it cannot act: a fused product leaves nothing to scale. `from_zero`: a chain
  // starts at a +0 of its own.
  std::optional<Item> item(const Item& original, Scale scale, bool from_zero = false) {
    Item copy = original;
    if (copy.shape.is_leaf()) {
      if (!is_summand(copy.shape.leaf)) return copy;
      if (from_zero && !is_factor(scale) && scale != Scale::none) {  // a group of one product
        Item only = output(copy.shape.leaf);
        copy.shape = {push({spec::NodeFormat::narrow, {output(Leaf::zero), only}}), Leaf::rounded,
                      scale};
        return copy;
      }
      if (!is_factor(scale) && scale != Scale::none && copy.shape.leaf == Leaf::fused)
        return std::nullopt;
      copy.shape.scale = scale;
      return copy;
    }
    copy.shape.chain =
        chain(original.shape.chain, is_factor(scale) ? scale : Scale::none, from_zero);
    if (!is_factor(scale)) copy.shape.scale = scale;
    return copy;
  }

  std::int32_t chain(std::int32_t index, Scale factor, bool from_zero = false) {
    const auto key = std::tuple{index, factor, from_zero};
    if (const auto it = copied_.find(key); it != copied_.end()) return it->second;
    const Chain& original = from_.chains[static_cast<std::size_t>(index)];
    Chain copy;
    copy.format = original.format;
    if (from_zero) copy.items.push_back(output(Leaf::zero));
    for (const Item& one : original.items) copy.items.push_back(*item(one, factor));
    return copied_[key] = push(std::move(copy));
  }

  std::int32_t push(Chain chain) {
    to_.chains.push_back(std::move(chain));
    return static_cast<std::int32_t>(to_.chains.size()) - 1;
  }

  Schema finish(Chain root) {
    push(std::move(root));
    return std::move(to_);
  }

 private:
  const Schema& from_;
  Schema to_;
  std::map<std::tuple<std::int32_t, Scale, bool>, std::int32_t> copied_;
};

class Generator {
 public:
  // `groups_from_zero`: every chain that the root chain adds starts at +0, and so do its first
  // items where they are one addend.
  Generator(const Schema& plain, bool alpha_one, bool groups_from_zero = false)
      : plain_(plain),
        root_(plain.chains.back()),
        alpha_one_(alpha_one),
        groups_from_zero_(groups_from_zero) {}

  std::vector<SchemaUpdate> run() {
    const std::size_t items = root_.items.size();
    for (const Scale scale : mains(true)) cut(items, scale, {}, Place::before);
    for (const Scale scale : mains(false)) cut(items, scale, {}, Place::fused);
    for (const Rest& rest : rests()) cut(0, Scale::none, rest, Place::before);
    for (const Scale factor : factors()) deeper(factor, true);
    // One way for all chains comes first: of a first addend to +0 hardly anything tells how it was
    // scaled.
    const auto mixed = [&](std::size_t first) {
      for (const bool fused : {false, true})
        for (const bool alike : {true, false})
          for (const Scale main : mains(!fused))
            for (const Rest& rest : is_factor(main) ? std::vector{Rest{main, main}} : rests())
              if ((rest.chains == main) == alike)
                cut(first, main, rest, fused ? Place::fused : Place::before);
    };
    for (std::size_t back = 1; back < items && back <= kMostCuts; ++back) mixed(items - back);
    for (std::size_t first = 1; first + kMostCuts < items && first <= kMostCuts; ++first)
      mixed(first);
    for (std::size_t first = 1; !alpha_one_ && first < items && first <= kMostCuts; ++first)
      for (std::size_t last = first + 1; last < items && last <= first + kMostBodies; ++last)
        by_body(first, last);
    for (std::size_t first = 1; !alpha_one_ && first < items && first <= kMostCuts; ++first)
      for (const Rest& rest : rests())
        if (!is_factor(rest.chains)) cut(first, Scale::rounded, rest, Place::apart);
    for (const Scale factor : factors()) deeper(factor, false);
    return std::move(found_);
  }

 private:
  // How alpha meets chains and single products among the items that are not grouped.
  struct Rest {
    Scale chains = Scale::none, products = Scale::none;
  };

  std::vector<Rest> rests() const {
    if (alpha_one_) return {{}};
    std::vector<Rest> all;
    for (const Scale scale : mains(true)) all.push_back({scale, scale});
    for (const Scale chains : {Scale::rounded, Scale::fused})
      for (const Scale products : mains(true))
        if (products != chains) all.push_back({chains, products});
    return all;
  }
  std::vector<Scale> factors() const {
    return alpha_one_ ? std::vector{Scale::none} : std::vector{Scale::x, Scale::y};
  }
  std::vector<Scale> mains(bool may_fuse) const {
    if (alpha_one_) return {Scale::none};
    if (!may_fuse) return {Scale::rounded, Scale::x, Scale::y};
    return {Scale::rounded, Scale::fused, Scale::x, Scale::y};
  }

  void add(Schema schema, std::string name) {
    const bool known = std::any_of(found_.begin(), found_.end(),
                                   [&](const auto& one) { return one.schema == schema; });
    if (!known) found_.push_back({std::move(schema), std::move(name)});
  }

  // Groups of a whole block are scaled in one way, those of the remainder in another.
  void by_body(std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k)
      if (root_.items[k].shape.is_leaf()) return;
    for (const Scale main : {Scale::rounded, Scale::fused}) {
      const Scale other = main == Scale::rounded ? Scale::fused : Scale::rounded;
      for (const Scale products : {other, Scale::x, Scale::y})
        cut(first, main, {other, products}, Place::before, last);
    }
  }

  // Where the output is: [out, (first items)*main, the others*rest], or
  // [(first items)*main, outf, the others*rest], or [out, [(first items)*main, the others*rest]].
  enum class Place : std::uint8_t { before, fused, apart };

  // A +0 that starts the chain stays first. The items before `body` that are not grouped are scaled
  // as the group is.
  void cut(std::size_t first, Scale main, const Rest& rest, Place place, std::size_t body = 0) {
    Builder builder(plain_);
    Chain root;
    const bool groups = first > 0;
    if (!groups) root.format = root_.format;  // else the groups are sums in that format
    if (!groups && starts_with_zero(root_)) root.items.push_back(root_.items[first++]);
    if (place == Place::before) root.items.push_back(output(Leaf::out));
    if (groups) {
      const auto item = grouped(builder, first, main);
      if (!item) return;
      root.items.push_back(*item);
    }
    if (place == Place::fused) root.items.push_back(output(Leaf::out_fused));
    for (std::size_t k = first; k < root_.items.size(); ++k) {
      const Item& original = root_.items[k];
      const Scale after = original.shape.is_leaf() ? rest.products : rest.chains;
      const auto item = builder.item(original, k < body ? main : after, groups_from_zero_);
      if (!item) return;
      root.items.push_back(*item);
    }
    if (place == Place::apart) {
      Item sum;
      sum.shape.chain = builder.push(std::move(root));
      root = {spec::NodeFormat::narrow, {output(Leaf::out), sum}};
    }
    const char* const places[] = {"output before ", "output fused after ", "output apart from "};
    add(builder.finish(std::move(root)),
        places[static_cast<std::size_t>(place)] + std::to_string(first) + " of " +
            std::to_string(root_.items.size()) + " items, alpha " + name(main) + "/" +
            name(rest.chains) + "/" + name(rest.products) +
            (body > 0 ? ", body to " + std::to_string(body) : ""));
  }

  // The first items of the root chain as one addend.
  std::optional<Item> grouped(Builder& builder, std::size_t first, Scale scale) {
    const bool is_item = first == 1 && is_single(root_.items[0]);
    if (is_item && !(groups_from_zero_ && root_.items[0].shape.is_leaf()))
      return builder.item(root_.items[0], scale, groups_from_zero_);
    Chain group;
    group.format = root_.format;
    if (groups_from_zero_) group.items.push_back(output(Leaf::zero));
    for (std::size_t k = 0; k < first; ++k)
      group.items.push_back(*builder.item(root_.items[k], is_factor(scale) ? scale : Scale::none));
    Item item;
    item.shape.chain = builder.push(std::move(group));
    if (!is_factor(scale)) item.shape.scale = scale;
    return item;
  }

  // The output starts the chain that is evaluated first: the first copy of the first item of every
  // chain from the root down. `shallow`: a first product of the root chain that may be fused with
  // the output although, alone, it showed nothing to be fused with.
  void deeper(Scale factor, bool shallow) {
    if (shallow) {
      Builder builder(plain_);
      Chain root = starting_with_output(builder, root_, factor);
      if (root.items.size() < 2) return;
      Item& first = root.items[1];
      if (!first.shape.is_leaf() || first.shape.leaf != Leaf::rounded || !is_single(first)) return;
      first.shape.leaf = Leaf::fused;
      add(builder.finish(std::move(root)),
          std::string("output before a fused product, alpha ") + name(factor));
      return;
    }
    for (int depth = 1; depth <= kDeepest; ++depth) {
      Builder builder(plain_);
      const auto root = descend(builder, root_, factor, depth);
      if (!root) return;
      add(builder.finish(*root), "output at the start of chain " + std::to_string(depth) +
                                     " below the root, alpha " + name(factor));
    }
  }

  static Chain starting_with_output(Builder& builder, const Chain& chain, Scale factor) {
    Chain result;
    result.format = chain.format;
    const std::size_t zeros = starts_with_zero(chain) ? 1 : 0;
    if (zeros > 0) result.items.push_back(chain.items[0]);
    result.items.push_back(output(Leaf::out));
    for (std::size_t k = zeros; k < chain.items.size(); ++k)
      result.items.push_back(*builder.item(chain.items[k], factor));
    return result;
  }

  // The chain with its first copy replaced by one that takes in the output `depth` chains below.
  std::optional<Chain> descend(Builder& builder, const Chain& chain, Scale factor, int depth) {
    const std::size_t zeros = starts_with_zero(chain) ? 1 : 0;
    if (zeros == chain.items.size()) return std::nullopt;
    const Item& first = chain.items[zeros];
    if (first.shape.is_leaf()) return std::nullopt;
    const Chain& below = plain_.chains[static_cast<std::size_t>(first.shape.chain)];
    std::optional<Chain> lower = depth == 1 ? starting_with_output(builder, below, factor)
                                            : descend(builder, below, factor, depth - 1);
    if (!lower) return std::nullopt;
    Chain result;
    result.format = chain.format;
    if (zeros > 0) result.items.push_back(chain.items[0]);
    Item with_output = first;
    with_output.shape.chain = builder.push(std::move(*lower));
    with_output.times = with_output.times2 = kOnce;
    with_output.step = with_output.step2 = {};
    result.items.push_back(with_output);
    const auto copies = [&](Item item) {
      const auto copy = builder.item(item, factor);
      if (copy->times != spec::Linear{} && copy->times2 != spec::Linear{})
        result.items.push_back(*copy);
    };
    const auto plus = [](spec::Linear a, spec::Linear b, std::int64_t sign) {
      return spec::Linear{a.q + sign * b.q, a.r + sign * b.r, a.c + sign * b.c};
    };
    Item row = first, rest = first;  // the other copies of the first row; the other rows
    row.at = plus(first.at, first.step, 1);
    row.times = plus(first.times, kOnce, -1);
    row.times2 = kOnce;
    row.step2 = {};
    if (first.times != kOnce) copies(row);
    rest.at = plus(first.at, first.step2, 1);
    rest.times2 = plus(first.times2, kOnce, -1);
    if (first.times2 != kOnce) copies(rest);
    for (std::size_t k = zeros + 1; k < chain.items.size(); ++k)
      result.items.push_back(*builder.item(chain.items[k], factor));
    return result;
  }

  const Schema& plain_;
  const Chain& root_;
  const bool alpha_one_, groups_from_zero_;
  std::vector<SchemaUpdate> found_;
};

// [0 (a b c)] as [0 a b c]: the same sums, but for the signs of zeros that underflow; then the +0
// can belong to the first items alone. nullopt if the root is anything else.
std::optional<Schema> flattened_zero(const Schema& plain) {
  const Chain& root = plain.chains.back();
  if (root.items.size() != 2 || !starts_with_zero(root) || root.items[1].shape.is_leaf() ||
      !is_single(root.items[1]))
    return std::nullopt;
  Schema flat = plain;
  const Chain& inner = plain.chains[static_cast<std::size_t>(root.items[1].shape.chain)];
  Chain& top = flat.chains.back();
  top.format = inner.format;
  top.items.resize(1);
  top.items.insert(top.items.end(), inner.items.begin(), inner.items.end());
  return flat;
}

// Where a +0 starts the root chain, those of other chains are not seen without scalars: a sum that
// begins with +0 never is -0. nullopt if there are none, or the root has none.
std::optional<Schema> with_root_zero_only(const Schema& plain) {
  if (!starts_with_zero(plain.chains.back())) return std::nullopt;
  Schema result = plain;
  for (std::size_t c = 0; c + 1 < result.chains.size(); ++c) {
    Chain& chain = result.chains[c];
    if (starts_with_zero(chain) && chain.items.size() > 2) chain.items.erase(chain.items.begin());
  }
  if (result == plain) return std::nullopt;
  return result;
}

}  // namespace

std::vector<SchemaUpdate> schema_updates(const Schema& plain, bool alpha_one) {
  std::vector<SchemaUpdate> updates = Generator(plain, alpha_one).run();
  if (const auto flat = flattened_zero(plain))
    for (SchemaUpdate& update : Generator(*flat, alpha_one).run()) {
      update.name += ", zero moved";
      updates.push_back(std::move(update));
    }
  if (const auto stripped = without_zero_start(plain))
    for (SchemaUpdate& update : Generator(*stripped, alpha_one, true).run()) {
      update.name += ", zero in every group";
      updates.push_back(std::move(update));
    }
  if (const auto bare = with_root_zero_only(plain))
    for (SchemaUpdate& update : Generator(*bare, alpha_one).run()) {
      update.name += ", zero at the root only";
      updates.push_back(std::move(update));
    }
  return updates;
}

Schema at_size(const Schema& schema, std::int64_t q, std::int64_t r) {
  Schema result;
  std::vector<std::int32_t> renamed;
  const auto constant = [&](const spec::Linear& value) {
    return spec::Linear{0, 0, value.at(q, r)};
  };
  for (std::size_t c = 0; c < schema.chains.size(); ++c) {
    Chain kept{schema.chains[c].format, {}};
    for (Item item : schema.chains[c].items) {
      item.times = constant(item.times);
      item.times2 = constant(item.times2);
      if (item.times.c <= 0 || item.times2.c <= 0) continue;
      item.at = constant(item.at);
      item.step = item.times.c > 1 ? constant(item.step) : spec::Linear{};
      item.step2 = item.times2.c > 1 ? constant(item.step2) : spec::Linear{};
      if (!item.shape.is_leaf()) {
        item.shape.chain = renamed[static_cast<std::size_t>(item.shape.chain)];
        if (item.shape.chain < 0) continue;
      }
      const bool near_root = c + 2 >= schema.chains.size();  // or below a +0 at the root
      if (!near_root || item.times2 != kOnce || item.times.c > kMostUnrolled) {
        kept.items.push_back(item);
        continue;
      }
      Item copy = item;
      copy.times = kOnce;
      copy.step = {};
      for (std::int64_t t = 0; t < item.times.c; ++t) {
        copy.at.c = item.at.c + t * item.step.c;
        kept.items.push_back(copy);
      }
    }
    renamed.push_back(kept.items.empty() ? -1 : static_cast<std::int32_t>(result.chains.size()));
    if (!kept.items.empty()) result.chains.push_back(std::move(kept));
  }
  pop_single_root(result);
  return result;
}

Schema with_scaled_leaves(const Schema& plain, Scale scale) {
  Schema result = plain;
  for (Chain& chain : result.chains)
    for (Item& item : chain.items)
      if (item.shape.is_leaf() && is_summand(item.shape.leaf)) item.shape.scale = scale;
  return result;
}

spec::Order with_scaled_leaves(const spec::Order& plain, Scale scale) {
  spec::Order result = plain;
  for (spec::Regime& regime : result.regimes) {
    if (auto* listed = std::get_if<spec::Explicit>(&regime.rule))
      for (auto& entry : listed->entries) entry.tree = with_scaled_leaves(entry.tree, scale);
    if (auto* loop = std::get_if<spec::Loop>(&regime.rule))
      for (auto& one : loop->cases) one.schema = with_scaled_leaves(one.schema, scale);
  }
  for (spec::Order& sub : result.subs) sub = with_scaled_leaves(sub, scale);
  return result;
}

std::optional<Schema> without_zero_start(const Schema& plain) {
  Schema result = plain;
  Chain& root = result.chains.back();
  if (!starts_with_zero(root) || root.items.size() < 2) return std::nullopt;
  root.items.erase(root.items.begin());
  pop_single_root(result);
  return result;
}

Schema with_zero_start(const Schema& plain) {
  Schema result = plain;
  Item root;
  root.shape.chain = static_cast<std::int32_t>(plain.chains.size()) - 1;
  result.chains.push_back({spec::NodeFormat::narrow, {output(Leaf::zero), root}});
  return result;
}

spec::Order with_zero_start(spec::Order order) {
  order.zero_start = true;
  const bool has_rules = std::any_of(order.regimes.begin(), order.regimes.end(), [](const auto& r) {
    return std::holds_alternative<spec::Split>(r.rule) ||
           std::holds_alternative<spec::Parts>(r.rule);
  });
  if (has_rules) return order;  // their pieces follow the same order, without its +0
  order.zero_start = false;
  for (spec::Regime& regime : order.regimes) {
    if (auto* listed = std::get_if<spec::Explicit>(&regime.rule))
      for (auto& entry : listed->entries) entry.tree = with_zero_start(entry.tree);
    if (auto* loop = std::get_if<spec::Loop>(&regime.rule))
      for (auto& one : loop->cases) one.schema = with_zero_start(one.schema);
  }
  return order;
}

}  // namespace reprosum::reveal
