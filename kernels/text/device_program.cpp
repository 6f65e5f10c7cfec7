#include "kernels/text/device_program.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "kernels/program/values.h"
#include "kernels/text/c_places.h"
#include "kernels/text/device_text.h"
#include "spec/error.h"

namespace reprosum::kernels::text {
namespace {

using program::Block;
using program::Id;
using program::Instruction;
using program::Op;
using program::Program;
using program::ValueType;

// Compilers of devices take seconds for some thousands of statements.
constexpr int kMostLines = 20'000;

class DevicePrinter {
 public:
  DevicePrinter(const Program& program, const Stages& stages, const DevicePlaces& places,
                std::string one)
      : p_(program),
        stages_(stages),
        places_(places),
        one_(std::move(one)),
        values_(static_cast<std::size_t>(program.values)) {
    for (const auto& [id, same] : stages.same)
      value(id) = {same.type,
                   std::vector<std::string>(static_cast<std::size_t>(same.type.lanes), same.text)};
  }

  DeviceBody run() {
    for (std::size_t s = 0; s < stages_.stages.size(); ++s) {
      if (s > 0 && crosses(s)) line("BARRIER();");
      is_one_ = s % 2 == 1;
      if (stages_.stages[s].empty() && s + 1 < stages_.stages.size()) continue;
      if (is_one_) open(one_);
      fetch(s);
      for (const Instruction* i : stages_.stages[s]) print(*i);
      keep(s);
      if (is_one_ && s + 1 < stages_.stages.size()) close();
    }
    return std::move(body_);
  }

 private:
  // A value: the text of each lane where one work-item has all, else of its own lane.
  struct Value {
    ValueType type;
    std::vector<std::string> lanes;
  };
  Value& value(Id id) { return values_[static_cast<std::size_t>(id)]; }
  std::size_t width(ValueType type) const {
    return is_one_ ? static_cast<std::size_t>(type.lanes) : 1;
  }
  const std::string& at(Id id, std::size_t k) {
    const std::vector<std::string>& lanes = value(id).lanes;
    if (k >= lanes.size()) throw InternalError(fmt::format("device text: v{} has no lane", id));
    return lanes[k];
  }

  void line(const std::string& text) {
    if (++lines_ > kMostLines) throw UserError("more statements than a device's compiler is given");
    body_.statements += indent_ + text + "\n";
  }
  void open(const std::string& text) {
    line(text);
    indent_ += "  ";
  }
  void close(const std::string& text = "}") {
    indent_.resize(indent_.size() - 2);
    line(text);
  }
  const char* type_name(ValueType type) const { return device_type(type.wide, p_.type); }
  const char* suffix(ValueType type) const { return device_suffix(type.wide, p_.type); }

  // ---- between stages ----

  bool crosses(std::size_t stage) const {
    for (const auto& [id, slot] : stages_.slots)
      if (stages_.stage_of.at(id) < static_cast<int>(stage)) return true;
    return false;
  }
  // The lane that a work-item has of a value of so many; lanes that are too many repeat others.
  std::string own_lane(int lanes) const {
    return lanes == stages_.width ? "lane" : fmt::format("(lane & {})", lanes - 1);
  }
  // What lies in memory is named again in each stage that follows.
  void fetch(std::size_t stage) {
    for (const auto& [id, slot] : stages_.slots) {
      if (stages_.stage_of.at(id) >= static_cast<int>(stage)) continue;
      Value& v = value(id);
      if (const auto own = own_.find(id); own != own_.end() && !is_one_) {
        v.lanes = {own->second};
        continue;
      }
      v.lanes.clear();
      for (std::size_t k = 0; k < width(v.type); ++k) {
        const std::string place = is_one_
                                      ? fmt::format("base + {}", slot + static_cast<int>(k))
                                      : fmt::format("base + {} + {}", slot, own_lane(v.type.lanes));
        v.lanes.push_back(fmt::format(
            "{}memory[{}]",
            stages_.is_wide && !v.type.wide ? "(" + std::string(type_name(v.type)) + ")" : "",
            place));
      }
    }
  }
  void keep(std::size_t stage) {
    for (const auto& [id, slot] : stages_.slots) {
      if (stages_.stage_of.at(id) != static_cast<int>(stage)) continue;
      const Value& v = value(id);
      if (is_one_) {
        for (std::size_t k = 0; k < v.lanes.size(); ++k)
          line(fmt::format("memory[base + {}] = {};", slot + static_cast<int>(k), v.lanes[k]));
      } else {
        own_[id] = v.lanes[0];
        const std::string guard = v.type.lanes < stages_.width
                                      ? fmt::format("if (lane < {}) ", v.type.lanes)
                                      : std::string();
        line(fmt::format("{}memory[base + {} + lane] = {};", guard, slot, v.lanes[0]));
      }
    }
  }

  // ---- instructions ----

  void print(const Instruction& i) {
    if (i.id >= 0 && stages_.same.contains(i.id)) return;
    const auto each = [&](auto&& text) { define(i, text); };
    const char* const s = suffix(i.type);
    switch (i.op) {
      case Op::load:
        return load(i);
      case Op::spread:
        value(i.id) = {i.type, std::vector<std::string>(width(i.type), at(i.args[0], 0))};
        return;
      case Op::gather:
        return gather(i);
      case Op::add:
        return each([&](std::size_t k) { return operation("ADD", s, i, k, 2); });
      case Op::multiply:
        return each([&](std::size_t k) { return operation("MUL", s, i, k, 2); });
      case Op::fuse:
        return each([&](std::size_t k) { return operation("FMA", s, i, k, 3); });
      case Op::widen:
        return each([&](std::size_t k) { return "(double)" + at(i.args[0], k); });
      case Op::narrow:
        return each([&](std::size_t k) { return "NARROW(" + at(i.args[0], k) + ")"; });
      case Op::if_zero:
        return each([&](std::size_t k) {
          return fmt::format("({} == 0 ? {} : {})", at(i.args[0], k), at(i.args[1], k),
                             at(i.args[2], k));
        });
      case Op::loop:
        return loop(i);
      case Op::give:
        body_.value = at(i.args[0], 0);
        return;
      case Op::store:
        return line(places_.store(i.access, at(i.args[0], 0)));
      case Op::constant:
      case Op::alpha:
      case Op::beta:
      case Op::choose:
        throw InternalError("device text: an instruction that one plan's value has not");
    }
  }

  std::string operation(const char* name, const char* suffix, const Instruction& i, std::size_t k,
                        std::size_t arguments) {
    std::string text = std::string(name) + suffix + "(";
    for (std::size_t a = 0; a < arguments; ++a) text += (a > 0 ? ", " : "") + at(i.args[a], k);
    return text + ")";
  }

  std::string name_of(Id id, std::size_t k, ValueType type) const {
    return is_one_ && type.lanes > 1 ? fmt::format("v{}_{}", id, k) : fmt::format("v{}", id);
  }
  template <class F>
  void define(const Instruction& i, F&& text) {
    Value made{i.type, {}};
    for (std::size_t k = 0; k < width(i.type); ++k) {
      made.lanes.push_back(name_of(i.id, k, i.type));
      line(fmt::format("const {} {} = {};", type_name(i.type), made.lanes[k], text(k)));
    }
    value(i.id) = std::move(made);
  }

  void load(const Instruction& i) {
    const program::Access& access = i.access;
    if (staged_ && access.operand != program::kOutput)
      return define(i, [&](std::size_t k) {
        const std::int64_t behind = access.at.c + access.offsets[k] - staged_->at.c;
        return places_.fetched(
            access, fmt::format("turn * {} + {}", staged_->per_iteration * staged_->each, behind));
      });
    const auto place = [&](std::int64_t offset) { return c_index(access, counter_, offset); };
    if (is_one_ || access.operand == program::kOutput)
      return define(
          i, [&](std::size_t k) { return places_.element(access, place(access.offsets[k])); });
    define(i, [&](std::size_t) { return places_.element(access, place_of_lane(i)); });
  }
  // The summand that a work-item's own lane reads.
  std::string place_of_lane(const Instruction& i) {
    const std::vector<std::int64_t>& offsets = i.access.offsets;
    const std::string lane = own_lane(i.type.lanes);
    if (offsets.size() == 1) return c_index(i.access, counter_, offsets[0]);
    const std::int64_t step = offsets[1] - offsets[0];
    bool is_even = true;
    for (std::size_t k = 1; k < offsets.size(); ++k)
      is_even = is_even && offsets[k] - offsets[k - 1] == step;
    std::string first = c_index(i.access, counter_, is_even ? offsets[0] : 0);
    if (!first.empty()) first += " + ";
    if (is_even) return first + (step == 1 ? lane : fmt::format("{} * {}", step, lane));
    const std::string table = fmt::format("{}_v{}", p_.name, i.id);
    body_.tables += fmt::format("TABLE I64 {}[{}] = {{", table, i.type.lanes);
    for (std::size_t k = 0; k < offsets.size(); ++k)
      body_.tables += (k > 0 ? ", " : "") + std::to_string(offsets[k]);
    body_.tables += "};\n";
    return first + fmt::format("{}[{}]", table, lane);
  }

  void gather(const Instruction& i) {
    if (!is_one_) throw InternalError("device text: lanes are gathered by all");
    Value made{i.type, {}};
    for (const auto& [from, lane] : i.picks)
      made.lanes.push_back(at(from, static_cast<std::size_t>(lane)));
    value(i.id) = std::move(made);
  }

  // ---- loops ----

  void loop(const Instruction& i) {
    const program::Loop& l = i.loop;
    std::vector<std::vector<std::string>> sums;
    for (std::size_t c = 0; c < l.starts.size(); ++c) {
      const ValueType type = value(l.starts[c]).type;
      std::vector<std::string> names;
      for (std::size_t k = 0; k < width(type); ++k) {
        names.push_back(is_one_ && type.lanes > 1 ? fmt::format("s{}_{}", l.carried[c], k)
                                                  : fmt::format("s{}", l.carried[c]));
        line(fmt::format("{} {} = {};", type_name(type), names[k], at(l.starts[c], k)));
      }
      value(l.carried[c]) = {type, names};
      sums.push_back(std::move(names));
    }
    if (!l.goes_on) {
      counter_ = fmt::format("i{}", ++counters_);
      line(fmt::format("I64 {} = {};", counter_, l.first));
    }
    const std::string head =
        fmt::format("; {0} + {1} <= {2}; {0} += {1}) {{", counter_, l.each, c_linear(l.count));
    if (is_one_) staged_ = places_.staged(i);
    if (staged_) {
      open_stage(l);
    } else {
      if (!is_one_) line("UNROLL");
      open("for (" + head);
    }
    for (const Instruction& inner : i.blocks[0]) print(inner);
    for (std::size_t c = 0; c < sums.size(); ++c)
      for (std::size_t o = 0; o < sums.size(); ++o)
        if (o != c && l.yields[c] == l.carried[o])
          throw InternalError("device text: carried values that change places");
    for (std::size_t c = 0; c < sums.size(); ++c)
      for (std::size_t k = 0; k < sums[c].size(); ++k)
        if (at(l.yields[c], k) != sums[c][k])
          line(fmt::format("{} = {};", sums[c][k], at(l.yields[c], k)));
    close();
    if (staged_)
      close(fmt::format("}} while ({} + {} <= {});", counter_, l.each, c_linear(l.count)));
    staged_.reset();
    for (std::size_t c = 0; c < sums.size(); ++c)
      value(l.results[c]) = {value(l.carried[c]).type, sums[c]};
  }

  // The loop over stages, what brings one, and the loop over its turns. It is entered without a
  // question, also for no turn at all: PoCL doubles what follows a barrier under a condition, and a
  // text of ten such loops took it more than 15 minutes.
  void open_stage(const program::Loop& l) {
    const StagedLoop& s = *staged_;
    const std::string count = c_linear(l.count);
    open("do {");
    line(fmt::format("const I64 left = ({} - {}) / {};", count, counter_, l.each));
    line(fmt::format("const int turns = left < {0} ? (int)left : {0};", s.turns));
    line(fmt::format("const I64 from = {} + {} * {};", c_linear(s.at), s.per_iteration, counter_));
    line(fmt::format("const int width = turns > 0 ? {} * (turns - 1) + {} : 0;",
                     s.per_iteration * s.each, s.reach));
    line("BARRIER();");
    for (const std::string& text : places_.fetch(s)) line(text);
    line("BARRIER();");
    open(fmt::format("for (int turn = 0; turn < turns; ++turn, {} += {}) {{", counter_, l.each));
  }

  const Program& p_;
  const Stages& stages_;
  const DevicePlaces& places_;
  const std::string one_;
  std::vector<Value> values_;
  std::map<Id, std::string> own_;  // of values in memory: where each work-item has its lane
  DeviceBody body_;
  std::optional<StagedLoop> staged_;  // of the loop that is printed
  std::string counter_, indent_ = "  ";
  int counters_ = 0, lines_ = 0;
  bool is_one_ = false;  // one work-item does what is printed
};

}  // namespace

DeviceBody device_body(const Program& program, const Stages& stages, const DevicePlaces& places,
                       const std::string& one) {
  const std::string wrong = verify(program);
  if (!wrong.empty()) throw InternalError("program " + program.name + ": " + wrong);
  return DevicePrinter(program, stages, places, one).run();
}

}  // namespace reprosum::kernels::text
