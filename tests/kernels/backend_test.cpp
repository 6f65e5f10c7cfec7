// The table of backends, and how a row is added to it: this file is all that a new one takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <variant>

#include "kernels/backends.h"
#include "kernels/kernel.h"
#include "spec/evaluate/evaluate.h"
#include "spec/surface.h"
#include "tests/kernels/orders.h"

namespace reprosum::kernels {
namespace {

constexpr const char* kInSequence = "1..999: loop 1 { 0: [.@0 +1 x q]; }";

// A backend that knows one order. Its objects are the order's text, its functions are this one.
double in_sequence(const double* x, const double*, std::int64_t n) {
  double sum = x[0];
  for (std::int64_t i = 1; i < n; ++i) sum += x[i];
  return sum;
}

class Functions : public LoadedObject {
 public:
  void* find(const std::string& name) const override {
    return name == piece_name(0, false) ? reinterpret_cast<void*>(&in_sequence) : nullptr;
  }
};

GeneratedCode print(const CodeTarget&, const CodeRequest& request) {
  GeneratedCode code;
  const auto* order = std::get_if<OrderRequest>(&request);
  if (order != nullptr && order->part == CodePart::single &&
      order->order == spec::parse_order(kInSequence))
    code.bytes = spec::print(order->order);
  else
    code.why = "only one order is known";
  return code;
}

std::shared_ptr<const LoadedObject> load(const std::string&) {
  return std::make_shared<Functions>();
}

constexpr Backend kRow{.name = "no-op",
                       .other_name = "nothing",
                       .target = {},
                       .runs_here = [] { return true; },
                       .print = print,
                       .compile = print,
                       .load = load,
                       .archive = nullptr,
                       .version = [] { return std::string("1"); }};

Isa added() {
  static const Isa isa = add_backend(kRow);
  return isa;
}

TEST(Backends, NamesAreOfTheTable) {
  EXPECT_STREQ(name(Isa::interpreter), "interpreter");
  EXPECT_STREQ(name(Isa::neon), "neon");
  EXPECT_STREQ(name(Isa::sve), "sve");
  EXPECT_STREQ(name(Isa::sve256), "sve256");
  EXPECT_STREQ(name(Isa::sve512), "sve512");
  EXPECT_STREQ(name(Isa::avx2), "avx2");
  EXPECT_STREQ(name(Isa::avx512), "avx512");
  EXPECT_STREQ(name(Isa::opencl), "opencl");
  EXPECT_STREQ(name(Isa::cuda), "cuda");
  for (const Isa isa : all_isas()) {
    EXPECT_EQ(find_isa(name(isa)), isa);
    const std::string other = backend(isa).other_name;
    EXPECT_TRUE(other.empty() || find_isa(other) == isa) << other;
    EXPECT_NE(isa_names().find(name(isa)), std::string::npos);
  }
  EXPECT_EQ(find_isa("x86-64-v3"), Isa::avx2);
  EXPECT_EQ(find_isa("x86-64-v4"), Isa::avx512);
  EXPECT_EQ(find_isa("aarch64"), Isa::neon);
  EXPECT_EQ(find_isa("quantum"), std::nullopt);
  EXPECT_EQ(find_isa(""), std::nullopt);
  EXPECT_EQ(host_isas().front(), Isa::interpreter);
}

// Whether or not there is one: a call on this process's memory is not run on a device.
TEST(Backends, DevicesAreNotForCallsOnOwnMemory) {
  for (const Isa isa : {Isa::opencl, Isa::cuda}) {
    EXPECT_TRUE(backend(isa).on_device);
    EXPECT_FALSE(can_run(isa));
    EXPECT_NE(why_not(isa).find("gpu.h"), std::string::npos) << why_not(isa);
    const auto hosts = host_isas();
    EXPECT_EQ(std::find(hosts.begin(), hosts.end(), isa), hosts.end());
  }
}

// What a host cannot run can be printed and compiled there.
TEST(Backends, EveryPrinterPrints) {
  const spec::Order order = spec::parse_order(kInSequence);
  for (const Isa isa : all_isas()) {
    if (backend(isa).print == nullptr) continue;
    const Listing text = listing(order, spec::Routine::sum, spec::Type::f64, isa);
    EXPECT_FALSE(text.assembly.empty()) << name(isa);
  }
}

TEST(Backends, AnAddedRowIsChosenListedAndRun) {
  const Isa isa = added();
  EXPECT_EQ(find_isa("no-op"), isa);
  EXPECT_EQ(find_isa("nothing"), isa);
  EXPECT_EQ(host_isas().back(), isa);
  EXPECT_THROW(add_backend(kRow), std::exception);

  const spec::Order order = spec::parse_order(kInSequence);
  std::string why;
  const auto kernel = compile<double>(order, spec::Routine::sum, {isa, ""}, &why);
  EXPECT_EQ(why, "");
  EXPECT_EQ(kernel->isa(), isa);
  EXPECT_TRUE(kernel->name().ends_with("_no-op")) << kernel->name();
  std::mt19937_64 random(7);
  const auto x = test::hostile_data<double>(random, 99, false);
  for (std::int64_t n = 1; n <= 99; ++n)
    ASSERT_TRUE(test::same(kernel->call(n, x.data(), nullptr),
                           spec::evaluate<double>(order, n, x.data(), 1, nullptr, 1)))
        << n;
  EXPECT_EQ(listing(order, spec::Routine::sum, spec::Type::f64, isa).assembly, spec::print(order));
}

TEST(Backends, WhatAnAddedRowDoesNotKnowIsInterpreted) {
  std::string why;
  const auto kernel = compile<double>(spec::parse_order("1..99: loop 1 { 0: [f@0 +1 x q]; }"),
                                      spec::Routine::dot, {added(), ""}, &why);
  EXPECT_EQ(kernel->isa(), Isa::interpreter);
  EXPECT_EQ(why, "only one order is known");
}

}  // namespace
}  // namespace reprosum::kernels
