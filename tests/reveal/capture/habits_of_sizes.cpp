// Sizes alone and in bands, swapped leaves, addresses, and sums that remember.
#include <memory>

#include "tests/reveal/capture/planted_sums.h"

namespace reprosum::reveal::testing {
namespace {

template <typename Ask, typename Sum>
Habit at_sizes(const std::string& name, Fate fate, Ask ask, Sum sum) {
  return {name, fate, "", spec::Routine::sum,
          where([ask](const auto& t) { return ask(t.size()); }, sum)};
}

auto swapped(std::size_t a, std::size_t b) {
  return [=](auto t) {
    if (std::max(a, b) < t.size()) std::swap(t[a], t[b]);
    return forwards(t);
  };
}

bool is_prime(std::size_t n) {
  for (std::size_t d = 2; d * d <= n; ++d)
    if (n % d == 0) return false;
  return n > 1;
}

// What a sum remembers of earlier calls.
struct Memory {
  std::int64_t calls = 0, previous = 0;
  bool has_seen_nan = false;
};

template <typename Ask>
Habit remembering(const std::string& name, Fate fate, Ask ask) {
  const auto make = [=]() -> FunctionTarget::Function {
    auto memory = std::make_shared<Memory>();
    return [=](const Call& call, const double* x, const double* y) -> double {
      const auto sum = [&](const auto& t) -> double {
        ++memory->calls;
        for (const auto v : t) memory->has_seen_nan = memory->has_seen_nan || std::isnan(v);
        const bool yes = ask(*memory, call.k);
        memory->previous = call.k;
        return yes ? backwards(t) : forwards(t);
      };
      return spec::is_f32(call.type) ? sum(summands<float>(call, x, y))
                                     : sum(summands<double>(call, x, y));
    };
  };
  return {name, fate, fate == Fate::refused ? "not_deterministic" : "", spec::Routine::sum, make};
}

}  // namespace

std::vector<Habit> habits_of_sizes() {
  const auto is = [](std::size_t n) { return [n](std::size_t of) { return of == n; }; };
  const Fate right = Fate::right;
  return {
      at_sizes("n = 171: backwards", right, is(171), kBackwards),
      at_sizes("n = 1000: backwards", right, is(1000), kBackwards),
      at_sizes("n = 1025: halves", right, is(1025), kInHalves),
      at_sizes("n = 4199: lanes", right, is(4199), kInLanes),
      at_sizes(
          "n % 1009 = 0: backwards", right, [](std::size_t n) { return n % 1009 == 0; },
          kBackwards),
      at_sizes(
          "n = 2000 to 2010: lanes", right, [](std::size_t n) { return n >= 2000 && n <= 2010; },
          kInLanes),
      at_sizes(
          "n = 2000 to 3000: lanes", right, [](std::size_t n) { return n >= 2000 && n <= 3000; },
          kInLanes),
      at_sizes(
          "n > 3333: lanes", Fate::certified, [](std::size_t n) { return n > 3333; }, kInLanes),
      at_sizes(
          "n > 9000: backwards", Fate::certified, [](std::size_t n) { return n > 9000; },
          kBackwards),
      at_sizes("n prime: backwards", right, is_prime, kBackwards),
      at_sizes(
          "n a power of two: halves", right, [](std::size_t n) { return (n & (n - 1)) == 0; },
          kInHalves),
      at_sizes(
          "n = 171 and 172, swapped 50 and 51", right,
          [](std::size_t n) { return n == 171 || n == 172; }, swapped(50, 51)),
      at_sizes(
          "50 and 51 swapped", right, [](std::size_t) { return true; }, swapped(50, 51)),
      at_sizes(
          "n >= 100, 50 and 51 swapped", right, [](std::size_t n) { return n >= 100; },
          swapped(50, 51)),
      at_sizes("n = 777, 600 and 601 swapped", right, is(777), swapped(600, 601)),
      at_sizes(
          "n > 2500, 2400 and 2401 swapped", right, [](std::size_t n) { return n > 2500; },
          swapped(2400, 2401)),
      at_sizes(
          "n > 1500, the last two swapped", right, [](std::size_t n) { return n > 1500; },
          [](auto t) {
            std::swap(t[t.size() - 1], t[t.size() - 2]);
            return forwards(t);
          }),
      {"x not on 32 bytes: lanes", right, "", spec::Routine::sum,
       []() -> FunctionTarget::Function {
         return [](const Call& call, const double* x, const double* y) -> double {
           const auto sum = [&](const auto& t) -> double {
             return call.align_a % 32 != 0 ? in_lanes(t) : forwards(t);
           };
           return spec::is_f32(call.type) ? sum(summands<float>(call, x, y))
                                          : sum(summands<double>(call, x, y));
         };
       }},
  };
}

std::vector<Habit> habits_of_state() {
  return {
      remembering("backwards after a larger size", Fate::refused,
                  [](const Memory& m, std::int64_t n) { return m.previous > n; }),
      remembering("backwards after a smaller size", Fate::refused,
                  [](const Memory& m, std::int64_t n) { return m.previous > 0 && m.previous < n; }),
      remembering("backwards at the same size again", Fate::refused,
                  [](const Memory& m, std::int64_t n) { return m.previous == n; }),
      remembering("backwards at every second call", Fate::refused,
                  [](const Memory& m, std::int64_t) { return m.calls % 2 == 0; }),
      remembering("backwards in the first 20 calls", Fate::refused,
                  [](const Memory& m, std::int64_t) { return m.calls <= 20; }),
      remembering("backwards in the first 1,000 calls", Fate::refused,
                  [](const Memory& m, std::int64_t) { return m.calls <= 1000; }),
      remembering("backwards in the first 1,500 calls", Fate::refused,
                  [](const Memory& m, std::int64_t) { return m.calls <= 1500; }),
      remembering("backwards in the first 20,000 calls", Fate::refused,
                  [](const Memory& m, std::int64_t) { return m.calls <= 20'000; }),
      remembering("backwards after 30,000 calls", Fate::refused,
                  [](const Memory& m, std::int64_t) { return m.calls > 30'000; }),
      remembering("backwards at every 50,000th call", Fate::noted,
                  [](const Memory& m, std::int64_t) { return m.calls % 50'000 == 0; }),
      {"backwards after a NaN", Fate::refused, "", spec::Routine::sum,
       remembering("", Fate::refused, [](const Memory& m, std::int64_t) { return m.has_seen_nan; })
           .make},
  };
}

}  // namespace reprosum::reveal::testing
