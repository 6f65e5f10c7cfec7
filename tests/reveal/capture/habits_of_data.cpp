// Another order for data of some class.
#include "tests/reveal/capture/planted_sums.h"

namespace reprosum::reveal::testing {
namespace {

Habit on_data(const std::string& name, std::function<FunctionTarget::Function()> make) {
  return {name, Fate::refused, "input_dependent", spec::Routine::sum, std::move(make)};
}
// Masks or hostile data also have the property, so that the habit may show before classes are
// looked at: all sizes are refused for another reason, or all but the least.
Habit shown_early(const std::string& name, std::function<FunctionTarget::Function()> make) {
  return {name, Fate::right, "", spec::Routine::sum, std::move(make)};
}

template <typename T>
bool alternates(const Terms<T>& t) {
  for (std::size_t k = 1; k < t.size(); ++k)
    if (!(t[k] * t[k - 1] < 0)) return false;
  return t.size() > 16;
}

template <typename T>
bool is_palindrome(const Terms<T>& t) {
  return t.size() > 2 && std::equal(t.begin(), t.end(), t.rbegin());
}

template <typename T>
T without_zeros(const Terms<T>& t) {
  Terms<T> kept;
  for (const T term : t)
    if (term != 0) kept.push_back(term);
  return kept.empty() ? T{0} : in_lanes(kept);
}

template <typename T>
std::size_t zeros(const Terms<T>& t) {
  return static_cast<std::size_t>(std::count(t.begin(), t.end(), T{0}));
}

constexpr std::size_t kSome = 8;  // summands: fewer have the property by chance

template <typename Ask>
auto of_some(Ask ask) {
  return [ask](const auto& t) { return t.size() >= kSome && ask(t); };
}
template <typename Ask>
auto each(Ask ask) {
  return of_some([ask](const auto& t) { return all_of(t, ask); });
}

}  // namespace

std::vector<Habit> habits_of_data() {
  const auto ascends = [](const auto& t) { return std::is_sorted(t.begin(), t.end()); };
  const auto descends = [](const auto& t) { return std::is_sorted(t.rbegin(), t.rend()); };
  const auto grows = [](const auto& t) {
    return std::is_sorted(t.begin(), t.end(),
                          [](auto a, auto b) { return std::abs(a) < std::abs(b); });
  };
  const auto shrinks = [](const auto& t) {
    return std::is_sorted(t.rbegin(), t.rend(),
                          [](auto a, auto b) { return std::abs(a) < std::abs(b); });
  };
  const auto one_exponent = [](const auto& t) {
    return all_of(t, [&](auto v) { return v != 0 && std::ilogb(v) == std::ilogb(t[0]); });
  };
  const auto few_exponents = [](const auto& t) {
    return all_of(
        t, [&](auto v) { return v != 0 && std::abs(std::ilogb(v) - std::ilogb(t[0])) <= 1; });
  };
  const auto constant = [](const auto& t) { return all_of(t, [&](auto v) { return v == t[0]; }); };
  const auto times_n = [](const auto& t) {
    using T = typename std::decay_t<decltype(t)>::value_type;
    return static_cast<T>(t.size()) * t[0];
  };
  const auto as_integers = [](const auto& t) {
    using T = typename std::decay_t<decltype(t)>::value_type;
    std::int64_t sum = 0;
    for (const T v : t) sum += static_cast<std::int64_t>(v);
    return static_cast<T>(sum);
  };
  const auto mostly_zeros = [](const auto& t) { return 2 * zeros(t) > t.size(); };
  return {
      on_data("all >= 0: backwards", where(each([](auto v) { return v >= 0; }), kBackwards)),
      on_data("all > 0: halves", where(each([](auto v) { return v > 0; }), kInHalves)),
      on_data("all <= 0: backwards", where(each([](auto v) { return v <= 0; }), kBackwards)),
      on_data("all < 0: lanes", where(each([](auto v) { return v < 0; }), kInLanes)),
      on_data("no sign bit: lanes", where(each([](auto v) { return !std::signbit(v); }), kInLanes)),
      on_data("one binade: halves", where(of_some(one_exponent), kInHalves)),
      on_data("three binades: lanes", where(of_some(few_exponents), kInLanes)),
      on_data("ascending: backwards", where(of_some(ascends), kBackwards)),
      on_data("descending: backwards", where(of_some(descends), kBackwards)),
      shown_early("growing magnitude: halves", where(of_some(grows), kInHalves)),
      shown_early("shrinking magnitude: halves", where(of_some(shrinks), kInHalves)),
      shown_early("constant: n*x", where(of_some(constant), times_n)),
      on_data("constant: lanes", where(of_some(constant), kInLanes)),
      shown_early("integers: backwards",
                  where(each([](auto v) { return std::trunc(v) == v; }), kBackwards)),
      shown_early("integers: added as integers",
                  where(each([](auto v) { return std::trunc(v) == v && std::abs(v) < 0x1p40; }),
                        as_integers)),
      shown_early("mostly zeros: compacted",
                  where(of_some(mostly_zeros), [](const auto& t) { return without_zeros(t); })),
      shown_early("mostly zeros: backwards", where(of_some(mostly_zeros), kBackwards)),
      shown_early("any zero: compacted", where([](const auto& t) { return zeros(t) > 0; },
                                               [](const auto& t) { return without_zeros(t); })),
      shown_early("fits 8 bits: backwards",
                  where(each([](auto v) { return fits_bits(v, 8); }), kBackwards)),
      on_data("powers of two: halves",
              where(each([](auto v) { return fits_bits(v, 1) && v != 0; }), kInHalves)),
      shown_early("alternating signs: halves",
                  where([](const auto& t) { return alternates(t); }, kInHalves)),
      on_data(
          "palindrome: backwards from the middle",
          where([](const auto& t) { return is_palindrome(t) && t.size() >= kSome; }, kInHalves)),
      on_data("all beyond 2^40: backwards",
              where(each([](auto v) { return std::abs(v) > 0x1p40; }), kBackwards)),
      shown_early("all below 2^-40: backwards",
                  where(each([](auto v) { return std::abs(v) < 0x1p-40 && v != 0; }), kBackwards)),
      shown_early("any beyond 2^90: lanes", where(
                                                [](const auto& t) {
                                                  return any_of(t, [](auto v) {
                                                    return std::isfinite(v) && std::abs(v) > 0x1p90;
                                                  });
                                                },
                                                kInLanes)),
      shown_early("first is zero: backwards",
                  where([](const auto& t) { return !t.empty() && t[0] == 0; }, kBackwards)),
      shown_early("last is negative: backwards",
                  where([](const auto& t) { return !t.empty() && t.back() < 0; }, kBackwards)),
      shown_early("a negative sum: again backwards",
                  where([](const auto& t) { return forwards(t) < 0; }, kBackwards)),
      shown_early("a sum of zero: again in halves",
                  where([](const auto& t) { return forwards(t) == 0; }, kInHalves)),
      on_data("all >= 0 from n = 1000 on: backwards",
              where(
                  [](const auto& t) {
                    return t.size() >= 1000 && all_of(t, [](auto v) { return v >= 0; });
                  },
                  kBackwards)),
      on_data("constant from n = 512 on: n*x",
              where([=](const auto& t) { return t.size() >= 512 && constant(t); }, times_n)),
  };
}

}  // namespace reprosum::reveal::testing
