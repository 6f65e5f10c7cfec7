// The backend that docs/adding_a_backend.md adds, built from the page's own diff.
#include <gtest/gtest.h>

#include <string>

#include "kernels/backends.h"
#include "kernels/kernel.h"
#include "spec/surface.h"

namespace reprosum::kernels {
namespace {

TEST(AddingABackend, TheRowIsListedAndPrintsPrograms) {
  const auto isa = find_isa("program");
  ASSERT_TRUE(isa.has_value()) << isa_names();
  EXPECT_FALSE(can_run(*isa));
  const spec::Order order = spec::parse_order("1..99: loop 1 { 0: [f@0 +1 x q]; }");
  const std::string text = listing(order, spec::Routine::dot, spec::Type::f64, *isa).assembly;
  EXPECT_NE(text.find("fuse"), std::string::npos) << text;
  EXPECT_NE(text.find("loop"), std::string::npos) << text;
  EXPECT_EQ(text.find("add"), std::string::npos) << text;
}

// Nobody gets it who has not asked for it.
TEST(AddingABackend, OrdersAreInterpretedWhereItIsChosen) {
  std::string why;
  const auto kernel = compile<double>(spec::parse_order("1..99: loop 1 { 0: [.@0 +1 x q]; }"),
                                      spec::Routine::sum, {*find_isa("program"), ""}, &why);
  EXPECT_EQ(kernel->isa(), Isa::interpreter);
  EXPECT_EQ(why, "this host cannot run program");
}

}  // namespace
}  // namespace reprosum::kernels
