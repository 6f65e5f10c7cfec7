// Products of which a matrix unit or an emulation takes parts are refused by their name, not as an
// order that is not understood.
#include "reveal/check/factors.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reveal/target/function_target.h"
#include "tests/reveal/capture/planted_captures.h"
#include "tests/reveal/emulated_products.h"

namespace reprosum::reveal {
namespace {

using spec::Routine;
using spec::Type;

template <class T>
using Dot = T (*)(std::int64_t, const T*, const T*, T);

template <class T>
constexpr Type type_of() {
  return spec::type_of<T>();
}

// As a dot product and as each output of a gemm, alpha on the sum.
template <class T>
TargetFactory planted(Dot<T> dot) {
  const auto of = [dot](std::int64_t n, const double* x, const double* y) {
    const std::vector<T> a(x, x + n), b(y, y + n);
    return dot(n, a.data(), b.data(), T(0));
  };
  return [of](int) {
    auto target =
        std::make_unique<FunctionTarget>([of](const Call& call, const double* x, const double* y) {
          return static_cast<double>(of(call.k, x, y));
        });
    target->set_matrix_function([of](const Call& call, std::int64_t, std::int64_t, const double* a,
                                     const double* b, double alpha, double beta, double c) {
      const T sum = static_cast<T>(alpha) * of(call.k, a, b);
      return static_cast<double>(beta == 0 ? sum : std::fma(T(beta), T(c), sum));
    });
    return target;
  };
}

template <class T>
std::string refused(Dot<T> dot, Routine routine) {
  CaptureOptions options = testing::small_options(routine, type_of<T>());
  options.transposes = {{spec::Trans::no, spec::Trans::no}};
  options.n_max = 2000;
  options.largest = {8, 8, 24};
  options.matrix_work = 1e5;
  const spec::Spec spec = capture(planted(dot), options);
  EXPECT_TRUE(spec.entries.empty());
  return testing::refusals(spec);
}

template <class T>
void expect_named(Dot<T> dot, const std::string& name) {
  for (const Routine routine : {Routine::dot, Routine::gemm}) {
    const std::string text = refused(dot, routine);
    EXPECT_NE(text.find("unknown_arithmetic"), std::string::npos) << text;
    EXPECT_NE(text.find(name), std::string::npos) << text;
  }
}

TEST(Factors, Tf32IsNamed) { expect_named(&testing::dot_of_tf32, "11 significant bits, as TF32"); }

TEST(Factors, Bf16x9IsNamed) { expect_named(&testing::dot_of_bf16x9, "as BF16x9 does"); }

TEST(Factors, FixedPointIsNamed) {
  expect_named(&testing::dot_in_fixed_point, "factors are in fixed point");
}

// What is right to the last bit passes, fused, in f64 or in an extended format.
TEST(Factors, RoundedProductsPass) {
  const auto passes = [](Type type, const FunctionTarget::Function& function) {
    FunctionTarget target(function);
    const Call call = call_of_vectors(Routine::dot, type, 0);
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      check_factor_width(target, call);
      check_products(target, call, seed);
    }
  };
  const auto sum = [](auto zero) {
    return [zero](const Call& call, const double* x, const double* y) {
      auto total = zero;
      for (std::int64_t k = 0; k < call.k; ++k)
        total += static_cast<decltype(zero)>(x[k]) * static_cast<decltype(zero)>(y[k]);
      return is_f32(call.type) ? static_cast<double>(static_cast<float>(total))
                               : static_cast<double>(total);
    };
  };
  passes(Type::f32, sum(0.0F));
  passes(Type::f32, sum(0.0));
  passes(Type::f64, sum(0.0));
  passes(Type::f64, sum(0.0L));
}

}  // namespace
}  // namespace reprosum::reveal
