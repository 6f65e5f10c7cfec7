// Each emitted function, disassembled: it has the kinds of operations that its program has, in the
// same formats, and no others; and it fuses where the plan does.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>
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
#include "tests/kernels/captured_orders.h"
#include "tests/kernels/disassembly.h"
#include "tests/kernels/orders.h"
#include "tests/kernels/update_orders.h"

namespace reprosum::kernels {
namespace {

using test::Operation;
using test::Operations;

// What the instructions of a program leave to be computed.
class Collector {
 public:
  explicit Collector(spec::Type type) : is_f64_(spec::is_f64(type)) {}

  void add(const program::Block& block) {
    for (const program::Instruction& one : block) {
      add(one);
      for (const program::Block& inner : one.blocks) add(inner);
    }
  }
  Operations operations;

 private:
  // What is made of constants alone, as +0 + +0, is a constant of the same bits.
  bool is_constant(const program::Instruction& one) const {
    if (one.op == program::Op::constant) return true;
    const auto known = [&](program::Id id) { return constants_.contains(id); };
    if (one.op == program::Op::gather)
      return std::all_of(one.picks.begin(), one.picks.end(),
                         [&](const auto& pick) { return known(pick.first); });
    return one.id >= 0 && !one.args.empty() && std::all_of(one.args.begin(), one.args.end(), known);
  }
  void add(const program::Instruction& one) {
    using program::Op;
    if (is_constant(one)) {
      constants_.insert(one.id);
      return;
    }
    const bool wide = is_f64_ || one.type.wide;
    if (one.op == Op::add) operations.insert({Operation::Kind::add, wide});
    if (one.op == Op::multiply) operations.insert({Operation::Kind::multiply, wide});
    if (one.op == Op::fuse) operations.insert({Operation::Kind::fuse, wide});
  }

  const bool is_f64_;
  std::set<program::Id> constants_;
};

Operations wanted(const program::Program& program, spec::Type type) {
  Collector collector(type);
  collector.add(program.body);
  return collector.operations;
}

bool fuses(const Plan& plan) {
  const auto is_fused = [](spec::Scale scale) { return scale == spec::Scale::fused; };
  for (const PlanNode& node : plan.nodes) {
    if (node.kind == PlanNode::Kind::fuse || node.kind == PlanNode::Kind::fuse_out ||
        is_fused(node.scale))
      return true;
    if (node.kind != PlanNode::Kind::run) continue;
    for (const Addend& addend : plan.runs[static_cast<std::size_t>(node.run)].body)
      for (const BodyOp& op : addend)
        if (is_fused(op.scale) || (op.is_summand() && op.leaf == spec::Leaf::fused)) return true;
  }
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

  void update(const std::string& name, const spec::Order& order, spec::Type type,
              const std::vector<std::int64_t>& lengths) {
    for (const OutputMode mode : {OutputMode::value, OutputMode::zero, OutputMode::dropped}) {
      const OrderTiles tiles(with_output(order, mode), type, isa_, "");
      for (const std::int64_t n : lengths) {
        std::vector<FoldStep> steps;
        if (test::fold_if_defined(tiles, n, mode, steps)) add_steps(name, tiles, steps, type);
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
      const std::string piece = name + ", n = " + std::to_string(step.n);
      add_part(piece, tiles, at, type);
      if (PiecePlan run = at; tiles.repeat(Ending::add_scaled, 3, run))
        add_part(piece + " three times", tiles, run, type);
      const Cut* const cut = tiles.cut(at);
      if (cut == nullptr) continue;
      at.part = PiecePlan::Part::slice;
      add_part(piece + ", a slice", tiles, at, type);
      at.part = PiecePlan::Part::rest;
      if (!cut->rest.nodes.empty()) add_part(piece + ", behind slices", tiles, at, type);
    }
  }

  // As a tile, and by rows where the plan can be that.
  void add_part(const std::string& piece, const OrderTiles& tiles, const PiecePlan& at,
                spec::Type type) {
    TileShape tile{1, 2}, by_rows;
    by_rows.rows = tiles.rows_at_once(at);
    add_tile(piece, tiles, at, tile, type);
    if (by_rows.rows > 0) add_tile(piece, tiles, at, by_rows, type);
  }

  void add_tile(const std::string& piece, const OrderTiles& tiles, const PiecePlan& at,
                TileShape shape, spec::Type type) {
    if (!known_.insert(tiles.what(at, shape)).second) return;
    shape.ending = static_cast<Ending>(seen_.functions % 7);
    const Plan& plan = tiles.plan(at);
    const CodeTarget target = code_target(isa_);
    const GeneratedCode code =
        backend(isa_).compile(target, TileRequest{plan, type, shape, "tile"});
    const auto functions = test::disassembled(code.bytes, target);
    const std::string what = piece + ", " + shape.text();
    ASSERT_TRUE(functions.contains("tile")) << what;
    const unsigned bits = shape.rows > 0
                              ? program::row_width(plan, type, target.vector_bits).vector_bits
                              : target.vector_bits;
    check(what, wanted(program::lower_tile(plan, type, shape, "tile", bits), type),
          functions.at("tile"));
    const bool ends_fused = shape.ending == Ending::fuse_output ||
                            shape.ending == Ending::scaled_fuse ||
                            shape.ending == Ending::fuse_scaled;
    EXPECT_EQ(has_fuse(functions.at("tile")), ends_fused || fuses(plan)) << what;
  }

  void check(const std::string& what, const Operations& wanted, const Operations& found) {
    EXPECT_EQ(text(found), text(wanted)) << name(isa_) << ", " << what;
    ++seen_.functions;
    ++(has_fuse(found) ? seen_.fused : seen_.unfused);
  }

  const Isa isa_;
  Seen seen_;
  std::set<std::string> known_;
};

class EmittedCode : public testing::TestWithParam<Isa> {};

TEST_P(EmittedCode, HasTheOperationsOfItsPrograms) {
  Checker checker(GetParam());
  on_compile_thread([&] {
    for (const auto& named : test::library_orders())
      checker.order(named.name, spec::parse_order(named.text), named.routine, named.type);
    for (const auto& named : test::library_updates())
      if (named.generated)
        checker.update(named.name, spec::parse_order(named.text), named.type, {75});
  });
  EXPECT_GT(checker.seen().functions, 60u);
  EXPECT_GT(checker.seen().fused, 20u);
  EXPECT_GT(checker.seen().unfused, 10u);
}

// One update in forty; all of them in the test emitted_code_library.
TEST_P(EmittedCode, OfCapturedSpecsToo) {
  const auto captured = test::captured_orders(40);
  Checker checker(GetParam());
  on_compile_thread([&] {
    for (const test::CapturedOrder& one : captured)
      if (one.is_update())
        checker.update(one.name, one.order, one.type, {1, 2, 19, 75, 450});
      else
        checker.order(one.name, one.order, one.routine, one.type);
  });
  std::printf("%s: %zu orders, %zu functions, %zu of them fuse\n", name(GetParam()),
              captured.size(), checker.seen().functions, checker.seen().fused);
  EXPECT_GT(checker.seen().functions, captured.size());
  EXPECT_GT(checker.seen().fused, 0u);
  EXPECT_GT(checker.seen().unfused, 0u);
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
