#include "random_region.h"

#include <algorithm>
#include <utility>

#include "spec/expand.h"

namespace reprosum::spec {

std::int64_t RandomRegions::between(std::int64_t lo, std::int64_t hi) {
  return lo + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(hi - lo + 1));
}

Axis RandomRegions::axis() {
  Axis axis;
  std::int64_t from = 1;
  for (std::int64_t k = between(1, 3); k > 0; --k) {
    Segment segment;
    segment.from = from;
    segment.base = from + between(0, 5);
    segment.period = between(1, 9);
    segment.to = std::max(segment.from, segment.base - 1 + between(0, 60));
    segment.base = std::min(segment.base, segment.to + 1);
    for (std::int64_t s = segment.from; s < segment.base; ++s) segment.words.push_back(word(s, 0));
    if (segment.base <= segment.to)
      for (std::int64_t r = 0; r < segment.period; ++r)
        segment.schemas.push_back(word(segment.base + r, segment.period));
    from = segment.to + between(1, 3);
    axis.push_back(std::move(segment));
  }
  return axis;
}

// A word of length c + q*Q: random pieces, the rest in a last run.
Word RandomRegions::word(std::int64_t c, std::int64_t q) {
  Word out;
  while (c > 0 && between(0, 5) > 0) {
    WordItem item;
    if (between(0, 1) == 0) {
      const std::int64_t constant = between(0, c), slope = between(0, q);
      item.runs = {{type(), {constant, slope}}};
      c -= constant;
      q -= slope;
    } else {  // (x y) several times, perhaps one more each period
      const std::int64_t x = between(1, c), y = between(0, c - x);
      const bool grows = x + y <= q && between(0, 1) == 0;
      item.times = {between(1, c / (x + y)), grows ? 1 : 0};
      item.runs = {{type(), {x, 0}}, {type(), {y, 0}}};
      c -= item.times.c * (x + y);
      if (grows) q -= x + y;
    }
    out.push_back(std::move(item));
  }
  if (c > 0 || q > 0) out.push_back({{1, 0}, {{type(), {c, q}}}});
  return out;
}

Atom RandomRegions::atom() {
  Atom atom;
  atom.kind = static_cast<Atom::Kind>(between(0, 7));
  if (atom.compares_panels()) {
    atom.a = between(1, 20);
    atom.b = between(1, 20);
    return atom;
  }
  constexpr std::int64_t pairs[] = {3, 5, 6, 7};
  const std::int64_t uses = atom.compares_sizes() ? pairs[between(0, 3)] : between(1, 7);
  atom.use_m = (uses & 1) != 0;
  atom.use_n = (uses & 2) != 0;
  atom.use_k = (uses & 4) != 0;
  if (atom.compares_sizes()) return atom;
  atom.limit = between(0, 1) == 0 ? between(1, 100) : between(0, (std::int64_t{1} << 62) - 1);
  return atom;
}

MatrixRegime RandomRegions::regime(const std::vector<Order>& orders) {
  MatrixRegime regime;
  for (std::int64_t k = between(0, 5); k > 0; --k) regime.guard.push_back(atom());
  regime.rows = axis();
  regime.columns = axis();
  regime.k_max = between(1, 1000);
  for (std::int64_t k = between(1, 4); k > 0; --k) {
    MatrixClass c;
    c.order = static_cast<std::size_t>(between(0, std::ssize(orders) - 1));
    c.beta_zero = static_cast<MatrixClass::BetaZero>(between(0, 4));
    for (std::int64_t k = between(1, 3) == 1 ? between(1, 9) : 200; k < 200; k += between(1, 90))
      c.beta_zero_up_to.emplace_back(k, static_cast<MatrixClass::BetaZero>(between(0, 4)));
    c.alpha_zero = static_cast<MatrixClass::AlphaZero>(between(0, 1));
    regime.k_max = std::min(regime.k_max, covered_to(orders[c.order]));
    regime.classes.push_back(c);
  }
  regime.table.assign(3, std::vector<std::int32_t>(3));
  for (auto& row : regime.table)
    for (std::int32_t& entry : row)
      entry = static_cast<std::int32_t>(between(-1, std::ssize(regime.classes) - 1));
  return regime;
}

Entry RandomRegions::entry(const std::vector<Order>& orders) {
  Entry entry;
  entry.routine = between(0, 1) == 0 ? Routine::gemv : Routine::gemm;
  entry.type = between(0, 1) == 0 ? Type::f32 : Type::f64;
  Guard& guard = entry.guard;
  guard.trans_a = static_cast<Trans>(between(0, 1));
  const bool is_gemm = entry.routine == Routine::gemm;
  if (is_gemm) guard.trans_b = static_cast<Trans>(between(0, 1));
  guard.increments = {{1, 1}};
  if (!is_gemm) guard.increments.emplace_back(between(-2, 2), between(-2, 2));
  guard.threads = {static_cast<int>(between(1, 4)), static_cast<int>(between(1, 4))};
  guard.row_major = between(0, 1) != 0;
  guard.alignment = 1 << between(0, 6);
  guard.finite_only = between(0, 1) != 0;
  guard.nonzero_only = between(0, 1) != 0;
  guard.alpha_one = between(0, 1) != 0;
  guard.beta = static_cast<Beta>(between(0, 2));
  for (std::size_t k = 0; k < (is_gemm ? kLeadingPlaces : 1); ++k)
    guard.leading[k] = static_cast<Leading>(between(0, 2));
  const std::int64_t size = bytes(entry.type);
  if (between(0, 1) != 0) {
    AddressGuard& addresses = guard.addresses;
    for (std::size_t k = 0; k < address_places(entry.routine); ++k)
      addresses.moduli[k] = between(0, 2) == 0 ? static_cast<int>(size << between(1, 2)) : 1;
    for (std::int64_t count = between(1, 6); count > 0; --count) {
      Residues& residues = addresses.residues.emplace_back();
      for (std::size_t k = 0; k < kAddressPlaces; ++k)
        residues[k] = static_cast<int>(size * between(0, 7)) & (addresses.moduli[k] - 1);
    }
  }
  for (std::int64_t k = between(1, 3); k > 0; --k) entry.regimes.push_back(regime(orders));
  entry.m_max = between(1, 1000);
  entry.n_max = is_gemm ? between(1, 1000) : 1;
  entry.certificate.shapes_learned = between(0, INT64_MAX - 1);
  entry.certificate.largest = {between(0, 1000), between(0, 1000), between(0, 1000)};
  entry.certificate.seed = random_();
  if (random_() % 2 == 0) entry.certificate.classes = {{"sparse", between(1, 99)}};
  entry.certificate.not_checked = {"leading dimensions beyond 1000"};
  return entry;
}

}  // namespace reprosum::spec
