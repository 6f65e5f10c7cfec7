// Candidate periods from the strides of revealed trees; schemas fitted and compared exactly.
#include "reveal/infer/loop_search.h"

#include <algorithm>
#include <numeric>

#include "reveal/infer/schema_fit.h"
#include "reveal/infer/tree_tools.h"
#include "reveal/infer/trial.h"
#include "spec/error.h"
#include "spec/expand.h"

namespace reprosum::reveal::generalize {
namespace {

constexpr std::int64_t kWindow = 8;        // trees up to kWindow * base are revealed
constexpr std::int64_t kMaxSingles = 300;  // residues with a schema of their own
constexpr std::int64_t kDense = 64;        // up to this period every residue is compared

}  // namespace

std::optional<TreeId> LoopSearch::tree(std::int64_t n) {
  if (n > longest_) return std::nullopt;
  const spec::Tree* tree = source_.reveal(n);
  if (tree == nullptr) return std::nullopt;
  return store_.add(*tree);
}

std::vector<std::int64_t> LoopSearch::periods() {
  const std::int64_t far = std::min(4 * base_ + 5, longest_);
  std::set<std::int64_t> strides;
  for (const std::int64_t n : {base_ + 7, far})
    if (const auto id = tree(n)) strides.merge(store_.strides(*id));
  std::int64_t border = 0;  // a block divides all of them
  for (const std::int64_t n : {base_ + 7, base_ + 8, far})
    if (const auto id = tree(n)) border = std::gcd(border, store_.first_border(*id));
  std::set<std::int64_t> periods{1};
  for (std::int64_t divisor = 2; divisor <= std::min(border, kDense); ++divisor)
    if (border % divisor == 0) periods.insert(divisor);
  for (const std::int64_t stride : strides)
    for (const std::int64_t times : {1, 2, 3, 4, 6, 8}) periods.insert(stride * times);
  std::vector<std::int64_t> few(strides.begin(), strides.end());
  if (few.size() > 12) few.resize(12);
  for (const std::int64_t a : few)
    for (const std::int64_t b : few) periods.insert(std::lcm(a, b));
  if (failure_period_ > 0) {
    periods.insert({failure_period_, 2 * failure_period_});
    for (const std::int64_t stride : few) periods.insert(std::lcm(failure_period_, stride));
  }
  std::vector<std::int64_t> turns(periods.begin(), periods.end());
  // Short periods hold for a while inside a long one.
  if (failure_period_ > 0) {
    const auto suspected = std::find(turns.begin(), turns.end(), failure_period_);
    std::rotate(turns.begin(), suspected, suspected + 1);
  }
  return turns;
}

std::vector<spec::Loop> LoopSearch::run() {
  std::vector<spec::Loop> found;
  const std::int64_t far = std::min(4 * base_ + 5, longest_);
  for (const std::int64_t block : periods()) {
    const std::int64_t top = (std::max<std::int64_t>((base_ + block - 1) / block, 4) + 2) * block;
    if (top > std::min(longest_, kWindow * base_)) continue;
    const auto loop = fit_period(block);
    if (!loop) continue;
    const auto wrong = [&](std::int64_t n) {
      // A size below the window that was wrong is wrong again a period later.
      if (n < base_ && failure_period_ > 0)
        n += (base_ - n + failure_period_ - 1) / failure_period_ * failure_period_;
      return n >= base_ && n <= 4000 && !loop_right(*loop, n);
    };
    if (std::any_of(must_fit_.begin(), must_fit_.end(), wrong)) continue;
    found.push_back(*loop);
    if (loop_right(*loop, far) || found.size() == 3) break;
  }
  return found;
}

bool LoopSearch::loop_right(const spec::Loop& loop, std::int64_t n) {
  const spec::Tree* truth = source_.reveal(n);
  if (truth == nullptr) return true;
  spec::Order order;
  order.regimes.push_back({1, spec::kMaxLeaves, loop});
  const auto predicted = predict(order, n);
  return predicted && same_function(*truth, *predicted);
}

bool LoopSearch::right(const spec::Schema& schema, std::int64_t q, std::int64_t r) {
  const std::int64_t n = q * block_ + r;
  const spec::Tree* truth = n > longest_ ? nullptr : source_.reveal(n);
  if (truth == nullptr) return true;
  try {
    return same_function(*truth, spec::expand(schema, q, r, n));
  } catch (const UserError&) {
    return false;
  }
}

std::optional<spec::Schema> LoopSearch::fit_residue(std::int64_t r) {
  std::vector<Sample> samples;
  for (const std::int64_t q : {q_fit_, q_fit_ + 1, q_fit_ + 2}) {
    const auto id = tree(q * block_ + r);
    if (!id) return std::nullopt;
    samples.push_back({q, r, *id});
    // Two trees of different skeleton settle it; the third need not be revealed.
    if (samples.size() == 2 && !fit_schema(store_, samples)) return std::nullopt;
  }
  return fit_schema(store_, samples);
}

// One schema for the residues r, r + 1, r + 2, ...
std::optional<spec::Schema> LoopSearch::fit_residues(std::int64_t r) {
  std::vector<Sample> samples;
  for (const auto& [dq, dr] :
       {std::pair<std::int64_t, std::int64_t>{0, 0}, {0, 1}, {1, 0}, {2, 2}}) {
    const auto id = tree((q_fit_ + dq) * block_ + r + dr);
    if (!id) return std::nullopt;
    samples.push_back({q_fit_ + dq, r + dr, *id});
    if (samples.size() == 2 && !fit_schema(store_, samples)) return std::nullopt;
  }
  return fit_schema(store_, samples);
}

bool LoopSearch::pad_fits(const spec::Schema& schema) {
  spec::Loop loop;
  loop.block = block_;
  loop.pad = true;
  loop.cases.push_back({0, 0, schema});
  std::set<std::int64_t> residues{1, 2, 3, block_ / 3, block_ / 2, block_ - 1};
  for (const std::int64_t r : residues)
    for (const std::int64_t q : {q_low_, q_fit_ + 1})
      if (r > 0 && r < block_ && !loop_right(loop, q * block_ + r)) return false;
  return true;
}

// The largest residue up to which the schema of residue r is right.
std::int64_t LoopSearch::last_residue(const spec::Schema& schema, std::int64_t r) {
  std::int64_t good = r;
  if (block_ <= kDense) {
    while (good + 1 < block_ && right(schema, q_low_, good + 1)) ++good;
    return good;
  }
  std::int64_t bad = block_;
  for (std::int64_t step = 1; good + 1 < bad; step *= 2) {
    const std::int64_t next = std::min(good + step, bad - 1);
    if (!right(schema, q_low_, next)) {
      bad = next;
      break;
    }
    good = next;
  }
  while (bad - good > 1) {
    const std::int64_t middle = std::midpoint(good, bad);
    (right(schema, q_low_, middle) ? good : bad) = middle;
  }
  // Sizes that refuted an earlier rule may be single residues in the middle.
  for (const std::int64_t n : must_fit_)
    if (const std::int64_t at = n % block_; at > r && at <= good && !right(schema, q_low_, at)) {
      good = at - 1;
      while (good > r && !right(schema, q_low_, good)) --good;
    }
  return good;
}

bool LoopSearch::cases_fit(spec::Loop& loop, const spec::Schema& first) {
  std::int64_t singles = 0;
  for (std::int64_t r = 0; r < block_;) {
    std::optional<spec::Schema> schema;
    // Runs of two or more show their stride, so the tails of r + 2, ... tell more than that of r.
    for (const std::int64_t anchor : {r + 2, r}) {
      if (anchor + 2 >= block_) continue;
      schema = fit_residues(anchor);
      if (schema && (!right(*schema, q_low_, r) || !right(*schema, q_fit_, r) ||
                     !right(*schema, q_low_, r + 1)))
        schema.reset();
      if (schema) break;
    }
    std::int64_t last = r;
    if (schema) {
      last = last_residue(*schema, r);
    } else {
      schema = r == 0 ? first : fit_residue(r);
      if (!schema || ++singles > kMaxSingles) return false;
      // Most periods that are too small or too large show early.
      if (r > 40 && singles > r * 3 / 4 && base_ < 300 && block_ > kDense && failure_period_ == 0)
        return false;
    }
    loop.cases.push_back({r, last, *schema});
    r = last + 1;
  }
  return true;
}

std::optional<spec::Loop> LoopSearch::fit_period(std::int64_t block) {
  block_ = block;
  const std::int64_t q_base = (base_ + block - 1) / block;
  q_fit_ = std::max<std::int64_t>(q_base, 4);
  const auto first = fit_residue(0);
  const std::int64_t far = q_fit_ + 5 <= kWindow * base_ / block ? 5 : 3;
  // A regime may end between the nearer size and the farther one.
  if (!first || (!right(*first, q_fit_ + far, 0) && !right(*first, q_fit_ + 3, 0)))
    return std::nullopt;
  q_low_ = right(*first, q_base, 0) ? q_base : q_fit_;
  spec::Loop loop;
  loop.block = block;
  if (block == 1) {
    loop.cases.push_back({0, 0, *first});
    return loop;
  }
  if (pad_fits(*first)) {
    loop.pad = true;
    loop.cases.push_back({0, 0, *first});
    return loop;
  }
  if (!cases_fit(loop, *first)) return std::nullopt;
  return loop;
}

}  // namespace reprosum::reveal::generalize
