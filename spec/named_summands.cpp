// Every summand once, for all q and r of a domain at a time.
//
// Take the polynomial in z that has a term z^k for every time the schema names summand k. The
// schema is a tree on 0..n-1 at one (q, r) if and only if that is 1 + z + ... + z^(n-1). A run of T
// copies, s apart, multiplies its shape's polynomial by 1 + z^s + ... + z^(s(T-1)), which is
// (z^(sT) - 1) / (z^s - 1), and an offset of a multiplies it by z^a. Now a, s and T are linear in q
// and r. Where no T changes its sign, and T or s is constant in each run, z^(aq*q + ar*r + a0) is
// the monomial w^aq v^ar z^a0 with w = z^q and v = z^r: both sides are one expression in z, w and
// v, whatever q and r are. If they are the same rational function of independent z, w and v, they
// are the same for every q and r of the domain. That is the proof, and no size is tried.
//
// Whether they are the same function is seen at one point, drawn at random by this process from a
// field of 2^127 - 1 elements. Equal functions agree there. Different ones, of degree d after
// their denominators are multiplied out, agree at no more than a share d / 2^127 of the points; a
// document of 64 MiB has d < 2^72, so a false one passes with a chance below 2^-55, and since
// the point is drawn by the reader and never shown, whoever writes the document cannot raise that.
// (Counts of a summand are less than 2^100, so none is 1 only modulo the prime.) No access to
// memory hangs on it: the planner proves for itself that none leaves the operands, and the
// interpreter looks at each.
#include "spec/named_summands.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <random>

#include "spec/error.h"
#include "spec/expand_schema.h"

namespace reprosum::spec {
namespace {

constexpr std::int64_t kMostVisits = 4096;
constexpr double kMostNamed = 0x1p100;

Residue random_residue() {
  std::random_device device;
  UInt128 value = 0;
  for (int word = 0; word < 4; ++word) value = value << 32 | device();
  return Residue(value >> 1);
}

struct Point {
  Powers z{random_residue()}, w{random_residue()}, v{random_residue()};
};
// Drawn once, without a lock: a child of fork() must not wait for a thread that it does not have.
const Point& point() {
  static std::atomic<const Point*> drawn{nullptr};
  const Point* known = drawn.load(std::memory_order_acquire);
  if (known != nullptr) return *known;
  auto mine = std::make_unique<const Point>();
  if (drawn.compare_exchange_strong(known, mine.get(), std::memory_order_acq_rel))
    return *mine.release();
  return *known;
}

}  // namespace

Cut middle(const Domain& domain) {
  const std::int64_t wide = domain.q_hi - domain.q_lo, tall = domain.r_hi - domain.r_lo;
  if (wide >= tall) return {true, domain.q_lo + wide / 2 + 1};
  return {false, domain.r_lo + tall / 2 + 1};
}

NamedSummands::NamedSummands(const Schema& schema, const Linear& n, const Domain& domain)
    : schema_(schema), n_(n), domain_(domain), chains_(schema.chains.size()) {}

bool NamedSummands::are_all() {
  for (std::size_t c = 0; c < chains_.size(); ++c)
    for (const Item& item : schema_.chains[c].items) add(item, chains_[c]);
  if (chains_.back().count > kMostNamed) throw TooLarge{};
  // names == (z^n - 1) / (z - 1)
  const Residue one(1);
  return chains_.back().names * (point().z.at(1) - one) == monomial(n_) - one;
}

// If the domain fixes q or r, its power of z is a number; otherwise the unknowns w and v stand for
// z^q and z^r.
Residue NamedSummands::monomial(const Linear& at) const {
  std::int64_t constant = at.c;
  if (domain_.fixes_q()) constant = checked_sum(constant, checked_product(at.q, domain_.q_lo));
  if (domain_.fixes_r()) constant = checked_sum(constant, checked_product(at.r, domain_.r_lo));
  Residue power = point().z.at(constant);
  if (at.q != 0 && !domain_.fixes_q()) power = power * point().w.at(at.q);
  if (at.r != 0 && !domain_.fixes_r()) power = power * point().v.at(at.r);
  return power;
}

bool NamedSummands::varies(const Linear& value) const {
  return (value.q != 0 && !domain_.fixes_q()) || (value.r != 0 && !domain_.fixes_r());
}

bool NamedSummands::is_absent(const Item& item) const {
  return domain_.greatest(item.times) <= 0 || domain_.greatest(item.times2) <= 0 ||
         (!item.shape.is_leaf() && chains_[std::size_t(item.shape.chain)].absent);
}

void NamedSummands::add(const Item& item, Chain& sum) {
  const Int128 times = domain_.greatest(item.times), times2 = domain_.greatest(item.times2);
  if (times <= 0 || times2 <= 0) return;
  for (const Linear* count : {&item.times, &item.times2})
    if (domain_.least(*count) < 0) throw cut_at(*count);
  Residue names(1);
  double count = 1;
  if (!item.shape.is_leaf()) {
    const Chain& child = chains_[std::size_t(item.shape.chain)];
    if (child.absent) {
      sum.visits = std::min(kMostVisits + 1, sum.visits + child.visits);
      return;
    }
    names = child.names;
    count = child.count;
  }
  sum.absent = false;
  if (item.shape.is_leaf() && !is_summand(item.shape.leaf)) return;
  sum.names = sum.names + names * monomial(item.at) * copies(item.times, item.step) *
                              copies(item.times2, item.step2);
  sum.count += static_cast<double>(times) * static_cast<double>(times2) * count;
}

// 1 + z^s + ... + z^(s(T-1))
Residue NamedSummands::copies(const Linear& times, const Linear& step) {
  if (times == Linear{0, 0, 1}) return Residue(1);
  const bool is_constant = !varies(times);
  if (!is_constant && varies(step)) throw middle(domain_);
  const std::int64_t count = times.at(domain_.q_lo, domain_.r_lo);
  const Residue one(1), unit = monomial(step);
  if (unit == one) {  // all in one place
    if (!is_constant) throw middle(domain_);
    return Residue(static_cast<UInt128>(count));
  }
  const Linear end =
      is_constant ? count * step : clamped(step.exactly_at(domain_.q_lo, domain_.r_lo)) * times;
  return (monomial(end) - one) * inverse(unit - one, step);
}

Residue NamedSummands::inverse(Residue value, const Linear& step) {
  const auto it = inverses_.find(step);
  return it != inverses_.end() ? it->second : inverses_[step] = value.inverse();
}

// Where a value that is below 0 somewhere and above it elsewhere changes its sign.
Cut NamedSummands::cut_at(const Linear& value) const {
  const bool on_q = value.q != 0 && !domain_.fixes_q();
  if (on_q && value.r != 0 && !domain_.fixes_r()) return middle(domain_);
  const Int128 first = value.exactly_at(domain_.q_lo, domain_.r_lo);
  const Int128 slope = on_q ? value.q : value.r;
  const Int128 far = first < 0 ? -first : first, by = slope < 0 ? -slope : slope;
  const auto ahead = static_cast<std::int64_t>((far + by - 1) / by);
  return {on_q, (on_q ? domain_.q_lo : domain_.r_lo) + std::max<std::int64_t>(1, ahead)};
}

void NamedSummands::check_walk(const std::string& where) const {
  std::vector<bool> reached(chains_.size());
  reached.back() = true;
  for (std::size_t c = chains_.size(); c-- > 0;) {
    const std::string here = where + ", chain " + std::to_string(c);
    if (chains_[c].visits > kMostVisits)
      throw UserError(here + ": names absent chains too many times over");
    if (!reached[c] || chains_[c].absent) continue;
    for (const Item& item : schema_.chains[c].items) {
      if (is_absent(item)) continue;
      if (!item.shape.is_leaf()) reached[std::size_t(item.shape.chain)] = true;
      check_near(item, here);
    }
  }
}

void NamedSummands::check_near(const Item& item, const std::string& where) const {
  for (const std::int64_t q : {domain_.q_lo, domain_.q_hi}) {
    for (const std::int64_t r : {domain_.r_lo, domain_.r_hi}) {
      const std::int64_t times = item.times.at(q, r), times2 = item.times2.at(q, r);
      if (times <= 0 || times2 <= 0) continue;
      const Int128 most = n_.exactly_at(q, r) + kFarthestLane;
      const Int128 along = Int128{times - 1} * item.step.at(q, r);
      const Int128 across = Int128{times2 - 1} * item.step2.at(q, r);
      for (const Int128 far : {item.at.exactly_at(q, r), along, across})
        if (far > most || far < -most)
          throw UserError(where +
                          ": an offset or step lies far beyond n = " + std::to_string(n_.at(q, r)));
    }
  }
}

}  // namespace reprosum::spec
