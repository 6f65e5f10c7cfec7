// Sums that ask where their vectors lie, whether they are one, or through which face they are
// called: none is certified.
#include <gtest/gtest.h>

#include <functional>
#include <ostream>

#include "reveal/check/placements.h"
#include "reveal/check/replay_check.h"
#include "tests/reveal/capture/planted_captures.h"
#include "tests/reveal/capture/planted_sums.h"
#include "tests/reveal/target/faults.h"

namespace reprosum::reveal::testing {
namespace {

struct Planted {
  std::string name;
  std::string reason;
  spec::Routine routine;
  std::function<bool(const Call&, const Addresses&)> goes_backwards;
};

void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.name; }

std::unique_ptr<FunctionTarget> target_of(const Planted& planted) {
  auto target = std::make_unique<FunctionTarget>(
      [planted](const Call& call, const double* x, const double* y) -> double {
        const auto sum = [&](const auto& t) -> double {
          return planted.goes_backwards(call, addresses_of(call)) ? backwards(t) : forwards(t);
        };
        return spec::is_f32(call.type) ? sum(summands<float>(call, x, y))
                                       : sum(summands<double>(call, x, y));
      });
  target->take_both_faces();
  return target;
}

std::vector<Planted> planted_sums() {
  using spec::Routine;
  const std::string at = "address_dependent";
  std::vector<Planted> all;
  for (int bit = 6; bit <= 12; ++bit) {
    const std::string name = "bit " + std::to_string(bit) + " of the address of ";
    all.push_back({name + "x", at, Routine::dot,
                   [bit](auto&, auto& where) { return (where.a >> bit & 1) != 0; }});
    all.push_back({name + "y", at, Routine::dot,
                   [bit](auto&, auto& where) { return (where.b >> bit & 1) != 0; }});
    all.push_back({name + "x", at, Routine::sum,
                   [bit](auto&, auto& where) { return (where.a >> bit & 1) != 0; }});
    all.push_back({name + "both", at, Routine::dot,
                   [bit](auto&, auto& where) { return ((where.a ^ where.b) >> bit & 1) != 0; }});
  }
  const auto distance = [](const Addresses& where) {
    return static_cast<std::int64_t>(where.b - where.a);
  };
  const auto add = [&](const std::string& name, auto ask) {
    all.push_back({name, at, Routine::dot, ask});
  };
  add("x at the beginning of a page", [](auto&, auto& where) { return where.a % 4096 == 0; });
  add("y at the beginning of a page", [](auto&, auto& where) { return where.b % 4096 == 0; });
  add("x at the last line of a page", [](auto&, auto& where) { return where.a % 4096 >= 4032; });
  add("y below x", [](auto&, auto& where) { return where.b < where.a; });
  add("y is x", [](auto&, auto& where) { return where.a == where.b; });
  add("y overlaps x", [=](auto& call, auto& where) {
    return std::abs(distance(where)) < call.k * spec::bytes(call.type);
  });
  add("y is one on from x",
      [=](auto& call, auto& where) { return distance(where) == spec::bytes(call.type); });
  add("y follows x",
      [=](auto& call, auto& where) { return distance(where) == call.k * spec::bytes(call.type); });
  add("alike modulo 4096", [=](auto&, auto& where) { return distance(where) % 4096 == 0; });
  add("a line apart modulo 4096",
      [=](auto&, auto& where) { return (distance(where) % 4096 + 4096) % 4096 == 64; });
  add("y below x, 200 and more",
      [](auto& call, auto& where) { return call.k >= 200 && where.b < where.a; });
  add("y below x from 5,000 on",
      [](auto& call, auto& where) { return call.k >= 5000 && where.b < where.a; });
  add("y is x at 2,000 to 3,000", [](auto& call, auto& where) {
    return call.k >= 2000 && call.k <= 3000 && where.a == where.b;
  });
  add("bit 9 of x at multiples of 10",
      [](auto& call, auto& where) { return call.k % 10 == 0 && (where.a >> 9 & 1) != 0; });
  const std::string face = "faces_differ";
  for (const Routine routine : {Routine::sum, Routine::dot}) {
    all.push_back({"CBLAS", face, routine, [](auto& call, auto&) { return call.cblas; }});
    all.push_back({"CBLAS from 3,000 on", face, routine,
                   [](auto& call, auto&) { return call.cblas && call.k >= 3000; }});
    all.push_back({"CBLAS at multiples of 7", face, routine,
                   [](auto& call, auto&) { return call.cblas && call.k % 7 == 0; }});
  }
  return all;
}

CaptureOptions options_for(spec::Routine routine, spec::Type type) {
  CaptureOptions options = options_with_replay();
  options.routines = {{routine, type}};
  options.increments = {{1, 1}};
  options.n_max = 10'000;
  options.random_vectors = 300;
  return options;
}

class PlacedSum : public ::testing::TestWithParam<Planted> {};

TEST_P(PlacedSum, IsRefusedByItsOwnName) {
  for (const spec::Type type : {spec::Type::f32, spec::Type::f64}) {
    const spec::Spec spec =
        capture([&](int) { return target_of(GetParam()); }, options_for(GetParam().routine, type));
    EXPECT_TRUE(spec.entries.empty());
    EXPECT_NE(refusals(spec).find(GetParam().reason), std::string::npos) << refusals(spec);
  }
}

INSTANTIATE_TEST_SUITE_P(Sums, PlacedSum, ::testing::ValuesIn(planted_sums()),
                         [](const auto& info) { return "plant" + std::to_string(info.index); });

// What asks for nothing costs some hundred calls of a hundred thousand.
TEST(PlacedSums, CostLittleWhereNothingIsAsked) {
  const Planted plain{"plain", "", spec::Routine::dot, [](auto&, auto&) { return false; }};
  const spec::Spec spec = capture([&](int) { return target_of(plain); },
                                  options_for(spec::Routine::dot, spec::Type::f64));
  ASSERT_EQ(spec.entries.size(), 1U) << refusals(spec);
  EXPECT_TRUE(spec.refusals.empty()) << refusals(spec);
}

// A spec of a plain sum does not hold for one that asks; verify says so.
TEST(PlacedSums, AreFoundByVerify) {
  const Planted plain{"plain", "", spec::Routine::dot, [](auto&, auto&) { return false; }};
  const CaptureOptions options = options_for(spec::Routine::dot, spec::Type::f64);
  const spec::Spec spec = capture([&](int) { return target_of(plain); }, options);
  for (const Planted& planted : planted_sums()) {
    const bool is_at_some_sizes = planted.name.find("000") != std::string::npos ||
                                  planted.name.find("multiples") != std::string::npos;
    if (planted.routine != spec::Routine::dot || is_at_some_sizes) continue;
    EXPECT_FALSE(verify(
                     spec, [&](int) { return target_of(planted); }, options)
                     .holds)
        << planted.name;
  }
  EXPECT_TRUE(verify(
                  spec, [&](int) { return target_of(plain); }, options)
                  .holds);
}

// The same in a process of its own, with addresses that are real.
TEST(PlacedSums, AreRefusedInALibrary) {
  for (const char* habit : {"bit6", "bit12", "page", "below", "one", "overlap", "alias", "cblas"}) {
    const auto open = [&](int) {
      TargetOptions options;
      options.environment = {std::string("FAKE_HABIT=") + habit};
      return open_target(fake("places"), options);
    };
    const spec::Spec spec = capture(open, options_for(spec::Routine::dot, spec::Type::f64));
    EXPECT_TRUE(spec.entries.empty()) << habit;
    const std::string reason = habit == std::string("cblas") ? "faces_differ" : "address_dependent";
    EXPECT_NE(refusals(spec).find(reason), std::string::npos) << habit << "\n" << refusals(spec);
  }
}

}  // namespace
}  // namespace reprosum::reveal::testing
