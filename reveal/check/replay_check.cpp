#include "reveal/check/replay_check.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <set>

#include "spec/evaluate/replay.h"
#include "spec/expand.h"
#include "spec/sub_runs.h"

namespace reprosum::reveal {
namespace {

// Every summand of a vector with increment 0 is the first one.
void share_first(std::vector<double>& values, std::int64_t n, std::int64_t rows) {
  for (std::int64_t row = 0; row < rows; ++row)
    std::fill_n(values.begin() + row * n, n, values[static_cast<std::size_t>(row * n)]);
}

void add_thresholds(const spec::Order& order, std::set<std::int64_t>& sizes) {
  for (const spec::Regime& regime : order.regimes) {
    for (std::int64_t d = -2; d <= 2; ++d) {
      sizes.insert(regime.lo + d);
      sizes.insert(regime.hi + d);
    }
    if (const auto* loop = std::get_if<spec::Loop>(&regime.rule)) {
      const std::int64_t period = std::min<std::int64_t>(loop->block, 300);
      for (std::int64_t d = 0; d < 2 * period; ++d) sizes.insert(regime.lo + 3 * loop->block + d);
    } else if (const auto* split = std::get_if<spec::Split>(&regime.rule)) {
      for (std::int64_t k = 1; k <= 3; ++k)
        for (std::int64_t d = -1; d <= 1; ++d) sizes.insert(k * split->m + d);
    } else if (const auto* parts = std::get_if<spec::Parts>(&regime.rule)) {
      for (std::int64_t k = 1; k <= 3; ++k)
        for (std::int64_t d = -1; d <= 1; ++d) sizes.insert(k * parts->m + d);
    } else if (const auto* windows = std::get_if<spec::Windows>(&regime.rule)) {
      // Also the sizes from which on there is one more pass.
      for (std::int64_t n = windows->width; n <= regime.hi; n *= windows->width)
        for (std::int64_t k = 1; k <= 3; ++k)
          for (std::int64_t d = -1; d <= 1; ++d) sizes.insert(k * n + d);
    }
  }
  for (const spec::Order& sub : order.subs) add_thresholds(sub, sizes);
  // The sub-order of lanes sees one summand of each block.
  for (const spec::Regime& regime : order.regimes) {
    const auto* loop = std::get_if<spec::Loop>(&regime.rule);
    if (loop == nullptr || !spec::has_sub_runs(regime.rule)) continue;
    std::set<std::int64_t> rows;
    for (const spec::Order& sub : order.subs) add_thresholds(sub, rows);
    for (const std::int64_t n : rows)
      for (const std::int64_t d : {std::int64_t{-1}, std::int64_t{0}, loop->block / 2})
        if (n > 0 && n <= spec::kMaxLeaves / loop->block) sizes.insert(n * loop->block + d);
  }
}

}  // namespace

std::string hex(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%a", value);
  return text;
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

Vectors random_vectors(const Call& call, std::int64_t rows, Data kind, FastRandom& random) {
  const bool dot = call.routine == spec::Routine::dot;
  Vectors data;
  data.x.resize(static_cast<std::size_t>(rows * call.k));
  if (dot) data.y.resize(data.x.size());
  const auto n = static_cast<std::size_t>(call.k);
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
    const std::span x{data.x.data() + row * n, n};
    fill(kind, call.type, random, x,
         dot ? std::span{data.y.data() + row * n, n} : std::span<double>{});
  }
  if (call.incx == 0) share_first(data.x, call.k, rows);
  if (dot && call.incy == 0) share_first(data.y, call.k, rows);
  return data;
}

std::vector<double> run(Target& target, const Call& call, const Vectors& data, std::int64_t rows) {
  Batch batch;
  batch.call = call;
  batch.rows = rows;
  batch.x = data.x;
  batch.y = data.y;
  return target.run(batch);
}

double replayed(const spec::Order& order, const Call& call, const Vectors& data, std::int64_t row) {
  const double* y = data.y.empty() ? nullptr : data.y.data() + row * call.k;
  return spec::replay(order, call.type, call.k, data.x.data() + row * call.k, y);
}

bool agrees(Target& target, const Call& call, const Vectors& data, std::int64_t rows,
            const spec::Order& order, std::uint64_t seed, ReplayResult& result) {
  const std::vector<double> got = run(target, call, data, rows);
  for (std::int64_t row = 0; row < rows; ++row) {
    const double expected = replayed(order, call, data, row);
    const double output = got[static_cast<std::size_t>(row)];
    ++result.vectors;
    if (same_bits(expected, output)) continue;
    result.mismatch = Mismatch{describe(call), hex(expected), hex(output), std::to_string(seed)};
    result.wrong_n = call.k;
    return false;
  }
  return true;
}

ReplayResult check_replay(Target& target, const Call& context, const spec::Order& order,
                          std::span<const SizePlan> sizes, std::uint64_t seed) {
  ReplayResult result;
  FastRandom random(seed);
  int turn = 0;
  for (const SizePlan& size : sizes) {
    Call call = context;
    call.k = size.n;
    for (std::int64_t done = 0; done < size.rows;) {
      // Special values decide little and are rare; large sizes take the data most likely to differ.
      const Data kind = size.n > 100000 ? (turn % 2 == 0 ? Data::wide : Data::ordinary)
                                        : static_cast<Data>(turn % kDataKinds);
      ++turn;
      const std::int64_t rows =
          std::min(size.rows - done, std::max<std::int64_t>(1, 20000 / size.n));
      const std::int64_t some = std::min(rows, (size.rows + kDataKinds - 1) / kDataKinds);
      const Vectors data = random_vectors(call, some, kind, random);
      if (!agrees(target, call, data, some, order, seed, result)) return result;
      done += some;
    }
  }
  return result;
}

std::vector<SizePlan> plan_sizes(const spec::Order& order, std::int64_t n_max, std::int64_t vectors,
                                 std::int64_t elements, std::uint64_t salt) {
  FastRandom random(salt);
  std::set<std::int64_t> sizes;
  for (std::int64_t n = 1; n <= 96; ++n) sizes.insert(n);
  add_thresholds(order, sizes);
  const double top = std::log(static_cast<double>(n_max));
  for (int k = 0; k < 48; ++k)
    sizes.insert(static_cast<std::int64_t>(std::exp(random.unit() * top)));
  sizes.insert(n_max);
  sizes.erase(sizes.begin(), sizes.upper_bound(0));
  sizes.erase(sizes.upper_bound(n_max), sizes.end());
  std::erase_if(sizes, [&](std::int64_t n) { return !spec::covers(order, n); });
  // Small sizes get the bulk of the vectors; a size beyond the budget is left out, largest first
  // only after each third one has been kept.
  std::vector<SizePlan> plan;
  std::int64_t left = elements;
  const auto count = static_cast<std::int64_t>(sizes.size());
  for (const std::int64_t n : sizes) {
    const std::int64_t share = std::max<std::int64_t>(left / 8, 1);
    std::int64_t rows =
        std::clamp<std::int64_t>(vectors / std::max<std::int64_t>(count, 1) + 1, 1, 64);
    rows = std::min(rows, std::max<std::int64_t>(1, 200000 / n));
    if (n > share && n < n_max && n > 20000) continue;
    plan.push_back({n, rows});
    left -= rows * n;
  }
  return plan;
}

}  // namespace reprosum::reveal
