// What a spec may nest is walked on small stacks, too.
#include <gtest/gtest.h>
#include <pthread.h>

#include <numeric>
#include <string>
#include <vector>

#include "kernels/interpreter.h"
#include "kernels/kernel.h"
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
    const double wanted = evaluate<double>(order, std::ssize(x), x.data(), 1, nullptr, 0);
    for (const Isa isa : host_isas()) {
      const auto kernel = compile<double>(order, spec::Routine::sum, {isa, ""});
      EXPECT_EQ(on_small_stack(*kernel, x), wanted) << name(isa);
    }
  }
}

}  // namespace
}  // namespace reprosum::kernels
