#include "kernels/text/c_program.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <vector>

#include "kernels/program/values.h"
#include "kernels/text/c_places.h"
#include "spec/error.h"

namespace reprosum::kernels::text {
namespace {

using program::Block;
using program::Id;
using program::Instruction;
using program::Op;
using program::ValueType;

constexpr int kMostOperations = 8;  // of an expression that stands where it is used

// A value as the text knows it so far. `@` in an expression is the lane.
struct Known {
  ValueType type;
  std::string text;  // a variable, or an expression that waits for its only use
  bool waits = false;
  int operations = 0;
};

struct Use {
  int count = 0;
  const Block* only = nullptr;  // where, if all uses are in one block
};

class CFunction {
 public:
  explicit CFunction(const program::Program& program)
      : p_(program), known_(static_cast<std::size_t>(program.values)), uses_(known_.size()) {
    count_uses(p_.body);
  }

  std::string run() {
    const char* const type = c_type(p_.type);
    const bool has_y = p_.operands.size() > 1, is_update = p_.operands.size() > 2;
    out_ =
        fmt::format("static inline double {}(int64_t n, const {} *x, int64_t incx", p_.name, type);
    if (has_y) out_ += fmt::format(", const {} *y, int64_t incy", type);
    if (is_update) out_ += fmt::format(", {0} alpha, {0} beta, {0} c", type);
    out_ += ") {\n";
    if (is_update) out_ += "  (void)alpha, (void)beta, (void)c;\n";
    if (p_.block > 0)
      out_ += fmt::format("  const int64_t q = n / {0}, r = n % {0};\n", p_.block);
    else
      out_ += "  const int64_t q = 0, r = n;\n";
    out_ += has_y ? "  (void)q, (void)r, (void)incx, (void)incy;\n"
                  : "  (void)q, (void)r, (void)incx;\n";
    print(p_.body, "  ");
    return out_ + "}\n";
  }

 private:
  Known& known(Id id) { return known_[static_cast<std::size_t>(id)]; }
  Use& use(Id id) { return uses_[static_cast<std::size_t>(id)]; }

  void count(Id id, const Block& block) {
    Use& u = use(id);
    u.only = u.count++ == 0 ? &block : u.only == &block ? &block : nullptr;
  }
  void count_uses(const Block& block) {
    for (const Instruction& i : block) {
      for (const Id arg : i.args) count(arg, block);
      // Lanes of a variable are picked, and loops hand on variables: these have a name.
      for (const auto& [from, lane] : i.picks) count(from, block), count(from, block);
      for (const Id start : i.loop.starts) count(start, block);
      for (const Block& inner : i.blocks) count_uses(inner);
      if (i.op == Op::loop)
        for (const Id yield : i.loop.yields) count(yield, i.blocks[0]), count(yield, i.blocks[0]);
    }
  }

  std::string type_of(ValueType type) const { return type.wide ? "double" : c_type(p_.type); }

  // The value's expression in a lane, for a use that is written now.
  std::string in_lane(Id id, const std::string& lane) { return at_lane(known(id).text, lane); }
  static std::string element(const std::string& variable, ValueType type) {
    return type.lanes == 1 ? variable : variable + "[@]";
  }

  // ---- statements ----

  void line(const std::string& indent, const std::string& text) { out_ += indent + text + "\n"; }

  // variable = expression in every lane; declared here, if it is new.
  void assign(const std::string& indent, const std::string& variable, ValueType type,
              const std::string& expression, bool declare) {
    const std::string text = at_lane(expression, "l");
    if (type.lanes == 1) {
      line(indent, fmt::format("{}{} = {};", declare ? type_of(type) + " " : "", variable,
                               at_lane(expression, "0")));
      return;
    }
    if (declare) line(indent, fmt::format("{} {}[{}];", type_of(type), variable, type.lanes));
    line(indent, fmt::format("{}{}[l] = {};", lanes(type), variable, text));
  }
  // GCC takes loops of up to 16 turns apart before it looks for vectors, and then finds few.
  static std::string lanes(ValueType type) {
    return fmt::format("{}for (int l = 0; l < {}; ++l) ",
                       type.lanes >= 8 && type.lanes <= 16 ? "REPROSUM_WHOLE " : "", type.lanes);
  }
  static std::string at_lane(const std::string& expression, const std::string& lane) {
    std::string text;
    for (const char c : expression) text += c == '@' ? lane : std::string(1, c);
    return text;
  }

  void define(const Instruction& i, const Block& block, const std::string& indent,
              const std::string& expression, int operations) {
    Known& k = known(i.id);
    k.type = i.type;
    k.operations = operations;
    if (const std::string* const sum = accumulator_of(i.id)) {
      assign(indent, *sum, i.type, expression, false);
      k.text = element(*sum, i.type);
      return;
    }
    const Use& u = use(i.id);
    k.waits = u.count == 1 && u.only == &block && operations <= kMostOperations;
    if (k.waits) {
      k.text = expression;
      waiting_.insert(i.id);
      return;
    }
    const std::string name = fmt::format("v{}", i.id);
    assign(indent, name, i.type, expression, true);
    k.text = element(name, i.type);
  }

  // A carried value's variable, where what the loop hands on can be written into it at once: nobody
  // reads what was there later.
  const std::string* accumulator_of(Id id) const {
    const auto it = in_place_.find(id);
    if (it == in_place_.end()) return nullptr;
    for (const Id waiting : waiting_)
      if (known_[static_cast<std::size_t>(waiting)].text.find(it->second) != std::string::npos)
        return nullptr;
    return &it->second;
  }

  // ---- instructions ----

  void print(const Block& block, const std::string& indent) {
    for (const Instruction& i : block) print(i, block, indent);
  }

  void print(const Instruction& i, const Block& block, const std::string& indent) {
    int operations = 1;
    for (const Id arg : i.args)
      if (known(arg).waits) operations += known(arg).operations;
    const auto arg = [&](std::size_t k) { return known(i.args[k]).text; };
    const auto value = [&](const std::string& expression) {
      for (const Id used : i.args) waiting_.erase(used);
      define(i, block, indent, expression, operations);
    };
    switch (i.op) {
      case Op::constant:
        return value(c_number(i.number, i.type.wide || spec::is_f64(p_.type)));
      case Op::load:
        return load(i, block, indent);
      case Op::spread:
        return value(in_lane(i.args[0], "0"));
      case Op::gather:
        return gather(i, indent);
      case Op::add:
        return value(fmt::format("({} + {})", arg(0), arg(1)));
      case Op::multiply:
        return value(fmt::format("({} * {})", arg(0), arg(1)));
      case Op::fuse:
        return value(fmt::format("{}({}, {}, {})",
                                 i.type.wide || spec::is_f64(p_.type) ? "fma" : "fmaf", arg(0),
                                 arg(1), arg(2)));
      case Op::widen:
        return value(fmt::format("(double){}", arg(0)));
      case Op::narrow:
        return value(fmt::format("({})({})", c_type(p_.type), arg(0)));
      case Op::if_zero:
        return value(fmt::format("({} == 0 ? {} : {})", arg(0), arg(1), arg(2)));
      case Op::loop:
        return loop(i, indent);
      case Op::choose:
        return choose(i, indent);
      case Op::give:
        waiting_.erase(i.args[0]);
        return line(indent, fmt::format("return {};", in_lane(i.args[0], "0")));
      case Op::alpha:
        return value("alpha");
      case Op::beta:
        return value("beta");
      case Op::store:
        throw InternalError("C text: a value that is stored and not returned");
    }
  }

  void load(const Instruction& i, const Block& block, const std::string& indent) {
    if (i.access.operand == program::kOutput) return define(i, block, indent, "c", 1);
    const std::string place = c_place(p_, i.access, counter_);
    if (!place.empty()) return define(i, block, indent, place, 1);
    // Lanes at places of no one step.
    std::string lanes;
    for (std::size_t k = 0; k < i.access.offsets.size(); ++k)
      lanes += (k > 0 ? ", " : "") + c_place_of(p_, i.access, counter_, k);
    set_lanes(i, indent, lanes);
  }

  void gather(const Instruction& i, const std::string& indent) {
    std::string lanes;
    for (std::size_t k = 0; k < i.picks.size(); ++k)
      lanes += (k > 0 ? ", " : "") + in_lane(i.picks[k].first, std::to_string(i.picks[k].second));
    if (i.type.lanes > 1) return set_lanes(i, indent, lanes);
    known(i.id) = {i.type, lanes, false, 0};
  }
  void set_lanes(const Instruction& i, const std::string& indent, const std::string& lanes) {
    const std::string name = fmt::format("v{}", i.id);
    line(indent,
         fmt::format("const {} {}[{}] = {{{}}};", type_of(i.type), name, i.type.lanes, lanes));
    known(i.id) = {i.type, element(name, i.type), false, 0};
  }

  // ---- control ----

  void loop(const Instruction& i, const std::string& indent) {
    const program::Loop& l = i.loop;
    std::vector<std::string> sums;
    for (std::size_t k = 0; k < l.starts.size(); ++k) {
      const Id start = l.starts[k];
      const ValueType type = known(start).type;
      waiting_.erase(start);
      const auto result = results_.find(start);
      // What a loop leaves in its variable the next one goes on with, if nobody else reads it.
      if (result != results_.end() && use(start).count == 1) {
        sums.push_back(result->second);
      } else {
        sums.push_back(fmt::format("s{}", l.carried[k]));
        assign(indent, sums.back(), type, known(start).text, true);
      }
      known(l.carried[k]) = {type, element(sums.back(), type), false, 0};
      known(l.results[k]) = known(l.carried[k]);
      results_[l.results[k]] = sums.back();
    }
    if (!l.goes_on) {
      counter_ = fmt::format("i{}", ++counters_);
      line(indent, fmt::format("int64_t {} = {};", counter_, l.first));
    }
    line(indent, fmt::format("for (; {0} + {1} <= {2}; {0} += {1}) {{", counter_, l.each,
                             c_linear(l.count)));
    body(i, sums, indent + "  ");
    line(indent, "}");
  }

  void body(const Instruction& i, const std::vector<std::string>& sums, const std::string& indent) {
    const program::Loop& l = i.loop;
    const auto outer = in_place_;
    for (std::size_t k = 0; k < sums.size(); ++k)
      if (is_last_use(i.blocks[0], l.carried[k], l.yields[k])) in_place_[l.yields[k]] = sums[k];
    print(i.blocks[0], indent);
    std::vector<std::size_t> chains;
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const Known& yield = known(l.yields[k]);
      if (is_chain(i.blocks[0], l.carried[k])) chains.push_back(k);
      if (yield.text == element(sums[k], yield.type)) continue;
      if (reads_another(yield.text, sums, k))
        throw InternalError("C text: carried values that change places");
      assign(indent, sums[k], yield.type, yield.text, false);
    }
    in_place_ = outer;
    for (const std::size_t k : chains) {
      const ValueType type = known(l.carried[k]).type;
      const std::string keep = at_lane("REPROSUM_IN_TURN(" + element(sums[k], type) + ");", "l");
      line(indent, type.lanes == 1 ? keep : lanes(type) + keep);
    }
  }
  // Whether more than one operation of a turn goes on from the sum: kStart in c_spec.cpp says why
  // that matters.
  static bool is_chain(const Block& block, Id carried) {
    std::set<Id> from{carried};
    int operations = 0;
    for (const Instruction& i : block)
      for (const Id arg : i.args)
        if (from.contains(arg)) {
          from.insert(i.id);
          operations += i.op == Op::add || i.op == Op::fuse;
          break;
        }
    return operations > 1;
  }
  static bool reads_another(const std::string& text, const std::vector<std::string>& sums,
                            std::size_t self) {
    for (std::size_t k = 0; k < sums.size(); ++k)
      if (k != self && (text == sums[k] || text.rfind(sums[k] + "[", 0) == 0)) return true;
    return false;
  }

  // Whether nothing behind what makes `next` reads `carried`, as far as instructions say so.
  static bool is_last_use(const Block& block, Id carried, Id next) {
    bool made = false;
    for (const Instruction& i : block) {
      if (made) {
        for (const Id arg : i.args)
          if (arg == carried) return false;
        for (const auto& [from, lane] : i.picks)
          if (from == carried) return false;
      }
      made = made || i.id == next;
    }
    return made;
  }

  void choose(const Instruction& i, const std::string& indent) {
    const char* const by = i.choice.by_q ? "q" : "r";
    for (std::size_t k = 0; k < i.blocks.size(); ++k) {
      const auto [lo, hi] = i.choice.ranges[k];
      const bool last = k + 1 == i.blocks.size();
      const auto outer = waiting_;
      if (last) {
        print(i.blocks[k], indent);
      } else {
        line(indent, lo == hi ? fmt::format("if ({} == {}) {{", by, lo)
                              : fmt::format("if ({0} >= {1} && {0} <= {2}) {{", by, lo, hi));
        print(i.blocks[k], indent + "  ");
        line(indent, "}");
      }
      waiting_ = outer;
    }
  }

  const program::Program& p_;
  std::vector<Known> known_;
  std::vector<Use> uses_;
  std::set<Id> waiting_;                // values whose expression is not written yet
  std::map<Id, std::string> in_place_;  // of what a loop hands on: the variable
  std::map<Id, std::string> results_;   // of loops: the variable
  std::string counter_, out_;
  int counters_ = 0;
};

}  // namespace

std::string c_function(const program::Program& program) {
  if (program.form != program::Form::strided)
    throw UserError("C text: a function of another form than a strided call");
  const std::string wrong = verify(program);
  if (!wrong.empty()) throw InternalError("program " + program.name + ": " + wrong);
  return CFunction(program).run();
}

}  // namespace reprosum::kernels::text
