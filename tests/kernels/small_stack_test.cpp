// The deepest nesting that a spec may have is walked on small stacks.
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "kernels/kernel.h"
#include "kernels/matrix.h"
#include "kernels/stack_room.h"
#include "spec/evaluate/evaluate.h"
#include "spec/expand.h"
#include "spec/surface.h"
#include "tests/kernels/update_orders.h"

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

void on_thread(pthread_attr_t& attributes, std::function<void()> run) {
  pthread_t thread;
  const auto body = [](void* it) -> void* {
    (*static_cast<std::function<void()>*>(it))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, body, &run), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

void on_stack(std::size_t bytes, const std::function<void()>& run) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  EXPECT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
  on_thread(attributes, run);
}

double on_small_stack(const Kernel<double>& kernel, const std::vector<double>& x) {
  double value = 0;
  on_stack(kStack, [&] { value = kernel.call(std::ssize(x), x.data(), nullptr); });
  return value;
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

// Bytes of stack that run() writes on a thread of its own.
std::size_t written_by(const std::function<void()>& run) {
  std::vector<unsigned char> stack(256 * 1024, 0xA5);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  EXPECT_EQ(pthread_attr_setstack(&attributes, stack.data(), stack.size()), 0);
  on_thread(attributes, run);
  const auto first = std::find_if(stack.begin(), stack.end(), [](int c) { return c != 0xA5; });
  return static_cast<std::size_t>(stack.end() - first);
}

// What long sums with increments pack lies on the caller's stack, which need not be more than
// 16 KiB, where the thread itself, the program and the C API need theirs.
TEST(SmallStack, SumsLongChainsWithIncrements) {
#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
  GTEST_SKIP() << "frames are larger without optimisation, or with a sanitizer";
#endif
  constexpr std::size_t kMost = 9 * 1024;
  const spec::Order order = spec::parse_order("1..99999: loop 1 { 0: [.@0 +1 x q]; }");
  std::vector<float> x(30'000);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = 1 / static_cast<float>(k + 1);
  for (const Isa isa : host_isas()) {
    if (isa == Isa::interpreter) continue;
    const auto kernel = compile<float>(order, spec::Routine::dot, {isa, ""});
    for (const std::int64_t increment : {-2, -1, 3}) {
      const float* const first = x.data() + (increment < 0 ? 9000 * 2 : 0);
      const float wanted = spec::evaluate<float>(order, 9000, first, increment, first, increment);
      float got = 0;
      const auto call = [&] {
        ASSERT_TRUE(kernel->call_strided(9000, first, increment, first, increment, &got));
      };
      call();  // its code is made here
      const std::size_t alone = written_by([] {});
      EXPECT_LE(written_by(call), alone + kMost) << name(isa) << " " << increment;
      EXPECT_EQ(got, wanted) << name(isa) << " " << increment;
    }
  }
}

// Blocks of outputs are wider than numbers. An order that kernels are not made for is not enough
// here: the interpreter is asked for.
template <class T>
void check_interpreted_product(std::size_t bytes, const spec::Order& order) {
  constexpr std::int64_t m = 40, n = 3, k = 130;
  std::vector<T> a(m * k), b(k * n), c(m * n, T(1)), wanted = c;
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = 1 / static_cast<T>(i + 1);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = 3 / static_cast<T>(i + 2);
  spec::MatrixArguments<T> call;
  call.m = call.lda = call.ldc = m;
  call.n = n;
  call.k = call.ldb = k;
  call.alpha = call.beta = T(1);
  call.a = a.data();
  call.b = b.data();
  spec::Spec spec;
  spec.orders = {order};
  spec::Entry entry;
  entry.routine = spec::Routine::gemm;
  entry.type = spec::type_of<T>();
  entry.regimes = {test::uniform_regime({}, 400)};
  const spec::MatrixRegime& regime = entry.regimes[0];
  const spec::RegionMap map{&regime, *spec::stretches(regime.rows, m),
                            *spec::stretches(regime.columns, n)};
  call.c = wanted.data();
  spec::interpret_matrix(map, spec.orders, call);
  const auto kernels = compile_matrix<T>(spec, entry, {Isa::interpreter, ""});
  call.c = c.data();
  on_stack(bytes, [&] { kernels->run(map, call, 1); });
  EXPECT_EQ(c, wanted);
}

TEST(SmallStack, InterpretsProducts) {
  const auto least = static_cast<std::size_t>(sysconf(_SC_THREAD_STACK_MIN));
  const spec::Order plain = spec::parse_order("1..99999: loop 1 { 0: [out .@0 +1 x q]; }");
  for (const std::size_t bytes : {std::max(least, std::size_t{16'384}), kStack}) {
    for (const spec::Order& order : {plain, chains({}, {})}) {
      check_interpreted_product<float>(bytes, order);
      check_interpreted_product<double>(bytes, order);
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
