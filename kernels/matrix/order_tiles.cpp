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
#include "kernels/plan/pieces.h"
#include "kernels/program/widths.h"
#include "spec/error.h"
#include "spec/expand.h"
#include "spec/surface.h"
#include "src/base/fork_gate.h"

namespace reprosum::kernels {
namespace {

constexpr const char* kName = "tile";

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
  make_lists(pieces_.back());
  std::size_t cost = 0;
  for (const Piece& piece : pieces_of(order_)) {
    PieceOf& made = pieces_.emplace_back();
    made.rule = &piece.regime->rule;
    made.regime = planned_regime(piece);
    if (plan_update_piece(piece, made.plan, made.why)) {
      cost += made.plan.cost;
      if (cost > kMaxOrderCost) {
        made.plan = {};
        made.why = "more code than one order is given";
      }
    } else if (made.why.empty()) {
      pieces_.pop_back();  // walked
      continue;
    }
    make_lists(made);
  }
}

void OrderTiles::make_lists(PieceOf& piece) {
  for (const Plan& plan : piece.plan.hot) piece.hot.emplace_back(plan, piece.plan.block);
  for (const Plan& plan : piece.plan.cold) piece.cold.emplace_back(plan, piece.plan.block);
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
    return true;
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

const Cut* OrderTiles::cut(const PiecePlan& at) const {
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
