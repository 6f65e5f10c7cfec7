// The stored form: canonical bytes, strict reading, and the identity of a spec.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "random_order.h"
#include "sample_orders.h"
#include "sample_regions.h"
#include "spec/error.h"
#include "spec/surface.h"

namespace reprosum::spec {
namespace {

Spec small_spec() {
  Spec spec;
  spec.orders.push_back(parse_order(samples::kHaswellDdot));
  spec.orders.push_back(parse_order(samples::kHaswellSdot));
  const Guard guard = vector_guard({{1, 1}}, {1});
  spec.entries = {entry_of_one_output(Routine::dot, Type::f64, guard, 0, 1'000'000),
                  entry_of_one_output(Routine::dot, Type::f32, guard, 1, 1'000'000)};
  spec.provenance = {{"date", "2024-01-01"}, {"target", "blas:libopenblas.so.0"}};
  spec.refusals.push_back({"ssum", "threads=1", "not_a_tree", "..."});
  canonicalize(spec);
  return spec;
}

void expect_same(const Entry& a, const Entry& b) {
  EXPECT_EQ(a.routine, b.routine);
  EXPECT_EQ(a.type, b.type);
  EXPECT_EQ(a.guard, b.guard);
  EXPECT_EQ(a.regimes, b.regimes);
  EXPECT_EQ(a.m_max, b.m_max);
  EXPECT_EQ(a.n_max, b.n_max);
  EXPECT_EQ(a.certificate, b.certificate);
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
      for (std::size_t k = 0; k < back.entries.size(); ++k)
        expect_same(back.entries[k], spec.entries[k]);
    }
  }
}

TEST(Json, AllRoutinesStandInOneList) {
  const Spec spec = samples::all_routines();
  const std::string text = to_json(spec);
  const Spec back = from_json(text);
  EXPECT_EQ(to_json(back), text);
  EXPECT_EQ(back.orders, spec.orders);
  EXPECT_EQ(back.empty_rules, spec.empty_rules);
  ASSERT_EQ(back.entries.size(), 4u);
  ASSERT_EQ(spec.entries.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(static_cast<std::size_t>(back.entries[k].routine), k);  // by the routine's number
    expect_same(back.entries[k], spec.entries[k]);
  }
  // For a sum or dot product, only what is not the same in all entries is written.
  const nlohmann::json document = nlohmann::json::parse(text);
  for (std::size_t k = 0; k < 2; ++k) {
    const nlohmann::json& entry = document["entries"][k];
    EXPECT_EQ(entry["regimes"], nlohmann::json::parse(R"([{"classes": [{"order": )" +
                                                      std::to_string(order_of(spec.entries[k])) +
                                                      R"(}], "k_max": 100000}])"));
    EXPECT_FALSE(entry.contains("m_max"));
    EXPECT_FALSE(entry.contains("n_max"));
  }
}

// What was not done is left out, and reads as not done; the rest is always said.
TEST(Json, CertificatesSayWhatWasDone) {
  Certificate all;
  all.revealed = {1, 2};
  all.all_nodes = {3};
  all.repetitions = 20;
  all.probed = {4, 5};
  all.probes_per_size = 24;
  all.shapes_learned = 6;
  all.shapes_checked = 7;
  all.outputs_checked = 8;
  all.special_outputs = 9;
  all.classes = {{"sparse", 10}};
  all.every_size_to = 11;
  all.largest = {12, 13, 14};
  all.calls = 15;
  all.seed = UINT64_MAX;
  all.not_checked = {"NaN payloads"};
  Spec spec = samples::all_routines();
  const auto certificate_of = [&](std::size_t entry) {
    return nlohmann::json::parse(to_json(spec))["entries"][entry]["certificate"];
  };
  const nlohmann::json nothing = nlohmann::json::parse(
      R"({"calls": 0, "largest": [0, 0, 0], "not_checked": [], "outputs_checked": 0, "seed": 0,
          "shapes_checked": 0})");
  for (std::size_t k = 0; k < spec.entries.size(); ++k) EXPECT_EQ(certificate_of(k), nothing);
  for (Entry& entry : spec.entries) entry.certificate = all;
  for (std::size_t k = 0; k < spec.entries.size(); ++k) {
    EXPECT_EQ(certificate_of(k).size(), 15u);
    EXPECT_EQ(certificate_of(k)["largest"], nlohmann::json({12, 13, 14}));
  }
  // Each member alone is kept, and says nothing of the others.
  const auto comes_back = [&](const Certificate& certificate) {
    for (Entry& entry : spec.entries) entry.certificate = certificate;
    const Spec back = from_json(to_json(spec));
    for (const Entry& entry : back.entries) EXPECT_EQ(entry.certificate, certificate);
  };
  comes_back({});
  comes_back(all);
  const auto one = [&](auto member) {
    Certificate certificate;
    certificate.*member = all.*member;
    comes_back(certificate);
    certificate = all;
    certificate.*member = {};
    comes_back(certificate);
  };
  one(&Certificate::revealed);
  one(&Certificate::all_nodes);
  one(&Certificate::repetitions);
  one(&Certificate::probed);
  one(&Certificate::probes_per_size);
  one(&Certificate::shapes_learned);
  one(&Certificate::shapes_checked);
  one(&Certificate::outputs_checked);
  one(&Certificate::special_outputs);
  one(&Certificate::classes);
  one(&Certificate::every_size_to);
  one(&Certificate::largest);
  one(&Certificate::calls);
  one(&Certificate::seed);
  one(&Certificate::not_checked);
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
  EXPECT_TRUE(changed([](Spec& s) { s.entries[0].regimes[0].k_max = 7; }));
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
