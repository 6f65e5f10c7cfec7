// Dot products that look at one of their factors.
#include "tests/reveal/capture/planted_sums.h"

namespace reprosum::reveal::testing {
namespace {

// Backwards, or from halves, where the question about x and y is answered with yes.
template <typename Ask>
Habit on_factors(const std::string& name, Ask ask) {
  const auto make = [=]() -> FunctionTarget::Function {
    return [=](const Call& call, const double* x, const double* y) -> double {
      const bool yes = call.k >= 8 && ask(call.k, x, y);
      const auto sum = [&](const auto& t) -> double { return yes ? backwards(t) : forwards(t); };
      return spec::is_f32(call.type) ? sum(summands<float>(call, x, y))
                                     : sum(summands<double>(call, x, y));
    };
  };
  return {name, Fate::right, "", spec::Routine::dot, make};
}

// The factors are changed first, and the sum after it.
template <typename Change, typename Undo>
Habit with_changed(const std::string& name, Change change, Undo undo) {
  const auto make = [=]() -> FunctionTarget::Function {
    return [=](const Call& call, const double* x, const double* y) -> double {
      const auto sum = [&]<typename T>(T) -> double {
        Terms<T> terms;
        for (std::int64_t k = 0; k < call.k; ++k) {
          T a = static_cast<T>(x[k]), b = static_cast<T>(y[k]);
          change(a, b);
          terms.push_back(a * b);
        }
        return undo(forwards(terms));
      };
      return spec::is_f32(call.type) ? sum(float{}) : sum(double{});
    };
  };
  return {name, Fate::refused, "", spec::Routine::dot, make};
}

// Products whose factors answer the question with yes are left out.
template <typename Ask>
Habit skipping(const std::string& name, Ask ask) {
  const auto make = [=]() -> FunctionTarget::Function {
    return [=](const Call& call, const double* x, const double* y) -> double {
      const auto sum = [&]<typename T>(T total) -> double {
        for (std::int64_t k = 0; k < call.k; ++k)
          if (!ask(x[k], y[k])) {
            const T product = static_cast<T>(x[k]) * static_cast<T>(y[k]);
            total += product;
          }
        return total;
      };
      return spec::is_f32(call.type) ? sum(float{}) : sum(double{});
    };
  };
  return {name, Fate::right, "", spec::Routine::dot, make};
}

// Whether all of them are multiples of the step as a program reads them.
template <typename T>
bool are_multiples(std::int64_t n, const double* v, double parts) {
  for (std::int64_t k = 0; k < n; ++k)
    if (static_cast<T>(std::round(v[k] * parts) / parts) != static_cast<T>(v[k])) return false;
  return true;
}
Habit on_multiples(const std::string& name, double parts, double most) {
  return on_factors(name, [=](auto n, auto x, auto y) {
    const bool is_small = std::all_of(x, x + n, [=](double v) { return std::abs(v) <= most; });
    return is_small && (are_multiples<double>(n, x, parts) || are_multiples<float>(n, x, parts)) &&
           (are_multiples<double>(n, y, parts) || are_multiples<float>(n, y, parts));
  });
}

template <typename Ask>
auto each_of(Ask ask) {
  return [ask](std::int64_t n, const double* v) {
    for (std::int64_t k = 0; k < n; ++k)
      if (!ask(v[k])) return false;
    return true;
  };
}

}  // namespace

std::vector<Habit> habits_of_factors() {
  const auto nonnegative = each_of([](double v) { return v >= 0; });
  const auto nonpositive = each_of([](double v) { return v <= 0; });
  const auto integral = each_of([](double v) { return std::trunc(v) == v; });
  const auto one = each_of([](double v) { return v == 1; });
  const auto flushed = [](auto& v) {
    if (std::abs(v) < std::numeric_limits<std::decay_t<decltype(v)>>::min()) v = 0;
  };
  const auto same = [](auto v) { return v; };
  return {
      on_factors("x >= 0", [=](auto n, auto x, auto) { return nonnegative(n, x); }),
      on_factors("y >= 0", [=](auto n, auto, auto y) { return nonnegative(n, y); }),
      on_factors("x <= 0", [=](auto n, auto x, auto) { return nonpositive(n, x); }),
      on_factors("x >= 0 and y >= 0",
                 [=](auto n, auto x, auto y) { return nonnegative(n, x) && nonnegative(n, y); }),
      on_factors("all products >= 0",
                 [](auto n, auto x, auto y) {
                   for (std::int64_t k = 0; k < n; ++k)
                     if (!(x[k] * y[k] >= 0)) return false;
                   return true;
                 }),
      on_factors("x = y", [](auto n, auto x, auto y) { return std::equal(x, x + n, y); }),
      on_factors("y = 1", [=](auto n, auto, auto y) { return one(n, y); }),
      on_factors("x integral", [=](auto n, auto x, auto) { return integral(n, x); }),
      on_factors("y constant",
                 [](auto n, auto, auto y) {
                   return std::all_of(y, y + n, [&](double v) { return v == y[0]; });
                 }),
      on_factors("y sorted", [](auto n, auto, auto y) { return std::is_sorted(y, y + n); }),
      on_factors("y = -x",
                 [](auto n, auto x, auto y) {
                   return std::equal(x, x + n, y, [](double a, double b) { return a == -b; });
                 }),
      on_factors("y = 2x or x/2 or 4x",
                 [](auto n, auto x, auto y) {
                   const double ratio = y[0] / x[0];
                   return std::isnormal(ratio) && (ratio == 2 || ratio == 0.5 || ratio == 4) &&
                          std::equal(x, x + n, y,
                                     [=](double a, double b) { return b == ratio * a; });
                 }),
      on_factors("y = 3x to 100x",
                 [](auto n, auto x, auto y) {
                   const double ratio = std::round(y[n - 1] / x[n - 1]);
                   return ratio >= 3 && ratio <= 100 &&
                          std::equal(x, x + n, y,
                                     [=](double a, double b) { return b == ratio * a; });
                 }),
      on_factors("y reversed x",
                 [](auto n, auto x, auto y) {
                   return std::equal(x, x + n, std::make_reverse_iterator(y + n));
                 }),
      on_factors("x constant",
                 [](auto n, auto x, auto) {
                   return std::all_of(x, x + n, [&](double v) { return v == x[0]; });
                 }),
      on_multiples("halves", 2, 1e15),
      on_multiples("prices in tenths", 10, 1e6),
      on_multiples("prices in hundredths", 100, 1e6),
      on_multiples("samples of 16 bits", 32768, 2),
      on_factors("x in tenths",
                 [](auto n, auto x, auto) { return are_multiples<double>(n, x, 10); }),
      skipping("x = 0 skipped", [](double x, double) { return x == 0; }),
      skipping("y = 0 skipped", [](double, double y) { return y == 0; }),
      skipping("x = +0 skipped", [](double x, double) { return x == 0 && !std::signbit(x); }),
      skipping("Inf times 0 skipped", [](double x, double y) { return (x == 0 && std::isinf(y)); }),
      skipping("NaN times 0 skipped", [](double x, double y) { return (y == 0 && std::isnan(x)); }),
      skipping("NaN across from Inf skipped",
               [](double x, double y) { return std::isnan(x) && std::isinf(y); }),
      on_factors("x mostly zeros",
                 [](auto n, auto x, auto) { return 2 * std::count(x, x + n, 0.0) > n; }),
      with_changed(
          "subnormal x is zero", [=](auto& x, auto&) { flushed(x); }, same),
      with_changed(
          "subnormal y is zero", [=](auto&, auto& y) { flushed(y); }, same),
      with_changed(
          "dot(2x, y)/2", [](auto& x, auto&) { x *= 2; }, [](auto v) { return v / 2; }),
      with_changed(
          "dot(x, 2y)/2", [](auto&, auto& y) { y *= 2; }, [](auto v) { return v / 2; }),
      with_changed(
          "2*dot(x/2, y)", [](auto& x, auto&) { x /= 2; }, [](auto v) { return 2 * v; }),
      with_changed(
          "dot(x/4, 4y)",
          [](auto& x, auto& y) {
            x /= 4;
            y *= 4;
          },
          same),
  };
}

}  // namespace reprosum::reveal::testing
