// The main loop: windows of sizes, hypotheses, reach, confirmation, regimes.
#include "reveal/infer/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reveal/infer/loop_search.h"
#include "reveal/infer/schema_fit.h"
#include "reveal/infer/tree_store.h"
#include "reveal/refused.h"
#include "spec/error.h"
#include "spec/expand.h"

namespace reprosum::reveal::generalize {
namespace {

constexpr std::int64_t kFirstExplicit = 6;  // trees below are always revealed
constexpr std::int64_t kSmallestWindow = 24;
constexpr std::size_t kMaxRegimes = 24;
constexpr int kMaxShortRegimes = 3;
constexpr int kMaxRefits = 12;
constexpr std::int64_t kMaxGap = 900;            // sizes listed one by one between two rules
constexpr std::int64_t kMaxListed = 200;         // requests that are listed if no rule is found
constexpr std::int64_t kMaxRevealedLoop = 3000;  // above, loops are sought in prefixes

int cost_of(const spec::Rule& rule) {
  const auto child = [](const spec::Child& c) { return c.kind == spec::Child::Kind::self ? 0 : 1; };
  const auto digits = [](std::int64_t v) { return static_cast<int>(std::to_string(v).size()); };
  if (const auto* split = std::get_if<spec::Split>(&rule))
    return 3 + digits(split->m) + child(split->left) + child(split->right);
  if (const auto* parts = std::get_if<spec::Parts>(&rule))
    return 4 + digits(parts->m) + digits(parts->count) + child(parts->child);
  int cost = 5;
  if (const auto* loop = std::get_if<spec::Loop>(&rule))
    for (const auto& one : loop->cases) {
      ++cost;
      for (const auto& chain : one.schema.chains) cost += static_cast<int>(chain.items.size());
    }
  return cost;
}

std::string name_of(const spec::Rule& rule) {
  if (const auto* split = std::get_if<spec::Split>(&rule))
    return fmt::format("split kind {} m {} children {}{}", static_cast<int>(split->kind), split->m,
                       static_cast<int>(split->left.kind), split->left.index);
  if (const auto* parts = std::get_if<spec::Parts>(&rule))
    return fmt::format("parts kind {} count {} m {} u {}", static_cast<int>(parts->kind),
                       parts->count, parts->m, parts->u);
  if (const auto* loop = std::get_if<spec::Loop>(&rule))
    return fmt::format("loop {}{} cases {}", loop->block, loop->pad ? " pad" : "",
                       loop->cases.size());
  if (const auto* windows = std::get_if<spec::Windows>(&rule))
    return fmt::format("windows {}", windows->width);
  return "explicit";
}

}  // namespace

Engine::Engine(Source& source, std::int64_t first, std::int64_t longest, int depth)
    : source_(source), first_(first), longest_(longest), depth_(depth), current_(first) {}

Hypothesis Engine::open_ended(spec::Rule rule, std::int64_t base) const {
  Hypothesis hypothesis;
  hypothesis.order = order_;
  hypothesis.base = base;
  hypothesis.cost = cost_of(rule);
  hypothesis.name = name_of(rule);
  hypothesis.order.regimes.push_back({current_, spec::kMaxLeaves, std::move(rule)});
  return hypothesis;
}

bool Engine::append_explicit(spec::Order& order, std::int64_t lo, std::int64_t hi) {
  if (hi < lo) return true;
  if (hi - lo >= kMaxGap) return false;
  spec::Explicit listed;
  for (std::int64_t n = lo; n <= hi; ++n) {
    const spec::Tree* tree = source_.reveal(n);
    if (tree == nullptr) {
      if (source_.has(n)) return false;
      continue;
    }
    TreeStore store;
    const Sample sample{0, 0, store.add(*tree)};
    const auto schema = fit_schema(store, {&sample, 1});
    if (!schema) return false;
    listed.entries.push_back({n, *schema});
  }
  order.regimes.push_back({lo, hi, std::move(listed)});
  return true;
}

std::vector<Hypothesis> Engine::loops(std::int64_t base) {
  std::vector<Hypothesis> hypotheses;
  LoopSearch search(source_, base, longest_, must_fit_, failure_period_);
  for (spec::Loop& loop : search.run()) hypotheses.push_back(open_ended(std::move(loop), base));
  return hypotheses;
}

// Where hypotheses are fitted: a window may have to be several times the start of the regime before
// a period shows, and a regime may be much shorter than that.
std::vector<std::int64_t> Engine::windows() const {
  std::vector<std::int64_t> bases;
  for (const std::int64_t times : {1, 2, 4, 8, 16, 32}) {
    const std::int64_t base = current_ < 2000 ? std::max(current_, kSmallestWindow) * times
                                              : current_ + current_ * (times - 1) / 2;
    if (base < longest_ && (bases.empty() || base < 100'000)) bases.push_back(base);
  }
  return bases;
}

void Engine::collect(std::vector<Hypothesis> hypotheses) {
  std::stable_sort(hypotheses.begin(), hypotheses.end(),
                   [](const auto& a, const auto& b) { return a.cost < b.cost; });
  if (hypotheses.size() > 8) hypotheses.resize(8);
  for (Hypothesis& hypothesis : hypotheses) {
    const Trial trial(source_, hypothesis.order, longest_);
    const std::int64_t reach = trial.reach(hypothesis.base);
    source_.session().log(fmt::format("{:>{}}from {}: {} fits at {}, reaches {}", "", 2 * depth_,
                                      current_, hypothesis.name, hypothesis.base, reach));
    if (reach > hypothesis.base + 2 || reach == longest_)
      choices_.push_back({std::move(hypothesis), reach});
    if (reach == longest_) break;  // the others are not simpler
  }
}

// The longest reach; within 2 % the simpler one. Fit on one window decides nothing: rules of
// different kinds agree there.
const Engine::Choice* Engine::best() const {
  const Choice* best = nullptr;
  for (const Choice& choice : choices_) {
    const auto about = [](std::int64_t a, std::int64_t b) { return a * 50 >= b * 49; };
    if (best == nullptr || !about(best->reach, choice.reach) ||
        (about(choice.reach, best->reach) && choice.hypothesis.cost < best->hypothesis.cost))
      best = &choice;
  }
  return best;
}

// Cuts a rule that is wrong above a border, and keeps it below. A rule of splits that is wrong far
// above its window ends below: a level that fills up changes the splits for good, but for a while
// only at some sizes, which the search for the end may step over.
bool Engine::shorten(Choice& choice, std::int64_t wrong) {
  const std::int64_t base = choice.hypothesis.base;
  const Trial whole(source_, choice.hypothesis.order, longest_);
  // Masks found no end: products are fused, say, from some size on.
  if (const std::int64_t border = whole.arithmetic_border(base, wrong); border > base + 2) {
    choice.reach = border;
    return true;
  }
  if (std::holds_alternative<spec::Loop>(choice.hypothesis.regime().rule) || wrong <= 3 * base)
    return false;
  choice.reach = Trial(source_, choice.hypothesis.order, wrong - 1).reach(base);
  return choice.reach > 3 * base;
}

bool Engine::add_regime() {
  choices_.clear();
  const auto far = [&](std::int64_t base) {
    return best() != nullptr && best()->reach >= std::min(longest_, 3 * base);
  };
  // A short regime is settled at once, so that what comes after is sought near its start; but a
  // wrong idea can be right over and over for a short while, so this is not done for ever.
  const auto near = [&] {
    return short_regimes_ < kMaxShortRegimes && best() != nullptr &&
           best()->reach >= current_ + std::max<std::int64_t>(8, current_ / 4);
  };
  for (const std::int64_t base : windows()) {
    collect(cheap_splits(base));
    if (far(base)) break;
    if (choices_.empty()) collect(bit_folds(base));
    if (far(base)) break;
    if (choices_.empty()) collect(remainders(base));
    if (far(base)) break;
    if (choices_.empty()) collect(passes(base));
    if (far(base)) break;
    // Both: a loop can be right for a while where lanes are, and is simpler where both reach as
    // far.
    if (base <= kMaxRevealedLoop) collect(lanes(base));
    if (base <= kMaxRevealedLoop) collect(loops(base));
    if (far(base) || near()) break;
    if (choices_.empty() && base <= kMaxRevealedLoop) collect(going_on(base));
    if (far(base)) break;
    if (choices_.empty()) collect(new_pieces(base));
    if (far(base)) break;
    if (choices_.empty() && base <= kMaxRevealedLoop) collect(beside_one(base));
    if (far(base)) break;
  }
  if ((best() == nullptr || best()->reach < current_ + current_ / 4) && current_ > 1000 &&
      depth_ == 0)
    collect(from_prefix());
  while (const Choice* choice = best()) {
    const Choice copy = *choice;
    const std::size_t at = static_cast<std::size_t>(choice - choices_.data());
    const Trial trial(source_, copy.hypothesis.order, longest_);
    const auto wrong = trial.refute(copy.hypothesis.base, copy.reach);
    if (!wrong) return accept(copy);
    source_.session().log(fmt::format("{} refuted at {}", copy.hypothesis.name, *wrong));
    if (shorten(choices_[at], *wrong)) continue;
    choices_.erase(choices_.begin() + static_cast<std::ptrdiff_t>(at));
    must_fit_.insert(*wrong);
    source_.session().note_progress();
    if (++refits_ > kMaxRefits) break;
    if (*wrong < kMaxRevealedLoop ||
        std::holds_alternative<spec::Loop>(copy.hypothesis.regime().rule)) {
      if (const std::int64_t period = trial.failure_period(*wrong)) failure_period_ = period;
      source_.session().note_progress(failure_period_);
    }
    return true;  // tried again with what was learnt
  }
  stopped_ = fmt::format("no rule was found for n = {}", current_);
  return false;
}

void Engine::fill_gap(std::int64_t lo, std::int64_t hi, std::int64_t base) {
  // A rule of shorter reach may be the right one for the sizes in between.
  for (const Choice& choice : choices_) {
    if (choice.reach < hi || choice.hypothesis.base > hi || choice.hypothesis.base >= base)
      continue;
    const Trial trial(source_, choice.hypothesis.order, longest_);
    if (trial.refute(choice.hypothesis.base, hi)) continue;
    const std::int64_t least = trial.down(lo, choice.hypothesis.base);
    if (least > lo && !append_explicit(order_, lo, least - 1)) continue;
    order_.regimes.push_back({least, hi, choice.hypothesis.regime().rule});
    return;
  }
  if (!append_explicit(order_, lo, hi))
    stopped_ = fmt::format("the trees of n = {}..{} follow no rule", lo, hi);
}

// Regimes that begin at multiples of P one after the other, or at equal distances, are periods of
// one loop whose blocks no stride shows. 0: they do not.
std::int64_t Engine::distance_of_borders() const {
  const std::size_t count = order_.regimes.size();
  if (count < 2 || current_ > kMaxRevealedLoop) return 0;
  const std::int64_t last = order_.regimes[count - 1].lo, distance = current_ - last;
  const std::int64_t before = order_.regimes[count - 2].lo;
  return last % distance == 0 || distance == last - before ? distance : 0;
}

bool Engine::accept(Choice choice) {
  const Trial trial(source_, choice.hypothesis.order, longest_);
  // Exceptions that a split rule cannot cut stand before it and are settled already.
  const std::int64_t floor = choice.hypothesis.regime().lo;
  const std::int64_t least =
      choice.hypothesis.base <= floor ? floor : trial.down(floor, choice.hypothesis.base);
  if (floor > current_) {
    order_ = choice.hypothesis.order;
    order_.regimes.pop_back();
  }
  order_.subs = choice.hypothesis.order.subs;
  if (least > floor) fill_gap(floor, least - 1, choice.hypothesis.base);
  if (!stopped_.empty()) return false;
  order_.regimes.push_back({least, choice.reach, choice.hypothesis.regime().rule});
  source_.session().log(fmt::format("{:>{}}regime {}..{}: {}", "", 2 * depth_, least, choice.reach,
                                    choice.hypothesis.name));
  short_regimes_ = choice.reach < 3 * choice.hypothesis.base ? short_regimes_ + 1 : 0;
  current_ = choice.reach + 1;
  failure_period_ = distance_of_borders();
  source_.session().note_progress(failure_period_);
  if (order_.regimes.size() > kMaxRegimes) {
    stopped_ = "too many regimes: no finite rule";
    return false;
  }
  return true;
}

void Engine::search() {
  const std::int64_t top = std::min(first_ + kFirstExplicit - 1, longest_);
  if (!append_explicit(order_, first_, top)) {
    stopped_ = fmt::format("no tree of n = {}..{}", first_, top);
    return;
  }
  current_ = top + 1;
  while (current_ <= longest_) {
    if (add_regime()) continue;
    // So few sizes are left that they can be listed.
    if (longest_ > kMaxListed || !append_explicit(order_, current_, longest_)) break;
    stopped_.clear();
    current_ = longest_ + 1;
  }
}

Found Engine::run() {
  try {
    search();
  } catch (const OutOfTime& end) {
    stopped_ = end.what();
  } catch (const Refused& refused) {
    if (order_.regimes.empty()) throw;
    stopped_ = fmt::format("at n = {}: {}", current_, refused.what());
    stopped_reason_ = refused.reason;
  }
  if (order_.regimes.empty()) return {order_, 0, stopped_, stopped_reason_};
  absorb(order_, first_);
  return {order_, order_.regimes.back().hi, stopped_, stopped_reason_};
}

}  // namespace reprosum::reveal::generalize
