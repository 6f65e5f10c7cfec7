#include "kernels/walk_schema.h"

#include <algorithm>
#include <optional>
#include <string>

#include "kernels/arithmetic.h"
#include "spec/expand_schema.h"

namespace reprosum::kernels {
namespace {

using spec::Chain;
using spec::Format;
using spec::Item;
using spec::Leaf;
using spec::Schema;

template <class T>
class SchemaWalker {
 public:
  // `extent` summands are named by the schema; of those, the ones below n exist (a padded loop).
  SchemaWalker(const Schema& schema, std::int64_t q, std::int64_t r, std::int64_t extent,
               std::int64_t n, std::int64_t at, const Operands<T>& data)
      : schema_(schema), q_(q), r_(r), extent_(extent), n_(n), at_(at), data_(data) {}

  double value() {
    const auto result = chain(schema_.chains.size() - 1, 0);
    if (!result || visited_ != extent_)
      throw UserError("schema names " + std::to_string(visited_) + " summands of " +
                      std::to_string(extent_));
    return *result;
  }

 private:
  using Value = std::optional<double>;

  // Recursion is bounded by kMaxDepth.
  Value chain(std::size_t index, std::int64_t origin) {
    const Chain& chain = schema_.chains[index];
    Arithmetic<T>::require(chain.format == Format::wide);
    Value sum;
    for (const Item& item : chain.items) {
      const std::int64_t times = item.times.at(q_, r_), times2 = item.times2.at(q_, r_);
      if (times <= 0 || times2 <= 0) continue;
      if (item.shape.leaf == Leaf::zero && item.shape.is_leaf()) {
        add_zeros(chain.format, times, sum);
        continue;
      }
      const std::int64_t place = item.at.at(q_, r_);
      const std::int64_t step = times > 1 ? item.step.at(q_, r_) : 0;
      const std::int64_t step2 = times2 > 1 ? item.step2.at(q_, r_) : 0;
      // Bounds every product below: copies are counted against the extent as they come. An absent
      // chain may have its place anywhere.
      if (std::max({std::abs(place), std::abs(step), std::abs(step2)}) >
          extent_ + spec::kFarthestLane) {
        if (!item.shape.is_leaf() && !present(static_cast<std::size_t>(item.shape.chain))) continue;
        throw UserError("schema: an offset or step lies far beyond n = " + std::to_string(extent_));
      }
      for (std::int64_t u = 0; u < times2; ++u) {
        const std::int64_t first = origin + place + u * step2;
        if (item.shape.is_leaf()) {
          leaves(chain.format, item.shape.leaf, first, step, times, sum);
        } else if (!copies(chain.format, static_cast<std::size_t>(item.shape.chain), first, step,
                           times, sum)) {
          break;  // an absent chain is absent in every copy
        }
      }
    }
    return sum;
  }

  bool present(std::size_t index) const {
    for (const Item& item : schema_.chains[index].items) {
      if (item.times.at(q_, r_) <= 0 || item.times2.at(q_, r_) <= 0) continue;
      if (item.shape.is_leaf() || present(static_cast<std::size_t>(item.shape.chain))) return true;
    }
    return false;
  }

  bool copies(Format format, std::size_t index, std::int64_t first, std::int64_t step,
              std::int64_t times, Value& sum) {
    for (std::int64_t t = 0; t < times; ++t) {
      const std::int64_t before = visited_ + zeros_;
      const Value copy = chain(index, first + t * step);
      if (visited_ + zeros_ == before) return false;
      if (!copy) continue;  // every leaf of it is padding
      sum = sum ? Arithmetic<T>::add(format, *sum, *copy) : *copy;
    }
    return true;
  }

  void leaves(Format format, Leaf leaf, std::int64_t first, std::int64_t step, std::int64_t times,
              Value& sum) {
    Arithmetic<T>::require(leaf == Leaf::exact);
    visited_ += times;
    if (visited_ > extent_) throw UserError("schema names more summands than there are");
    const std::int64_t last = first + (times - 1) * step;
    if (std::min(first, last) < 0 || std::max(first, last) >= extent_)
      throw UserError("schema: names a summand outside the piece");
    std::int64_t count = times;
    if (std::max(first, last) >= n_) {  // drop the padding at whichever end it is
      std::int64_t from = 0;
      while (from < times && first + from * step >= n_) ++from;
      std::int64_t to = from;
      while (to < times && first + to * step < n_) ++to;
      first += from * step;
      count = to - from;
      if (count == 0) return;
    }
    const std::int64_t k = at_ + first;
    if (sum) {
      sum = add_leaves(data_, format, leaf, *sum, k, step, count);
    } else {
      const double start = leaf_value(data_, leaf, k);
      sum = count == 1 ? start : add_leaves(data_, format, leaf, start, k + step, step, count - 1);
    }
  }

  void add_zeros(Format format, std::int64_t times, Value& sum) {
    zeros_ += times;
    if (times > 4 * extent_ + 64 || zeros_ > 4 * extent_ + 64)
      throw UserError("schema has too many zero leaves for n = " + std::to_string(extent_));
    for (std::int64_t t = 0; t < times; ++t)
      sum = sum ? Arithmetic<T>::add(format, *sum, 0.0) : 0.0;
  }

  const Schema& schema_;
  const std::int64_t q_, r_, extent_, n_, at_;
  const Operands<T>& data_;
  std::int64_t visited_ = 0, zeros_ = 0;
};

[[noreturn]] void undefined(std::int64_t n) {
  throw UserError("the order is not defined at n = " + std::to_string(n));
}

}  // namespace

template <class T>
double walk(const spec::Loop& rule, std::int64_t n, std::int64_t at, const Operands<T>& data) {
  const std::int64_t q = n / rule.block, r = n % rule.block;
  if (rule.pad && r != 0)
    return SchemaWalker<T>(rule.cases[0].schema, q + 1, 0, (q + 1) * rule.block, n, at, data)
        .value();
  for (const spec::Loop::Case& c : rule.cases)
    if (c.r_lo <= r && r <= c.r_hi) return SchemaWalker<T>(c.schema, q, r, n, n, at, data).value();
  undefined(n);
}

template <class T>
double walk(const spec::Explicit& rule, std::int64_t n, std::int64_t at, const Operands<T>& data) {
  const auto it = std::lower_bound(rule.entries.begin(), rule.entries.end(), n,
                                   [](const auto& entry, std::int64_t v) { return entry.n < v; });
  if (it == rule.entries.end() || it->n != n) undefined(n);
  return SchemaWalker<T>(it->tree, 0, 0, n, n, at, data).value();
}

template double walk(const spec::Loop&, std::int64_t, std::int64_t, const Operands<float>&);
template double walk(const spec::Loop&, std::int64_t, std::int64_t, const Operands<double>&);
template double walk(const spec::Explicit&, std::int64_t, std::int64_t, const Operands<float>&);
template double walk(const spec::Explicit&, std::int64_t, std::int64_t, const Operands<double>&);

}  // namespace reprosum::kernels
