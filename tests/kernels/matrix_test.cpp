// Generated gemv and gemm against the interpreter, bit for bit, for every instruction set of this
// host.
#include "kernels/matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "spec/surface.h"
#include "tests/kernels/orders.h"
#include "tests/kernels/update_orders.h"

namespace reprosum::kernels {
namespace {

using spec::MatrixClass;
using spec::Trans;
using spec::Type;

struct CallShape {
  spec::Routine routine = spec::Routine::gemm;
  std::int64_t m = 1, n = 1, k = 1;
  Trans trans_a = Trans::no, trans_b = Trans::no;
  std::int64_t padding = 0;  // of lda, beyond a few elements
};

CallShape random_shape(std::mt19937_64& random, std::int64_t most, std::int64_t most_k) {
  const auto below = [&](std::int64_t limit) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
  };
  CallShape shape;
  shape.m = 1 + below(below(3) == 0 ? 6 : most);
  shape.n = 1 + below(below(3) == 0 ? 6 : most);
  shape.k = 1 + below(below(3) == 0 ? 20 : most_k);
  shape.trans_a = static_cast<Trans>(below(2));
  if (below(4) == 0) {
    shape.routine = spec::Routine::gemv;
    shape.n = 1;
  } else {
    shape.trans_b = static_cast<Trans>(below(2));
  }
  return shape;
}

// A call with padded leading dimensions and operands off their boundaries.
template <class T>
struct Call {
  MatrixArguments<T> arguments;
  std::vector<T> a, b, c;

  Call(std::mt19937_64& random, const CallShape& s) {
    const auto below = [&](std::int64_t limit) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
    };
    const T scalars[] = {T(0), T(1), T(-1), T(0.7), T(-1.3), T(3)};
    MatrixArguments<T>& call = arguments;
    call.routine = s.routine;
    call.trans_a = s.trans_a;
    call.trans_b = s.trans_b;
    call.m = s.m;
    call.n = s.n;
    call.k = s.k;
    call.alpha = scalars[below(6)];
    call.beta = scalars[below(6)];
    call.lda = (s.trans_a == Trans::no ? s.m : s.k) + below(3) + s.padding;
    call.ldb = (s.trans_b == Trans::no ? s.k : s.n) + below(3);
    call.ldc = s.m + below(3);
    const bool gemv = s.routine == spec::Routine::gemv;
    if (gemv) {
      const std::int64_t increments[] = {1, 1, 2, -1, -3};
      call.incb = increments[below(5)];
      call.incc = increments[below(5)];
    }
    const std::int64_t shift = below(16);
    const std::int64_t b_size = gemv ? s.k * std::abs(call.incb) : call.ldb * std::max(s.k, s.n);
    const std::int64_t c_size = gemv ? s.m * std::abs(call.incc) : call.ldc * s.n;
    const bool special = below(3) == 0;
    a = test::hostile_data<T>(random, shift + call.lda * std::max(s.m, s.k), special);
    b = test::hostile_data<T>(random, shift + b_size, special);
    c = test::hostile_data<T>(random, shift + c_size, true);
    call.a = a.data() + shift;
    call.b = b.data() + shift + (call.incb < 0 ? (1 - s.k) * call.incb : 0);
    call.c = c.data() + shift + (call.incc < 0 ? (1 - s.m) * call.incc : 0);
  }
};

template <class T>
struct Setup {
  spec::Spec spec;
  spec::MatrixEntry entry;

  Setup(const std::vector<spec::Order>& orders, spec::MatrixRegime regime) {
    spec.orders = orders;
    entry.routine = spec::Routine::gemm;
    entry.type = sizeof(T) == 4 ? Type::f32 : Type::f64;
    entry.regimes = {std::move(regime)};
  }
  spec::RegionMap map(const CallShape& s) const {
    const spec::MatrixRegime& regime = entry.regimes[0];
    return {&regime, *spec::stretches(regime.rows, s.m), *spec::stretches(regime.columns, s.n)};
  }
};

template <class T>
void check(const Setup<T>& setup, const MatrixKernels<T>& kernels, const CallShape& shape,
           std::mt19937_64& random) {
  const spec::RegionMap map = setup.map(shape);
  Call<T> call(random, shape);
  const std::vector<T> before = call.c;
  interpret_matrix(map, setup.spec.orders, call.arguments);
  const std::vector<T> wanted = call.c;
  const int workers = static_cast<int>(1 + random() % 3);
  call.c = before;
  kernels.run(map, call.arguments, workers);
  for (std::size_t k = 0; k < wanted.size(); ++k)
    ASSERT_TRUE(test::same(wanted[k], call.c[k]))
        << "m, n, k = " << shape.m << ", " << shape.n << ", " << shape.k << ", trans "
        << static_cast<int>(shape.trans_a) << static_cast<int>(shape.trans_b)
        << (shape.routine == spec::Routine::gemv ? " gemv" : " gemm") << ", alpha "
        << call.arguments.alpha << ", beta " << call.arguments.beta << ", incx "
        << call.arguments.incb << ", incy " << call.arguments.incc << ", " << workers
        << " workers, element " << k << ": wanted " << wanted[k] << ", got " << call.c[k] << "\n"
        << kernels.names(map, shape.k)[0];
}

template <class T>
void check_library(Isa isa, std::mt19937_64& random) {
  for (const test::NamedUpdate& named : test::library_updates()) {
    if ((named.type == Type::f32) != (sizeof(T) == 4)) continue;
    SCOPED_TRACE(named.name + ": " + named.text);
    for (const auto beta_zero : {MatrixClass::BetaZero::store, MatrixClass::BetaZero::drop}) {
      const Setup<T> setup({spec::parse_order(named.text)},
                           test::uniform_regime({0, beta_zero, {}}, 400));
      const auto kernels = compile_matrix<T>(setup.spec, setup.entry, {isa, ""});
      const std::string name = kernels->names(setup.map({}), 37)[0];
      EXPECT_EQ(name.find("interpreter") == std::string::npos, isa != Isa::interpreter) << name;
      for (int k = 0; k < 24; ++k) {
        check(setup, *kernels, random_shape(random, k < 16 ? 70 : 130, k < 20 ? 100 : 700), random);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(Matrix, LibraryOrders) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (const Isa isa : host_isas()) {
    check_library<float>(isa, random);
    check_library<double>(isa, random);
    if (HasFatalFailure()) return;
  }
}

// Matrices whose columns lie far apart are read a few columns at a time.
template <class T>
void check_far_columns(Isa isa, std::mt19937_64& random) {
  for (const test::NamedUpdate& named : test::library_updates()) {
    if ((named.type == Type::f32) != (sizeof(T) == 4)) continue;
    SCOPED_TRACE(named.name + ": " + named.text);
    const Setup<T> setup({spec::parse_order(named.text)}, test::uniform_regime({}, 3000));
    const auto kernels = compile_matrix<T>(setup.spec, setup.entry, {isa, ""});
    for (const std::int64_t m : {37, 2500}) {
      CallShape shape{spec::Routine::gemv, m, 1, static_cast<std::int64_t>(100 + random() % 100)};
      shape.padding = std::max<std::int64_t>(0, (3 << 20) / std::int64_t(sizeof(T)) / 100 - m);
      check(setup, *kernels, shape, random);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Matrix, FarColumns) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (const Isa isa : host_isas()) {
    if (isa == Isa::interpreter) continue;
    check_far_columns<float>(isa, random);
    check_far_columns<double>(isa, random);
    if (HasFatalFailure()) return;
  }
}

template <class T>
void check_regions(Isa isa, std::mt19937_64& random, int* generated) {
  std::vector<spec::Order> orders;
  std::string texts;
  for (int k = 0; k < 3; ++k) {
    texts += test::random_update(random, sizeof(T) == 4 ? Type::f32 : Type::f64).text + "\n";
    orders.push_back(spec::parse_order(texts.substr(texts.rfind('\n', texts.size() - 2) + 1)));
  }
  SCOPED_TRACE(texts);
  const Setup<T> setup(orders, test::random_regime(random, orders.size(), 100));
  const auto kernels = compile_matrix<T>(setup.spec, setup.entry, {isa, ""});
  for (const std::string& name : kernels->names(setup.map({}), 37))
    *generated += name.find("interpreter") == std::string::npos ? 1 : 0;
  for (int k = 0; k < 12; ++k) {
    check(setup, *kernels, random_shape(random, 100, 100), random);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Matrix, RandomOrdersAndRegions) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  int generated = 0, classes = 0;
  for (int k = 0; k < 12; ++k) {
    for (const Isa isa : host_isas()) {
      if (isa == Isa::interpreter) continue;
      check_regions<float>(isa, random, &generated);
      check_regions<double>(isa, random, &generated);
      if (HasFatalFailure()) return;
      classes += 6;
    }
  }
  EXPECT_GE(generated * 10, classes * 6);
}

}  // namespace
}  // namespace reprosum::kernels
