#include "bench/random_product.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <tuple>

#include "reveal/check/drawn_increments.h"
#include "reveal/target/layout.h"

namespace reprosum::bench {
namespace {

using reveal::Data;
using reveal::FastRandom;

std::int64_t size_of(const ProductRange& range, FastRandom& random) {
  const std::int64_t way = random.below(16);
  if (way == 0) return 1 + random.below(4);
  if (way <= 2) return 1 + random.below(range.largest);
  return 1 + random.below(std::min(range.dense, range.largest));
}

void draw_sizes(const ProductRange& range, FastRandom& random, reveal::Call& call) {
  // One of 256 may be as large as it likes.
  const bool any = random.below(256) == 0;
  do {
    call.m = size_of(range, random);
    call.n = call.routine == spec::Routine::gemv ? 1 : size_of(range, random);
    call.k = size_of(range, random);
  } while (!any &&
           static_cast<double>(call.m * call.n) * static_cast<double>(call.k) > range.most_work);
}

double scalar(spec::Type type, FastRandom& random) {
  switch (random.below(6)) {
    case 0:
      return 0;
    case 1:
      return 1;
    case 2:
      return -1;
    default: {
      const double value = (random.unit() + 0.5) * (random.bits() % 2 == 0 ? 1 : -1);
      return spec::rounded(type.input, value);
    }
  }
}

// Row i meets column i as the pair that Data speaks of; every other pair mixes them.
void fill_operands(RandomProduct& product, FastRandom& random) {
  const auto m = static_cast<std::size_t>(product.call.m),
             n = static_cast<std::size_t>(product.call.n),
             k = static_cast<std::size_t>(product.call.k);
  product.a.resize(m * k);
  product.b.resize(n * k);
  product.c.resize(m * n);
  std::vector<double> spare(k), ones(m * n);
  for (std::size_t i = 0; i < std::max(m, n); ++i) {
    const std::span<double> row = i < m ? std::span(product.a).subspan(i * k, k) : spare;
    const std::span<double> column = i < n ? std::span(product.b).subspan(i * k, k) : spare;
    std::vector<double> other(k);
    reveal::fill(product.kind, product.call.type, random, row,
                 row.data() == column.data() ? std::span<double>(other) : column);
  }
  const Data kind = product.kind == Data::tiny ? Data::wide : product.kind;
  reveal::fill(kind, product.call.type, random, product.c, ones);
}

constexpr std::int64_t kMostReach = std::int64_t{1} << 18;  // elements of a vector

}  // namespace

RandomProduct draw(const ProductRange& range, FastRandom& random) {
  RandomProduct product;
  reveal::Call& call = product.call;
  const bool gemv = range.routine == spec::Routine::gemv;
  call.routine = range.routine;
  call.type = range.type;
  const auto trans = [&] { return random.below(2) == 0 ? spec::Trans::no : spec::Trans::yes; };
  call.trans_a = trans();
  if (!gemv) call.trans_b = trans();
  call.row_major = random.below(2) == 0;
  draw_sizes(range, random, call);
  if (gemv) {
    // Unit increments in half of the calls.
    const auto kinds = reveal::by_kind(range.increments);
    const auto at =
        static_cast<std::size_t>(random.below(2) == 0 ? 0 : random.below(std::ssize(kinds)));
    call.incx = reveal::drawn_increment(kinds.at(at).x, call.k, kMostReach, random);
    call.incy = reveal::drawn_increment(kinds.at(at).y, call.m, kMostReach, random);
  }
  const auto pad = [&] { return random.below(2) == 0 ? 0 : random.below(9); };
  call.pad_a = pad();
  if (!gemv) {
    call.pad_b = pad();
    call.pad_c = pad();
  }
  const std::int64_t size = reveal::element_size(call.type);
  const auto align = [&] {
    if (!range.any_address || random.below(2) == 0) return 0;
    return static_cast<int>(size * random.below(64 / size));
  };
  call.align_a = align();
  call.align_b = align();
  call.align_c = align();
  product.alpha =
      range.alphas.empty()
          ? scalar(call.type, random)
          : range.alphas[static_cast<std::size_t>(random.below(std::ssize(range.alphas)))];
  product.beta = scalar(call.type, random);
  // Data with NaN and Inf are the rarest: they hide the order.
  constexpr Data kKinds[] = {Data::wide, Data::ordinary, Data::tiny,    Data::wide,    Data::zeros,
                             Data::wide, Data::tiny,     Data::special, Data::ordinary};
  product.kind = kKinds[random.below(static_cast<std::int64_t>(std::size(kKinds)))];
  fill_operands(product, random);
  return product;
}

}  // namespace reprosum::bench
