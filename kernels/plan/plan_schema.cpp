// From a schema to plans: constant parts are unrolled, runs are kept, domains are split until it is
// certain which parts are present.
#include <algorithm>
#include <string>
#include <utility>

#include "kernels/plan/plan.h"
#include "spec/error.h"

namespace reprosum::kernels {
namespace {

using spec::Chain;
using spec::is_constant;
using spec::Item;
using spec::Leaf;
using spec::Linear;
using spec::NodeFormat;
using spec::Scale;
using spec::Schema;
using spec::Shape;

constexpr std::int64_t kUnrolledCopies = 16;  // constant runs of leaves beyond this stay loops
constexpr std::int64_t kMaxPeeled = 4;        // values of q planned one by one
constexpr std::size_t kMaxBodyLeaves = 256;

// Whether something is present changes inside the domain: at r = split_r, or with q.
struct Ambiguous {
  bool on_q = false;
  std::int64_t split_r = 0;
};
struct Unsupported {
  std::string why;
};

class Planner {
 public:
  Planner(const Schema& schema, const Linear& summands, const Domain& domain, PlanBudget& budget)
      : schema_(schema), domain_(domain), summands_(summands), budget_(budget) {
    plan_.domain = domain;
    plan_.last = summands - Linear{0, 0, 1};
    find_absent();
  }

  // The plan; without nodes if nothing is present.
  Plan run() {
    chain(schema_.chains.size() - 1, {});
    return std::move(plan_);
  }

 private:
  bool fixed_q() const { return domain_.fixes_q(); }
  bool fixed_r() const { return domain_.fixes_r(); }

  Linear simplified(Linear v) const {
    using spec::checked_product, spec::checked_sum;
    if (fixed_q()) v = {0, v.r, checked_sum(v.c, checked_product(v.q, domain_.q_lo))};
    if (fixed_r()) v = {v.q, 0, checked_sum(v.c, checked_product(v.r, domain_.r_lo))};
    return v;
  }

  bool is_absent(const Item& item) const {
    return domain_.greatest(item.times) <= 0 || domain_.greatest(item.times2) <= 0 ||
           (!item.shape.is_leaf() && absent_[static_cast<std::size_t>(item.shape.chain)]);
  }

  // Chains that are nowhere: a walk that entered each of their copies would not end.
  void find_absent() {
    for (const Chain& chain : schema_.chains)
      absent_.push_back(std::all_of(chain.items.begin(), chain.items.end(),
                                    [&](const Item& item) { return is_absent(item); }));
  }

  // Whether value >= bound on the whole domain; not at all; or Ambiguous.
  bool reaches(const Linear& value, std::int64_t bound) const {
    if (domain_.least(value) >= bound) return true;
    if (domain_.greatest(value) < bound) return false;
    ambiguous(value, bound);
  }

  [[noreturn]] void ambiguous(const Linear& value, std::int64_t bound) const {
    if (value.q != 0 && !fixed_q()) throw Ambiguous{true, 0};
    const bool at_first = value.at(domain_.q_lo, domain_.r_lo) >= bound;
    std::int64_t r = domain_.r_lo + 1;
    while (r < domain_.r_hi && (value.at(domain_.q_lo, r) >= bound) == at_first) ++r;
    throw Ambiguous{false, r};
  }

  // Proves 0 <= place < n on the domain: all three are linear, so the corners decide.
  void check_place(const Linear& place) const {
    if (domain_.least(place) < 0 || domain_.least(summands_ - place) < 1)
      throw Unsupported{"a summand may lie outside the piece"};
  }

  int append(PlanNode node) {
    if (plan_.nodes.size() >= budget_.nodes) throw Unsupported{"too many nodes for straight code"};
    spend(1);
    plan_.nodes.push_back(std::move(node));
    return static_cast<int>(plan_.nodes.size()) - 1;
  }

  void spend(std::size_t nodes) {
    if (budget_.attempts < nodes) throw Unsupported{"takes too long to plan"};
    budget_.attempts -= nodes;
  }

  static bool is_output(const Shape& shape) {
    return shape.is_leaf() && (shape.leaf == Leaf::out || shape.leaf == Leaf::out_fused);
  }

  int leaf(Leaf kind, const Linear& at) {
    PlanNode node;
    node.kind = kind == Leaf::zero ? PlanNode::Kind::zero : PlanNode::Kind::leaf;
    node.leaf = kind == Leaf::fused ? Leaf::rounded : kind;
    if (kind == Leaf::out || kind == Leaf::out_fused) {
      node.kind = PlanNode::Kind::out;
      node.leaf = Leaf::out;
    } else if (kind != Leaf::zero) {
      check_place(at);
      node.at = at;
    }
    return append(node);
  }

  int add(NodeFormat format, int left, int right) {
    PlanNode node;
    node.kind = PlanNode::Kind::add;
    node.format = format;
    node.left = left;
    node.right = right;
    return append(node);
  }

  int fuse(NodeFormat format, int left, const Linear& at, const Shape& shape) {
    check_place(at);
    PlanNode node;
    node.kind = PlanNode::Kind::fuse;
    node.format = format;
    node.leaf = Leaf::fused;
    node.left = left;
    node.at = at;
    node.scale = shape.scale;
    node.skip = shape.skip;
    return append(node);
  }

  int fuse_output(NodeFormat format, int left) {
    PlanNode node;
    node.kind = PlanNode::Kind::fuse_out;
    node.format = format;
    node.leaf = Leaf::out_fused;
    node.left = left;
    return append(node);
  }

  // Alpha meets the value of a node where its parent takes it.
  void scale(int node, Scale scale, bool is_addend) {
    if (scale == Scale::none) return;
    PlanNode& scaled = plan_.nodes[static_cast<std::size_t>(node)];
    if (scaled.scale != Scale::none) throw Unsupported{"alpha meets a value twice"};
    // A fused one that comes first has nothing to be fused with.
    scaled.scale = scale == Scale::fused && !is_addend ? Scale::rounded : scale;
  }

  // The node of one copy of a chain, or -1 if it is absent. Recursion is bounded by kMaxDepth.
  int chain(std::size_t index, const Linear& origin) {
    const Chain& chain = schema_.chains[index];
    if (chain.fused.terms > 0) throw Unsupported{"nodes that fuse several terms"};
    int sum = -1;
    for (const Item& item : chain.items)
      if (!is_absent(item)) sum = add_item(chain.format, item, origin, sum);
    return sum;
  }

  // @pre the item is not absent.
  int add_item(NodeFormat format, const Item& item, const Linear& origin, int sum) {
    const Linear count = simplified(item.times), count2 = simplified(item.times2);
    const Linear at = origin + simplified(item.at);
    const Linear step = simplified(item.step), step2 = simplified(item.step2);
    if (is_constant(count) && is_constant(count2)) {
      for (std::int64_t u = 0; u < count2.c; ++u) {
        const Linear first = at + u * step2;
        if (count.c > kUnrolledCopies && is_constant(step) && is_summand(item.shape)) {
          sum = add_run(format, sum, {format, first, step.c, count, body(item, 0, 1)});
          continue;
        }
        for (std::int64_t t = 0; t < count.c; ++t)
          sum = add_copy(format, item.shape, first + t * step, sum);
      }
      return sum;
    }
    if (is_constant(count2)) {
      require_constant(step);
      for (std::int64_t u = 0; u < count2.c; ++u)
        sum = add_run(format, sum, {format, at + u * step2, step.c, count, body(item, 0, 1)});
      return sum;
    }
    if (!is_constant(count)) throw Unsupported{"a run of runs"};
    require_constant(step);
    require_constant(step2);
    if (count.c > static_cast<std::int64_t>(kMaxBodyLeaves)) throw Unsupported{"a long inner run"};
    return add_run(format, sum, {format, at, step2.c, count2, body(item, step.c, count.c)});
  }

  static bool is_summand(const Shape& shape) {
    return shape.is_leaf() && shape.leaf != Leaf::zero && !is_output(shape);
  }

  void require_constant(const Linear& step) const {
    if (!is_constant(step)) throw Unsupported{"a step that depends on n"};
  }

  int add_copy(NodeFormat format, const Shape& shape, const Linear& at, int sum) {
    int copy = -1;
    if (!shape.is_leaf()) {
      copy = chain(static_cast<std::size_t>(shape.chain), at);
      if (copy < 0) return sum;
    } else if (shape.leaf == Leaf::fused && sum >= 0) {
      return fuse(format, sum, at, shape);
    } else if (shape.leaf == Leaf::out_fused && sum >= 0) {
      return fuse_output(format, sum);
    } else {
      copy = leaf(shape.leaf, at);
      plan_.nodes.back().skip = shape.skip;
    }
    scale(copy, shape.scale, sum >= 0);
    return sum < 0 ? copy : add(format, sum, copy);
  }

  // The addends of one iteration: `copies` of the item's shape, `step` apart.
  std::vector<Addend> body(const Item& item, std::int64_t step, std::int64_t copies) {
    std::vector<Addend> result;
    for (std::int64_t t = 0; t < copies; ++t) {
      Addend addend;
      if (item.shape.is_leaf()) {
        if (!is_summand(item.shape)) throw Unsupported{"a run of zeros or outputs"};
        addend.push_back({false, NodeFormat::narrow, item.shape.leaf,
                          spec::checked_product(t, step), item.shape.scale, item.shape.skip});
      } else {
        const Linear origin{0, 0, spec::checked_product(t, step)};
        if (!flatten(static_cast<std::size_t>(item.shape.chain), origin, addend)) return {};
        scale(addend.back(), item.shape.scale);
      }
      spend(addend.size());
      result.push_back(std::move(addend));
    }
    return result;
  }

  // A chain of constant shape as a postorder program; false if it is absent.
  bool flatten(std::size_t index, const Linear& origin, Addend& ops) {
    const Chain& chain = schema_.chains[index];
    bool started = false;
    for (const Item& item : chain.items) {
      if (is_absent(item)) continue;
      const Linear count = simplified(item.times), count2 = simplified(item.times2);
      const Linear at = origin + simplified(item.at), step = simplified(item.step),
                   step2 = simplified(item.step2);
      for (const Linear& v : {count, count2, at, step, step2})
        if (!is_constant(v)) throw Unsupported{"a run of shapes that depend on n"};
      for (std::int64_t u = 0; u < count2.c; ++u) {
        for (std::int64_t t = 0; t < count.c; ++t) {
          const Linear place = at + t * step + u * step2;
          if (item.shape.is_leaf()) {
            if (is_output(item.shape)) throw Unsupported{"outputs inside a run"};
            const bool first = item.shape.leaf == Leaf::fused && !started;
            ops.push_back({false, NodeFormat::narrow, first ? Leaf::rounded : item.shape.leaf,
                           item.shape.leaf == Leaf::zero ? 0 : place.c, Scale::none,
                           item.shape.skip});
          } else if (!flatten(static_cast<std::size_t>(item.shape.chain), place, ops)) {
            continue;
          }
          scale(ops.back(),
                started || item.shape.scale != Scale::fused ? item.shape.scale : Scale::rounded);
          if (started) ops.push_back({true, chain.format, Leaf::rounded, 0});
          started = true;
          if (ops.size() > 2 * kMaxBodyLeaves) throw Unsupported{"a large shape in a run"};
        }
      }
    }
    return started;
  }

  static void scale(BodyOp& op, Scale scale) {
    if (scale == Scale::none) return;
    if (op.scale != Scale::none) throw Unsupported{"alpha meets a value twice"};
    op.scale = scale;
  }

  static bool is_wide(const Addend& addend) {
    const BodyOp& last = addend.back();
    return last.is_add ? last.format == NodeFormat::wide : last.leaf == Leaf::exact;
  }

  // @pre the count is at least 1 somewhere.
  int add_run(NodeFormat format, int sum, Run run) {
    if (run.body.empty()) return sum;  // of an absent chain
    if (sum < 0) {
      // Without an accumulator the run is there or not; and a single copy keeps its own format.
      if (!reaches(run.count, 1)) return sum;
      if (format == NodeFormat::narrow && is_wide(run.body[0]) && run.body.size() == 1 &&
          !reaches(run.count, 2))
        throw_single(run.count);
    } else if (format == NodeFormat::narrow && plan_.is_wide(sum) && !reaches(run.count, 1)) {
      return sum;  // nothing is added, so nothing is rounded
    }
    check_run(run);
    PlanNode node;
    node.kind = PlanNode::Kind::run;
    node.format = format;
    node.left = sum;
    node.run = static_cast<int>(plan_.runs.size());
    plan_.runs.push_back(std::move(run));
    return append(node);
  }

  [[noreturn]] void throw_single(const Linear& count) const {
    if (!is_constant(count)) ambiguous(count, 2);
    throw Unsupported{"one wide copy in a narrow chain"};
  }

  // Proves that every iteration stays inside the piece. Places of iterations that do not exist mean
  // nothing, so the proof is on the part of the domain that has one.
  void check_run(Run& run) const {
    Domain where = domain_;
    if (run.count.q == 0 || fixed_q()) {
      while (where.r_lo < where.r_hi && run.count.at(where.q_lo, where.r_lo) < 1) ++where.r_lo;
      while (where.r_lo < where.r_hi && run.count.at(where.q_lo, where.r_hi) < 1) --where.r_hi;
    }
    if (where.greatest(run.count) < 1) return;
    if (where.least(run.count) < 1) ambiguous(run.count, 1);
    if (where.greatest(run.count) == 1) run.step = 0;  // it leads nowhere, and may be anything
    std::int64_t low = spec::kMaxLeaves, high = -spec::kMaxLeaves;
    for (const Addend& addend : run.body) {
      for (const BodyOp& op : addend) {
        if (!op.is_summand()) continue;
        low = std::min(low, op.offset);
        high = std::max(high, op.offset);
      }
    }
    if (low > high) throw Unsupported{"a run without summands"};
    for (const Linear& place : {run.at, run.at + run.step * (run.count - Linear{0, 0, 1})})
      if (where.least(place + Linear{0, 0, low}) < 0 ||
          where.least(summands_ - place - Linear{0, 0, high}) < 1)
        throw Unsupported{"a run may leave the piece"};
  }

  const Schema& schema_;
  const Domain domain_;
  const Linear summands_;
  PlanBudget& budget_;
  Plan plan_;
  std::vector<bool> absent_;  // per chain
};

// Lanes of which some go one iteration further: all get the common count, the longer ones their
// rest as single nodes, so that the lanes stay one vector.
void equalise_counts(Plan& plan) {
  std::vector<PlanNode> nodes;
  std::vector<int> moved(plan.nodes.size());
  std::vector<bool> starts(plan.runs.size(), false);
  for (const PlanNode& node : plan.nodes)
    if (node.kind == PlanNode::Kind::run)
      starts[static_cast<std::size_t>(node.run)] = node.left < 0;
  for (std::size_t k = 0; k < plan.nodes.size(); ++k) {
    PlanNode node = plan.nodes[k];
    if (node.left >= 0) node.left = moved[static_cast<std::size_t>(node.left)];
    if (node.right >= 0) node.right = moved[static_cast<std::size_t>(node.right)];
    nodes.push_back(node);
    if (node.kind == PlanNode::Kind::run && node.left < 0) {
      Run& run = plan.runs[static_cast<std::size_t>(node.run)];
      const bool one_leaf = run.body.size() == 1 && run.body[0].size() == 1;
      std::int64_t extra = 0;
      for (std::size_t o = 0; o < plan.runs.size(); ++o) {
        const Run& other = plan.runs[o];
        if (!starts[o] || other.format != run.format || other.step != run.step ||
            other.body != run.body)
          continue;
        if (other.count.q != run.count.q || other.count.r != run.count.r) continue;
        extra = std::max(extra, spec::checked_difference(run.count.c, other.count.c));
      }
      Linear shorter = run.count - Linear{0, 0, extra};
      if (one_leaf && node.scale == Scale::none && extra > 0 && extra <= 4 &&
          plan.domain.least(shorter) >= 1) {
        run.count = shorter;
        for (std::int64_t e = 0; e < extra; ++e) {
          const Linear place =
              run.at + run.step * (shorter + Linear{0, 0, e}) + Linear{0, 0, run.body[0][0].offset};
          PlanNode more;
          const int before = static_cast<int>(nodes.size()) - 1;
          if (run.body[0][0].leaf == Leaf::fused) {
            more.kind = PlanNode::Kind::fuse;
            more.leaf = Leaf::fused;
            more.at = place;
            more.scale = run.body[0][0].scale;
            more.skip = run.body[0][0].skip;
          } else {
            PlanNode addend;
            addend.kind = PlanNode::Kind::leaf;
            addend.leaf = run.body[0][0].leaf;
            addend.at = place;
            addend.scale = run.body[0][0].scale;
            addend.skip = run.body[0][0].skip;
            nodes.push_back(addend);
            more.kind = PlanNode::Kind::add;
            more.right = static_cast<int>(nodes.size()) - 1;
          }
          more.left = before;
          more.format = run.format;
          nodes.push_back(more);
        }
      }
    }
    moved[k] = static_cast<int>(nodes.size()) - 1;
  }
  plan.nodes = std::move(nodes);
}

}  // namespace

bool plan_schema(const Schema& schema, const Linear& summands, const Domain& domain,
                 PlanBudget& budget, std::vector<Plan>& plans, std::string& why) {
  std::vector<Domain> pending{domain};
  while (!pending.empty()) {
    const Domain next = pending.back();
    pending.pop_back();
    try {
      Plan plan = Planner(schema, summands, next, budget).run();
      equalise_counts(plan);
      if (!is_expected(plan, why)) return false;
      const std::size_t nodes = cost(plan);
      if (nodes > budget.nodes) throw Unsupported{"too many nodes for straight code"};
      budget.nodes -= nodes;
      plans.push_back(std::move(plan));
    } catch (const Ambiguous& at) {
      Domain first = next, second = next;
      if (at.on_q) {
        if (next.q_lo >= domain.q_lo + kMaxPeeled) {
          why = "presence depends on q without end";
          return false;
        }
        first.q_hi = next.q_lo;
        second.q_lo = next.q_lo + 1;
      } else {
        first.r_hi = at.split_r - 1;
        second.r_lo = at.split_r;
      }
      pending.push_back(second);
      pending.push_back(first);
    } catch (const Unsupported& reason) {
      why = reason.why;
      return false;
    } catch (const spec::TooLarge&) {
      why = "numbers too large for a generated kernel";
      return false;
    }
  }
  return true;
}

}  // namespace reprosum::kernels
