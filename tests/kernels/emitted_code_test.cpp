// Each emitted function, disassembled: it has the kinds of operations that its program has, in the
// same formats, and no others; and it fuses where the plan does.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "kernels/backends.h"
#include "kernels/compile_thread.h"
#include "kernels/matrix/order_tiles.h"
#include "kernels/plan/fold.h"
#include "kernels/plan/pieces.h"
#include "kernels/program/lower_rule.h"
#include "kernels/program/lower_tile.h"
#include "kernels/program/widths.h"
#include "spec/surface.h"
#include "tests/kernels/disassembly.h"
#include "tests/kernels/orders.h"
#include "tests/kernels/update_orders.h"
#include "tests/paths.h"

namespace reprosum::kernels {
namespace {

using test::Operation;
using test::Operations;

void collect(const program::Block& block, bool is_f64, Operations& operations) {
  using program::Op;
  for (const program::Instruction& one : block) {
    const bool wide = is_f64 || one.type.wide;
    if (one.op == Op::add) operations.insert({Operation::Kind::add, wide});
    if (one.op == Op::multiply) operations.insert({Operation::Kind::multiply, wide});
    if (one.op == Op::fuse) operations.insert({Operation::Kind::fuse, wide});
    for (const program::Block& inner : one.blocks) collect(inner, is_f64, operations);
  }
}

Operations wanted(const program::Program& program, spec::Type type) {
  Operations operations;
  collect(program.body, type == spec::Type::f64, operations);
  return operations;
}

bool fuses(const Plan& plan) {
  const auto is_fused = [](spec::Scale scale) { return scale == spec::Scale::fused; };
  for (const PlanNode& node : plan.nodes)
    if (node.kind == PlanNode::Kind::fuse || node.kind == PlanNode::Kind::fuse_out ||
        is_fused(node.scale))
      return true;
  for (const Run& run : plan.runs)
    for (const Addend& addend : run.body)
      for (const BodyOp& op : addend)
        if (is_fused(op.scale) || (op.is_summand() && op.leaf == spec::Leaf::fused)) return true;
  return false;
}

bool has_fuse(const Operations& operations) {
  return std::any_of(operations.begin(), operations.end(),
                     [](const Operation& one) { return one.kind == Operation::Kind::fuse; });
}

// What a test of one backend has seen.
struct Seen {
  std::size_t functions = 0, fused = 0, unfused = 0;
};

class Checker {
 public:
  explicit Checker(Isa isa) : isa_(isa) {}

  void order(const std::string& name, const spec::Order& order, spec::Routine routine,
             spec::Type type) {
    for (const CodePart part : {CodePart::single, CodePart::strided, CodePart::batch}) {
      const GeneratedCode code =
          backend(isa_).compile(code_target(isa_), OrderRequest{order, routine, type, part});
      if (code.bytes.empty()) continue;
      const auto functions = test::disassembled(code.bytes, code_target(isa_));
      const std::vector<Piece> pieces = pieces_of(order);
      for (std::size_t k = 0; k < pieces.size(); ++k) {
        RulePlan plan;
        std::string why;
        if (!plan_piece(pieces[k], type, plan, why)) continue;
        for (const auto& [function, shape] : shapes(k, part, plan.is_wide)) {
          const auto found = functions.find(function);
          if (found == functions.end()) continue;
          const unsigned bits =
              program::narrowed(code_target(isa_).vector_bits, program::loop_bits(plan, type));
          check(name + ", " + function,
                wanted(program::lower_rule(plan, routine, type, shape, bits), type), found->second);
          bool any = false;
          for (const auto* plans : {&plan.hot, &plan.cold})
            for (const Plan& one : *plans) any = any || fuses(one);
          EXPECT_LE(has_fuse(found->second), any) << name << ", " << function;
        }
      }
    }
  }

  void update(const std::string& name, const spec::Order& order, spec::Type type) {
    for (const OutputMode mode : {OutputMode::value, OutputMode::zero}) {
      const OrderTiles tiles(with_output(order, mode), type, isa_, "");
      for (const std::int64_t n : {2, 75}) {
        std::vector<FoldStep> steps;
        std::string why;
        if (fold_of(tiles.order(), n, mode, tiles, steps, why)) add_steps(name, tiles, steps, type);
      }
    }
  }

  const Seen& seen() const { return seen_; }

 private:
  static std::vector<std::pair<std::string, program::FunctionShape>> shapes(std::size_t k,
                                                                            CodePart part,
                                                                            bool wide) {
    if (part == CodePart::single) return {{piece_name(k, wide), {piece_name(k, wide)}}};
    if (part == CodePart::strided)
      return {{strided_name(k, wide), {strided_name(k, wide), 0, false, true}}};
    std::vector<std::pair<std::string, program::FunctionShape>> all;
    for (const int rows : program::kBatchRows)
      for (const bool shared : {false, true})
        all.push_back({batch_name(k, rows, shared), {batch_name(k, rows, shared), rows, shared}});
    return all;
  }

  void add_steps(const std::string& name, const OrderTiles& tiles,
                 const std::vector<FoldStep>& steps, spec::Type type) {
    for (const FoldStep& step : steps) {
      add_steps(name, tiles, step.steps, type);
      PiecePlan at;
      std::string why;
      if (step.kind != FoldStep::Kind::piece || !tiles.plan_of(*step.rule, step.n, at, why))
        continue;
      TileShape shape{1, 2};
      shape.ending = static_cast<Ending>(seen_.functions % 7);
      if (std::find(known_.begin(), known_.end(), tiles.what(at, shape)) != known_.end()) continue;
      known_.push_back(tiles.what(at, shape));
      const Plan& plan = tiles.plan(at);
      const GeneratedCode code =
          backend(isa_).compile(code_target(isa_), TileRequest{plan, type, shape, "tile"});
      const auto functions = test::disassembled(code.bytes, code_target(isa_));
      ASSERT_TRUE(functions.contains("tile")) << name;
      const auto program =
          program::lower_tile(plan, type, shape, "tile", code_target(isa_).vector_bits);
      check(name + ", tile of n = " + std::to_string(step.n) + ", " + shape.text(),
            wanted(program, type), functions.at("tile"));
      const bool ends_fused = shape.ending == Ending::fuse_output ||
                              shape.ending == Ending::scaled_fuse ||
                              shape.ending == Ending::fuse_scaled;
      EXPECT_EQ(has_fuse(functions.at("tile")), ends_fused || fuses(plan)) << name << shape.text();
    }
  }

  void check(const std::string& what, const Operations& wanted, const Operations& found) {
    EXPECT_EQ(text(found), text(wanted)) << name(isa_) << ", " << what;
    ++seen_.functions;
    ++(has_fuse(found) ? seen_.fused : seen_.unfused);
  }

  const Isa isa_;
  Seen seen_;
  std::vector<std::string> known_;
};

class EmittedCode : public testing::TestWithParam<Isa> {};

TEST_P(EmittedCode, HasTheOperationsOfItsPrograms) {
  Checker checker(GetParam());
  on_compile_thread([&] {
    for (const auto& named : test::library_orders())
      checker.order(named.name, spec::parse_order(named.text), named.routine, named.type);
    for (const auto& named : test::library_updates())
      if (named.generated) checker.update(named.name, spec::parse_order(named.text), named.type);
  });
  EXPECT_GT(checker.seen().functions, 60u);
  EXPECT_GT(checker.seen().fused, 20u);
  EXPECT_GT(checker.seen().unfused, 10u);
}

// REPROSUM_CODE_SPECS: captured specs, separated by colons.
TEST_P(EmittedCode, OfCapturedSpecsToo) {
  const char* const files = std::getenv("REPROSUM_CODE_SPECS");
  std::string all = files == nullptr ? "" : files;
  const std::string library = REPROSUM_SOURCE_DIR "/spec/library/";
  if (all.empty()) all = library + "reference-3.11.0.json:" + library + "numpy-1.24-sum.json";
  Checker checker(GetParam());
  for (std::size_t from = 0, to = 0; from < all.size(); from = to + 1) {
    to = std::min(all.find(':', from), all.size());
    std::ifstream file(all.substr(from, to - from));
    const std::string json{std::istreambuf_iterator<char>(file), {}};
    const spec::Spec spec = spec::from_json(json);
    on_compile_thread([&] {
      for (const spec::Entry& entry : spec.entries)
        checker.order(spec::blas_name(entry.routine, entry.type), spec.orders.at(entry.order),
                      entry.routine, entry.type);
      for (const spec::MatrixEntry& entry : spec.matrices)
        for (const spec::MatrixRegime& regime : entry.regimes)
          for (const spec::MatrixClass& output : regime.classes)
            checker.update(spec::blas_name(entry.routine, entry.type), spec.orders.at(output.order),
                           entry.type);
    });
  }
  std::printf("%s: %zu functions, %zu of them fuse\n", name(GetParam()), checker.seen().functions,
              checker.seen().fused);
  EXPECT_GT(checker.seen().functions, 2u);
}

INSTANTIATE_TEST_SUITE_P(All, EmittedCode,
                         testing::Values(Isa::avx2, Isa::avx512, Isa::neon, Isa::sve256),
                         [](const auto& test) { return std::string(name(test.param)); });

// What the checks above would say of other code.
TEST(Disassembly, TellsKindsAndFormatsApart) {
  const auto of = [](const char* text, spec::Type type, spec::Routine routine) {
    GeneratedCode code;
    const spec::Order order = spec::parse_order(text);
    on_compile_thread([&] {
      code = backend(Isa::avx2).compile(code_target(Isa::avx2),
                                        OrderRequest{order, routine, type, CodePart::single});
    });
    return test::text(test::disassembled(code.bytes, code_target(Isa::avx2)).begin()->second);
  };
  const char* const rounded = "1..99: loop 1 { 0: [.@0 +1 x q]; }";
  EXPECT_EQ(of(rounded, spec::Type::f32, spec::Routine::dot), "add32 multiply32");
  EXPECT_EQ(of(rounded, spec::Type::f64, spec::Routine::dot), "add64 multiply64");
  EXPECT_EQ(of(rounded, spec::Type::f64, spec::Routine::sum), "add64");
  EXPECT_EQ(of("1..99: loop 1 { 0: [f@0 +1 x q]; }", spec::Type::f64, spec::Routine::dot),
            "multiply64 fuse64");
}

}  // namespace
}  // namespace reprosum::kernels
