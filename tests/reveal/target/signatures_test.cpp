// Signatures against the outputs that they stand for.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <random>

#include "reveal/target.h"
#include "tests/reveal/target/faults.h"
#include "tests/reveal/target/matrix_batches.h"

namespace reprosum::reveal {
namespace {

using spec::Routine;
using spec::Type;
using testing::fake;
using Bits = std::vector<std::uint64_t>;

// Outputs of every probe through run_matrix(), NaNs made equal: one row of bits per output.
std::vector<Bits> bits_of(Target& target, const Call& call, std::span<const UniformProbe> probes) {
  std::vector<Bits> all(static_cast<std::size_t>(call.m * call.n));
  for (const UniformProbe& probe : probes) {
    const MatrixBatch batch{.call = call,
                            .alpha = probe.alpha,
                            .beta = probe.beta,
                            .a = probe.a,
                            .b = probe.b,
                            .c = std::span(&probe.c, 1)};
    const auto outputs = target.run_matrix(batch);
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].push_back(std::isnan(outputs[i]) ? 1 : std::bit_cast<std::uint64_t>(outputs[i]));
    }
  }
  return all;
}

std::vector<UniformProbe> random_probes(std::mt19937_64& engine, Type type, std::int64_t k) {
  const auto value = [&] {
    const double wide = std::ldexp(static_cast<double>(engine() >> 11) - 0x1p52, -52);
    return rounded(type.input, wide);
  };
  std::vector<UniformProbe> probes(4);
  for (UniformProbe& probe : probes) {
    for (std::int64_t p = 0; p < k; ++p) {
      probe.a.push_back(value());
      probe.b.push_back(value());
    }
    probe.alpha = value();
    probe.beta = value();
    probe.c = value();
  }
  // As those that region probes have in common.
  probes[2].a = probes[1].a;
  probes[3].b = probes[2].b;
  return probes;
}

// Equal bits and equal hashes go together within one call and across all shapes that share k.
TEST(Signatures, AreEqualExactlyWhereTheBitsAre) {
  SCOPED_TRACE(testing::kSeed);
  std::mt19937_64 engine(testing::kSeed);
  const auto target = open_target(fake("planted"));
  for (const Type type : {Type::f32, Type::f64}) {
    for (const std::int64_t k : {0, 1, 2, 3, 9, 33}) {
      const auto probes = random_probes(engine, type, k);
      std::map<Bits, std::uint64_t> hash_of;
      std::map<std::uint64_t, Bits> bits_of_hash;
      for (int round = 0; round < 60; ++round) {
        Call call = testing::random_matrix_call(engine);
        call.type = type;
        call.k = k;
        call.align_a = call.align_b = 8;
        call.align_c = 16;
        const std::int64_t before = target->calls();
        const auto hashes = target->signatures(call, probes);
        EXPECT_EQ(target->calls() - before, 4);
        const auto bits = bits_of(*target, call, probes);
        ASSERT_EQ(hashes.size(), bits.size());
        for (std::size_t i = 0; i < bits.size(); ++i) {
          ASSERT_EQ(hash_of.emplace(bits[i], hashes[i]).first->second, hashes[i]) << i;
          ASSERT_EQ(bits_of_hash.emplace(hashes[i], bits[i]).first->second, bits[i]) << i;
        }
      }
      // The four planted orders; fewer roundings may not tell them apart.
      if (k == 33) {
        EXPECT_EQ(hash_of.size(), 4u);
      }
    }
  }
}

// Order 3 of the planted library is order 0 with the sum's sign changed.
TEST(Signatures, KnowSignsOfZerosButNotOfNaNs) {
  const auto target = open_target(fake("planted"));
  for (const Type type : {Type::f32, Type::f64}) {
    const Call call{.routine = spec::Routine::gemm, .type = type, .m = 4, .n = 1, .k = 2};
    const auto differ = [&](const UniformProbe& probe) {
      const auto hashes = target->signatures(call, std::span(&probe, 1));
      return hashes[0] != hashes[3];
    };
    EXPECT_TRUE(differ({{1, 0}, {0, 1}, 1, 1, -0.0}));
    EXPECT_FALSE(differ({{1, 0}, {0, 1}, 1, 1, 0.0}));
    EXPECT_FALSE(differ({{NAN, 1}, {1, 1}, 1, 0, 0}));
    EXPECT_FALSE(differ({{HUGE_VAL, -HUGE_VAL}, {1, 1}, 1, 0, 0}));
    EXPECT_TRUE(differ({{HUGE_VAL, 1}, {1, 1}, 1, 0, 0}));
  }
}

TEST(Signatures, DependOnTheOrderOfTheProbesAndOnEachOfThem) {
  const auto target = open_target(fake("sequential"));
  const Call call{.routine = spec::Routine::gemm, .m = 2, .n = 3, .k = 1};
  const UniformProbe first{{1}, {2}}, second{{3}, {5}}, near{{3}, {0x1.4000000000001p2}};
  const auto hash = [&](std::vector<UniformProbe> probes) {
    const auto all = target->signatures(call, probes);
    for (const std::uint64_t one : all) EXPECT_EQ(one, all[0]);
    return all[0];
  };
  const std::uint64_t all[] = {hash({}),
                               hash({first}),
                               hash({second}),
                               hash({near}),
                               hash({first, second}),
                               hash({second, first}),
                               hash({first, near}),
                               hash({first, first})};
  for (const auto& one : all) {
    for (const auto& other : all) EXPECT_EQ(one == other, &one == &other);
  }
  EXPECT_EQ(hash({first, second}), hash({first, second}));
}

}  // namespace
}  // namespace reprosum::reveal
