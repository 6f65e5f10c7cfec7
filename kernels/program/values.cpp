#include "kernels/program/values.h"

#include <map>
#include <numeric>

namespace reprosum::kernels::program {

using spec::Leaf;
using spec::NodeFormat;
using spec::Scale;
using spec::Skip;

ValueBuilder::ValueBuilder(Builder& builder, const Layout& layout)
    : b_(builder),
      layout_(layout),
      narrow_bits_(spec::is_f32(builder.program().type) ? 32 : 64),
      used_(layout.cells()) {
  std::iota(used_.begin(), used_.end(), 0);
}

ValueBuilder ValueBuilder::cell(std::size_t k) const {
  ValueBuilder one = *this;
  one.used_ = {used_[k]};
  return one;
}

bool ValueBuilder::shares_second() const {
  return layout_.has_products && b_.program().operands[kSecond].down.is(0);
}

int ValueBuilder::down_of(std::size_t k) const {
  return used_[k] % layout_.vectors * layout_.outputs;
}

Id ValueBuilder::load(std::size_t k, int operand, const Place& place,
                      const std::vector<std::int64_t>& offsets) {
  const Operand& read = b_.program().operands[static_cast<std::size_t>(operand)];
  Access access;
  access.operand = operand;
  access.at = place.at;
  access.per_iteration = place.per_iteration;
  access.offsets = offsets;
  if (offsets.size() == 1) {
    access.at = access.at + spec::Linear{0, 0, offsets[0]};
    access.offsets = {0};
  }
  if (!read.down.is(0)) {
    access.down = down_of(k);
    access.outputs = layout_.outputs;
    access.masked = layout_.masked && used_[k] % layout_.vectors + 1 == layout_.vectors;
  }
  if (!read.across.is(0)) access.across = across_of(k);
  return b_.load(std::move(access));
}

// What each cell reads of one operand. Cells that read the same have one load.
std::vector<Id> ValueBuilder::loaded(int operand, const Place& place,
                                     const std::vector<std::int64_t>& offsets, bool scaled) {
  const Operand& read = b_.program().operands[static_cast<std::size_t>(operand)];
  std::map<std::pair<int, int>, Id> known;
  std::vector<Id> values;
  for (std::size_t k = 0; k < cells(); ++k) {
    const std::pair where{read.down.is(0) ? 0 : down_of(k), read.across.is(0) ? 0 : across_of(k)};
    auto it = known.find(where);
    if (it == known.end()) {
      Id value = load(k, operand, place, offsets);
      if (scaled) value = b_.multiply(b_.alpha(b_.type(value).lanes), value);
      value = b_.spread(value, layout_.is_tile && read.down.is(0) ? layout_.outputs : 1);
      it = known.emplace(where, value).first;
    }
    values.push_back(it->second);
  }
  return values;
}

// The factors of the products of one summand. Where a zero leaves a product out they are -0 and 1:
// adding -0 changes nothing, and an Inf or NaN beside the zero is not seen.
ValueBuilder::Factors ValueBuilder::factors(const Place& place,
                                            const std::vector<std::int64_t>& offsets, Scale scale,
                                            Skip skip) {
  const bool of_first = (scale == Scale::x) == layout_.first_is_x;
  const bool factor = scale == Scale::x || scale == Scale::y;
  Factors f{loaded(kFirst, place, offsets, factor && of_first), {}};
  if (!layout_.has_products) return f;
  f.second = loaded(kSecond, place, offsets, factor && !of_first);
  if (skip == Skip::none) return f;
  const bool by_x = skip == Skip::scaled ? scale == Scale::x : skip == Skip::x;
  const bool by_first = by_x == layout_.first_is_x;
  const bool raw_differs = skip != Skip::scaled && factor && of_first == by_first;
  std::vector<Id> tested = by_first ? f.first : f.second;
  if (raw_differs) tested = loaded(by_first ? kFirst : kSecond, place, offsets, false);
  const ValueType type = b_.type(f.first[0]);
  const Id one = b_.constant(1.0, type), minus_zero = b_.constant(-0.0, type);
  for (std::size_t k = 0; k < cells(); ++k) {
    f.second[k] = b_.if_zero(tested[k], one, f.second[k]);
    f.first[k] = b_.if_zero(tested[k], minus_zero, f.first[k]);
  }
  return f;
}

Values ValueBuilder::leaf(Leaf kind, const Place& place, const std::vector<std::int64_t>& offsets,
                          Scale scale, Skip skip) {
  const bool wide = kind == Leaf::exact;
  Values result{{}, static_cast<int>(offsets.size()), wide};
  const Factors f = factors(place, offsets, scale, skip);
  std::map<Id, Id> widened;  // cells may share a factor
  const auto as_wide = [&](Id value) {
    if (!wide) return value;
    const auto [it, fresh] = widened.emplace(value, -1);
    if (fresh) it->second = b_.converted(value, true);
    return it->second;
  };
  for (std::size_t k = 0; k < cells(); ++k) {
    const Id x = as_wide(f.first[k]);
    result.cells.push_back(layout_.has_products ? b_.multiply(x, as_wide(f.second[k])) : x);
  }
  return result;
}

Values ValueBuilder::fuse(NodeFormat format, const Values& left, const Place& place,
                          const std::vector<std::int64_t>& offsets, Scale scale, Skip skip) {
  if (!layout_.has_products) return add(format, left, leaf(Leaf::rounded, place, offsets));
  const bool wide = format == NodeFormat::wide;
  const Values sum = convert(left, wide);
  Values result{{}, left.width, wide};
  const Factors f = factors(place, offsets, scale, skip);
  for (std::size_t k = 0; k < cells(); ++k)
    result.cells.push_back(
        b_.fuse(b_.converted(f.first[k], wide), b_.converted(f.second[k], wide), sum.cells[k]));
  return result;
}

Values ValueBuilder::zeros(int width) {
  const Id zero = b_.constant(0.0, {false, layout_.is_tile ? layout_.outputs : width});
  return {std::vector<Id>(cells(), zero), width, false};
}

Values ValueBuilder::add(NodeFormat format, const Values& left, const Values& right,
                         Scale scale_of_right) {
  if (scale_of_right == Scale::fused) {
    Values fused{{}, left.width, false};
    for (std::size_t k = 0; k < cells(); ++k)
      fused.cells.push_back(
          b_.fuse(b_.alpha(b_.type(right.cells[k]).lanes), right.cells[k], left.cells[k]));
    return fused;
  }
  const bool wide = format == NodeFormat::wide;
  const Values a = convert(left, wide), b = convert(taken(right, scale_of_right), wide);
  Values result{{}, left.width, wide};
  for (std::size_t k = 0; k < cells(); ++k) result.cells.push_back(b_.add(a.cells[k], b.cells[k]));
  return result;
}

Values ValueBuilder::taken(const Values& value, Scale scale) {
  if (scale != Scale::rounded && scale != Scale::fused) return value;
  Values result{{}, value.width, value.wide};
  for (const Id v : value.cells) result.cells.push_back(b_.multiply(b_.alpha(b_.type(v).lanes), v));
  return result;
}

Access ValueBuilder::output_access(std::size_t k) const {
  Access access;
  access.operand = kOutput;
  access.outputs = layout_.outputs;
  access.down = down_of(k);
  access.across = across_of(k);
  access.masked = layout_.masked && used_[k] % layout_.vectors + 1 == layout_.vectors;
  return access;
}

Values ValueBuilder::sum_so_far() {
  Values result;
  for (std::size_t k = 0; k < cells(); ++k) result.cells.push_back(b_.load(output_access(k)));
  return result;
}

Values ValueBuilder::output() {
  Values result = sum_so_far();
  for (Id& c : result.cells) c = b_.multiply(b_.beta(b_.type(c).lanes), c);
  return result;
}

Values ValueBuilder::fuse_output(const Values& left) {
  Values result = sum_so_far();
  for (std::size_t k = 0; k < cells(); ++k)
    result.cells[k] =
        b_.fuse(b_.beta(b_.type(result.cells[k]).lanes), result.cells[k], left.cells[k]);
  return result;
}

void ValueBuilder::store_output(const Values& values) {
  for (std::size_t k = 0; k < cells(); ++k) b_.store(values.cells[k], output_access(k));
}

Values ValueBuilder::convert(const Values& values, bool wide) {
  if (values.wide == wide) return values;
  Values result{{}, values.width, wide};
  for (const Id v : values.cells) result.cells.push_back(b_.converted(v, wide));
  return result;
}

Values ValueBuilder::gather(const std::vector<Pick>& picks) {
  Values result{{}, static_cast<int>(picks.size()), picks[0].first->wide};
  if (layout_.is_tile) return *picks[0].first;  // nodes of a tile are taken whole
  for (std::size_t k = 0; k < cells(); ++k) {
    std::vector<std::pair<Id, int>> lanes;
    for (const auto& [values, lane] : picks) lanes.emplace_back(values->cells[k], lane);
    result.cells.push_back(b_.gather(std::move(lanes)));
  }
  return result;
}

}  // namespace reprosum::kernels::program
