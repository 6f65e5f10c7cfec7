// The table of conditions against what the fields of a guard say in words.
#include "spec/conditions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>
#include <string>

#include "random_region.h"
#include "sample_orders.h"
#include "spec/error.h"
#include "spec/json.h"
#include "spec/surface.h"

namespace reprosum::spec {
namespace {

constexpr Routine kRoutines[] = {Routine::sum, Routine::dot, Routine::gemv, Routine::gemm};

// Written anew, from the comments of guard.h.
bool admits_all(const Guard& guard, const Context& call) {
  const auto among = [](const auto& list, auto holds) {
    return std::any_of(list.begin(), list.end(), holds);
  };
  bool ok = guard.trans_a == call.trans_a && guard.trans_b == call.trans_b;
  ok &= among(guard.threads, [&](int count) { return count == call.threads; });
  ok &= among(guard.increments, [&](const Increments& pair) {
    return pair.x.least <= call.incx && call.incx <= pair.x.greatest && pair.y.least <= call.incy &&
           call.incy <= pair.y.greatest;
  });
  ok &= guard.row_major || !call.from_row_major;
  for (const int residue : call.addresses) ok &= residue % guard.alignment == 0;
  if (!guard.addresses.residues.empty())
    ok &= among(guard.addresses.residues, [&](const Residues& wanted) {
      for (std::size_t k = 0; k < kAddressPlaces; ++k)
        if (call.addresses[k] % guard.addresses.moduli[k] != wanted[k]) return false;
      return true;
    });
  for (std::size_t k = 0; k < kLeadingPlaces; ++k)
    ok &= guard.leading[k] == Leading::any || (guard.leading[k] == Leading::tight) == call.tight[k];
  ok &= guard.beta == Beta::any || call.beta == Beta::any || guard.beta == call.beta;
  ok &= !guard.finite_only || !call.has_special;
  return ok && (!guard.nonzero_only || !call.has_zero);
}

TEST(Conditions, AdmitWhatTheFieldsSayAndRefuseTheRestInWords) {
  const std::uint64_t seed = std::random_device()();
  RecordProperty("seed", std::to_string(seed));
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  RandomRegions regions(seed);
  const auto pick = [&](std::int64_t lo, std::int64_t hi) {
    return std::uniform_int_distribution<std::int64_t>(lo, hi)(random);
  };
  const std::vector<Order> orders{parse_order("1..9: loop 1 { 0: [.@0 +1 x q]; }")};
  std::set<std::string> refused;
  int admitted = 0;
  for (int k = 0; k < 60'000; ++k) {
    const Entry entry = regions.entry(orders);
    Guard guard = entry.guard;
    std::sort(guard.addresses.residues.begin(), guard.addresses.residues.end());
    Context call;
    call.routine = entry.routine;
    call.type = entry.type;
    // Near what the guard admits: else no call would be admitted.
    call.trans_a = pick(0, 9) > 0 ? guard.trans_a : Trans::yes;
    call.trans_b = guard.trans_b;
    call.threads = pick(0, 9) > 0 ? guard.threads[0] : 2;
    std::tie(call.incx, call.incy) = guard.increments.back().plainest();
    if (pick(0, 9) == 0) call.incx = pick(-2, 2);
    call.from_row_major = pick(0, 3) == 0;
    for (std::size_t place = 0; place < kAddressPlaces; ++place) {
      if (!guard.addresses.residues.empty())
        call.addresses[place] = guard.addresses.residues[0][place];
      if (pick(0, 29) == 0) call.addresses[place] = static_cast<int>(pick(0, 63));
    }
    for (std::size_t place = 0; place < kLeadingPlaces; ++place)
      call.tight[place] = guard.leading[place] != Leading::padded || pick(0, 9) == 0;
    call.beta = static_cast<Beta>(pick(0, 2));
    call.has_special = pick(0, 5) == 0;
    call.has_zero = pick(0, 5) == 0;
    bool all = true;
    for (const Condition& condition : conditions()) {
      if (!has(condition, call.routine)) continue;
      if (condition.admits(guard, call)) continue;
      all = false;
      refused.insert(condition.name);
      EXPECT_NE(condition.refusal(guard, call, name_of(call)), "") << condition.name;
    }
    ASSERT_EQ(all, admits_all(guard, call)) << describe(guard, call.routine);
    admitted += all;
  }
  EXPECT_GT(admitted, 1000);
  // Every row that asks was seen to refuse.
  EXPECT_EQ(refused,
            (std::set<std::string>{"trans", "increments", "threads", "row_major", "alignment",
                                   "addresses", "leading", "beta", "finite_only", "nonzero_only"}));
}

// Keys of one routine never meet, and a guard without demands says only what must be said.
TEST(Conditions, OwnTheirKeys) {
  for (const Routine routine : kRoutines) {
    std::set<std::string> keys, required;
    for (const Condition& condition : conditions()) {
      if (!has(condition, routine)) continue;
      for (const char* key : condition.keys) {
        EXPECT_TRUE(keys.insert(key).second) << key;
        required.insert(key);
      }
      for (const char* key : condition.optional_keys) EXPECT_TRUE(keys.insert(key).second) << key;
    }
    const nlohmann::json written = json_of(vector_guard({{1, 1}}, {1}), routine);
    std::set<std::string> said;
    for (const auto& [key, value] : written.items()) said.insert(key);
    EXPECT_EQ(said, required) << name(routine);
  }
}

// Any bad value of any key is the fault that is named.
TEST(Conditions, BadValuesAreLocated) {
  for (const Routine routine : kRoutines) {
    const std::int64_t y = routine == Routine::sum ? 0 : 1;
    const nlohmann::json good = json_of(vector_guard({{1, y}}, {1}), routine);
    ASSERT_NO_THROW(guard_from(Place(good), routine, Type::f64)) << name(routine);
    for (const Condition& condition : conditions()) {
      if (!has(condition, routine)) continue;
      auto keys = condition.keys;
      keys.insert(keys.end(), condition.optional_keys.begin(), condition.optional_keys.end());
      for (const char* key : keys)
        for (const nlohmann::json& bad :
             {nlohmann::json(-7), nlohmann::json("no such word"), nlohmann::json::object()}) {
          nlohmann::json document = good;
          document[key] = bad;
          try {
            guard_from(Place(document), routine, Type::f64);
            ADD_FAILURE() << name(routine) << " " << key << " took " << bad;
          } catch (const reprosum::ParseError& error) {
            EXPECT_NE(std::string(error.what()).find(key), std::string::npos) << error.what();
          }
        }
    }
  }
}

}  // namespace
}  // namespace reprosum::spec
