#include "kernels/program/schedule.h"

#include <algorithm>
#include <tuple>

#include "spec/error.h"

namespace reprosum::kernels::program {
namespace {

using spec::NodeFormat;
using Kind = PlanNode::Kind;

// Runs are one vector if they differ only in the constant of their place.
auto key(const Run& run) {
  return std::tuple(run.count.q == 0, run.format, run.step, run.count, run.body, run.at.q,
                    run.at.r);
}

class Grouping {
 public:
  Grouping(const Plan& plan, std::vector<Lane> before)
      : plan_(plan), lanes_(std::move(before)), uses_(plan.nodes.size()) {
    lanes_.resize(plan.nodes.size());
    for (const PlanNode& node : plan.nodes) {
      if (node.left >= 0) uses_[static_cast<std::size_t>(node.left)] = {false, node.format};
      if (node.right >= 0) uses_[static_cast<std::size_t>(node.right)] = {true, node.format};
    }
  }

  Schedule run() {
    while (add_runs(false)) {
    }
    while (pending()) {
      if (add_ready()) continue;
      if (!add_runs(true)) throw InternalError("a plan of which a node never becomes ready");
    }
    return std::move(schedule_);
  }

 private:
  int size() const { return static_cast<int>(plan_.nodes.size()); }
  const PlanNode& node(int k) const { return plan_.nodes[static_cast<std::size_t>(k)]; }
  const Run& run_of(int k) const { return plan_.runs[static_cast<std::size_t>(node(k).run)]; }
  Lane lane(int k) const { return lanes_[static_cast<std::size_t>(k)]; }
  bool done(int k) const { return lane(k).exists(); }
  int vector_of(int k) const { return k < 0 ? 0 : lane(k).vector + 1; }
  bool pending() const {
    return std::any_of(lanes_.begin(), lanes_.end(), [](Lane lane) { return !lane.exists(); });
  }
  spec::Scale scale_of(int k) const { return k < 0 ? spec::Scale::none : node(k).scale; }

  void finish(const std::vector<int>& nodes) {
    for (std::size_t k = 0; k < nodes.size(); ++k)
      lanes_[static_cast<std::size_t>(nodes[k])] = {vectors_, static_cast<int>(k)};
    ++vectors_;
  }

  // One loop with all ready runs of one count. Tails (whose count has no q) come first: their
  // chains then overlap with the main loop.
  bool add_runs(bool with_init) {
    std::vector<int> ready;
    for (int k = 0; k < size(); ++k) {
      if (node(k).kind != Kind::run || done(k)) continue;
      if (with_init ? node(k).left >= 0 && done(node(k).left) : node(k).left < 0)
        ready.push_back(k);
    }
    if (ready.empty()) return false;
    const auto order = [&](int k) {
      const bool wide = with_init && plan_.is_wide(node(k).left);
      return std::tuple(run_of(k).count.q != 0, run_of(k).count, key(run_of(k)), wide,
                        vector_of(node(k).left), scale_of(node(k).left), run_of(k).at.c);
    };
    std::sort(ready.begin(), ready.end(), [&](int a, int b) { return order(a) < order(b); });
    const auto same = [&](int a, int b) {
      return key(run_of(a)) == key(run_of(b)) &&
             (!with_init || (plan_.is_wide(node(a).left) == plan_.is_wide(node(b).left) &&
                             scale_of(node(a).left) == scale_of(node(b).left)));
    };
    const spec::Linear count = run_of(ready[0]).count;
    Group group{true, {}};
    for (std::size_t k = 0; k < ready.size() && run_of(ready[k]).count == count;) {
      std::size_t end = k + 1;
      while (end < ready.size() && same(ready[k], ready[end])) ++end;
      end = k + lanes_of_chunk(end - k);
      std::vector<int> members(ready.begin() + std::ptrdiff_t(k),
                               ready.begin() + std::ptrdiff_t(end));
      std::sort(members.begin(), members.end(),
                [&](int a, int b) { return run_of(a).at.c < run_of(b).at.c; });
      group.vectors.push_back(std::move(members));
      k = end;
    }
    for (const std::vector<int>& members : group.vectors) finish(members);
    schedule_.push_back(std::move(group));
    return true;
  }

  bool is_ready(int k) const {
    const PlanNode& n = node(k);
    if (done(k) || n.kind == Kind::run) return false;
    return (n.left < 0 || done(n.left)) && (n.right < 0 || done(n.right));
  }

  // What ready nodes must share to be one vector operation. Operands from one vector each keep the
  // shuffles to one instruction or two.
  auto likeness(int k) const {
    const PlanNode& n = node(k);
    const auto [is_addend, format] = uses_[static_cast<std::size_t>(k)];
    const bool is_leaf = n.kind == Kind::leaf || n.kind == Kind::zero;
    const bool is_output = n.kind == Kind::out || n.kind == Kind::fuse_out;
    return std::tuple(n.kind, is_leaf ? format : n.format, n.leaf, is_leaf && is_addend, n.at.q,
                      n.at.r, vector_of(n.left), vector_of(n.right), n.scale, n.skip,
                      scale_of(n.left), scale_of(n.right), is_output ? k : 0);
  }

  bool add_ready() {
    std::vector<int> ready;
    for (int k = 0; k < size(); ++k)
      if (is_ready(k)) ready.push_back(k);
    if (ready.empty()) return false;
    const auto order = [&](int k) {
      const PlanNode& n = node(k);
      return std::tuple(likeness(k), n.left < 0 ? 0 : lane(n.left).lane, n.at.c, k);
    };
    std::sort(ready.begin(), ready.end(), [&](int a, int b) { return order(a) < order(b); });
    std::vector<std::vector<int>> made;
    for (std::size_t k = 0; k < ready.size();) {
      std::size_t end = k + 1;
      while (end < ready.size() && likeness(ready[k]) == likeness(ready[end])) ++end;
      end = k + lanes_of_chunk(end - k);
      made.emplace_back(ready.begin() + std::ptrdiff_t(k), ready.begin() + std::ptrdiff_t(end));
      k = end;
    }
    for (std::vector<int>& nodes : made) {
      if (node(nodes[0]).kind == Kind::leaf || node(nodes[0]).kind == Kind::fuse)
        std::sort(nodes.begin(), nodes.end(),
                  [&](int a, int b) { return node(a).at.c < node(b).at.c; });
      finish(nodes);
      schedule_.push_back({false, {nodes}});
    }
    return true;
  }

  const Plan& plan_;
  std::vector<Lane> lanes_;  // per node, once made
  std::vector<std::pair<bool, NodeFormat>>
      uses_;  // per node: right operand?, format of its consumer
  int vectors_ = 0;
  Schedule schedule_;
};

}  // namespace

std::size_t lanes_of_chunk(std::size_t left) {
  std::size_t width = 64;
  while (width > left) width /= 2;
  return width;
}

Schedule in_turn(const Plan& plan) {
  Schedule schedule;
  for (std::size_t k = 0; k < plan.nodes.size(); ++k)
    schedule.push_back({plan.nodes[k].kind == Kind::run, {{static_cast<int>(k)}}});
  return schedule;
}

Schedule together(const Plan& plan, const std::vector<Lane>& before) {
  return Grouping(plan, before).run();
}

std::vector<Run> started_runs(const Plan& plan) {
  std::vector<Run> runs;
  for (const PlanNode& node : plan.nodes) {
    if (node.kind != Kind::run || node.left >= 0) continue;
    const Run& run = plan.runs[static_cast<std::size_t>(node.run)];
    if (run.at.r == 0 && run.count.r == 0) runs.push_back(run);
  }
  std::sort(runs.begin(), runs.end());
  return runs;
}

Plan plan_of_runs(const std::vector<Run>& runs) {
  Plan plan;
  plan.runs = runs;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    PlanNode node;
    node.kind = Kind::run;
    node.format = runs[k].format;
    node.run = static_cast<int>(k);
    plan.nodes.push_back(node);
  }
  return plan;
}

}  // namespace reprosum::kernels::program
