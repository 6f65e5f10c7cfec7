// What a spec may nest is walked on small stacks, too.
#include <gtest/gtest.h>
#include <pthread.h>

#include <numeric>
#include <string>
#include <vector>

#include "kernels/kernel.h"
#include "kernels/stack_room.h"
#include "spec/evaluate/evaluate.h"
#include "spec/expand.h"
#include "spec/surface.h"

namespace reprosum::kernels {
namespace {

constexpr std::size_t kStack = 80 * 1024;
constexpr int kDepth = 60;

// Chains of chains: chain c adds the summands c, c + kDepth, ... to chain c - 1. `leaf` is what a
// lane adds.
spec::Order chains(const spec::Shape& leaf, const std::vector<spec::Order>& subs) {
  spec::Schema schema;
  for (int c = 0; c < kDepth; ++c) {
    spec::Chain chain;
    if (c > 0) {
      spec::Item below;
      below.shape.chain = c - 1;
      chain.items.push_back(below);
    }
    spec::Item lane;
    lane.shape = leaf;
    lane.at.c = c;
    lane.step.c = kDepth;
    lane.times = {1, 0, 0};
    chain.items.push_back(lane);
    schema.chains.push_back(chain);
  }
  spec::Item tail;
  tail.at.q = kDepth;
  tail.step.c = 1;
  tail.times = {0, 1, 0};
  schema.chains.back().items.push_back(tail);
  spec::Loop loop;
  loop.block = kDepth;
  loop.cases.push_back({0, kDepth - 1, schema});
  spec::Order order;
  order.regimes.push_back({1, 1'000'000, loop});
  order.subs = subs;
  return order;
}

// Lanes whose sum is that of the order inside.
spec::Order lanes(const spec::Order& inside) {
  spec::Shape shape;
  shape.sub = 0;
  return chains(shape, {inside});
}

struct Call {
  const Kernel<double>& kernel;
  const std::vector<double>& x;
  double value = 0;
};

double on_small_stack(const Kernel<double>& kernel, const std::vector<double>& x) {
  Call call{kernel, x};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  EXPECT_EQ(pthread_attr_setstacksize(&attributes, kStack), 0);
  pthread_t thread;
  const auto run = [](void* it) -> void* {
    auto& told = *static_cast<Call*>(it);
    told.value = told.kernel.call(static_cast<std::int64_t>(told.x.size()), told.x.data(), nullptr);
    return nullptr;
  };
  EXPECT_EQ(pthread_create(&thread, &attributes, run, &call), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return call.value;
}

TEST(SmallStack, WalksWhatIsNested) {
  const spec::Order plain = chains({}, {});
  std::vector<double> x(9999);
  std::iota(x.begin(), x.end(), 0.125);
  for (double& value : x) value = 1 / value;
  for (const spec::Order& order : {plain, lanes(plain), lanes(lanes(plain))}) {
    const double wanted = spec::evaluate<double>(order, std::ssize(x), x.data(), 1, nullptr, 0);
    for (const Isa isa : host_isas()) {
      const auto kernel = compile<double>(order, spec::Routine::sum, {isa, ""});
      EXPECT_EQ(on_small_stack(*kernel, x), wanted) << name(isa);
    }
  }
}

std::size_t stack_of_text(const std::string& regimes) {
  return stack_of_walk(
      spec::parse_order("sub 0 { 1..4096: loop 1 { 0: [.@0 +1 x q]; } } " + regimes));
}

// Windows add pieces, and their sums, inside the walk that meets them.
TEST(SmallStack, CountsWhatWindowsAddInside) {
  spec::Order order = spec::parse_order(
      "sub 0 { 1..60: loop 1 { 0: [.@0 +1 x q]; } } "
      "1..60: loop 1 { 0: [.@0 +1 x q]; } 61..3000: windows(60) { sub 0 by self }");
  order.subs[0] = chains({}, {});
  EXPECT_GT(stack_of_walk(order), stack_of_walk(order.subs[0]));
}

// A regime has as many passes as what names it gives it, not as its own range says.
TEST(SmallStack, CountsPassesOfARegimeThatIsNamed) {
  const std::string few = "1..2: loop 1 { 0: [.@0 +1 x q]; } ";
  const std::string above = "4097..1099511627776: windows(4096) { sub 0 by regime 1 }";
  const std::string own = "3..4096: windows(2) { sub 0 by regime 1 } ";
  const std::string named =
      "3..3: windows(2) { sub 0 by regime 1 } "
      "4..4096: loop 1 { 0: [.@0 +1 x q]; } ";
  EXPECT_EQ(stack_of_text(few + named + above), stack_of_text(few + own + above));
  EXPECT_GT(stack_of_text(few + own + above), stack_of_text(few + own));
}

}  // namespace
}  // namespace reprosum::kernels
