#include "kernels/launch/sum_launches.h"

#include <fmt/format.h>

#include <utility>

#include "kernels/chain/chain.h"
#include "kernels/text/device_chain.h"
#include "kernels/text/device_combine.h"
#include "spec/error.h"
#include "spec/expand.h"
#include "spec/surface.h"

namespace reprosum::kernels::launch {
namespace {

constexpr std::size_t kKeptSizes = 8;           // whose pieces are kept
constexpr std::int64_t kFewSums = 256;          // of a level that one group adds
constexpr std::size_t kValue = sizeof(double);  // of a piece

std::int64_t groups_for(std::int64_t units, std::int64_t each) {
  const std::int64_t groups = units / each + (units % each > 0 ? 1 : 0);
  if (groups > kMostGroups) throw UserError("more rows than a launch has");
  return groups;
}

std::int64_t product(std::int64_t a, std::int64_t b) {
  if (a != 0 && b > spec::kMaxLeaves * 256 / a) throw UserError("more pieces than a launch has");
  return a * b;
}

}  // namespace

SumLaunches::SumLaunches(spec::Order order, spec::Routine routine, spec::Type type,
                         bool out_of_order)
    : order_(std::move(order)),
      routine_(routine),
      type_(type),
      table_(piece_table(order_, type)),
      single_(plan_of_single()),
      out_of_order_(out_of_order && order_.flush == spec::Flush::none && chain::is_wanted()) {
  if (spec::has_fused_nodes(order_)) throw UserError("nodes that fuse several terms");
  if (routine != spec::Routine::sum && routine != spec::Routine::dot)
    throw InternalError("SumLaunches: neither a sum nor a dot product");
}

std::string SumLaunches::comment(std::size_t piece, bool zero_start) const {
  if (piece == kSingle) return "// One summand.\n";
  spec::Order alone;  // the regime's own text
  const Piece& whole = table_.pieces[piece];
  alone.regimes = {*whole.regime};
  alone.subs = table_.pieces[piece].order->subs;
  alone.zero_start = zero_start;
  alone.flush = order_.flush;
  std::string comment = text::device_comment(spec::print(alone));
  if (whole.chain)
    comment +=
        fmt::format("// Of its chains, counted from 0, number {}: {} neighbouring lane(s).\n",
                    whole.chain->chain, whole.chain->lanes);
  return comment;
}

SumLaunches::Kernel SumLaunches::kernel(std::size_t piece, std::int64_t n,
                                        text::DeviceRows rows) const {
  const RulePlan& rule = piece == kSingle ? single_ : table_.plans[piece];
  const Plan* const plan = text::plan_at(rule, n);
  if (plan == nullptr) throw UserError("the order is not defined at n = " + std::to_string(n));
  const std::scoped_lock lock(mutex_);
  const auto key = std::tuple(piece, plan, rows);
  if (const auto known = kernels_.find(key); known != kernels_.end()) return known->second;
  const bool is_whole = rows == text::DeviceRows::whole;
  const std::string name = fmt::format(
      "{}_{}{}_q{}_r{}", spec::blas_name(routine_, type_), is_whole ? "rows" : "pieces",
      piece == kSingle ? "" : std::to_string(piece), plan->domain.q_lo, plan->domain.r_lo);
  const text::DeviceKernel made =
      text::device_rows(rule, *plan, routine_, type_, rows, is_whole && order_.zero_start, name);
  auto whole = std::make_shared<text::DeviceText>();
  whole->text = text::device_macros() + text::device_flush(order_.flush, type_) + "\n" +
                comment(piece, is_whole && order_.zero_start) + made.text;
  whole->entries = {made.entry};
  return kernels_[key] = {std::move(whole), made.rows};
}

bool SumLaunches::is_direct(std::int64_t n, std::size_t& piece) const {
  for (std::size_t k = 0; k < table_.pieces.size(); ++k) {
    const spec::Regime& regime = *table_.pieces[k].regime;
    if (table_.pieces[k].order != &order_ || !table_.pieces[k].is_whole() ||
        !table_.whys[k].empty())
      continue;
    if (n < regime.lo || n > regime.hi) continue;
    piece = k;
    return true;
  }
  return false;
}

std::vector<Argument> SumLaunches::operands(const RowsCall& call) const {
  std::vector<Argument> all{BufferNumber{0}, call.x_at, call.incx, call.ldx};
  if (routine_ == spec::Routine::dot)
    for (const Argument& more :
         {Argument(BufferNumber{1}), Argument(call.y_at), Argument(call.incy), Argument(call.ldy)})
      all.push_back(more);
  return all;
}

Launches SumLaunches::whole(const RowsCall& call, std::size_t piece) const {
  const Kernel made = kernel(piece, call.n, text::DeviceRows::whole);
  Launches result;
  result.operands = routine_ == spec::Routine::dot ? 3 : 2;
  result.texts = {made.text};
  std::vector<Argument> arguments = operands(call);
  for (const std::int64_t number : {call.n, call.rows}) arguments.emplace_back(number);
  arguments.emplace_back(BufferNumber{result.operands - 1});
  result.launches = {{0, 0, groups_for(call.rows, made.rows), std::move(arguments)}};
  return result;
}

std::optional<Sequential> SumLaunches::chain_of(const RowsCall& call, std::size_t piece) const {
  if (!out_of_order_ || call.n < kLeastChain || call.rows > kMostChains) return std::nullopt;
  const std::optional<Sequential> order = sequential(table_.plans[piece], routine_);
  return order && call.n >= order->first ? order : std::nullopt;
}

Launches SumLaunches::chain(const RowsCall& call, const Sequential& order) const {
  const chain::Op op = routine_ == spec::Routine::sum ? chain::Op::sum
                       : order.fused                  ? chain::Op::fused
                                                      : chain::Op::rounded;
  Launches result;
  result.operands = routine_ == spec::Routine::dot ? 3 : 2;
  {
    const std::scoped_lock lock(mutex_);
    if (chain_ == nullptr)
      chain_ = std::make_shared<const text::DeviceText>(
          text::device_chain(op, type_, order.from_zero, order_.zero_start));
    result.texts = {chain_};
  }
  const std::int64_t blocks = call.n / text::kChainBlock + (call.n % text::kChainBlock > 0 ? 1 : 0);
  const std::int64_t all = product(blocks, call.rows);
  result.scratch = {{static_cast<std::size_t>(product(3, all)) * kValue, nullptr}};
  const BufferNumber values{result.operands}, out{result.operands - 1};
  const auto add = [&](std::size_t entry, std::int64_t groups, bool reads,
                       std::initializer_list<Argument> more) {
    std::vector<Argument> arguments = reads ? operands(call) : std::vector<Argument>();
    arguments.insert(arguments.end(), more);
    result.launches.push_back({0, entry, groups_for(groups, 1), std::move(arguments)});
  };
  add(0, all, true, {call.n, call.rows, blocks, values});
  add(1, call.rows, false, {blocks, values});
  add(2, all, true, {call.n, call.rows, blocks, values});
  add(3, call.rows, true, {call.n, call.rows, blocks, values, out});
  return result;
}

std::shared_ptr<const SumLaunches::Walked> SumLaunches::walked(std::int64_t n) const {
  {
    const std::scoped_lock lock(mutex_);
    if (const auto known = walked_.find(n); known != walked_.end()) return known->second;
  }
  auto made = std::make_shared<Walked>();
  made->pieces = sum_pieces(order_, table_, n);
  for (PieceGroup& group : made->pieces.groups)
    made->places.push_back(
        std::make_shared<const std::vector<std::int64_t>>(std::move(group.places)));
  made->list = std::make_shared<const std::vector<std::int64_t>>(std::move(made->pieces.list));
  const std::scoped_lock lock(mutex_);
  if (walked_.size() >= kKeptSizes) walked_.erase(walked_.begin());
  walked_[n] = made;
  return made;
}

Launches SumLaunches::call(const RowsCall& call) const {
  if (call.n < 1) throw UserError("a sum of " + std::to_string(call.n) + " summands");
  Launches result;
  result.operands = routine_ == spec::Routine::dot ? 3 : 2;
  if (call.rows <= 0) return result;
  std::size_t piece = 0;
  if (is_direct(call.n, piece)) {
    const std::optional<Sequential> order = chain_of(call, piece);
    return order ? chain(call, *order) : whole(call, piece);
  }

  const std::shared_ptr<const Walked> walk = walked(call.n);
  const SumPieces& pieces = walk->pieces;
  const auto scratch = [&](std::size_t bytes,
                           std::shared_ptr<const std::vector<std::int64_t>> content) {
    result.scratch.push_back({bytes, std::move(content)});
    return BufferNumber{result.operands + result.scratch.size() - 1};
  };
  const auto content = [&](const std::shared_ptr<const std::vector<std::int64_t>>& numbers) {
    return scratch(numbers->size() * sizeof(std::int64_t), numbers);
  };
  const BufferNumber values =
      scratch(static_cast<std::size_t>(product(pieces.values, call.rows)) * kValue, nullptr);
  for (std::size_t g = 0; g < pieces.groups.size(); ++g) {
    const PieceGroup& group = pieces.groups[g];
    const Kernel made = kernel(group.piece, group.n, text::DeviceRows::pieces);
    const auto count = static_cast<std::int64_t>(walk->places[g]->size());
    std::vector<Argument> arguments = operands(call);
    arguments.insert(arguments.end(), {group.n, call.rows, content(walk->places[g]), count, values,
                                       group.values_at, pieces.values});
    result.launches.push_back({result.texts.size(), 0,
                               groups_for(product(count, call.rows), made.rows),
                               std::move(arguments)});
    result.texts.push_back(made.text);
  }
  {
    const std::scoped_lock lock(mutex_);
    if (combine_ == nullptr)
      combine_ =
          std::make_shared<const text::DeviceText>(text::device_combine(type_, order_.flush));
    result.texts.push_back(combine_);
  }
  const std::size_t combine = result.texts.size() - 1;
  const BufferNumber list = content(walk->list);
  const auto levels = static_cast<std::int64_t>(pieces.levels.size()) - 1;
  std::int64_t level = 0;
  for (; level < levels; ++level) {
    const auto l = static_cast<std::size_t>(level);
    const std::int64_t first = pieces.levels[l], count = pieces.levels[l + 1] - first;
    if (count <= kFewSums) break;
    result.launches.push_back({combine,
                               0,
                               groups_for(product(count, call.rows), combine_->entries[0].group),
                               {list, first, count, values, pieces.values, call.rows}});
  }
  result.launches.push_back({combine,
                             1,
                             groups_for(call.rows, 1),
                             {list, pieces.levels_at + level, levels - level, values, pieces.values,
                              call.rows, pieces.root, BufferNumber{result.operands - 1}}});
  return result;
}

}  // namespace reprosum::kernels::launch
