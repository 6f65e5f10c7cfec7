#include "kernels/matrix/order_tiles.h"

#include <exception>
#include <map>
#include <new>
#include <tuple>
#include <utility>
#include <variant>

#include "kernels/ahead.h"
#include "kernels/code_store.h"
#include "kernels/compile_thread.h"
#include "kernels/plan/loop_form.h"
#include "kernels/plan/pieces.h"
#include "kernels/program/widths.h"
#include "spec/error.h"
#include "spec/expand.h"
#include "spec/surface.h"
#include "src/base/fork_gate.h"

namespace reprosum::kernels {
namespace {

constexpr const char* kName = "tile";
constexpr std::size_t kMaxRepeated = 64;  // nodes of a piece that is worth a loop of its own

// A piece of one summand that belongs to no regime has this plan.
RulePlan plan_of_single() {
  RulePlan plan;
  PlanNode leaf;
  leaf.kind = PlanNode::Kind::leaf;
  Plan one;
  one.domain = {0, 0, 1, 1};
  one.last = {0, 1, -1};
  one.nodes = {leaf};
  plan.hot = {one};
  return plan;
}

// Of q iterations of the plan's only run: the summands that they name. That these exist was proved
// for the whole piece.
void set_reach(Plan& plan) {
  const Run& run = plan.runs[0];
  std::int64_t low = spec::kMaxLeaves, high = -spec::kMaxLeaves;
  for (const Addend& addend : run.body)
    for (const BodyOp& op : addend) {
      if (!op.is_summand()) continue;
      low = std::min(low, op.offset);
      high = std::max(high, op.offset);
    }
  const spec::Linear last{run.step, 0, -run.step};  // of the last iteration
  const spec::Linear none;
  plan.domain = {1, spec::kMaxLeaves, 0, 0};
  plan.first = (run.step < 0 ? last : none) + spec::Linear{0, 0, low};
  plan.last = (run.step < 0 ? none : last) + spec::Linear{0, 0, high};
}

std::optional<OrderTiles::Cut> cut_of(const Plan& plan) {
  using Kind = PlanNode::Kind;
  if (plan.nodes.size() < 2) return std::nullopt;
  const PlanNode &first = plan.nodes[0], &second = plan.nodes[1];
  if ((first.kind != Kind::out && first.kind != Kind::zero) || first.scale != spec::Scale::none)
    return std::nullopt;
  if (second.kind != Kind::run || second.left != 0 || second.scale != spec::Scale::none)
    return std::nullopt;
  for (std::size_t k = 1; k < plan.nodes.size(); ++k)
    if (plan.nodes[k].kind == Kind::out || plan.nodes[k].kind == Kind::fuse_out)
      return std::nullopt;
  OrderTiles::Cut cut;
  cut.starts_at_output = first.kind == Kind::out;
  cut.run = plan.runs[static_cast<std::size_t>(second.run)];
  PlanNode sum;  // what is in C; tiles are called with beta == 1
  sum.kind = Kind::out;
  sum.leaf = spec::Leaf::out;
  Run slice = cut.run;
  slice.at = {};
  slice.count = {1, 0, 0};
  cut.slice.runs = {slice};
  set_reach(cut.slice);
  cut.slice.nodes = {sum, second};
  cut.slice.nodes[1].run = 0;
  if (plan.nodes.size() == 2) return cut;
  cut.rest = plan;
  cut.rest.nodes.erase(cut.rest.nodes.begin());
  cut.rest.nodes[0] = sum;
  for (PlanNode& node : cut.rest.nodes) {
    if (node.left > 0) --node.left;
    if (node.right > 0) --node.right;
  }
  return cut;
}

// The node and what it is made of as a postorder program; false if it is not one of summands alone.
bool flatten(const Plan& plan, int node, Addend& ops) {
  using Kind = PlanNode::Kind;
  const PlanNode& n = plan.nodes[static_cast<std::size_t>(node)];
  const bool scales_factor = n.scale == spec::Scale::x || n.scale == spec::Scale::y;
  BodyOp leaf, sum;
  leaf.leaf = n.leaf;
  leaf.offset = n.at.at(plan.domain.q_lo, plan.domain.r_lo);
  leaf.skip = n.skip;
  sum.is_add = true;
  sum.format = n.format;
  switch (n.kind) {
    case Kind::zero:
      leaf = {};
      leaf.leaf = spec::Leaf::zero;
      leaf.scale = n.scale;
      ops.push_back(leaf);
      return true;
    case Kind::leaf:
      leaf.scale = n.scale;
      ops.push_back(leaf);
      return true;
    case Kind::add:
      sum.scale = n.scale;
      if (!flatten(plan, n.left, ops) || !flatten(plan, n.right, ops)) return false;
      ops.push_back(sum);
      return true;
    case Kind::fuse:
      (scales_factor ? leaf : sum).scale = n.scale;
      if (!flatten(plan, n.left, ops)) return false;
      ops.push_back(leaf);
      ops.push_back(sum);
      return true;
    case Kind::run:
    case Kind::out:
    case Kind::fuse_out:
      return false;
  }
  return false;
}

// q times the plan, one after the other onto what is in C; nullopt where it is not constant.
std::optional<OrderTiles::Cut> repeat_of(const Plan& plan, std::int64_t block, spec::Scale scale) {
  if (cost(plan) > kMaxRepeated || plan.nodes.empty() || !plan.domain.fixes_q() ||
      !plan.domain.fixes_r())
    return std::nullopt;
  Addend ops;
  if (!flatten(plan, static_cast<int>(plan.nodes.size()) - 1, ops)) return std::nullopt;
  BodyOp& last = ops.back();
  if (last.scale == spec::Scale::fused) last.scale = spec::Scale::rounded;  // it is a value alone
  if (scale != spec::Scale::none) {
    if (last.scale != spec::Scale::none) return std::nullopt;
    last.scale = scale;
  }
  OrderTiles::Cut cut;
  cut.starts_at_output = true;
  cut.run.count = {1, 0, 0};
  cut.run.step = block * plan.domain.q_lo + plan.domain.r_lo;
  cut.run.body = {ops};
  PlanNode output, sum;
  output.kind = PlanNode::Kind::out;
  output.leaf = spec::Leaf::out;
  sum.kind = PlanNode::Kind::run;
  sum.left = 0;
  sum.run = 0;
  cut.slice.nodes = {output, sum};
  cut.slice.runs = {cut.run};
  set_reach(cut.slice);
  return cut;
}

}  // namespace

OrderTiles::OrderTiles(spec::Order order, spec::Type type, Isa isa, std::string cache_directory,
                       AheadObjects* ahead)
    : order_(std::move(order)),
      type_(type),
      isa_(isa),
      cache_directory_(std::move(cache_directory)),
      hash_(spec::meaning_hash(order_)),
      vector_bits_(static_cast<int>(code_target(isa).vector_bits)),
      ahead_(ahead) {
  pieces_.emplace_back();
  pieces_.back().plan = plan_of_single();
  std::size_t cost = 0;
  for (const Piece& piece : pieces_of(order_)) {
    PieceOf& made = pieces_.emplace_back();
    made.rule = &piece.regime->rule;
    made.regime = *piece.regime;
    made.is_split = std::holds_alternative<spec::Split>(made.regime.rule);
    // Other forms of a rule are known for sums only.
    if (made.is_split) {
      const auto folded =
          spec::is_update(*piece.order) ? std::nullopt : fold_split(*piece.order, made.regime);
      if (!folded) {
        pieces_.pop_back();
        continue;
      }
      made.regime.rule = *folded;
    } else if (!spec::is_update(*piece.order)) {
      if (const auto cut = unpad_loop(made.regime)) made.regime.rule = *cut;
    }
    const bool is_planned = plan_rule(made.regime, made.plan, made.why);
    cost += made.plan.cost;
    if (!is_planned) {
      if (made.is_split) pieces_.pop_back();  // walked instead
    } else if (cost > kMaxOrderCost) {
      made.plan = {};
      made.why = "more code than one order is given";
    } else {
      for (const auto* plans : {&made.plan.cold, &made.plan.hot})
        for (const Plan& plan : *plans)
          if (made.why.empty() && !plan.nodes.empty()) is_tile_plan(plan, made.why);
    }
  }
  for (const PieceOf& piece : pieces_) {
    for (const Plan& plan : piece.plan.hot) piece.hot.emplace_back(plan, piece.plan.block);
    for (const Plan& plan : piece.plan.cold) piece.cold.emplace_back(plan, piece.plan.block);
  }
}

bool OrderTiles::is_piece(const spec::Rule& rule, std::int64_t n) const {
  const auto* split = std::get_if<spec::Split>(&rule);
  if (split == nullptr) return !std::holds_alternative<spec::Parts>(rule);
  for (const PieceOf& piece : pieces_)
    if (piece.rule == &rule) return piece.regime.lo <= n && n <= piece.regime.hi;
  return false;
}

bool OrderTiles::plan_of(const spec::Rule& rule, std::int64_t n, PiecePlan& at,
                         std::string& why) const {
  at = {};
  for (std::size_t k = 1; k < pieces_.size(); ++k)
    if (pieces_[k].rule == &rule) at.piece = k;
  const PieceOf& piece = pieces_[at.piece];
  why = piece.why;
  if (!why.empty()) return false;
  at.r = n;
  if (piece.plan.block > 0) {
    at.q = n / piece.plan.block;
    at.r = n % piece.plan.block;
    at.hot = at.q >= piece.plan.first_symbolic;
  }
  const std::vector<Plan>& plans = at.hot ? piece.plan.hot : piece.plan.cold;
  for (at.index = 0; at.index < plans.size(); ++at.index) {
    const Domain& domain = plans[at.index].domain;
    if (!at.hot && domain.q_lo != at.q) continue;
    if (domain.r_lo > at.r || at.r > domain.r_hi) continue;
    if (plans[at.index].nodes.empty()) why = "a schema without summands";
    return why.empty();
  }
  throw UserError("the order is not defined at n = " + std::to_string(n));
}

OrderTiles::PieceOf::Made::Made(const Plan& plan, std::int64_t block) : cut(cut_of(plan)) {
  const spec::Scale scales[] = {spec::Scale::none, spec::Scale::rounded, spec::Scale::fused};
  for (int k = 0; k < 3; ++k) repeats[k] = repeat_of(plan, block, scales[k]);
}

bool OrderTiles::repeat(Ending ending, std::int64_t count, PiecePlan& at) const {
  PiecePlan repeated = at;
  repeated.part = ending == Ending::add          ? PiecePlan::Part::repeat_add
                  : ending == Ending::add_scaled ? PiecePlan::Part::repeat_add_scaled
                                                 : PiecePlan::Part::repeat_fuse_scaled;
  if (cut(repeated) == nullptr) return false;
  at = repeated;
  at.q = count;
  at.r = 0;
  return true;
}

const OrderTiles::PieceOf::Made& OrderTiles::made(const PiecePlan& at) const {
  const PieceOf& piece = pieces_[at.piece];
  return (at.hot ? piece.hot : piece.cold)[at.index];
}

const OrderTiles::Cut* OrderTiles::cut(const PiecePlan& at) const {
  const auto& cut =
      at.is_repeat()
          ? made(at)
                .repeats[static_cast<int>(at.part) - static_cast<int>(PiecePlan::Part::repeat_add)]
          : made(at).cut;
  return cut ? &*cut : nullptr;
}

const Plan& OrderTiles::plan(const PiecePlan& at) const {
  if (at.part != PiecePlan::Part::whole)
    return at.part == PiecePlan::Part::rest ? cut(at)->rest : cut(at)->slice;
  const RulePlan& plan = pieces_[at.piece].plan;
  return (at.hot ? plan.hot : plan.cold)[at.index];
}

TileRequest OrderTiles::request(const PiecePlan& at, const TileShape& shape) const {
  return {plan(at), type_, shape, kName};
}

std::string OrderTiles::listing(const PiecePlan& at, const TileShape& shape, bool ir) const {
  GeneratedCode code = backend(isa_).print(code_target(isa_), request(at, shape));
  return ir ? std::move(code.ir) : std::move(code.bytes);
}

std::string OrderTiles::what(const PiecePlan& at, const TileShape& shape) const {
  return "order " + hash_ + "\nroutine tile of " + spec::name(type_) + "\npart " +
         std::to_string(at.piece) + (at.hot ? " hot " : " cold ") + std::to_string(at.index) +
         " of " + std::to_string(static_cast<int>(at.part)) + " " + shape.text();
}

std::shared_ptr<const LoadedObject> OrderTiles::load_tile(const PiecePlan& at,
                                                          const TileShape& shape) const {
  auto made = load_code(isa_, what(at, shape), request(at, shape), cache_directory_);
  if (made == nullptr || made->find(kName) == nullptr)
    throw EnvironmentError("a tile without its function");
  return made;
}

TileFunction OrderTiles::function(const PiecePlan& at, const TileShape& shape) const {
  const PieceOf& piece = pieces_[at.piece];
  TileList& list =
      (at.hot ? piece.hot : piece.cold)[at.index].tiles[static_cast<std::size_t>(at.part)];
  if (const TileFunction known = list.find(shape)) return known;
  if (ahead_ != nullptr) {
    ahead_->add(what(at, shape), request(at, shape));
    list.add(
        shape, [](const void*) {}, nullptr);
    return list.find(shape);
  }
  const base::ForkSafeLock lock(mutex_);
  if (const TileFunction known = list.find(shape)) return known;
  if (gave_up_) return nullptr;
  std::shared_ptr<const LoadedObject> loaded;
  const JobEnd end = on_compile_thread([&] {
    try {
      loaded = load_tile(at, shape);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception&) {
      // Code that cannot be made or loaded: as where LLVM gives up.
    }
  });
  if (end == JobEnd::no_thread) return nullptr;
  gave_up_ = loaded == nullptr;
  if (gave_up_) return nullptr;
  const auto function = reinterpret_cast<TileFunction>(loaded->find(kName));
  list.add(shape, function, std::move(loaded));
  return function;
}

int OrderTiles::rows_at_once(const PiecePlan& at) const {
  return program::row_width(plan(at), type_, static_cast<unsigned>(vector_bits_)).rows;
}

bool OrderTiles::is_dot(const PiecePlan& at) const {
  return at.piece != 0 && !plan(at).is_update();
}

template <class T>
bool OrderTiles::has_dot(const PiecePlan& at) const {
  if (ahead_ == nullptr) return dot<T>(at) != nullptr;
  if (!is_dot(at)) return false;
  const spec::Order order = dot_order(pieces_[at.piece]);
  return !spec::is_update(order) && ahead_->add(order, spec::Routine::dot, type_);
}

template <class T>
const Kernel<T>* OrderTiles::dot(const PiecePlan& at) const {
  const PieceOf& piece = pieces_[at.piece];
  if (!is_dot(at)) return nullptr;
  if (!piece.dot_is_made.load(std::memory_order_acquire)) make_dot<T>(piece);
  return piece.dot_is_made.load(std::memory_order_acquire)
             ? static_cast<const Kernel<T>*>(piece.dot.get())
             : nullptr;
}

// May be an update: other residues name the output.
spec::Order OrderTiles::dot_order(const PieceOf& piece) const {
  spec::Order order;
  order.regimes = {piece.regime};
  order.regimes[0].hi = spec::kMaxLeaves;  // a child may be asked beyond its range
  return order;
}

template <class T>
void OrderTiles::make_dot(const PieceOf& piece) const {
  const base::ForkSafeLock lock(mutex_);
  if (piece.dot_is_made) return;
  const JobEnd end = on_compile_thread([&] {
    const spec::Order order = dot_order(piece);
    if (spec::is_update(order)) return;
    auto made = compile<T>(order, spec::Routine::dot, {isa_, cache_directory_});
    if (made->isa() == isa_) piece.dot = std::move(made);
  });
  if (end != JobEnd::no_thread) piece.dot_is_made.store(true, std::memory_order_release);
}

template bool OrderTiles::has_dot<float>(const PiecePlan&) const;
template bool OrderTiles::has_dot<double>(const PiecePlan&) const;
template const Kernel<float>* OrderTiles::dot(const PiecePlan&) const;
template const Kernel<double>* OrderTiles::dot(const PiecePlan&) const;

std::shared_ptr<const OrderTiles> order_tiles(const spec::Order& order, OutputMode mode,
                                              spec::Type type, Isa isa,
                                              const std::string& cache_directory) {
  static auto& all = *new std::map<std::tuple<std::string, spec::Type, Isa, std::string>,
                                   std::shared_ptr<const OrderTiles>>;
  spec::Order changed = with_output(order, mode);
  const auto key = std::tuple(spec::meaning_hash(changed), type, isa, cache_directory);
  auto& tiles = all[key];
  if (tiles == nullptr)
    tiles = std::make_shared<OrderTiles>(std::move(changed), type, isa, cache_directory);
  return tiles;
}

}  // namespace reprosum::kernels
