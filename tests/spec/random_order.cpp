#include "random_order.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "random_region.h"
#include "spec/expand.h"

namespace reprosum::spec {

std::int64_t RandomOrders::between(std::int64_t lo, std::int64_t hi) {
  return lo + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(hi - lo + 1));
}

std::string RandomOrders::name() {
  static const char* const kNames[] = {"host",       "caf\u00e9", "a/b~c", "line\nbreak",
                                       "\"quoted\"", "",          "\u20ac"};
  return kNames[between(0, 6)];
}

Linear RandomOrders::linear() {
  const auto part = [&]() -> std::int64_t {
    switch (between(0, 5)) {
      case 0:
        return between(-1, 1);
      case 1:
        return between(-100, 100);
      case 2:
        return between(-(1 << 21), 1 << 21);
      default:
        return 0;
    }
  };
  return {part(), part(), part()};
}

Scale RandomOrders::scale_of(const Shape& shape) {
  static constexpr Scale kOfFactor[] = {Scale::x, Scale::y};
  static constexpr Scale kOfValue[] = {Scale::rounded, Scale::fused};
  const bool of_factor = shape.is_leaf() && (shape.leaf == Leaf::fused || chance(50));
  return (of_factor ? kOfFactor : kOfValue)[between(0, 1)];
}

Skip RandomOrders::skip_of(const Shape& shape) {
  if (!shape.is_leaf() || shape.scale == Scale::rounded || shape.scale == Scale::fused)
    return Skip::none;
  return static_cast<Skip>(between(0, shape.scale == Scale::none ? 2 : 3));
}

Item RandomOrders::item(std::int32_t chains, NodeFormat format) {
  Item item;
  if (chains > 0 && chance(40)) {
    item.shape.chain = static_cast<std::int32_t>(between(0, chains - 1));
  } else {
    item.shape.leaf = static_cast<Leaf>(between(0, 3));
    if (item.shape.leaf == Leaf::exact && format != NodeFormat::wide) item.shape.leaf = Leaf::fused;
    if (is_update_ && chance(10)) item.shape.leaf = chance(50) ? Leaf::out : Leaf::out_fused;
    if (item.shape.leaf >= Leaf::zero) return item;
  }
  if (is_update_ && chance(40)) item.shape.scale = scale_of(item.shape);
  if (is_update_ && chance(30)) item.shape.skip = skip_of(item.shape);
  item.at = linear();
  if (chance(60)) item.step = linear();
  if (chance(60)) item.times = linear();
  if (chance(20)) item.step2 = linear();
  if (chance(20)) item.times2 = linear();
  return item;
}

Schema RandomOrders::schema() {
  Schema schema;
  const std::int64_t chains = chance(5) ? between(30, 40) : between(1, 5);
  for (std::int64_t c = 0; c < chains; ++c) {
    Chain chain;
    chain.format = chance(20) ? NodeFormat::wide : NodeFormat::narrow;
    if (may_fuse_ && chain.format == NodeFormat::narrow && chance(20))
      chain.fused.terms = between(2, 20);
    const std::int64_t items = between(1, 6);
    for (std::int64_t i = 0; i < items; ++i)
      chain.items.push_back(item(static_cast<std::int32_t>(c), chain.format));
    schema.chains.push_back(std::move(chain));
  }
  return schema;
}

// What goes on from a sum: the output first, and nowhere else.
Order RandomOrders::block() {
  Loop loop;
  loop.cases.push_back({0, 0, schema()});
  for (Chain& chain : loop.cases[0].schema.chains) {
    std::erase_if(chain.items, [](const Item& item) {
      return item.shape.leaf == Leaf::out || item.shape.leaf == Leaf::out_fused;
    });
    if (chain.items.empty()) chain.items.push_back({});
  }
  std::vector<Chain>& chains = loop.cases[0].schema.chains;
  Item output, sum;
  output.shape.leaf = Leaf::out;
  sum.shape.chain = static_cast<std::int32_t>(chains.size()) - 1;
  chains.push_back({NodeFormat::narrow, {output, sum}});
  return {false, {{1, between(1, 1'000'000), loop}}, {}};
}

Child RandomOrders::child(const Order& order) {
  Child child;
  if (!order.regimes.empty() && chance(30)) {
    child.kind = Child::Kind::regime;
    child.index =
        static_cast<std::int32_t>(between(0, static_cast<std::int64_t>(order.regimes.size()) - 1));
  } else if (!order.subs.empty() && chance(50)) {
    child.kind = Child::Kind::sub;
    child.index =
        static_cast<std::int32_t>(between(0, static_cast<std::int64_t>(order.subs.size()) - 1));
  }
  return child;
}

Rule RandomOrders::rule(const Order& order, std::int64_t lo, std::int64_t hi) {
  const NodeFormat format = chance(20) ? NodeFormat::wide : NodeFormat::narrow;
  switch (between(0, 3)) {
    case 0: {
      Explicit rule;
      for (std::int64_t n = lo; n <= hi && rule.entries.size() < 5; n += between(1, 3))
        rule.entries.push_back({n, schema()});
      return rule;
    }
    case 1: {
      Loop rule;
      rule.block = between(1, 20);
      rule.pad = chance(30);
      if (rule.pad) {
        rule.cases.push_back({0, 0, schema()});
        return rule;
      }
      for (std::int64_t r = 0; r < rule.block;) {
        const std::int64_t end = between(r, rule.block - 1);
        rule.cases.push_back({r, end, schema()});
        r = end + 1;
      }
      return rule;
    }
    case 2: {
      Split rule{static_cast<Split::Kind>(between(0, 10)), between(1, 10000), format, child(order),
                 child(order)};
      if (rule.left.kind == Child::Kind::self && rule.kind == Split::Kind::remainder)
        rule.kind = Split::Kind::last;
      return rule;
    }
    default: {
      Parts rule;
      rule.kind = static_cast<Parts::Kind>(between(0, 7));
      const bool balanced = rule.kind == Parts::Kind::balanced_up ||
                            rule.kind == Parts::Kind::balanced_ceil ||
                            rule.kind == Parts::Kind::fixed;
      rule.count = balanced ? 0 : between(2, 17);
      rule.m = between(1, 400);
      rule.u = between(1, 16);
      rule.format = format;
      rule.child = child(order);
      if (is_update_ && rule.child.kind != Child::Kind::self) {
        rule.onto = static_cast<Parts::Onto>(between(0, 2));
        static constexpr Scale kScales[] = {Scale::none, Scale::rounded, Scale::fused};
        rule.scale = kScales[between(0, 2)];
      }
      return rule;
    }
  }
}

Order RandomOrders::order(int depth) {
  Order order;
  order.zero_start = chance(20);
  if (depth < 3 && chance(40))
    for (std::int64_t k = between(1, 2); k > 0; --k) order.subs.push_back(this->order(depth + 1));
  std::int64_t lo = depth == 0 ? 1 : between(1, 9);
  for (std::int64_t k = between(1, 4); k > 0; --k) {
    const std::int64_t hi = lo + between(0, chance(50) ? 10 : 1'000'000);
    order.regimes.push_back({lo, hi, rule(order, lo, hi)});
    lo = hi + between(1, 3);
  }
  if (chance(20)) {
    Split goes_on;
    goes_on.kind = chance(80) ? Split::Kind::last : Split::Kind::last_const;
    goes_on.m = between(1, 100);
    goes_on.left = child(order);
    goes_on.right = {Child::Kind::sub, static_cast<std::int32_t>(order.subs.size())};
    goes_on.through = true;
    order.subs.push_back(block());
    order.regimes.push_back({lo, lo + between(0, 1000), goes_on});
  }
  if (depth == 0 && !is_update_ && chance(30) && !has_wide(order) && !has_fused_nodes(order))
    order.flush = static_cast<Flush>(between(1, 3));
  return order;
}

Order RandomOrders::update() {
  is_update_ = true;
  Order result = order();
  is_update_ = false;
  return result;
}

Order RandomOrders::fused() {
  may_fuse_ = true;
  Order result = order();
  may_fuse_ = false;
  return result;
}

Order RandomOrders::as_update(Order order) {
  order.flush = Flush::none;
  const auto decorate = [&](Schema& schema) {
    for (Chain& chain : schema.chains)
      for (Item& item : chain.items)
        if (item.shape.leaf != Leaf::zero && chain.fused.terms == 0) {
          if (chance(40)) item.shape.scale = scale_of(item.shape);
          if (chance(20)) item.shape.skip = skip_of(item.shape);
        }
    Item output;
    output.shape.leaf = chance(50) ? Leaf::out : Leaf::out_fused;
    auto& items = schema.chains.back().items;
    if (chance(70)) items.insert(items.begin() + between(0, std::ssize(items)), output);
  };
  for (Regime& regime : order.regimes) {
    if (auto* trees = std::get_if<Explicit>(&regime.rule))
      for (auto& entry : trees->entries) decorate(entry.tree);
    if (auto* loop = std::get_if<Loop>(&regime.rule))
      for (auto& c : loop->cases) decorate(c.schema);
  }
  return order;
}

Guard RandomOrders::guard(Routine routine) {
  Guard guard;
  for (std::int64_t k = between(1, 4); k > 0; --k) {
    const auto range = [&] {
      const std::int64_t least = between(-2, 2);
      if (between(0, 2) > 0) return IncrementRange(least);
      if (between(0, 1) > 0) return IncrementRange(least, least + between(0, 99));
      return between(0, 1) > 0 ? IncrementRange(IncrementRange::kLeast, least)
                               : IncrementRange(least, IncrementRange::kGreatest);
    };
    guard.increments.push_back({range(), routine == Routine::sum ? IncrementRange(0) : range()});
    guard.threads.push_back(static_cast<int>(between(1, 4)));
  }
  const int modulus = 1 << between(0, 6);
  std::vector<std::pair<int, int>> residues;
  for (std::int64_t k = between(1, 4); k > 0; --k)
    residues.emplace_back(between(0, modulus - 1),
                          routine == Routine::sum ? 0 : between(0, modulus - 1));
  guard.addresses = vector_addresses(modulus, residues);
  return guard;
}

Spec RandomOrders::spec() {
  Spec spec;
  for (std::int64_t k = between(1, 3); k > 0; --k) {
    Order order = this->order();
    // Entries need an order that is defined from 1 on.
    order.regimes.resize(1);
    std::erase_if(order.subs, [](const Order& sub) { return is_update(sub); });  // blocks of others
    Loop loop;
    loop.cases.push_back({0, 0, schema()});
    order.regimes[0] = {1, between(1, 1'000'000), loop};
    if (has_wide(order)) order.flush = Flush::none;
    spec.orders.push_back(std::move(order));
  }
  // Sums and dot products may not have the order of an update, matrix products may.
  std::vector<Order> orders = spec.orders;
  for (Order& order : orders) order = as_update(order);
  for (std::int64_t k = between(0, 5); k > 0; --k) {
    Entry entry;
    entry.routine = chance(50) ? Routine::sum : Routine::dot;
    entry.type = chance(50) ? Type::f32 : Type::f64;
    if (chance(20))
      entry.type =
          chance(50) ? Type::f16 : Type(Format::bf16, Format::exact, Format::f32, Format::bf16);
    entry.guard = guard(entry.routine);
    const auto order =
        static_cast<std::size_t>(between(0, static_cast<std::int64_t>(spec.orders.size()) - 1));
    const std::int64_t k_max = between(1, spec.orders[order].regimes[0].hi);
    entry.regimes = {regime_of_one_output(order, k_max)};
    entry.certificate.revealed = {between(1, 9), between(1, 9)};
    entry.certificate.all_nodes = {between(1, 9)};
    entry.certificate.probed = {between(1, 9)};
    entry.certificate.repetitions = static_cast<int>(between(0, 30));
    entry.certificate.outputs_checked = between(0, INT64_MAX - 1);
    entry.certificate.largest = {1, 1, between(1, k_max)};
    entry.certificate.seed = random_();
    if (random_() % 2 == 0) {
      entry.certificate.classes = {{"ascending", between(1, 99)}, {name(), between(1, 99)}};
      entry.certificate.every_size_to = between(1, 9999);
    }
    entry.certificate.not_checked = {name()};
    spec.entries.push_back(std::move(entry));
  }
  if (chance(60)) {
    RandomRegions regions(random_());
    for (std::int64_t k = between(1, 2); k > 0; --k) {
      Entry& entry = spec.entries.emplace_back(regions.entry(orders));
      for (MatrixRegime& regime : entry.regimes)
        for (MatrixClass& c : regime.classes) c.order += spec.orders.size();
    }
    spec.orders.insert(spec.orders.end(), orders.begin(), orders.end());
  }
  // What could be computed at no size is no spec.
  for (Entry& entry : spec.entries)
    for (const MatrixRegime& regime : entry.regimes)
      for (const MatrixClass& c : regime.classes) {
        const Order& order = spec.orders[c.order];
        if ((entry.type == Type::f64 && has_wide(order)) ||
            (!is_native(entry.type) && order.flush != Flush::none))
          entry.type = Type::f32;
      }
  spec.provenance = {{"a" + name(), name()}, {"b" + name(), name()}};
  if (chance(50)) spec.refusals.push_back({"sdot", name(), "exact", name()});
  canonicalize(spec);
  return spec;
}

}  // namespace reprosum::spec
