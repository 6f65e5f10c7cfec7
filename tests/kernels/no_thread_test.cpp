// Products where the system grants no thread, as under a limit on their number or a filter of
// system calls: they are slower, and the same.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <thread>

#include "kernels/kernel.h"
#include "kernels/matrix.h"
#include "spec/surface.h"
#include "tests/kernels/orders.h"
#include "tests/kernels/update_orders.h"
#include "tests/spec/sample_regions.h"

namespace {
std::atomic<bool> no_threads{false};
}

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*body)(void*), void* argument) {
  if (no_threads) return EAGAIN;
  static const auto create =
      reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return create(thread, attributes, body, argument);
}

namespace reprosum::kernels {
namespace {

using spec::Type;

// C after a product of 90 x 80 x 70 with three workers, or by the interpreter.
template <class T>
std::vector<T> product(const test::NamedUpdate& named, const MatrixKernels<T>* kernels,
                       std::uint64_t seed) {
  constexpr std::int64_t m = 90, n = 80, k = 70;
  std::mt19937_64 random(seed);
  const auto a = test::hostile_data<T>(random, m * k, false),
             b = test::hostile_data<T>(random, k * n, false);
  auto c = test::hostile_data<T>(random, m * n, false);
  spec::MatrixArguments<T> call;
  call.m = call.lda = call.ldc = m;
  call.n = n;
  call.k = call.ldb = k;
  call.alpha = T(0.7);
  call.beta = T(-1.3);
  call.a = a.data();
  call.b = b.data();
  call.c = c.data();
  const spec::MatrixRegime regime = test::uniform_regime({}, 400);
  const spec::RegionMap map{&regime, *spec::stretches(regime.rows, m),
                            *spec::stretches(regime.columns, n)};
  if (kernels != nullptr)
    kernels->run(map, call, 3);
  else
    spec::interpret_matrix(map, {spec::parse_order(named.text)}, call);
  return c;
}

template <class T>
void check_products(std::uint64_t seed) {
  for (const test::NamedUpdate& named : test::library_updates()) {
    if (is_f32(named.type) != (sizeof(T) == 4)) continue;
    SCOPED_TRACE(named.name);
    spec::Spec spec;
    spec.orders = {spec::parse_order(named.text)};
    spec::Entry entry;
    entry.routine = spec::Routine::gemm;
    entry.type = named.type;
    entry.regimes = {test::uniform_regime({}, 400)};
    const auto kernels = compile_matrix<T>(spec, entry, {host_isas().back(), ""});
    const std::vector<T> wanted = product<T>(named, nullptr, seed);
    for (const bool refuse : {true, false}) {  // and afterwards with threads
      no_threads = refuse;
      const std::vector<T> got = product<T>(named, kernels.get(), seed);
      no_threads = false;
      ASSERT_EQ(got.size(), wanted.size());
      for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_TRUE(test::same(wanted[i], got[i])) << "element " << i << ", no threads: " << refuse;
    }
  }
}

// First, while no kernel has been made.
TEST(NoThread, TheInterpreterServesForNow) {
  if (host_isas().size() == 1) GTEST_SKIP() << "nothing is generated on this host";
  const test::NamedOrder named = test::library_orders()[5];
  const spec::Order order = spec::parse_order(named.text);
  const CompileOptions options{host_isas().back(), ""};
  std::string why;
  bool for_now = false;
  no_threads = true;
  const auto kernel = compile<double>(order, named.routine, options, &why, &for_now);
  no_threads = false;
  EXPECT_EQ(kernel->isa(), Isa::interpreter);
  EXPECT_NE(why.find("no thread"), std::string::npos) << why;
  EXPECT_TRUE(for_now);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // until it is asked for again
  EXPECT_EQ(compile<double>(order, named.routine, options, &why, &for_now)->isa(), options.isa);
  EXPECT_FALSE(for_now);
}

TEST(NoThread, ProductsOfSeveralWorkers) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  check_products<float>(seed);
  check_products<double>(seed);
}

}  // namespace
}  // namespace reprosum::kernels
