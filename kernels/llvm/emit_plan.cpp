#include "kernels/llvm/emit_plan.h"

#include <algorithm>
#include <tuple>

#include "spec/error.h"

namespace reprosum::kernels {
namespace {

using spec::Format;
using spec::Leaf;
using spec::Linear;
using Kind = PlanNode::Kind;
using Pick = ValueEmitter::Pick;

// Vectors have 1, 2, 4, ... 64 lanes: other widths make the backend compute lanes that nobody
// wants.
std::size_t chunk(std::size_t left) {
  std::size_t width = 64;
  while (width > left) width /= 2;
  return width;
}

// Runs are one vector if they differ only in the constant of their place.
auto key(const Run& run) {
  return std::tuple(run.count.q == 0, run.format, run.step, run.count, run.body, run.at.q,
                    run.at.r);
}

class PlanEmitter {
 public:
  PlanEmitter(ValueEmitter& emitter, const Plan& plan, const StartedRuns& shared, unsigned bits)
      : e_(emitter), plan_(plan), shared_(shared), bits_(bits), lanes_(plan.nodes.size()) {
    uses_.resize(plan.nodes.size());
    for (const PlanNode& node : plan.nodes) {
      if (node.left >= 0) uses_[static_cast<std::size_t>(node.left)] = {false, node.format};
      if (node.right >= 0) uses_[static_cast<std::size_t>(node.right)] = {true, node.format};
    }
  }

  Values run() {
    take_shared_runs();
    while (emit_runs_of(false)) {
    }
    while (pending()) {
      if (emit_ready()) continue;
      if (!emit_runs_of(true)) throw InternalError("generator: a plan that never becomes ready");
    }
    return e_.gather({lanes_.back()});
  }

 private:
  bool done(int node) const { return lanes_[static_cast<std::size_t>(node)].first != nullptr; }
  const PlanNode& node(int k) const { return plan_.nodes[static_cast<std::size_t>(k)]; }
  const Run& run_of(int k) const { return plan_.runs[static_cast<std::size_t>(node(k).run)]; }
  Pick lane(int k) const { return lanes_[static_cast<std::size_t>(k)]; }
  bool pending() const { return !done(static_cast<int>(plan_.nodes.size()) - 1); }

  void finish(const std::vector<int>& nodes, Values values) {
    values.id = static_cast<int>(values_.size()) + 1;
    values_.push_back(std::move(values));
    for (std::size_t k = 0; k < nodes.size(); ++k)
      lanes_[static_cast<std::size_t>(nodes[k])] = {&values_.back(), static_cast<int>(k)};
  }

  void take_shared_runs() {
    for (int k = 0; k < static_cast<int>(plan_.nodes.size()); ++k)
      if (node(k).kind == Kind::run && node(k).left < 0)
        lanes_[static_cast<std::size_t>(k)] = shared_.find(run_of(k));
  }

  // One loop with all ready runs of one count. Tails (whose count has no q) come first: their
  // chains then overlap with the main loop.
  bool emit_runs_of(bool with_init) {
    std::vector<int> ready;
    for (int k = 0; k < static_cast<int>(plan_.nodes.size()); ++k) {
      if (node(k).kind != Kind::run || done(k)) continue;
      if (with_init ? node(k).left >= 0 && done(node(k).left) : node(k).left < 0)
        ready.push_back(k);
    }
    if (ready.empty()) return false;
    const auto order = [&](int k) {
      const Values* init = with_init ? lane(node(k).left).first : nullptr;
      const bool wide = init != nullptr && init->wide;
      return std::tuple(run_of(k).count.q != 0, run_of(k).count, key(run_of(k)), wide,
                        init == nullptr ? 0 : init->id, scale_of(node(k).left), run_of(k).at.c);
    };
    std::sort(ready.begin(), ready.end(), [&](int a, int b) { return order(a) < order(b); });
    const Linear count = run_of(ready[0]).count;
    std::vector<RunLanes> vectors;
    std::vector<std::vector<int>> members;
    for (std::size_t k = 0; k < ready.size() && run_of(ready[k]).count == count;) {
      std::size_t end = k + 1;
      const auto same = [&](int a, int b) {
        return key(run_of(a)) == key(run_of(b)) &&
               (!with_init || (lane(node(a).left).first->wide == lane(node(b).left).first->wide &&
                               scale_of(node(a).left) == scale_of(node(b).left)));
      };
      while (end < ready.size() && same(ready[k], ready[end])) ++end;
      end = k + chunk(end - k);
      RunLanes lanes{run_of(ready[k]), {}, {}};
      std::vector<Pick> init;
      members.emplace_back(ready.begin() + std::ptrdiff_t(k), ready.begin() + std::ptrdiff_t(end));
      std::sort(members.back().begin(), members.back().end(),
                [&](int a, int b) { return run_of(a).at.c < run_of(b).at.c; });
      lanes.run = run_of(members.back()[0]);
      for (const int m : members.back()) {
        lanes.offsets.push_back(run_of(m).at.c - lanes.run.at.c);
        if (with_init) init.push_back(lane(node(m).left));
      }
      if (with_init) lanes.init = taken(init, node(members.back()[0]).left);
      vectors.push_back(std::move(lanes));
      k = end;
    }
    std::vector<Values> sums = emit_runs(e_, vectors, bits_);
    for (std::size_t k = 0; k < sums.size(); ++k) finish(members[k], std::move(sums[k]));
    return true;
  }

  bool is_ready(int k) const {
    const PlanNode& n = node(k);
    if (done(k) || n.kind == Kind::run) return false;
    return (n.left < 0 || done(n.left)) && (n.right < 0 || done(n.right));
  }

  // What ready nodes must share to be one vector operation. Operands from one vector each keep the
  // shuffles to one instruction or two.
  auto group(int k) const {
    const PlanNode& n = node(k);
    const auto [is_addend, format] = uses_[static_cast<std::size_t>(k)];
    const bool is_leaf = n.kind == Kind::leaf || n.kind == Kind::zero;
    const bool is_output = n.kind == Kind::out || n.kind == Kind::fuse_out;
    return std::tuple(n.kind, is_leaf ? format : n.format, n.leaf, is_leaf && is_addend, n.at.q,
                      n.at.r, n.left < 0 ? 0 : lane(n.left).first->id,
                      n.right < 0 ? 0 : lane(n.right).first->id, n.scale, scale_of(n.left),
                      scale_of(n.right), is_output ? k : 0);
  }

  // What alpha does to a value where it is taken.
  spec::Scale scale_of(int k) const { return k < 0 ? spec::Scale::none : node(k).scale; }
  Values taken(const std::vector<Pick>& picks, int k) {
    return e_.taken(e_.gather(picks), scale_of(k));
  }

  bool emit_ready() {
    std::vector<int> ready;
    for (int k = 0; k < static_cast<int>(plan_.nodes.size()); ++k)
      if (is_ready(k)) ready.push_back(k);
    if (ready.empty()) return false;
    const auto order = [&](int k) {
      const PlanNode& n = node(k);
      return std::tuple(group(k), n.left < 0 ? 0 : lane(n.left).second, n.at.c, k);
    };
    std::sort(ready.begin(), ready.end(), [&](int a, int b) { return order(a) < order(b); });
    for (std::size_t k = 0; k < ready.size();) {
      std::size_t end = k + 1;
      while (end < ready.size() && group(ready[k]) == group(ready[end])) ++end;
      end = k + chunk(end - k);
      emit_group({ready.begin() + std::ptrdiff_t(k), ready.begin() + std::ptrdiff_t(end)});
      k = end;
    }
    return true;
  }

  void emit_group(std::vector<int> nodes) {
    const PlanNode& first = node(nodes[0]);
    if (first.kind == Kind::leaf || first.kind == Kind::fuse)
      std::sort(nodes.begin(), nodes.end(),
                [&](int a, int b) { return node(a).at.c < node(b).at.c; });
    std::vector<Pick> left, right;
    std::vector<std::int64_t> offsets;
    for (const int k : nodes) {
      if (node(k).left >= 0) left.push_back(lane(node(k).left));
      if (node(k).right >= 0) right.push_back(lane(node(k).right));
      offsets.push_back(node(k).at.c - node(nodes[0]).at.c);
    }
    llvm::Value* index = first.kind == Kind::leaf || first.kind == Kind::fuse
                             ? e_.place(node(nodes[0]).at)
                             : nullptr;
    switch (first.kind) {
      case Kind::zero:
        return finish(nodes, e_.zeros(static_cast<int>(nodes.size())));
      case Kind::leaf:
        return finish(nodes, e_.leaf(first.leaf, index, offsets, first.scale));
      case Kind::add:
        return finish(nodes, e_.add(first.format, taken(left, first.left), e_.gather(right),
                                    scale_of(first.right)));
      case Kind::fuse:
        return finish(nodes,
                      e_.fuse(first.format, taken(left, first.left), index, offsets, first.scale));
      case Kind::out:
        return finish(nodes, e_.output());
      case Kind::fuse_out:
        return finish(nodes, e_.fuse_output(taken(left, first.left)));
      case Kind::run:
        break;
    }
    throw InternalError("generator: not a single node");
  }

  ValueEmitter& e_;
  const Plan& plan_;
  const StartedRuns& shared_;
  const unsigned bits_;
  std::deque<Values> values_;
  std::vector<Pick> lanes_;                    // per node, once emitted
  std::vector<std::pair<bool, Format>> uses_;  // per node: right operand?, format of its consumer
};

}  // namespace

std::vector<Run> StartedRuns::of(const Plan& plan) {
  std::vector<Run> runs;
  for (const PlanNode& node : plan.nodes) {
    if (node.kind != Kind::run || node.left >= 0) continue;
    const Run& run = plan.runs[static_cast<std::size_t>(node.run)];
    if (run.at.r == 0 && run.count.r == 0) runs.push_back(run);
  }
  std::sort(runs.begin(), runs.end());
  return runs;
}

Pick StartedRuns::find(const Run& run) const {
  const auto it = lanes_.find(run);
  return it == lanes_.end() ? Pick{nullptr, 0} : it->second;
}

void StartedRuns::emit(ValueEmitter& emitter, const std::vector<Run>& runs, unsigned vector_bits) {
  // A plan of these runs alone, grouped as any other.
  std::map<spec::Linear, std::vector<Run>> by_count;
  for (const Run& run : runs) by_count[run.count].push_back(run);
  for (auto& [count, members] : by_count) {
    std::sort(members.begin(), members.end(), [](const Run& a, const Run& b) {
      return std::tuple(key(a), a.at.c) < std::tuple(key(b), b.at.c);
    });
    std::vector<RunLanes> vectors;
    std::vector<std::vector<Run>> sorted;
    for (std::size_t k = 0; k < members.size();) {
      std::size_t end = k + 1;
      while (end < members.size() && key(members[k]) == key(members[end])) ++end;
      end = k + chunk(end - k);
      RunLanes lanes{members[k], {}, {}};
      sorted.emplace_back(members.begin() + std::ptrdiff_t(k),
                          members.begin() + std::ptrdiff_t(end));
      for (const Run& m : sorted.back()) lanes.offsets.push_back(m.at.c - members[k].at.c);
      vectors.push_back(std::move(lanes));
      k = end;
    }
    std::vector<Values> sums = emit_runs(emitter, vectors, vector_bits);
    for (std::size_t v = 0; v < sums.size(); ++v) {
      sums[v].id = -static_cast<int>(values_.size()) - 1;
      values_.push_back(std::move(sums[v]));
      for (std::size_t k = 0; k < sorted[v].size(); ++k)
        lanes_[sorted[v][k]] = {&values_.back(), static_cast<int>(k)};
    }
  }
}

Values emit_plan(ValueEmitter& emitter, const Plan& plan, const StartedRuns& shared,
                 unsigned vector_bits) {
  return PlanEmitter(emitter, plan, shared, vector_bits).run();
}

}  // namespace reprosum::kernels
