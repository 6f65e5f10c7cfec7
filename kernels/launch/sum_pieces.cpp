#include "kernels/launch/sum_pieces.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "kernels/text/device_combine.h"
#include "spec/error.h"
#include "spec/evaluate/schema_walker.h"
#include "spec/evaluate/walk_rules.h"

namespace reprosum::kernels::launch {
namespace {

constexpr std::size_t kMostNodes = std::size_t{1} << 22;
constexpr std::size_t kMostGroupsOfPieces = 512;  // a launch each

// A value of the walk. Operands stand before what adds them.
struct Node {
  std::int64_t left = -1, right = -1;  // of an addition
  bool wide = false;
  std::size_t group = 0;   // of a piece
  std::int64_t index = 0;  // in its group; -1 for the constant +0
  bool is_addition() const { return left >= 0; }
};

// What a walk (RuleWalk) finds: pieces by their rule and length, and additions.
class Collector {
 public:
  using Value = std::int64_t;  // a node

  explicit Collector(const PieceTable& table) : table_(table) {}

  static void require(bool) {}
  std::optional<Value> piece(const spec::Order&, const spec::Rule& rule, std::int64_t n,
                             std::int64_t at) {
    const auto it = table_.of_rule.find(&rule);
    const bool is_walked =
        std::holds_alternative<spec::Split>(rule) || std::holds_alternative<spec::Parts>(rule);
    if (std::holds_alternative<spec::Windows>(rule)) throw UserError("a sum in windows");
    if (const auto chains = table_.chains_of_rule.find(&rule);
        chains != table_.chains_of_rule.end())
      return walk_chains(chains->second, rule, n, at);
    if (it == table_.of_rule.end()) {
      if (is_walked) return std::nullopt;
      throw UserError("more pieces than one order is given");
    }
    const spec::Regime& regime = *table_.pieces[it->second].regime;
    if (!table_.whys[it->second].empty()) {
      if (is_walked) return std::nullopt;
      throw UserError(table_.whys[it->second]);
    }
    // A split is a loop within its regime alone.
    if (is_walked && (n < regime.lo || n > regime.hi)) return std::nullopt;
    return add_piece(it->second, n, at);
  }
  Value single(std::int64_t at) { return add_piece(kSingle, 1, at); }
  Value constant(spec::Leaf leaf) {
    if (leaf != spec::Leaf::zero) refuse();
    Node zero;
    zero.index = -1;
    return append(zero);
  }
  void add(spec::NodeFormat format, Value& sum, Value right, spec::Scale scale) {
    if (scale != spec::Scale::none) refuse();
    Node node;
    node.left = sum;
    node.right = right;
    node.wide = format == spec::NodeFormat::wide;
    sum = append(node);
  }
  // A loop whose chains are pieces, for SchemaWalker. One of them is a lane, so the walk never
  // comes to a summand.
  struct ChainValues {
    using Value = std::optional<std::int64_t>;
    Collector& collector;
    const std::vector<std::size_t>& chains;

    static void require(bool) {}
    static bool present(const Value& value) { return value.has_value(); }
    void add(spec::NodeFormat format, Value& sum, const Value& right, spec::Scale scale) {
      if (sum)
        collector.add(format, *sum, *right, scale);
      else
        sum = right;
    }
    void add_constant(spec::NodeFormat format, spec::Leaf leaf, Value& sum) {
      add(format, sum, collector.constant(leaf), spec::Scale::none);
    }
    static void add_leaves(spec::NodeFormat, const spec::Shape&, Value&, std::int64_t, std::int64_t,
                           std::int64_t) {
      throw UserError("a padded loop");
    }
    static void add_sub_run(spec::NodeFormat, std::int32_t, Value&, std::int64_t, std::int64_t,
                            std::int64_t) {
      throw UserError("lanes that a sub-order adds");
    }
    const ChainPiece* chain_piece(std::size_t chain) const {
      for (const std::size_t k : chains) {
        const ChainPiece& piece = *collector.table_.pieces[k].chain;
        if (static_cast<std::size_t>(piece.chain) == chain) return &piece;
      }
      return nullptr;
    }
    Value value_of(const ChainPiece& piece, std::int64_t at, std::int64_t rows) {
      for (const std::size_t k : chains)
        if (&*collector.table_.pieces[k].chain == &piece) {
          if (const std::string& why = collector.table_.whys[k]; !why.empty()) throw UserError(why);
          return collector.add_piece(k, summands_of_rows(piece, rows), at);
        }
      throw InternalError("a chain of another loop");
    }
  };
  Value walk_chains(const std::vector<std::size_t>& chains, const spec::Rule& rule, std::int64_t n,
                    std::int64_t at) {
    ChainValues values{*this, chains};
    return *spec::walk_piece(rule, n, at, values).value();
  }

  static void bind(Value) { refuse(); }
  static void unbind() {}
  static void scale(Value&) { refuse(); }
  static void fuse_output(spec::NodeFormat, Value&) { refuse(); }

  std::vector<Node> nodes;
  std::vector<PieceGroup> groups;

 private:
  [[noreturn]] static void refuse() { throw UserError("pieces go on from the sum before them"); }
  Value append(const Node& node) {
    if (nodes.size() >= kMostNodes) throw UserError("more pieces than a call is given");
    nodes.push_back(node);
    return static_cast<Value>(nodes.size()) - 1;
  }
  Value add_piece(std::size_t piece, std::int64_t n, std::int64_t at) {
    const auto [it, fresh] = known_.try_emplace({piece, n}, groups.size());
    if (fresh) {
      if (groups.size() >= kMostGroupsOfPieces)
        throw UserError("pieces of more lengths than a call is given");
      groups.push_back({piece, n, 0, {}});
    }
    PieceGroup& group = groups[it->second];
    Node node;
    node.group = it->second;
    node.index = static_cast<std::int64_t>(group.places.size());
    group.places.push_back(at);
    return append(node);
  }

  const PieceTable& table_;
  std::map<std::pair<std::size_t, std::int64_t>, std::size_t> known_;
};

// Additions onto one value, one after the other, are one sum. Which operand of an addition goes on
// is free, for a + b is b + a: the one that takes longer to make, so that a balanced tree has as
// many levels as it is deep, and a long chain one.
class Levels {
 public:
  Levels(const std::vector<Node>& nodes, SumPieces& result) : nodes_(nodes), result_(result) {}

  void run() {
    for (PieceGroup& group : result_.groups) {
      group.values_at = result_.values;
      result_.values += static_cast<std::int64_t>(group.places.size());
    }
    of_.resize(nodes_.size());
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      if (nodes_[k].is_addition()) {
        take(k);
      } else {
        of_[k] = {-1, nodes_[k].index < 0
                          ? text::kZeroPlace
                          : result_.groups[nodes_[k].group].values_at + nodes_[k].index};
      }
    }
    result_.root = of_.back().place;
    write();
  }

 private:
  struct Sum {
    std::int64_t place = 0;
    bool wide = false;
    std::int64_t level = 0;
    std::vector<std::int64_t> values;
  };
  struct Made {
    std::int64_t sum = -1;  // that gives the value; -1: a piece or a constant
    std::int64_t place = 0;
  };
  std::int64_t level(const Made& made) const {
    return made.sum < 0 ? 0 : sums_[static_cast<std::size_t>(made.sum)].level;
  }

  void take(std::size_t k) {
    const Node& node = nodes_[k];
    Made first = of_[static_cast<std::size_t>(node.left)];
    Made second = of_[static_cast<std::size_t>(node.right)];
    const auto can_go_on = [&](const Made& made) {
      return made.sum >= 0 && sums_[static_cast<std::size_t>(made.sum)].wide == node.wide;
    };
    if (!can_go_on(first) || (can_go_on(second) && level(second) > level(first)))
      std::swap(first, second);
    if (!can_go_on(first)) {
      std::swap(first, second);
      first.sum = static_cast<std::int64_t>(sums_.size());
      sums_.push_back({result_.values++,
                       node.wide,
                       1 + level(of_[static_cast<std::size_t>(node.left)]),
                       {first.place}});
      first.place = sums_.back().place;
    }
    Sum& sum = sums_[static_cast<std::size_t>(first.sum)];
    sum.values.push_back(second.place);
    sum.level = std::max(sum.level, 1 + level(second));
    of_[k] = first;
  }

  void write() {
    std::vector<std::size_t> sequence(sums_.size());
    for (std::size_t k = 0; k < sequence.size(); ++k) sequence[k] = k;
    std::stable_sort(sequence.begin(), sequence.end(),
                     [&](std::size_t a, std::size_t b) { return sums_[a].level < sums_[b].level; });
    for (std::size_t k = 0; k < sequence.size(); ++k)
      if (k == 0 || sums_[sequence[k]].level != sums_[sequence[k - 1]].level)
        result_.levels.push_back(static_cast<std::int64_t>(k));
    result_.levels.push_back(static_cast<std::int64_t>(sums_.size()));
    std::vector<std::int64_t>& list = result_.list;
    list.resize(sums_.size());
    result_.levels_at = static_cast<std::int64_t>(list.size());
    list.insert(list.end(), result_.levels.begin(), result_.levels.end());
    for (std::size_t k = 0; k < sequence.size(); ++k) {
      const Sum& sum = sums_[sequence[k]];
      list[k] = static_cast<std::int64_t>(list.size());
      list.insert(list.end(),
                  {sum.place, sum.wide ? 1 : 0, static_cast<std::int64_t>(sum.values.size())});
      list.insert(list.end(), sum.values.begin(), sum.values.end());
    }
  }

  const std::vector<Node>& nodes_;
  SumPieces& result_;
  std::vector<Made> of_;
  std::vector<Sum> sums_;
};

}  // namespace

PieceTable piece_table(const spec::Order& order, spec::Type type) {
  PieceTable table;
  table.pieces = pieces_of(order);
  table.plans.resize(table.pieces.size());
  table.whys.resize(table.pieces.size());
  for (std::size_t k = 0; k < table.pieces.size(); ++k) {
    const spec::Rule* const rule = &table.pieces[k].regime->rule;
    if (table.pieces[k].is_whole())
      table.of_rule[rule] = k;
    else
      table.chains_of_rule[rule].push_back(k);
    if (plan_piece(table.pieces[k], type, table.plans[k], table.whys[k])) {
      table.whys[k].clear();
    } else if (table.whys[k].empty()) {
      table.whys[k] = "walked";
    }
  }
  return table;
}

SumPieces sum_pieces(const spec::Order& order, const PieceTable& table, std::int64_t n) {
  Collector collector(table);
  spec::RuleWalk<Collector>(collector).run(order, n);
  SumPieces result;
  result.groups = std::move(collector.groups);
  Levels(collector.nodes, result).run();
  return result;
}

}  // namespace reprosum::kernels::launch
