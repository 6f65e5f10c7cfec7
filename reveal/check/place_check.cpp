#include "reveal/check/place_check.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "reveal/check/placements.h"
#include "reveal/check/replay_check.h"

namespace reprosum::reveal {
namespace {

constexpr int kRandomPlaces = 16;

// The vectors of one size and what they give in the usual place.
struct Usual {
  Call call;
  Vectors data;
  std::int64_t rows = 0;
  std::vector<double> outputs{};
};

Usual usual(Target& target, const Call& call, Vectors data, std::int64_t rows) {
  Usual all{call, std::move(data), rows};
  all.outputs = run(target, all.call, all.data, rows);
  return all;
}

Vectors first_row(const Usual& all) {
  Vectors one = all.data;
  one.x.resize(static_cast<std::size_t>(all.call.k));
  if (!one.y.empty()) one.y.resize(one.x.size());
  return one;
}

// The other call with the same vectors.
std::optional<Refused> unlike(Target& target, const Usual& known, const Call& other,
                              const char* reason, const std::string& what) {
  const auto first_unlike = [&](const std::vector<double>& got) {
    std::size_t row = 0;
    while (row < got.size() && same_bits(got[row], known.outputs[row])) ++row;
    return row;
  };
  const std::vector<double> got = run(target, other, known.data, known.rows);
  const std::size_t row = first_unlike(got);
  if (row == got.size()) return std::nullopt;
  // Both again, after one call more, so that what counts calls shows.
  const auto changes = [&](const Call& call, const std::vector<double>& before) {
    const std::vector<double> again = run(target, call, known.data, known.rows);
    return !std::equal(again.begin(), again.end(), before.begin(), same_bits);
  };
  for (int turn = 0; turn < 2; ++turn) {
    if (changes(known.call, known.outputs) || changes(other, got))
      return Refused("not_deterministic",
                     describe(known.call) + ": the same vectors gave other bits later");
    run(target, known.call, first_row(known), 1);
  }
  return Refused(reason, describe(other) + ": " + what + " matters: the same numbers gave " +
                             hex(got[row]) + ", but " + hex(known.outputs[row]) + " at " +
                             describe(known.call));
}

std::int64_t rows_of(std::int64_t n) { return n < 100 ? 4 : n < 1000 ? 3 : 2; }

std::optional<Refused> addresses_matter(Target& target, const Call& call, FastRandom& random) {
  const std::int64_t rows = rows_of(call.k);
  const Usual known =
      usual(target, placed(call, {0, 0}), random_vectors(call, rows, Data::wide, random), rows);
  for (const Placement& other : placements(call, kRandomPlaces, random))
    if (auto why = unlike(target, known, other.call, "address_dependent", other.what)) return why;
  return std::nullopt;
}

// x and y as one vector, or as parts of one that overlap or touch.
std::optional<Refused> sharing_matters(Target& target, const Call& call, FastRandom& random) {
  const std::int64_t n = call.k;
  const std::int64_t rows = rows_of(n);
  for (const std::int64_t shift : {std::int64_t{0}, std::int64_t{1}, std::int64_t{3}, n / 2, n,
                                   std::int64_t{-1}, std::int64_t{-8}}) {
    const std::int64_t more = std::max(shift, -shift);
    Call longer = call;
    longer.routine = spec::Routine::sum;
    longer.k = n + more;
    Vectors data;
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::vector<double> whole = random_vectors(longer, 1, Data::wide, random).x;
      const auto from = [&](std::vector<double>& to, std::int64_t first) {
        to.insert(to.end(), whole.begin() + first, whole.begin() + first + n);
      };
      from(data.x, shift < 0 ? more : 0);
      from(data.y, shift < 0 ? 0 : shift);
    }
    const Usual known = usual(target, call, std::move(data), rows);
    Call shared = call;
    shared.place.shift = shift;
    const std::string what =
        shift == 0 ? "that x and y are one vector" : "that x and y are parts of one vector";
    if (auto why = unlike(target, known, shared, "address_dependent", what)) return why;
  }
  return std::nullopt;
}

std::optional<Refused> face_matters(Target& target, const Call& call, FastRandom& random) {
  if (!target.has_both_faces(call.routine, call.type)) return std::nullopt;
  const std::int64_t rows = rows_of(call.k);
  for (const Data kind : {Data::wide, Data::special, Data::zeros}) {
    const Usual known = usual(target, call, random_vectors(call, rows, kind, random), rows);
    Call other = call;
    other.cblas = true;
    if (auto why = unlike(target, known, other, "faces_differ",
                          "whether Fortran's or CBLAS's routine is called"))
      return why;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refused> place_matters(Target& target, const Call& context,
                                     std::span<const std::int64_t> sizes, bool has_places,
                                     std::uint64_t seed) {
  FastRandom random(seed ^ 0x165667b1u);
  for (const std::int64_t n : sizes) {
    Call call = context;
    call.k = n;
    call.place = {};
    call.cblas = false;
    if (auto why = face_matters(target, call, random)) return why;
    if (!has_places) continue;
    if (auto why = addresses_matter(target, call, random)) return why;
    if (call.routine != spec::Routine::dot || call.incx != call.incy || call.incx == 0) continue;
    if (auto why = sharing_matters(target, call, random)) return why;
  }
  return std::nullopt;
}

}  // namespace reprosum::reveal
