#include "spec/describe_update.h"

#include <variant>
#include <vector>

#include "spec/running_sum.h"

namespace reprosum::spec {
namespace {

struct Uses {
  bool output = false, fused_output = false;
  bool scales[5] = {}, skips[4] = {};

  void add(const Schema& schema) {
    for (const Chain& chain : schema.chains)
      for (const Item& item : chain.items) {
        scales[static_cast<std::size_t>(item.shape.scale)] = true;
        skips[static_cast<std::size_t>(item.shape.skip)] = true;
        output |= item.shape.leaf == Leaf::out;
        fused_output |= item.shape.leaf == Leaf::out_fused;
      }
  }
  // Recursion over sub-orders, whose depth validate() bounds.
  void add(const Order& order) {
    for (const Regime& regime : order.regimes) {
      if (const auto* trees = std::get_if<Explicit>(&regime.rule))
        for (const auto& entry : trees->entries) add(entry.tree);
      if (const auto* loop = std::get_if<Loop>(&regime.rule))
        for (const auto& c : loop->cases) add(c.schema);
      if (const auto* parts = std::get_if<Parts>(&regime.rule)) {
        scales[static_cast<std::size_t>(parts->scale)] = true;
        output |= parts->onto == Parts::Onto::first;
        fused_output |= parts->onto == Parts::Onto::fused;
      }
    }
    const std::vector<bool> running = running_subs(order);
    for (std::size_t k = 0; k < running.size(); ++k) {
      const Uses before = *this;
      add(order.subs[k]);
      if (running[k]) output = before.output;  // it names the sum so far
    }
  }
};

}  // namespace

std::string describe_update(const Order& order) {
  Uses uses;
  uses.add(order);
  std::string out;
  const auto say = [&](bool used, const char* what) {
    if (used) out.append(out.empty() ? "" : ", ").append(what);
  };
  const auto scaled = [&](Scale scale) { return uses.scales[static_cast<std::size_t>(scale)]; };
  say(uses.output, "C rounded");
  say(uses.fused_output, "C fused");
  say(scaled(Scale::x), "alpha times x");
  say(scaled(Scale::y), "alpha times y");
  say(scaled(Scale::rounded), "alpha rounded");
  say(scaled(Scale::fused), "alpha fused");
  const auto skipped = [&](Skip skip) { return uses.skips[static_cast<std::size_t>(skip)]; };
  say(skipped(Skip::x), "some products left out where x is zero");
  say(skipped(Skip::y), "some products left out where y is zero");
  say(skipped(Skip::scaled), "some products left out where a scaled factor is zero");
  return out;
}

}  // namespace reprosum::spec
