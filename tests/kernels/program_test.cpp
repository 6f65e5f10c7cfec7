// Programs: what each pass promises, and that the verifier finds faults.
#include "kernels/program/program.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "kernels/plan/pieces.h"
#include "kernels/program/lower_rule.h"
#include "kernels/program/lower_tile.h"
#include "kernels/program/schedule.h"
#include "kernels/program/widths.h"
#include "spec/surface.h"
#include "tests/kernels/orders.h"

namespace reprosum::kernels::program {
namespace {

// The plans of every piece of the orders of the tests.
void each_plan(const std::function<void(const test::NamedOrder&, const RulePlan&)>& f) {
  auto orders = test::library_orders();
  for (test::NamedOrder& order : test::synthetic_orders()) orders.push_back(std::move(order));
  for (test::NamedOrder& order : test::many_lanes_orders()) orders.push_back(std::move(order));
  std::size_t plans = 0;
  for (const test::NamedOrder& named : orders) {
    const spec::Order order = spec::parse_order(named.text);
    for (const Piece& piece : pieces_of(order)) {
      RulePlan plan;
      std::string why;
      if (!plan_piece(piece, named.type, plan, why)) continue;
      SCOPED_TRACE(named.name);
      f(named, plan);
      ++plans;
    }
  }
  EXPECT_GT(plans, 20u);
}

void each_program(const std::function<void(const Program&)>& f) {
  each_plan([&](const test::NamedOrder& named, const RulePlan& plan) {
    for (const unsigned bits : {256U, 512U})
      for (const int rows : {0, 4}) {
        f(lower_rule(plan, named.routine, named.type, {"one", rows, false, false}, bits));
        f(lower_rule(plan, named.routine, named.type, {"one", rows, rows > 0, rows == 0}, bits));
      }
  });
}

// f(instruction) for each, inner ones included.
void each_instruction(Block& block, const std::function<void(Instruction&)>& f) {
  for (Instruction& i : block) {
    f(i);
    for (Block& inner : i.blocks) each_instruction(inner, f);
  }
}

// f(load) for each load that some q and r of the domain reach.
void each_load(Block& block, spec::Domain domain, bool reached,
               const std::function<void(Instruction&)>& f) {
  for (Instruction& i : block) {
    if (i.op == Op::load && reached) f(i);
    for (std::size_t k = 0; k < i.blocks.size(); ++k) {
      spec::Domain inside = domain;
      if (i.op == Op::choose) {
        const auto [lo, hi] = i.choice.ranges[k];
        (i.choice.by_q ? inside.q_lo : inside.r_lo) = lo;
        (i.choice.by_q ? inside.q_hi : inside.r_hi) = hi;
      }
      const bool turns =
          i.op != Op::loop ||
          inside.greatest(i.loop.count - spec::Linear{0, 0, i.loop.first + i.loop.each}) >= 0;
      each_load(i.blocks[k], inside, reached && turns, f);
    }
  }
}

void expect_schedule(const Plan& plan, const Schedule& schedule) {
  std::set<int> made;
  for (const Group& group : schedule) {
    std::vector<int> nodes;
    for (const std::vector<int>& vector : group.vectors) {
      EXPECT_TRUE(vector.size() == 1 || vector.size() % 2 == 0);
      nodes.insert(nodes.end(), vector.begin(), vector.end());
    }
    for (const int k : nodes) {
      const PlanNode& node = plan.nodes[static_cast<std::size_t>(k)];
      EXPECT_EQ(node.kind == PlanNode::Kind::run, group.is_loop);
      EXPECT_TRUE(node.left < 0 || made.contains(node.left)) << "an operand comes later";
      EXPECT_TRUE(node.right < 0 || made.contains(node.right)) << "an operand comes later";
      if (group.is_loop) {
        const auto count = [&](int of) {
          return plan.runs[static_cast<std::size_t>(plan.nodes[static_cast<std::size_t>(of)].run)]
              .count;
        };
        EXPECT_EQ(count(k), count(nodes[0])) << "runs of one loop have one count";
      }
    }
    for (const int k : nodes) EXPECT_TRUE(made.insert(k).second) << "node " << k << " twice";
  }
  EXPECT_EQ(made.size(), plan.nodes.size());
}

TEST(Schedule, HasEveryNodeOnceAndBehindItsOperands) {
  each_plan([](const test::NamedOrder&, const RulePlan& rule) {
    for (const auto* plans : {&rule.cold, &rule.hot})
      for (const Plan& plan : *plans) {
        expect_schedule(plan, together(plan, {}));
        expect_schedule(plan, in_turn(plan));
      }
  });
}

TEST(Program, IsVerifiedAndTheSameEveryTime) {
  each_plan([](const test::NamedOrder& named, const RulePlan& plan) {
    const FunctionShape shape{"one", 0, false, false};
    const Program once = lower_rule(plan, named.routine, named.type, shape, 256);
    EXPECT_EQ(verify(once), "") << print(once);
    EXPECT_EQ(once, lower_rule(plan, named.routine, named.type, shape, 256));
    EXPECT_EQ(print(once).find('?'), std::string::npos);
  });
  each_program([](const Program& program) { EXPECT_EQ(verify(program), "") << print(program); });
}

TEST(Program, ATileIsVerified) {
  const spec::Order order = spec::parse_order(
      "1..9999: loop 4 { 0..3: L = [0 f@0 +4 x q]; [[L@0 L@2]@0 [L@1 L@3]@0 .@4q +1 x r]; }");
  RulePlan rule;
  std::string why;
  ASSERT_TRUE(plan_rule(order.regimes[0], rule, why)) << why;
  for (const Plan& plan : rule.hot)
    for (const bool masked : {false, true})
      for (const int rows : {0, 4}) {
        TileShape shape;
        shape.rows = rows;
        if (rows == 0) shape.vectors = 2, shape.columns = 3, shape.masked = masked;
        const Program program = lower_tile(plan, spec::Type::f32, shape, "tile", 256);
        EXPECT_EQ(verify(program), "") << print(program);
      }
}

// A fault in any load, wherever it stands: the verifier must see each.
TEST(Verifier, SeesEveryPlaceThatLeavesTheOperand) {
  std::size_t planted = 0;
  each_program([&](const Program& sound) {
    Program copy = sound;
    std::size_t loads = 0;
    each_load(copy.body, copy.domain, true, [&](Instruction&) { ++loads; });
    for (std::size_t at = 0; at < loads; at += 1 + loads / 16) {
      for (const int fault : {0, 1, 2, 3, 4}) {
        Program wrong = sound;
        std::size_t k = 0;
        each_load(wrong.body, wrong.domain, true, [&](Instruction& i) {
          if (k++ != at) return;
          Access& a = i.access;
          if (fault == 0) a.at = a.at - spec::Linear{0, 0, spec::kMaxLeaves};
          if (fault == 1) a.at = a.at + spec::Linear{sound.block, 1, 0};
          if (fault == 2) a.down = sound.down;
          if (fault == 3) a.operand = 7;
          if (fault == 4) a.offsets.back() += spec::kMaxLeaves;
        });
        EXPECT_NE(verify(wrong), "") << fault << "\n" << print(wrong);
        ++planted;
      }
    }
  });
  EXPECT_GT(planted, 1000u);
}

TEST(Verifier, SeesALoopThatRunsTooFar) {
  std::size_t planted = 0;
  each_program([&](const Program& sound) {
    Program wrong = sound;
    bool reads = false;
    each_instruction(wrong.body, [&](Instruction& i) {
      if (i.op != Op::loop) return;
      i.loop.count = i.loop.count + spec::Linear{sound.block, 1, 0};
      for (const Instruction& inner : i.blocks[0])
        reads = reads || (inner.op == Op::load && inner.access.per_iteration > 0);
    });
    if (!reads) return;
    EXPECT_NE(verify(wrong), "") << print(wrong);
    ++planted;
  });
  EXPECT_GT(planted, 20u);
}

TEST(Verifier, SeesValuesThatDoNotExist) {
  each_program([](const Program& sound) {
    Program wrong = sound;
    Block* block = &wrong.body;
    while (block->front().op == Op::choose) block = &block->front().blocks.back();
    // What the first instruction makes is used by another one.
    block->erase(block->begin());
    EXPECT_NE(verify(wrong), "") << print(wrong);
    wrong = sound;
    each_instruction(wrong.body, [](Instruction& i) {
      if (!i.args.empty()) i.args[0] = 1'000'000;
    });
    EXPECT_NE(verify(wrong), "");
    wrong = sound;
    each_instruction(wrong.body, [](Instruction& i) {
      if (i.op == Op::give || i.op == Op::store) i.args[0] = 0;
      if (i.op == Op::load) i.type.lanes *= 2;
    });
    EXPECT_NE(verify(wrong), "");
  });
}

TEST(Verifier, SeesWhatFollowsAnEnd) {
  each_program([](const Program& sound) {
    Program wrong = sound;
    const Instruction last = wrong.body.back();
    wrong.body.push_back(last);
    EXPECT_NE(verify(wrong), "");
  });
}

// The last block of a choice is taken for whatever no range holds: it was proved for its own alone.
TEST(Verifier, SeesChoicesThatLeaveSomethingOut) {
  std::size_t planted = 0;
  each_program([&](const Program& sound) {
    for (const int fault : {0, 1, 2}) {
      Program wrong = sound;
      bool is_planted = false;
      each_instruction(wrong.body, [&](Instruction& i) {
        if (is_planted || i.op != Op::choose || i.choice.ranges.size() < 3) return;
        auto& ranges = i.choice.ranges;
        is_planted = true;
        if (fault == 0) {
          ranges.pop_back();
          i.blocks.pop_back();
        } else if (fault == 1) {
          ranges.erase(ranges.begin() + 1);
          i.blocks.erase(i.blocks.begin() + 1);
        } else {
          ++ranges[1].lo;
          if (ranges[1].lo > ranges[1].hi) ranges[1].hi = ranges[1].lo;
        }
      });
      if (!is_planted) continue;
      EXPECT_NE(verify(wrong), "") << fault << "\n" << print(wrong);
      ++planted;
    }
  });
  EXPECT_GT(planted, 100u);
}

TEST(Verifier, SeesALoopThatGoesOnFromNone) {
  std::size_t planted = 0;
  each_program([&](const Program& sound) {
    for (const int fault : {0, 1, 2}) {
      Program wrong = sound;
      bool is_planted = false, is_first = true;
      each_instruction(wrong.body, [&](Instruction& i) {
        if (i.op != Op::loop || is_planted) return;
        if (fault == 0 && is_first) i.loop.goes_on = is_planted = true;
        if (fault > 0 && i.loop.goes_on) {
          is_planted = true;
          if (fault == 1) i.loop.first += 1;
          if (fault == 2) i.loop.count = i.loop.count - spec::Linear{0, 0, 1};
        }
        is_first = false;
      });
      if (!is_planted) continue;
      EXPECT_NE(verify(wrong), "") << fault << "\n" << print(wrong);
      ++planted;
    }
  });
  EXPECT_GT(planted, 50u);
}

TEST(Verifier, SeesABlockThatGivesNothing) {
  std::size_t planted = 0;
  each_program([&](const Program& sound) {
    Program wrong = sound;
    Block* block = &wrong.body;
    while (block->back().op == Op::choose) block = &block->back().blocks.back();
    if (block->back().op != Op::give) return;
    block->pop_back();
    EXPECT_NE(verify(wrong), "");
    ++planted;
    wrong = sound;
    wrong.last.c += 1;
    EXPECT_NE(verify(wrong), "");
  });
  EXPECT_GT(planted, 20u);
}

}  // namespace
}  // namespace reprosum::kernels::program
