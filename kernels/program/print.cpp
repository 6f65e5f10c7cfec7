// A program as text, one instruction a line.
#include <fmt/format.h>

#include "kernels/program/program.h"

namespace reprosum::kernels::program {
namespace {

const char* name(Op op) {
  switch (op) {
    case Op::constant:
      return "constant";
    case Op::alpha:
      return "alpha";
    case Op::beta:
      return "beta";
    case Op::load:
      return "load";
    case Op::store:
      return "store";
    case Op::spread:
      return "spread";
    case Op::gather:
      return "gather";
    case Op::add:
      return "add";
    case Op::multiply:
      return "multiply";
    case Op::fuse:
      return "fuse";
    case Op::widen:
      return "widen";
    case Op::narrow:
      return "narrow";
    case Op::if_zero:
      return "if_zero";
    case Op::loop:
      return "loop";
    case Op::choose:
      return "choose";
    case Op::give:
      return "give";
  }
  return "?";
}

std::string linear(const spec::Linear& at) {
  std::string text;
  if (at.q != 0) text += fmt::format("{}q", at.q);
  if (at.r != 0) text += fmt::format("{}{}r", text.empty() ? "" : " + ", at.r);
  if (at.c != 0 || text.empty()) text += fmt::format("{}{}", text.empty() ? "" : " + ", at.c);
  return text;
}

std::string access(const Access& a) {
  static constexpr const char* kNames[] = {"first", "second", "output"};
  std::string text = a.operand >= 0 && a.operand < 3 ? kNames[a.operand] : "?";
  text += "[" + linear(a.at);
  if (a.per_iteration != 0) text += fmt::format(" + {}i", a.per_iteration);
  if (a.offsets != std::vector<std::int64_t>{0})
    text += fmt::format(" + {{{}}}", fmt::join(a.offsets, " "));
  text += "]";
  if (a.outputs > 1 || a.down != 0) text += fmt::format(" down {}", a.down);
  if (a.outputs > 1) text += fmt::format("..{}", a.down + a.outputs - 1);
  if (a.across != 0) text += fmt::format(" across {}", a.across);
  return text + (a.masked ? " masked" : "");
}

std::string values(const std::vector<Id>& ids) {
  std::string text;
  for (const Id id : ids) text += fmt::format(" v{}", id);
  return text;
}

void print(const Block& block, const std::string& indent, std::string& text);

void print(const Instruction& i, const std::string& indent, std::string& text) {
  text += indent;
  if (i.id >= 0) text += fmt::format("v{} {}{} = ", i.id, i.type.wide ? "wide " : "", i.type.lanes);
  text += name(i.op) + values(i.args);
  if (i.op == Op::constant) text += fmt::format(" {}", i.number);
  if (i.op == Op::load || i.op == Op::store) text += " " + access(i.access);
  for (const auto& [from, lane] : i.picks) text += fmt::format(" v{}.{}", from, lane);
  if (i.op == Op::loop) {
    text += i.loop.goes_on ? " on" : fmt::format(" from {}", i.loop.first);
    text += fmt::format(" by {} to {}:{} from{} results{}\n", i.loop.each, linear(i.loop.count),
                        values(i.loop.carried), values(i.loop.starts), values(i.loop.results));
    print(i.blocks[0], indent + "  ", text);
    text += indent + "  yield" + values(i.loop.yields);
  }
  text += "\n";
  if (i.op != Op::choose) return;
  for (std::size_t k = 0; k < i.blocks.size(); ++k) {
    text += fmt::format("{}{} = {}..{}:\n", indent, i.choice.by_q ? "q" : "r",
                        i.choice.ranges[k].lo, i.choice.ranges[k].hi);
    print(i.blocks[k], indent + "  ", text);
  }
}

void print(const Block& block, const std::string& indent, std::string& text) {
  for (const Instruction& i : block) print(i, indent, text);
}

}  // namespace

std::string print(const Program& program) {
  std::string text = fmt::format("{}: {}, block {}, {} down {} across{}\n", program.name,
                                 spec::is_f32(program.type) ? "f32" : "f64", program.block,
                                 program.down, program.across, program.repeats ? ", repeated" : "");
  print(program.body, "  ", text);
  return text;
}

}  // namespace reprosum::kernels::program
