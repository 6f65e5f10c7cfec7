// The stored form: canonical bytes, strict reading, and the identity of a spec.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "random_order.h"
#include "sample_orders.h"
#include "spec/error.h"
#include "spec/surface.h"

namespace reprosum::spec {
namespace {

Spec small_spec() {
  Spec spec;
  spec.orders.push_back(parse_order(samples::kHaswellDdot));
  spec.orders.push_back(parse_order(samples::kHaswellSdot));
  Entry entry;
  entry.guard.increments = {{1, 1}};
  entry.guard.threads = {1};
  entry.n_max = 1'000'000;
  spec.entries.push_back(entry);
  entry.type = Type::f32;
  entry.order = 1;
  spec.entries.push_back(entry);
  spec.provenance = {{"date", "2024-01-01"}, {"target", "blas:libopenblas.so.0"}};
  spec.refusals.push_back({"ssum", "threads=1", "not_a_tree", "..."});
  canonicalize(spec);
  return spec;
}

TEST(Json, OrdersComeBack) {
  for (const char* text : samples::kAll) {
    SCOPED_TRACE(text);
    const Order order = parse_order(text);
    EXPECT_EQ(order_from_json(order_to_json(order)), order);
  }
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Order order = RandomOrders(seed).order();
    const std::string json = order_to_json(order);
    ASSERT_EQ(order_from_json(json), order) << json;
    ASSERT_EQ(order_to_json(order_from_json(json)), json);
  }
}

TEST(Json, UpdatesComeBack) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Order order = RandomOrders(seed).update();
    const std::string json = order_to_json(order);
    ASSERT_EQ(order_from_json(json), order) << json;
    ASSERT_EQ(order_to_json(order_from_json(json)), json);
  }
}

TEST(Json, SpecsComeBackAsTheSameBytes) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Spec spec = RandomOrders(seed).spec();
    for (const int indent : {0, 1}) {
      const std::string json = to_json(spec, indent);
      // Random orders are well formed, and no trees.
      const Spec back = from_json(json, Check::form);
      ASSERT_EQ(to_json(back, indent), json);
      ASSERT_EQ(back.orders, spec.orders);
      ASSERT_EQ(back.provenance, spec.provenance);
      ASSERT_EQ(back.refusals, spec.refusals);
      ASSERT_EQ(back.entries.size(), spec.entries.size());
      ASSERT_EQ(back.matrices.size(), spec.matrices.size());
      for (std::size_t k = 0; k < back.matrices.size(); ++k) {
        EXPECT_EQ(back.matrices[k].guard, spec.matrices[k].guard);
        EXPECT_EQ(back.matrices[k].regimes, spec.matrices[k].regimes);
        EXPECT_EQ(back.matrices[k].certificate, spec.matrices[k].certificate);
      }
      for (std::size_t k = 0; k < back.entries.size(); ++k) {
        EXPECT_EQ(back.entries[k].certificate, spec.entries[k].certificate);
        EXPECT_EQ(back.entries[k].guard, spec.entries[k].guard);
        EXPECT_EQ(back.entries[k].order, spec.entries[k].order);
        EXPECT_EQ(back.entries[k].n_max, spec.entries[k].n_max);
      }
    }
  }
}

TEST(Json, ResidueTablesStaySmall) {
  Order order;
  Loop loop;
  loop.block = 64;
  RandomOrders random(7);
  for (std::int64_t r = 0; r < loop.block; ++r) {
    Schema schema;
    for (int c = 0; c < 100; ++c) {
      Chain chain;
      chain.items.resize(2);
      chain.items[0].at = {64, 1, 3};
      chain.items[0].step.c = 64;
      chain.items[0].times.q = 1;
      chain.items[1].at.c = 17;
      schema.chains.push_back(chain);
    }
    loop.cases.push_back({r, r, schema});
  }
  order.regimes.push_back({1, 1000, loop});
  EXPECT_LT(order_to_json(order).size(), 64u * 100u * 64u);
}

TEST(Json, InvalidUtf8InEvidenceIsReplaced) {
  Spec spec = small_spec();
  spec.provenance[0].second = "bad \xff byte";
  EXPECT_NO_THROW(from_json(to_json(spec)));
}

TEST(Json, HostileNestingIsRefusedWhereItBegins) {
  const std::string deep(10'000'000, '[');
  EXPECT_THROW(from_json(deep), ParseError);
  std::string objects;
  for (int k = 0; k < 1'000'000; ++k) objects += "{\"a\":";
  EXPECT_THROW(from_json(objects), ParseError);
  EXPECT_THROW(from_json(std::string((std::size_t{64} << 20) + 1, ' ')), ParseError);
}

// Found by fuzzing: validate() complained about the whole order and the place was empty.
TEST(Json, AnErrorOfTheWholeOrderHasAPlace) {
  try {
    order_from_json(R"({"regimes":[],"subs":[],"zero_start":0})");
    ADD_FAILURE() << "was accepted";
  } catch (const ParseError& error) {
    EXPECT_EQ(error.where, "/");
  }
}

TEST(Json, DamagedDocumentsAreRefusedOrValid) {
  const std::string json = to_json(small_spec());
  const auto check = [](const std::string& damaged) {
    try {
      from_json(damaged);
    } catch (const ParseError& error) {
      EXPECT_TRUE(error.where.rfind("byte ", 0) == 0 || error.where.rfind("/", 0) == 0)
          << error.what();
    }
  };
  for (std::size_t length = 0; length < json.size(); length += 5) check(json.substr(0, length));
  for (std::size_t at = 0; at < json.size(); at += 3)
    for (const char c : {'0', '-', '"', '}', '.', '\0', '\xff'}) {
      std::string damaged = json;
      damaged[at] = c;
      check(damaged);
    }
}

TEST(Hash, CoversTheMeaningAndNothingElse) {
  const Spec spec = small_spec();
  const std::string hash = meaning_hash(spec);
  EXPECT_EQ(hash.size(), 64u);
  Spec same = spec;
  same.provenance = {{"x", "y"}};
  same.refusals.clear();
  same.entries[0].certificate.calls = 99;
  std::reverse(same.entries.begin(), same.entries.end());
  same.orders.push_back(parse_order(samples::kSequential));  // no entry refers to it
  EXPECT_EQ(meaning_hash(same), hash);

  const auto changed = [&](auto change) {
    Spec other = spec;
    change(other);
    return meaning_hash(other) != hash;
  };
  EXPECT_TRUE(changed([](Spec& s) { s.entries[0].n_max = 7; }));
  EXPECT_TRUE(changed([](Spec& s) { s.entries[0].type = Type::f64; }));
  EXPECT_TRUE(changed([](Spec& s) { s.entries[0].routine = Routine::sum; }));
  EXPECT_TRUE(changed([](Spec& s) { s.entries[0].guard.threads = {2}; }));
  EXPECT_TRUE(changed([](Spec& s) { s.orders[0].zero_start = true; }));
  EXPECT_TRUE(changed([](Spec& s) { s.orders[0].flush = Flush::both; }));
  EXPECT_TRUE(changed([](Spec& s) { s.entries.pop_back(); }));
}

TEST(Hash, IsTheSha256OfTheCanonicalOrder) {
  // echo -n '<the JSON>' | sha256sum
  const Order order = parse_order("1: trees { 1: [.@0]; }");
  ASSERT_EQ(order_to_json(order),
            R"({"regimes":[{"hi":1,"lo":1,"rule":{"entries":[{"chains":[["narrow",["."]]],"n":1}],)"
            R"("kind":"trees"}}],"subs":[],"zero_start":0})");
  EXPECT_EQ(meaning_hash(order),
            "73978fcfcd886836e53aa05190f2b58a5fb48cb340e7642aadc5dd7f21fb64fa");
}

// A document without the key means what it meant, and has the hash that it had.
TEST(Json, FlushIsWrittenWhereItIs) {
  const std::string rest = "1: trees { 1: [.@0]; }";
  const Order kept = parse_order(rest);
  EXPECT_EQ(order_to_json(kept).find("flush"), std::string::npos);
  std::set<std::string> hashes{meaning_hash(kept)};
  for (const std::string word : {"inputs", "results", "both"}) {
    const Order order = parse_order("flush " + word + " " + rest);
    const std::string json = order_to_json(order);
    EXPECT_TRUE(json.starts_with("{\"flush\":\"" + word + "\",")) << json;
    EXPECT_EQ(order_from_json(json), order);
    EXPECT_NE(order, kept);
    hashes.insert(meaning_hash(order));
  }
  EXPECT_EQ(hashes.size(), 4u);
}

TEST(Order, EqualityOrderAndHashAgree) {
  std::vector<Order> orders;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) orders.push_back(RandomOrders(seed).order());
  orders.push_back(orders[0]);
  std::vector<std::string> hashes, texts;
  for (const Order& order : orders) {
    hashes.push_back(meaning_hash(order));
    texts.push_back(print(order));
  }
  for (std::size_t i = 0; i < orders.size(); ++i)
    for (std::size_t k = 0; k < orders.size(); ++k) {
      const Order &a = orders[i], &b = orders[k];
      const bool equal = a == b;
      EXPECT_EQ(equal, (a <=> b) == 0);
      EXPECT_EQ(equal, hashes[i] == hashes[k]);
      EXPECT_EQ(equal, texts[i] == texts[k]);
      EXPECT_EQ(a<b, b> a);
      for (const Order& c : orders)
        if (a < b && b < c) {
          EXPECT_LT(a, c);
        }
    }
}

}  // namespace
}  // namespace reprosum::spec
