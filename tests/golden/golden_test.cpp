// Golden lists: the same numbers on every host, text that is read as it was written, and devices
// that are told apart by them.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

#include "spec/error.h"
#include "spec/json.h"
#include "spec/surface.h"
#include "tests/golden/golden_list.h"
#include "tests/paths.h"

namespace reprosum::golden {
namespace {

spec::Spec shipped(const std::string& name) {
  std::ifstream file(REPROSUM_SOURCE_DIR "/spec/library/" + name);
  return spec::from_json(std::string(std::istreambuf_iterator<char>(file), {}));
}

// One order over sums and dots, in one entry each.
spec::Spec small_spec(const std::string& order) {
  spec::Spec spec;
  spec.orders = {spec::parse_order(order)};
  for (const spec::Routine routine : {spec::Routine::sum, spec::Routine::dot})
    spec.entries.push_back(spec::entry_of_one_output(routine, spec::Type::f32, {}, 0, 3000));
  return spec;
}

std::vector<Call> interpreted(const spec::Spec& spec) {
  SpecCalls calls(spec);
  std::vector<Call> out;
  std::string why;
  for (Call call : calls.all())
    if (calls.interpret(call, why)) out.push_back(call);
  return out;
}

constexpr const char* kOneLane = "1..100000: loop 1 { 0: [.@0 +1 x q]; }";
constexpr const char* kTwoLanes =
    "1..100000: loop 2 { 0..1: a = [.@0 +2 x q]; [a@0 a@1 .@2q +1 x r]; }";

TEST(Golden, ListsAreMadeOfNumbersAlone) {
  const spec::Spec spec = small_spec(kOneLane);
  const std::vector<Call> first = interpreted(spec), second = interpreted(spec);
  ASSERT_GT(first.size(), 40U);
  const std::string text = print({{"a.json", spec::meaning_hash(spec), first}});
  EXPECT_EQ(text, print({{"a.json", spec::meaning_hash(spec), second}}));
  const std::vector<OfSpec> read = parse(text);
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].calls.size(), first.size());
  EXPECT_EQ(print(read), text);
}

TEST(Golden, WhatIsNoListIsRefused) {
  const std::string text = print({{"a.json", "meaning", interpreted(small_spec(kOneLane))}});
  EXPECT_THROW(parse(""), UserError);
  EXPECT_THROW(parse("reprosum golden 2\n"), UserError);
  EXPECT_THROW(parse(text + "sum 1 2 3\n"), UserError);
  EXPECT_THROW(parse(text.substr(0, text.size() - 2)), UserError);
  EXPECT_THROW(parse("reprosum golden 1\nsum 0 5 20 0 1 a b\n"), UserError);
}

// Another order, other values; one summand has but one order.
TEST(Golden, ValuesTellOrdersApart) {
  const std::vector<Call> one = interpreted(small_spec(kOneLane)),
                          two = interpreted(small_spec(kTwoLanes));
  ASSERT_EQ(one.size(), two.size());
  for (std::size_t k = 0; k < one.size(); ++k) {
    EXPECT_EQ(one[k].inputs, two[k].inputs);
    if (one[k].shape.k >= 4) {
      EXPECT_NE(one[k].outputs, two[k].outputs) << one[k].shape.k;
    }
  }
}

// Every routine and every order that entries of the shipped specs have.
TEST(Golden, ListsHaveEveryOrderOfSums) {
  const spec::Spec spec = shipped("openblas-0.3.21-Nehalem.json");
  std::set<std::size_t> listed, had;
  std::set<std::string> routines, all_routines;
  for (const Call& call : SpecCalls(spec).all()) {
    const spec::Entry& entry = spec.entries[call.entry];
    EXPECT_EQ(call.is_product, spec::has_matrices(entry.routine));
    if (!call.is_product) listed.insert(spec::order_of(entry));
    routines.insert(spec::blas_name(entry.routine, entry.type));
  }
  for (const spec::Entry& entry : spec.entries) {
    if (!spec::has_matrices(entry.routine)) had.insert(spec::order_of(entry));
    all_routines.insert(spec::blas_name(entry.routine, entry.type));
  }
  EXPECT_EQ(listed, had);
  EXPECT_EQ(routines, all_routines);
}

TEST(Golden, ADeviceGivesTheListAndThatOfNoOtherOrder) {
  std::shared_ptr<kernels::device::OpenDevice> device;
  try {
    device = kernels::device::open_device(kernels::device::Dialect::opencl, 0, "");
  } catch (const EnvironmentError& e) {
    GTEST_SKIP() << e.what();
  }
  runtime::DeviceWork work(device);
  const spec::Spec spec = small_spec(kOneLane), other = small_spec(kTwoLanes);
  SpecCalls calls(spec), others(other);
  const std::vector<Call> listed = interpreted(spec);
  for (std::size_t k = 0; k < listed.size(); ++k) {
    const Call got = calls.run(listed[k], work);
    EXPECT_EQ(got.inputs, listed[k].inputs) << calls.describe(listed[k]);
    EXPECT_EQ(got.outputs, listed[k].outputs) << calls.describe(listed[k]);
    if (listed[k].shape.k >= 4) {
      EXPECT_NE(others.run(listed[k], work).outputs, listed[k].outputs);
    }
  }
}

}  // namespace
}  // namespace reprosum::golden
