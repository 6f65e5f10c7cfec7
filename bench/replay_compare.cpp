#include "bench/replay_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <span>
#include <tuple>
#include <vector>

#include "bench/replay_sizes.h"
#include "reveal/check/drawn_increments.h"
#include "reveal/check/random_data.h"
#include "reveal/check/replay_check.h"
#include "reveal/target/layout.h"

namespace reprosum::bench {
namespace {

constexpr std::int64_t kPool = std::int64_t{1} << 20;  // summands; vectors are slices of it
constexpr int kRounds = 2 * reveal::kDataKinds;
static_assert(kPool >= kLargestDrawn);

// Memory that starts at a multiple of 64 and only grows.
class Scratch {
 public:
  // Room for a guarded vector whose first element is `align` bytes beyond a multiple of 64.
  std::byte* first(const reveal::VectorLayout& layout, std::int64_t element, int align) {
    static_assert(reveal::kGuardElements * 4 % 64 == 0);  // the guard keeps the alignment
    const auto bytes =
        static_cast<std::size_t>((layout.span() + 2 * reveal::kGuardElements) * element + 64);
    if (bytes > size_) {
      memory_.reset(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{64})));
      size_ = bytes;
    }
    return memory_.get() + reveal::kGuardElements * element + align;
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete (memory, std::align_val_t{64}); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::size_t size_ = 0;
};

struct Pool {
  std::vector<double> x, y;  // y is empty for sum
};

Pool fill_pool(const ReplayRow& row, std::int64_t size, reveal::Data kind,
               reveal::FastRandom& random) {
  Pool pool{std::vector<double>(static_cast<std::size_t>(size)), {}};
  if (row.routine == spec::Routine::dot) pool.y.resize(pool.x.size());
  // A few specials, or zeros of one kind, are drawn per fill: a slice must meet some of them.
  const bool in_blocks = kind == reveal::Data::special || kind == reveal::Data::zeros;
  for (std::size_t at = 0; at < pool.x.size();) {
    const auto block = in_blocks ? static_cast<std::size_t>(16 << random.below(11)) : pool.x.size();
    const std::size_t count = std::min(block, pool.x.size() - at);
    reveal::fill(kind, row.type, random, std::span(pool.x).subspan(at, count),
                 pool.y.empty() ? std::span<double>{} : std::span(pool.y).subspan(at, count));
    at += count;
  }
  return pool;
}

class Comparison {
 public:
  Comparison(const Sides& sides, const spec::Order& order, const ReplayContext& context,
             reveal::FastRandom& random)
      : sides_(sides),
        context_(context),
        kinds_(reveal::by_kind({context.increments})),
        random_(random) {
    call_ = reveal::call_without_sizes(context.entry->routine, context.entry->type);
    std::tie(call_.incx, call_.incy) = context.increments.plainest();
    reveal::Call asked = call_;
    asked.k = spec::most_summands(*context.entry);
    asked.align_a = context.addresses.front().first;
    asked.align_b = context.addresses.front().second;
    result_.kernel = kernel_of(sides.kernel, asked, order);
  }

  // One vector of n summands, a slice of the pool; the same one of x and y, whose summands cancel,
  // underflow and overflow in pairs.
  void check(std::int64_t n, const Pool& pool) {
    const auto count = static_cast<std::size_t>(n);
    const auto begin = static_cast<std::size_t>(
        random_.below(static_cast<std::int64_t>(pool.x.size() - count) + 1));
    const auto [at_x, at_y] = context_.addresses[next_address_++ % context_.addresses.size()];
    reveal::Batch batch;
    draw_increments(n);
    batch.call = call_;
    batch.call.k = n;
    batch.call.align_a = sides_.places ? at_x : 0;
    batch.call.align_b = sides_.places ? at_y : 0;
    batch.x = std::span(pool.x).subspan(begin, count);
    if (!pool.y.empty()) batch.y = std::span(pool.y).subspan(begin, count);
    const double expected = sides_.target.run(batch).at(0);

    const std::byte* const x = place(x_, batch.x, call_.incx, at_x);
    const std::byte* const y = pool.y.empty() ? nullptr : place(y_, batch.y, call_.incy, at_y);
    const double kernel = replay_call(sides_.kernel, batch.call, x, y);
    const double interpreter = replay_call(sides_.interpreter, batch.call, x, y);
    ++result_.vectors;
    result_.kernel_mismatches += !reveal::same_bits(kernel, expected);
    result_.interpreter_mismatches += !reveal::same_bits(interpreter, expected);
    if (result_.first_mismatch.empty() &&
        result_.kernel_mismatches + result_.interpreter_mismatches)
      result_.first_mismatch =
          fmt::format("{} threads={}: the target gives {:a}, {} {:a}, the interpreter {:a}",
                      reveal::describe(batch.call), context_.threads, expected, result_.kernel.name,
                      kernel, interpreter);
  }

  const ContextResult& result() const { return result_; }

 private:
  // Any of the context, as long as the vectors are not too long in memory.
  void draw_increments(std::int64_t n) {
    const std::int64_t reach = random_.below(32) == 0 ? reveal::kLongReach : reveal::kUsualReach;
    const spec::Increments& kind =
        kinds_[static_cast<std::size_t>(random_.below(std::ssize(kinds_)))];
    call_.incx = reveal::drawn_increment(kind.x, n, reach, random_);
    call_.incy = reveal::drawn_increment(kind.y, n, reach, random_);
  }

  const std::byte* place(Scratch& scratch, std::span<const double> values, std::int64_t increment,
                         int align) const {
    const reveal::VectorLayout layout{static_cast<std::int64_t>(values.size()), increment};
    std::byte* const first = scratch.first(layout, reveal::element_size(call_.type), align);
    reveal::place_guarded(call_.type, layout, values, first);
    return first;
  }

  const Sides& sides_;
  const ReplayContext& context_;
  const std::vector<spec::Increments> kinds_;
  reveal::FastRandom& random_;
  reveal::Call call_;
  ContextResult result_;
  std::size_t next_address_ = 0;
  Scratch x_, y_;
};

}  // namespace

std::vector<ContextResult> compare(const Sides& sides, const spec::Spec& spec, const ReplayRow& row,
                                   std::uint64_t seed, std::int64_t most_sizes) {
  // Rows see other sizes and data.
  reveal::FastRandom random(seed * 1'000'003 + static_cast<std::uint64_t>(row.threads) * 16 +
                            static_cast<std::uint64_t>(row.routine) * 4 +
                            (spec::is_f32(row.type) ? 0 : 1));
  std::vector<Comparison> comparisons;
  std::vector<ReplaySizes> sizes;
  comparisons.reserve(row.contexts.size());
  std::int64_t largest = 1;
  for (const ReplayContext& context : row.contexts) {
    const spec::Order& order = spec.orders[spec::order_of(*context.entry)];
    comparisons.emplace_back(sides, order, context, random);
    sizes.emplace_back(order, spec::most_summands(*context.entry), most_sizes);
    largest = std::max(largest, spec::most_summands(*context.entry));
  }
  // The large sizes are part of a context's share; the rounds divide what is left of it.
  std::vector<std::vector<std::int64_t>> large;
  for (std::size_t k = 0; k < sizes.size(); ++k) large.push_back(sizes[k].large(random));
  for (int round = 0; round < kRounds; ++round) {
    const Pool pool =
        fill_pool(row, kPool, static_cast<reveal::Data>(round % reveal::kDataKinds), random);
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const std::int64_t drawn =
          row.contexts[k].vectors - static_cast<std::int64_t>(large[k].size());
      for (std::int64_t v = round; v < drawn; v += kRounds)
        comparisons[k].check(sizes[k].draw(random), pool);
    }
  }
  const Pool pool = fill_pool(row, largest, reveal::Data::wide, random);
  std::vector<ContextResult> results;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    for (const std::int64_t n : large[k]) comparisons[k].check(n, pool);
    results.push_back(comparisons[k].result());
  }
  return results;
}

}  // namespace reprosum::bench
