// The proof that a program reads and writes only what its operands have, and uses only what it has
// made.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "kernels/program/program.h"
#include "kernels/program/values.h"

namespace reprosum::kernels::program {
namespace {

using spec::Domain;
using spec::Int128;
using spec::Linear;

struct Wrong {
  std::string what;
};

class Verifier {
 public:
  explicit Verifier(const Program& program)
      : p_(program), types_(static_cast<std::size_t>(program.values)) {}

  void run() {
    if (p_.form != Form::tile && (p_.first != Linear{} || p_.last != Linear{p_.block, 1, -1}))
      throw Wrong{"other summands than the function is called with"};
    block(p_.body, p_.domain, nullptr);
  }

 private:
  [[noreturn]] static void wrong(const Instruction& i, const std::string& what) {
    throw Wrong{i.id >= 0 ? fmt::format("v{}: {}", i.id, what) : what};
  }

  // ---- values ----

  void make(Id id, ValueType type) {
    if (id < 0 || id >= p_.values) throw Wrong{fmt::format("v{} is no value", id)};
    auto& known = types_[static_cast<std::size_t>(id)];
    if (known) throw Wrong{fmt::format("v{} is made twice", id)};
    if (type.lanes < 1) throw Wrong{fmt::format("v{} has no lanes", id)};
    known = type;
    scope_.push_back(id);
  }
  ValueType used(Id id) const {
    if (id < 0 || id >= p_.values || !types_[static_cast<std::size_t>(id)])
      throw Wrong{fmt::format("v{} is used where it does not exist", id)};
    return *types_[static_cast<std::size_t>(id)];
  }
  // What was made in a block does not exist behind it.
  void leave(std::size_t mark) {
    for (; scope_.size() > mark; scope_.pop_back())
      types_[static_cast<std::size_t>(scope_.back())].reset();
  }

  // ---- instructions ----

  void block(const Block& instructions, const Domain& domain, const Loop* loop) {
    const Instruction* before = nullptr;
    for (std::size_t k = 0; k < instructions.size(); ++k) {
      const Instruction& i = instructions[k];
      if (i.op == Op::loop) {
        if (i.loop.goes_on) goes_on(i, before);
        before = &i;
      }
      instruction(i, domain, loop);
      const bool ends = i.op == Op::give || i.op == Op::choose;
      if (ends && loop != nullptr) wrong(i, "a loop is left from inside");
      if (ends && k + 1 < instructions.size()) wrong(i, "something follows the end of a block");
    }
    const bool gives = p_.form == Form::single || p_.form == Form::strided;
    const Op end = instructions.empty() ? Op::constant : instructions.back().op;
    if (loop == nullptr && end != Op::choose && gives != (end == Op::give))
      throw Wrong{gives ? "a block that gives no value" : "a value that nobody takes"};
  }

  // Its first iteration is one that the loop before it left.
  static void goes_on(const Instruction& i, const Instruction* before) {
    if (before == nullptr || before->loop.count != i.loop.count ||
        i.loop.first > before->loop.first)
      wrong(i, "no loop that it could go on from");
  }

  void instruction(const Instruction& i, const Domain& domain, const Loop* loop) {
    if (i.args.size() != arguments(i.op)) wrong(i, "another number of arguments");
    for (const Id arg : i.args) used(arg);
    switch (i.op) {
      case Op::load:
      case Op::store:
        access(i, domain, loop);
        break;
      case Op::gather:
        gather(i);
        break;
      case Op::loop:
        return loop_of(i, domain, loop);
      case Op::choose:
        return choose(i, domain);
      default:
        arithmetic(i);
    }
    if (i.op != Op::store && i.op != Op::give) make(i.id, i.type);
  }

  static std::size_t arguments(Op op) {
    switch (op) {
      case Op::store:
      case Op::spread:
      case Op::widen:
      case Op::narrow:
      case Op::give:
        return 1;
      case Op::add:
      case Op::multiply:
        return 2;
      case Op::fuse:
      case Op::if_zero:
        return 3;
      default:
        return 0;
    }
  }

  void arithmetic(const Instruction& i) const {
    for (const Id arg : i.args) {
      ValueType wanted = i.type;
      if (i.op == Op::spread) wanted.lanes = 1;
      if (i.op == Op::widen || i.op == Op::narrow) wanted.wide = !wanted.wide;
      if (i.op == Op::give) wanted = {p_.wide_result, 1};
      if (used(arg) != wanted) wrong(i, fmt::format("v{} has another type", arg));
    }
    if ((i.op == Op::alpha || i.op == Op::beta) && i.type.wide) wrong(i, "a wide factor");
  }

  void gather(const Instruction& i) const {
    if (static_cast<std::size_t>(i.type.lanes) != i.picks.size()) wrong(i, "other lanes");
    for (const auto& [from, lane] : i.picks) {
      const ValueType type = used(from);
      if (type.wide != i.type.wide || lane < 0 || lane >= type.lanes)
        wrong(i, fmt::format("v{} has no such lane", from));
    }
  }

  void loop_of(const Instruction& i, const Domain& domain, const Loop* around) {
    const Loop& loop = i.loop;
    const std::size_t size = loop.starts.size();
    if (around != nullptr) wrong(i, "a loop inside a loop");
    if (i.blocks.size() != 1) wrong(i, "a loop of another number of blocks than one");
    if (loop.first < 0 || loop.each < 1) wrong(i, "no iterations");
    if (loop.carried.size() != size || loop.yields.size() != size || loop.results.size() != size)
      wrong(i, "values that are not handed on");
    const std::size_t mark = scope_.size();
    for (std::size_t k = 0; k < size; ++k) make(loop.carried[k], used(loop.starts[k]));
    block(i.blocks[0], domain, &loop);
    for (std::size_t k = 0; k < size; ++k)
      if (used(loop.yields[k]) != used(loop.starts[k]))
        wrong(i, "a carried value changes its type");
    leave(mark);
    for (std::size_t k = 0; k < size; ++k) make(loop.results[k], used(loop.starts[k]));
  }

  void choose(const Instruction& i, const Domain& domain) {
    if (i.choice.ranges.size() != i.blocks.size() || i.blocks.empty()) wrong(i, "no such choice");
    // Printers take the last block for what lies in no other. The least n may be inside the first
    // block of summands, and then stands before its residue.
    std::int64_t next = i.choice.by_q ? domain.q_lo : domain.r_lo;
    if (!i.choice.by_q && domain.fixes_q() && domain.q_lo == p_.domain.q_lo)
      next = std::max(next, i.choice.ranges[0].lo);
    for (const auto& [lo, hi] : i.choice.ranges) {
      if (lo > next || hi < next) wrong(i, fmt::format("{} lies in none of its ranges", next));
      next = hi + 1;
    }
    if (next <= (i.choice.by_q ? domain.q_hi : domain.r_hi))
      wrong(i, fmt::format("{} lies in none of its ranges", next));
    for (std::size_t k = 0; k < i.blocks.size(); ++k) {
      const auto& [lo, hi] = i.choice.ranges[k];
      Domain inside = domain;
      (i.choice.by_q ? inside.q_lo : inside.r_lo) = lo;
      (i.choice.by_q ? inside.q_hi : inside.r_hi) = hi;
      if (lo > hi) wrong(i, "an empty range");
      const std::size_t mark = scope_.size();
      block(i.blocks[k], inside, nullptr);
      leave(mark);
    }
  }

  // ---- places ----

  void access(const Instruction& i, const Domain& domain, const Loop* loop) const {
    const Access& a = i.access;
    if (a.operand < 0 || static_cast<std::size_t>(a.operand) >= p_.operands.size())
      wrong(i, "no such operand");
    const Operand& operand = p_.operands[static_cast<std::size_t>(a.operand)];
    if (i.op == Op::store && (operand.name != Operand::Name::out || used(i.args[0]) != i.type))
      wrong(i, "a store that is none");
    if (a.lanes() != i.type.lanes || i.type.wide || a.offsets.empty() ||
        (a.outputs > 1 && a.offsets.size() > 1))
      wrong(i, "other lanes than the access");
    if (std::adjacent_find(a.offsets.begin(), a.offsets.end(), std::greater_equal<>()) !=
        a.offsets.end())
      wrong(i, "offsets do not ascend");
    if (a.down < 0 || a.across < 0 || a.down + a.outputs > p_.down || a.across >= p_.across)
      wrong(i, "an output outside the tile");
    if (a.outputs > 1 && !operand.down.is(1)) wrong(i, "outputs that are not neighbours");
    if (loop == nullptr && a.per_iteration != 0) wrong(i, "an iteration outside of loops");
    if (operand.name != Operand::Name::out) summands(i, domain, loop);
  }

  void summands(const Instruction& i, const Domain& domain, const Loop* loop) const {
    const Access& a = i.access;
    const Linear low{0, 0, a.offsets.front()}, high{0, 0, a.offsets.back()};
    if (loop == nullptr) return inside(i, domain, a.at + low, a.at + high);
    // The first turn begins at iteration `first`, the last one `each` iterations before the end.
    const Domain turns = with_turns(domain, loop->count - Linear{0, 0, loop->first + loop->each});
    if (turns.q_lo > turns.q_hi || turns.r_lo > turns.r_hi) return;
    for (const Linear& turn : {Linear{0, 0, loop->first}, loop->count - Linear{0, 0, loop->each}}) {
      const Linear place = a.at + a.per_iteration * turn;
      inside(i, turns, place + low, place + high);
    }
  }

  // The part of the domain in which `more` is not negative, or, where it depends on q and on r,
  // all.
  static Domain with_turns(Domain domain, const Linear& more) {
    const auto least = [](std::int64_t lo, std::int64_t times, std::int64_t c) {
      return c < 0 ? std::max(lo, -c / times + (-c % times != 0 ? 1 : 0)) : lo;
    };
    if (more.q == 0 && more.r == 0 && more.c < 0) domain.q_hi = domain.q_lo - 1;
    if (more.q > 0 && more.r == 0) domain.q_lo = least(domain.q_lo, more.q, more.c);
    if (more.q == 0 && more.r > 0) domain.r_lo = least(domain.r_lo, more.r, more.c);
    return domain;
  }

  void inside(const Instruction& i, const Domain& domain, const Linear& from,
              const Linear& to) const {
    if (domain.least(from - p_.first) < 0 || domain.least(p_.last - to) < 0)
      wrong(i, "a place outside the operand");
  }

  const Program& p_;
  std::vector<std::optional<ValueType>> types_;
  std::vector<Id> scope_;
};

void count(const Block& block, spec::Type type, unsigned bits, std::size_t& all) {
  for (const Instruction& i : block) {
    const unsigned element = i.type.wide || spec::is_f64(type) ? 64 : 32;
    all += std::max(1U, (static_cast<unsigned>(i.type.lanes) * element + bits - 1) / bits);
    for (const Block& inner : i.blocks) count(inner, type, bits, all);
  }
}

}  // namespace

std::string verify(const Program& program) {
  try {
    Verifier(program).run();
  } catch (const Wrong& wrong) {
    return wrong.what;
  } catch (const spec::TooLarge&) {
    return "numbers too large";
  }
  return "";
}

std::size_t operations(const Program& program, unsigned bits) {
  std::size_t all = 0;
  count(program.body, program.type, bits, all);
  return all;
}

}  // namespace reprosum::kernels::program
