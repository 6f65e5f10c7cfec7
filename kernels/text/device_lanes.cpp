#include "kernels/text/device_lanes.h"

#include <algorithm>
#include <set>

#include "kernels/text/c_places.h"
#include "spec/error.h"

namespace reprosum::kernels::text {
namespace {

using program::Block;
using program::Id;
using program::Instruction;
using program::Op;
using program::Program;
using program::ValueType;

// A loop of fewer iterations is not worth a barrier.
constexpr std::int64_t kLong = 8;

class Staging {
 public:
  explicit Staging(const Program& program)
      : type_(program.type), types_(static_cast<std::size_t>(program.values)) {
    flatten(program.body);
    for (std::size_t k = 0; k < all_.size(); ++k) learn(*all_[k], k);
  }

  Stages run() {
    by_lanes_.assign(all_.size(), false);
    for (std::size_t k = all_.size(); k-- > 0;) by_lanes_[k] = is_by_lanes(k);
    for (std::size_t k = 0; k < all_.size(); ++k) put(k);
    for (std::size_t k = 0; k < all_.size(); ++k) cross(k);
    return std::move(result_);
  }

 private:
  void flatten(const Block& block) {
    for (const Instruction& i : block) {
      if (i.op != Op::choose) {
        all_.push_back(&i);
      } else if (i.blocks.size() == 1) {
        flatten(i.blocks[0]);
      } else {
        throw InternalError("device text: a choice, where one plan is printed");
      }
    }
  }

  void learn(const Instruction& i, std::size_t at) {
    const auto make = [&](Id id, ValueType type) {
      types_[static_cast<std::size_t>(id)] = type;
      maker_[id] = at;
    };
    learn_same(i);
    if ((i.op == Op::gather || i.op == Op::spread) && !same_text(i).empty())
      result_.same[i.id] = {i.type, same_text(i)};
    if (i.id >= 0) make(i.id, i.type);
    for (std::size_t k = 0; k < i.loop.results.size(); ++k)
      make(i.loop.results[k], type(i.loop.starts[k]));
    for (const Id used : uses(i)) users_[used].push_back(at);
  }
  void learn_same(const Instruction& i) {
    const bool is_double = i.type.wide || spec::is_f64(type_);
    if (i.op == Op::constant) result_.same[i.id] = {i.type, c_number(i.number, is_double)};
    if (i.op == Op::alpha) result_.same[i.id] = {i.type, "alpha"};
    if (i.op == Op::beta) result_.same[i.id] = {i.type, "beta"};
    for (const Block& block : i.blocks)
      for (const Instruction& inner : block) learn_same(inner);
  }
  ValueType type(Id id) const { return types_[static_cast<std::size_t>(id)]; }
  // The text of an instruction that only takes lanes of values whose lanes are all the same; else
  // "".
  std::string same_text(const Instruction& i) const {
    std::string text;
    for (const Id from : uses(i)) {
      const auto it = result_.same.find(from);
      if (it == result_.same.end() || (!text.empty() && text != it->second.text)) return "";
      text = it->second.text;
    }
    return text;
  }

  // Values of the blocks around that the instruction takes.
  std::set<Id> uses(const Instruction& i) const {
    std::set<Id> used(i.args.begin(), i.args.end());
    for (const auto& [from, lane] : i.picks) used.insert(from);
    used.insert(i.loop.starts.begin(), i.loop.starts.end());
    for (const Block& block : i.blocks)
      for (const Instruction& inner : block)
        for (const Id id : uses(inner))
          if (maker_.contains(id)) used.insert(id);
    return used;
  }

  bool is_by_lanes(std::size_t k) {
    const Instruction& i = *all_[k];
    if (i.op == Op::loop) {
      const bool is_long = i.loop.count.q != 0 || i.loop.count.c >= kLong;
      return is_long && std::any_of(i.loop.starts.begin(), i.loop.starts.end(),
                                    [&](Id start) { return type(start).lanes > 1; });
    }
    if (i.op == Op::gather || i.op == Op::give || i.op == Op::store) return false;
    const auto& users = users_[i.id];
    return !users.empty() &&
           std::all_of(users.begin(), users.end(), [&](std::size_t u) { return by_lanes_[u]; });
  }

  bool is_inline(Id id) const { return result_.same.contains(id); }

  void put(std::size_t k) {
    const Instruction& i = *all_[k];
    if (i.id >= 0 && is_inline(i.id)) {
      stage_.push_back(-1);
      return;
    }
    int stage = by_lanes_[k] ? 0 : 1;
    for (const Id used : uses(i)) {
      if (is_inline(used)) continue;
      const int before = result_.stage_of.at(used);
      stage = std::max(stage, before % 2 == (by_lanes_[k] ? 0 : 1) ? before : before + 1);
    }
    if (i.id >= 0) result_.stage_of[i.id] = stage;
    for (const Id made : i.loop.results) result_.stage_of[made] = stage;
    stage_.push_back(stage);
    if (result_.stages.size() <= static_cast<std::size_t>(stage))
      result_.stages.resize(static_cast<std::size_t>(stage) + 1);
    result_.stages[static_cast<std::size_t>(stage)].push_back(&i);
    if (!by_lanes_[k]) return;
    const auto widen = [&](Id id) { result_.width = std::max(result_.width, type(id).lanes); };
    if (i.id >= 0) widen(i.id);
    for (const Id made : i.loop.results) widen(made);
  }

  void cross(std::size_t k) {
    if (stage_[k] < 0) return;
    for (const Id used : uses(*all_[k])) {
      if (is_inline(used) || result_.slots.contains(used)) continue;
      const int made = result_.stage_of.at(used);
      if (made == stage_[k] || (made % 2 == 0 && stage_[k] % 2 == 0)) continue;
      result_.slots[used] = result_.memory;
      result_.memory += type(used).lanes;
      result_.is_wide = result_.is_wide || type(used).wide;
    }
  }

  const spec::Type type_;
  std::vector<const Instruction*> all_;
  std::vector<ValueType> types_;
  std::map<Id, std::size_t> maker_;
  std::map<Id, std::vector<std::size_t>> users_;
  std::vector<bool> by_lanes_;
  std::vector<int> stage_;
  Stages result_;
};

}  // namespace

Stages stages_of(const Program& program) { return Staging(program).run(); }

}  // namespace reprosum::kernels::text
