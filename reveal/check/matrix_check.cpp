#include "reveal/check/matrix_check.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "reveal/check/placements.h"
#include "reveal/check/random_matrices.h"
#include "reveal/check/replay_check.h"
#include "reveal/target/layout.h"
#include "spec/evaluate/replay_matrix.h"
#include "spec/expand.h"

namespace reprosum::reveal {
namespace {

// One of so many products has a factor whose elements are all the same: row sums are made with
// such.
constexpr std::int64_t kConstant = 24;
constexpr std::int64_t kLargestLeading = 10'000;
// The largest matrix whose gaps are much larger than usual, and, rarely, a larger one: a library
// may copy a matrix whose columns lie too far apart.
constexpr std::int64_t kMostElements = std::int64_t{1} << 17;
constexpr std::int64_t kFarElements = std::int64_t{1} << 21;

// Random leading dimensions and addresses as the check admits them; false if this shape has none.
bool place(Call& call, const MatrixCheck& check, FastRandom& random) {
  const std::int64_t size = element_size(call.type);
  spec::Residues residues{};
  if (const auto& known = check.addresses.residues; !known.empty())
    residues = known[static_cast<std::size_t>(random.below(std::ssize(known)))];
  if (spec::alignment_of(residues) < check.alignment) return false;
  // Elements from one admitted place to the next.
  const auto unit = [&](std::size_t place) {
    const int modulus = std::max(check.addresses.moduli[place], check.alignment);
    return std::max<std::int64_t>(modulus / size, 1);
  };
  // `lines` as long as the leading dimension. Rarely it is of a much larger matrix.
  const auto pad = [&](std::size_t place, std::int64_t least, std::int64_t lines) {
    const std::int64_t step = unit(place), wanted = residues[place] / size;
    const std::int64_t first = ((wanted - least) % step + step) % step;
    const bool is_large = random.below(24) == 0;
    const std::int64_t reach = is_large && random.below(4) == 0 ? kFarElements : kMostElements;
    const std::int64_t most =
        std::min(kLargestLeading, reach / std::max<std::int64_t>(lines, 1)) - least - first;
    if (is_large && most >= step) {
      std::int64_t more = random.below(most + 1);
      // A power of two, or 64 times something, where one is near.
      if (random.below(2) == 0) more = (least + first + more) / 64 * 64 - least - first;
      return first + std::max<std::int64_t>(more / step * step, 0);
    }
    return random.bits() % 3 == 0 ? first + step * random.below(6) : first;
  };
  const auto address = [&](std::size_t place) {
    const std::int64_t step = unit(place) * size;
    return residues[place] +
           (random.bits() % 4 == 0 ? static_cast<int>(step * random.below(64 / step)) : 0);
  };
  const bool gemv = call.routine == spec::Routine::gemv;
  const std::int64_t least[] = {call.trans_a == spec::Trans::no ? call.m : call.k,
                                call.trans_b == spec::Trans::no ? call.k : call.n, call.m};
  const std::int64_t lines[] = {call.trans_a == spec::Trans::no ? call.k : call.m,
                                call.trans_b == spec::Trans::no ? call.n : call.k, call.n};
  std::int64_t* const pads[] = {&call.pad_a, &call.pad_b, &call.pad_c};
  for (std::size_t k = 0; k < (gemv ? 1 : spec::kLeadingPlaces); ++k) {
    std::int64_t& own = *pads[k] = pad(3 + k, least[k], lines[k]);
    if (check.leading[k] == spec::Leading::tight) own = 0;
    if (check.leading[k] == spec::Leading::padded && own == 0)
      own = unit(3 + k) * (1 + random.below(6));
    if ((least[k] + own - residues[3 + k] / size) % unit(3 + k) != 0) return false;
  }
  // Blocks of one matrix have one leading dimension.
  if (!gemv && random.below(12) == 0) {
    std::int64_t shared = 0;
    for (std::size_t k = 0; k < spec::kLeadingPlaces; ++k)
      shared = std::max(shared, least[k] + *pads[k]);
    const auto is_admitted = [&](std::size_t k) {
      const bool is_least = shared == least[k];
      return shared * lines[k] <= kFarElements &&
             (shared - residues[3 + k] / size) % unit(3 + k) == 0 &&
             (check.leading[k] != spec::Leading::tight || is_least) &&
             (check.leading[k] != spec::Leading::padded || !is_least);
    };
    if (is_admitted(0) && is_admitted(1) && is_admitted(2))
      for (std::size_t k = 0; k < spec::kLeadingPlaces; ++k) *pads[k] = shared - least[k];
  }
  call.align_a = address(0);
  call.align_b = address(1);
  call.align_c = address(2);
  return true;
}

// Whether the target places operands where a call says. One that computes on a device has them at
// the beginning of its memory. Where addresses matter it is known to.
bool chooses_addresses(Target& target, const Call& context, const MatrixCheck& check) {
  if (check.alignment > 1 || !check.addresses.residues.empty()) return true;
  Call call = context;
  call.m = call.n = call.k = 1;
  call.align_a = static_cast<int>(element_size(call.type));
  const double one = 1;
  try {
    target.run_matrix({.call = call, .a = {&one, 1}, .b = {&one, 1}, .c = {&one, 1}});
    return true;
  } catch (const TargetError& error) {
    if (error.reason != "declined") throw;
    return false;
  }
}

// Whether A and B hold the same numbers.
enum class Alike : std::uint8_t { no, yes, negated };

// Puts the operands anywhere (placements.h), or calls another face; what the check admits stays so.
Alike vary(Target& target, Call& call, const MatrixCheck& check, bool by_rows, bool has_addresses,
           FastRandom& random) {
  constexpr std::int64_t kOneMatrix = 4, kOtherFace = 4;
  if (!check.keeps_face) {
    if (!by_rows && random.below(kOtherFace) == 0)
      call.cblas = target.has_both_faces(call.routine, call.type);
    if (random.below(kOtherFace) == 0) call.conjugate = target.has_conjugate();
  }
  if (!has_addresses || check.keeps_place) return Alike::no;
  if (random.below(2) == 0) call = anywhere(call, random);
  // Addresses and gaps that are not like any other, or uniform data, part A from B.
  const auto one = as_one_matrix(call);
  const bool may_be_one = one && check.addresses.is_any() && check.leading == spec::Leadings{} &&
                          (!check.is_uniform || call.trans_a != call.trans_b);
  if (!may_be_one || random.below(kOneMatrix) != 0) return Alike::no;
  const std::int64_t way = random.below(4);
  if (way < 2) call = *one;
  return way == 3 ? Alike::negated : Alike::yes;
}

spec::Trans flipped(spec::Trans trans) {
  return trans == spec::Trans::no ? spec::Trans::yes : spec::Trans::no;
}

// C column by column from C row by row, or the other way round.
std::vector<double> transposed(std::span<const double> c, std::int64_t lines, std::int64_t length) {
  std::vector<double> out(c.size());
  for (std::int64_t l = 0; l < lines; ++l)
    for (std::int64_t i = 0; i < length; ++i)
      out[static_cast<std::size_t>(i * lines + l)] = c[static_cast<std::size_t>(l * length + i)];
  return out;
}

// One random product: what the target is asked, and what it should answer.
struct Product {
  spec::Shape3 shape;
  spec::RegionMap map;
  Call call{};  // column-major
  Data kind = Data::ordinary;
  double alpha = 1, beta = 0;
  double replayed_beta = 0;  // what the rules make of beta
  bool is_uniform = false;   // the data are one row, one column and one element
  Matrices data{};
  std::vector<double> c_by_rows{};  // of a gemm that is called by rows

  // The column-major problem, or as the call by rows that has the same memory: the matrix of a
  // gemv is its own transpose there; C := A*B is the transpose of C' := B'*A'.
  MatrixBatch batch(bool by_rows) {
    MatrixBatch batch;
    batch.call = call;
    batch.alpha = alpha;
    batch.beta = beta;
    batch.a = data.a;
    batch.b = data.b;
    batch.c = data.c;
    if (!by_rows) return batch;
    Call& rows = batch.call;
    rows.row_major = true;
    if (call.routine == spec::Routine::gemv) {
      rows.trans_a = flipped(call.trans_a);
      return batch;
    }
    std::swap(rows.m, rows.n);
    std::swap(rows.pad_a, rows.pad_b);
    std::swap(rows.align_a, rows.align_b);
    rows.trans_a = call.trans_b;
    rows.trans_b = call.trans_a;
    std::swap(batch.a, batch.b);
    if (is_uniform) return batch;
    c_by_rows = transposed(data.c, call.n, call.m);
    batch.c = c_by_rows;
    return batch;
  }

  // The target's outputs column by column.
  std::vector<double> outputs(std::vector<double> got, bool by_rows) const {
    if (!by_rows || call.routine == spec::Routine::gemv) return got;
    return transposed(got, call.m, call.n);
  }
};

// Several products are run at a time: few at first, since a wrong rule shows soon.
constexpr std::int64_t kNearUnderflow = 8;  // one product of so many is, of such data
constexpr Data kNearZero[] = {Data::ordinary, Data::nonnegative, Data::sparse, Data::zeros};
constexpr std::size_t kFirstProducts = 4, kMostProducts = 64;
constexpr std::size_t kValuesTogether = std::size_t{1} << 15;

// Every class of the map has an order at this k.
bool has_orders(const spec::RegionMap& map, const std::vector<spec::Order>& orders,
                std::int64_t k) {
  for (const spec::Stretch& rows : map.rows)
    for (const spec::Stretch& columns : map.columns) {
      const std::int32_t c = map.class_at(rows.first, columns.first);
      if (c < 0) return false;
      const auto& output = map.regime->classes[static_cast<std::size_t>(c)];
      if (!spec::covers(orders[output.order], k)) return false;
    }
  return true;
}

// For each regime, whether one of its orders leaves products out.
std::vector<bool> leave_products_out(const std::vector<spec::MatrixRegime>& regimes,
                                     const std::vector<spec::Order>& orders) {
  std::vector<bool> all;
  for (const spec::MatrixRegime& regime : regimes)
    all.push_back(std::any_of(regime.classes.begin(), regime.classes.end(), [&](const auto& one) {
      return spec::leaves_products_out(orders[one.order]);
    }));
  return all;
}

Data kind_of(std::int64_t turn, const MatrixDataLimits& limits, bool by_class) {
  if (by_class) return data_class(static_cast<int>(turn % kFiniteClasses));
  constexpr Data kinds[] = {Data::wide, Data::ordinary, Data::tiny,
                            Data::wide, Data::zeros,    Data::special};
  const Data kind = kinds[turn % 6];
  const bool is_out =
      (limits.finite_only && kind == Data::special) || (limits.nonzero_only && kind == Data::zeros);
  return is_out ? Data::wide : kind;
}

// Whether most orders differ on such data.
bool tells_orders(Data kind) { return kind == Data::wide || kind == Data::ordinary; }

// One line of each type, in place of neighbours of it; and which of them stands for each of `size`.
std::vector<spec::Stretch> one_of_each(const std::vector<spec::Stretch>& lines, std::int64_t size,
                                       std::vector<std::size_t>& stands_for) {
  std::vector<spec::Stretch> ones;
  stands_for.resize(static_cast<std::size_t>(size));
  for (const spec::Stretch& line : lines) {
    const auto same = std::find_if(ones.begin(), ones.end(),
                                   [&](const spec::Stretch& one) { return one.type == line.type; });
    const std::int64_t at = same - ones.begin();
    if (same == ones.end()) ones.push_back({at, 1, line.type});
    std::fill_n(stands_for.begin() + line.first, line.count, static_cast<std::size_t>(at));
  }
  return ones;
}

std::vector<double> repeated(std::span<const double> values, std::size_t times) {
  std::vector<double> all;
  for (; times > 0; --times) all.insert(all.end(), values.begin(), values.end());
  return all;
}

// The outputs of a product of uniform data, from one of each pair of types.
void replay_uniform(const Product& product, const std::vector<spec::Order>& orders,
                    std::vector<double>& expected) {
  const spec::Shape3& shape = product.shape;
  std::vector<std::size_t> row_of, column_of;
  const spec::RegionMap few{product.map.regime, one_of_each(product.map.rows, shape.m, row_of),
                            one_of_each(product.map.columns, shape.n, column_of)};
  const std::size_t m = few.rows.size(), n = few.columns.size();
  const auto a = repeated(product.data.a, m), b = repeated(product.data.b, n);
  auto c = repeated(product.data.c, m * n);
  spec::replay_matrix(few, orders, product.call.routine, product.call.type,
                      {std::ssize(few.rows), std::ssize(few.columns), shape.k}, product.alpha,
                      product.replayed_beta, a.data(), b.data(), c.data());
  expected.clear();
  expected.reserve(row_of.size() * column_of.size());
  for (const std::size_t column : column_of)
    for (const std::size_t row : row_of) expected.push_back(c[row + column * m]);
}

// Adds the product to the result, with its first wrong output if there is one. `expected` is
// memory.
bool agrees(const Product& product, const std::vector<double>& got,
            const std::vector<spec::MatrixRegime>& regimes, const std::vector<spec::Order>& orders,
            bool by_rows, std::uint64_t seed, std::vector<double>& expected,
            MatrixReplayResult& result) {
  const spec::Shape3& shape = product.shape;
  const Matrices& data = product.data;
  if (product.is_uniform) {
    replay_uniform(product, orders, expected);
  } else {
    expected.assign(data.c.begin(), data.c.end());
    spec::replay_matrix(product.map, orders, product.call.routine, product.call.type, shape,
                        product.alpha, product.replayed_beta, data.a.data(), data.b.data(),
                        expected.data());
  }
  ++result.shapes;
  ++result.kinds[static_cast<std::size_t>(product.kind)];
  result.outputs += static_cast<std::int64_t>(got.size());
  if (!is_class(product.kind) && !tells_orders(product.kind))
    result.special_outputs += static_cast<std::int64_t>(got.size());
  result.largest = {std::max(result.largest.m, shape.m), std::max(result.largest.n, shape.n),
                    std::max(result.largest.k, shape.k)};
  for (std::size_t at = 0; at < got.size(); ++at) {
    if (same_bits(expected[at], got[at])) continue;
    const auto i = static_cast<std::int64_t>(at) % shape.m;
    const auto j = static_cast<std::int64_t>(at) / shape.m;
    Call call = product.call;
    call.row_major = by_rows;
    result.wrong = MatrixReplayResult::Wrong{
        {describe(call) + " output (" + std::to_string(i) + ", " + std::to_string(j) +
             ") alpha=" + hex(product.alpha) + " beta=" + hex(product.beta),
         hex(expected[at]), hex(got[at]), std::to_string(seed)},
        shape,
        static_cast<std::size_t>(product.map.regime - regimes.data()),
        product.map.class_at(i, j),
        product.kind,
        product.alpha,
        product.beta,
        product.is_uniform};
    return false;
  }
  return true;
}

}  // namespace

std::string leading_not_checked() {
  return "leading dimensions above " + std::to_string(kLargestLeading) +
         ", and those that let a matrix reach over more than " + std::to_string(kFarElements) +
         " elements";
}

void add(MatrixReplayResult& sum, MatrixReplayResult part) {
  sum.shapes += part.shapes;
  sum.outputs += part.outputs;
  sum.special_outputs += part.special_outputs;
  sum.uncovered += part.uncovered;
  sum.largest = {std::max(sum.largest.m, part.largest.m), std::max(sum.largest.n, part.largest.n),
                 std::max(sum.largest.k, part.largest.k)};
  for (std::size_t kind = 0; kind < sum.kinds.size(); ++kind) sum.kinds[kind] += part.kinds[kind];
  sum.wrong = std::move(part.wrong);
}

MatrixCheck check_of(const spec::Entry& entry, std::uint64_t seed) {
  MatrixCheck check{entry.guard.alignment,
                    entry.guard.leading,
                    {entry.guard.finite_only, entry.guard.alpha_one, entry.guard.nonzero_only},
                    seed,
                    entry.guard.addresses};
  check.nan_beta_is_zero = entry.guard.nan_beta_is_zero;
  return check;
}

MatrixReplayResult check_matrices(Target& target, const Call& context,
                                  const std::vector<spec::MatrixRegime>& regimes,
                                  const std::vector<spec::Order>& orders,
                                  std::span<const spec::Shape3> shapes, const MatrixCheck& check) {
  MatrixReplayResult result;
  FastRandom random(check.seed), constants(check.seed ^ 0x165667b1u);
  std::int64_t turn = static_cast<std::int64_t>(random.bits() % 96), more_turn = turn;
  std::vector<Product> products(kMostProducts);  // the first `count` of them
  std::vector<double> expected;
  const std::vector<bool> leave_out = leave_products_out(regimes, orders);
  const bool has_addresses = shapes.empty() || chooses_addresses(target, context, check);
  std::size_t count = 0, values = 0, together = kFirstProducts;
  // Compares the outputs of the products so far; false at the first one that is wrong.
  const auto run = [&] {
    std::vector<MatrixBatch> batches;
    for (Product& product : std::span(products).first(count))
      batches.push_back(product.batch(context.row_major));
    auto answers = target.run_matrices(batches);
    for (std::size_t p = 0; p < count; ++p) {
      const Product& product = products[p];
      const auto got = product.outputs(std::move(answers[p]), context.row_major);
      if (!agrees(product, got, regimes, orders, context.row_major, check.seed, expected, result))
        return false;
    }
    for (Product& product : std::span(products).first(count)) product.data.keep(kValuesTogether);
    count = 0;
    values = 0;
    together = std::min(2 * together, kMostProducts);
    return true;
  };
  for (const spec::Shape3& shape : shapes) {
    const auto map = spec::regions(regimes, shape);
    if (!map || !has_orders(*map, orders, shape.k)) {
      ++result.uncovered;
      continue;
    }
    std::int64_t told = 0;  // outputs of products that tell orders apart
    // Which products are left out shows where zeros meet infinities, or in the sign of a sum that
    // is zero, and in few places.
    bool looks_at_zeros = !check.limits.nonzero_only &&
                          leave_out[static_cast<std::size_t>(map->regime - regimes.data())];
    for (bool is_first = true; is_first || looks_at_zeros || told < check.telling_outputs;) {
      Call call = context;
      call.row_major = false;
      std::tie(call.m, call.n, call.k) = std::tie(shape.m, shape.n, shape.k);
      if (!place(call, check, random)) break;
      if (!has_addresses) call.align_a = call.align_b = call.align_c = 0;
      const Alike alike = vary(target, call, check, context.row_major, has_addresses, random);
      // Now and then all is small; that tells no orders apart, but where sums begin and where alpha
      // meets them.
      const bool is_small = is_first && random.below(kNearUnderflow) == 0;
      const bool is_alpha_free =
          !looks_at_zeros && !check.limits.alpha_one && !check.limits.nonzero_only;
      const bool is_vanishing = is_small && (!is_alpha_free || random.bits() % 2 == 0);
      const bool is_near_underflow = is_small && !is_vanishing;
      const Data kind = is_vanishing        ? Data::ordinary
                        : is_near_underflow ? kNearZero[random.below(4)]
                        : is_first          ? kind_of(turn++, check.limits, check.by_class)
                        : looks_at_zeros    ? check.limits.finite_only ? Data::zeros : Data::special
                        : more_turn++ % 2 == 0 ? Data::wide
                                               : Data::ordinary;
      // Rare scalars hide what tells orders apart.
      const ScalarLimits scalars{check.limits.alpha_one, is_first,
                                 check.limits.finite_only || !is_first,
                                 check.limits.nonzero_only || !is_first};
      auto [alpha, beta] = random_scalars(call.type, scalars, random);
      if (!is_first) looks_at_zeros = false;
      is_first = false;
      if (is_vanishing && !(std::abs(alpha) > 0x1p-10 && std::abs(alpha) <= 2)) alpha = 1;
      if (is_small)
        beta = std::isfinite(beta) && std::abs(beta) <= 2 ? beta : 1;
      else if (alpha != 0 && std::isfinite(alpha) && std::isfinite(beta) && tells_orders(kind))
        told += check.is_uniform ? 1 : shape.m * shape.n;
      Product& product = products[count++];
      product.shape = shape;
      product.map = *map;
      product.call = call;
      product.kind = kind;
      product.beta = beta;
      product.replayed_beta = check.nan_beta_is_zero && std::isnan(beta) ? 0 : beta;
      product.is_uniform = check.is_uniform;
      Call filled = call;
      if (check.is_uniform) filled.m = filled.n = 1;
      product.data.fill(filled, kind, random);
      product.alpha =
          is_near_underflow ? product.data.put_near_underflow(call.type, random) : alpha;
      if (check.limits.nonzero_only) product.data.leave_no_zero_factors(call.type, random);
      if (is_vanishing) product.data.put_vanishing_products(call.type, random);
      if (alike != Alike::no)
        product.data.make_one_matrix(call, alike == Alike::negated);
      else if (!check.is_uniform && !check.keeps_data && constants.below(kConstant) == 0)
        product.data.make_constant(constants.below(2) == 0, constants.below(2) == 0 ? 1 : 0.1f);
      values += std::max(product.data.values(), static_cast<std::size_t>(shape.m * shape.n));
      if ((count >= together || values > kValuesTogether) && !run()) return result;
    }
  }
  if (count > 0) run();
  return result;
}

}  // namespace reprosum::reveal
