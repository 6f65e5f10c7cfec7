// What LLVM calls a fatal error ends no process: the order is interpreted, and others are
// generated.
#include <gtest/gtest.h>
#include <llvm/Support/ErrorHandling.h>

#include "kernels/compile_thread.h"
#include "kernels/llvm/target_machine.h"
#include "kernels/matrix.h"
#include "spec/evaluate/evaluate.h"
#include "spec/surface.h"
#include "tests/kernels/orders.h"
#include "tests/kernels/update_orders.h"

namespace {
bool fails = false;  // the next module
}

// Linked in the place of generate().
#define GENERATE(prefix) \
  prefix##_ZN8reprosum7kernels8generateB5cxx11ERN4llvm6ModuleERKNS0_10CodeTargetENS0_8CodeFormE
extern "C" {
std::string GENERATE(__real_)(llvm::Module& module, const reprosum::kernels::CodeTarget& target,
                              reprosum::kernels::CodeForm form);
std::string GENERATE(__wrap_)(llvm::Module& module, const reprosum::kernels::CodeTarget& target,
                              reprosum::kernels::CodeForm form) {
  if (fails) llvm::report_fatal_error("planted");
  return GENERATE(__real_)(module, target, form);
}
}

namespace reprosum::kernels {
namespace {

TEST(GiveUp, AJobAndThoseAfterIt) {
  const int before = times_given_up();
  bool late = false;
  EXPECT_EQ(on_compile_thread([&] {
              llvm::report_fatal_error("planted");
              late = true;
            }),
            JobEnd::gave_up);
  EXPECT_EQ(times_given_up(), before + 1);
  EXPECT_EQ(on_compile_thread([] {}), JobEnd::done);
  EXPECT_THROW(on_compile_thread([] { throw std::runtime_error("of a job"); }), std::runtime_error);
  EXPECT_FALSE(late);
}

TEST(GiveUp, TheOrderIsInterpretedAndOthersAreNot) {
  if (host_isas().size() == 1) GTEST_SKIP() << "nothing is generated on this host";
  std::mt19937_64 random(3);
  const auto x = test::hostile_data<double>(random, 1000, false),
             y = test::hostile_data<double>(random, 1000, false);
  int round = 0;
  for (const test::NamedOrder& named : test::library_orders()) {
    if (named.type != spec::Type::f64 || named.routine != spec::Routine::dot) continue;
    const spec::Order order = spec::parse_order(named.text);
    const CompileOptions options{host_isas().back(), ""};
    const bool given_up = round++ % 2 == 0;
    fails = given_up;
    std::string why;
    bool for_now = true;
    const auto kernel = compile<double>(order, named.routine, options, &why, &for_now);
    fails = false;
    EXPECT_EQ(kernel->isa() == Isa::interpreter, given_up) << named.name << ": " << why;
    EXPECT_EQ(why.empty(), !given_up) << named.name << ": " << why;
    EXPECT_FALSE(for_now);
    // It is not tried again.
    EXPECT_EQ(compile<double>(order, named.routine, options), kernel);
    const double wanted = spec::evaluate<double>(order, 1000, x.data(), 1, y.data(), 1);
    EXPECT_TRUE(test::same(kernel->call(1000, x.data(), y.data()), wanted)) << named.name;
    fails = true;  // batches are made later
    double out = 0;
    kernel->batch(1000, 1, x.data(), 0, y.data(), 0, &out);
    fails = false;
    EXPECT_TRUE(test::same(out, wanted)) << named.name;
  }
  EXPECT_GT(round, 3);
}

// Tiles are generated when a size first needs them: in the middle of a product, which the
// interpreter then computes as a whole.
TEST(GiveUp, ProductsWhoseTilesCannotBeMade) {
  if (host_isas().size() == 1) GTEST_SKIP() << "nothing is generated on this host";
  std::mt19937_64 random(4);
  for (const test::NamedUpdate& named : test::library_updates()) {
    if (named.type != spec::Type::f64) continue;
    spec::Spec spec;
    spec.orders = {spec::parse_order(named.text)};
    spec::Entry entry;
    entry.routine = spec::Routine::gemm;
    entry.type = named.type;
    entry.regimes = {test::uniform_regime({}, 400)};
    const auto kernels = compile_matrix<double>(spec, entry, {host_isas().back(), ""});
    for (const std::int64_t m : {64, 67, 7}) {
      fails = m == 67;  // the tiles of full size are there, those of the border are not
      const std::int64_t n = 33, k = 300;
      const auto a = test::hostile_data<double>(random, m * k, false),
                 b = test::hostile_data<double>(random, k * n, false),
                 c = test::hostile_data<double>(random, m * n, false);
      auto got = c, wanted = c;
      spec::MatrixArguments<double> call;
      call.m = call.lda = call.ldc = m;
      call.n = n;
      call.k = call.ldb = k;
      call.alpha = 0.7;
      call.beta = -1.3;
      call.a = a.data();
      call.b = b.data();
      const spec::MatrixRegime& regime = entry.regimes[0];
      const spec::RegionMap map{&regime, *spec::stretches(regime.rows, m),
                                *spec::stretches(regime.columns, n)};
      call.c = got.data();
      kernels->run(map, call, 2);
      fails = false;
      call.c = wanted.data();
      spec::interpret_matrix(map, spec.orders, call);
      for (std::size_t i = 0; i < wanted.size(); ++i)
        ASSERT_TRUE(test::same(got[i], wanted[i])) << named.name << ", m = " << m << ", " << i;
    }
  }
}

}  // namespace
}  // namespace reprosum::kernels
