// The limit of a condition, as exactly as shapes beside it can tell.
#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "reveal/region/atoms.h"

namespace reprosum::reveal::region {
namespace {

using spec::Shape3;
using Kind = spec::Atom::Kind;

constexpr int bisections = 40;
constexpr int exact_looks = 8;
constexpr int widenings = 3;
constexpr std::size_t followed = 6;
constexpr int most_followed = 60;
constexpr std::size_t most_doubtful = 24;
constexpr std::int64_t most_blind = 4;  // on either side of a k
constexpr int shapes_per_look = 4;
constexpr double usual_work = 4e6;
constexpr std::int64_t ks[] = {37, 61, 127, 253, 509, 1021};

class Refinement {
 public:
  Refinement(Maps& maps, Rule& rule, const std::vector<spec::Atom>& also, Bracket& bracket)
      : maps_(maps), also_(also), bracket_(bracket), prober_(maps, rule) {
    rule.forget();
  }

  void run() {
    if (!follows_k() || !follow_k()) {
      check_outside();
      bisect();
    }
    look_at_round_ones();
    bracket_.atom.limit = roundest(bracket_.low, bracket_.high);
  }

 private:
  // k can be changed while m and n stay.
  bool follows_k() const {
    return bracket_.atom.use_k && (bracket_.atom.use_m || bracket_.atom.use_n);
  }
  bool upper() const { return bracket_.atom.kind == Kind::at_most; }

  // The shape with this product, or close to it, that has the other sizes of `shape`.
  Shape3 solve(Shape3 shape, std::int64_t target, bool across) const {
    const spec::Atom& atom = bracket_.atom;
    if (atom.use_n && (across || !atom.use_m)) {
      shape.n = target / product(atom, {shape.m, 1, shape.k});
    } else if (atom.use_m) {
      shape.m = target / product(atom, {1, shape.n, shape.k});
    } else {
      shape.k = target / product(atom, {shape.m, shape.n, 1});
    }
    return shape;
  }

  // Shapes with a product in [low, high]. Where k decides, few k are used: each new one needs
  // shapes of its own to know its hashes.
  std::vector<Shape3> shapes(std::int64_t low, std::int64_t high, int tries) {
    const spec::Atom& atom = bracket_.atom;
    std::vector<Shape3> found;
    for (; tries > 0 && static_cast<int>(found.size()) < shapes_per_look; --tries) {
      // Without k in the product one k will do, and no condition on k that is not known yet can
      // come between.
      Shape3 shape{maps_.pick_log(1, std::min<std::int64_t>(400, maps_.options().largest.m)),
                   maps_.is_gemv() ? 1 : maps_.pick_log(1, 400), bracket_.k};
      if (atom.use_k) shape.k = ks[maps_.pick(0, 5)];
      if (atom.use_k && tries % 2) shape.k -= maps_.pick(0, 6);
      shape = solve(shape, maps_.pick(low, high), tries % 4 < 2);
      const std::int64_t x = product(atom, shape);
      const double work = static_cast<double>(shape.m) * static_cast<double>(shape.n) *
                          static_cast<double>(shape.k);
      if (x < low || x > high || work > std::max(usual_work, 4 * static_cast<double>(x))) continue;
      if (prober_.inside(shape)) found.push_back(shape);
    }
    return found;
  }

  struct Look {
    int right = 0, wrong = 0;
    std::int64_t least_right = 0, most_right = 0, least_wrong = 0, most_wrong = 0;
  };
  Look look(const std::vector<Shape3>& shapes) {
    Look seen;
    const spec::Atom& atom = bracket_.atom;
    for (const Shape3& shape : shapes) {
      // The known side of the bracket must give the hashes, not the shape itself.
      spec::Atom safe = atom;
      safe.limit = upper() ? bracket_.low : bracket_.high - 1;
      prober_.also = also_;
      prober_.also.push_back(safe);
      if (prober_.prime(shape.k).empty()) continue;
      const std::int64_t x = product(atom, shape);
      const Verdict verdict = prober_.test(shape);
      if (verdict == Verdict::wrong) {
        seen.least_wrong = seen.wrong == 0 ? x : std::min(seen.least_wrong, x);
        seen.most_wrong = std::max(seen.most_wrong, x);
        ++seen.wrong;
      } else if (verdict == Verdict::right) {
        seen.least_right = seen.right == 0 ? x : std::min(seen.least_right, x);
        seen.most_right = std::max(seen.most_right, x);
        ++seen.right;
      }
    }
    prober_.also = also_;
    prober_.forget();
    return seen;
  }

  // Contradictions are certain; shapes that are right may be blind, so there must be `least`.
  bool narrow(const Look& seen, int least) {
    if (seen.wrong > 0) {
      if (upper()) bracket_.high = seen.least_wrong;
      if (!upper()) bracket_.low = seen.most_wrong;
    } else if (seen.right >= least) {
      if (upper()) bracket_.low = std::max(bracket_.low, seen.least_right);
      if (!upper()) bracket_.high = std::min(bracket_.high, seen.most_right);
    } else {
      return false;
    }
    return true;
  }

  // Where the verdict of one (m, n) changes with k, and nothing else changes. Shapes that do not
  // show the border, and those that are beyond another one, are told by both ends. False if too few
  // do.
  bool follow_k() {
    std::vector<std::pair<std::int64_t, std::int64_t>> found;
    const std::int64_t least_area = bracket_.high * 3 / 2 / maps_.options().largest.k;
    for (int tries = 0, looked = 0; tries < 4000 && looked < most_followed; ++tries) {
      if (found.size() == followed) break;
      Shape3 shape{maps_.pick_log(1, 400), maps_.is_gemv() ? 1 : maps_.pick_log(1, 400), 1};
      const std::int64_t area = product(bracket_.atom, shape);
      if (area <= least_area || area > 40 * (least_area + 1)) continue;
      if (!prober_.inside({shape.m, shape.n, bracket_.low / area})) continue;
      ++looked;
      if (const auto pair = follow_k(shape, area)) found.push_back(*pair);
    }
    if (found.size() < 2) return false;
    // The limit that most of them agree with.
    std::size_t most = 0;
    Bracket best = bracket_;
    for (const auto& [start, first_end] : found) {
      std::size_t count = 0;
      std::int64_t end = first_end;
      for (const auto& [low, high] : found) {
        if (low > start || start >= high) continue;
        ++count;
        end = std::min(end, high);
      }
      if (count <= most) continue;
      most = count;
      best.low = start;
      best.high = end;
    }
    if (2 * most <= found.size()) return false;
    bracket_ = best;
    return true;
  }

  std::optional<std::pair<std::int64_t, std::int64_t>> follow_k(Shape3 shape, std::int64_t area) {
    const auto at = [&](std::int64_t k) {
      shape.k = k;
      return shape;
    };
    std::int64_t low = bracket_.low * 2 / 3 / area, high = bracket_.high * 3 / 2 / area + 1;
    if (low < 1 || high > maps_.options().largest.k) return std::nullopt;
    std::int64_t& good = upper() ? low : high;
    std::int64_t& bad = upper() ? high : low;
    if (verdict(at(good)) != Verdict::right || verdict(at(bad)) != Verdict::wrong)
      return std::nullopt;
    // Both orders may have the same bits at some k: then the ones beside it are asked.
    const auto next = [&]() -> std::optional<std::pair<std::int64_t, Verdict>> {
      const std::int64_t middle = low + (high - low) / 2;
      for (std::int64_t step = 0; step <= 2 * most_blind; ++step) {
        const std::int64_t k = step % 2 == 0 ? middle + step / 2 : middle - (step + 1) / 2;
        if (k <= low || k >= high) continue;
        const Verdict seen = verdict(at(k));
        if (seen != Verdict::right || !is_blind(at(k))) return std::pair{k, seen};
      }
      return std::nullopt;
    };
    while (high - low > 1) {
      const auto seen = next();
      if (!seen) break;
      if (seen->second == Verdict::unknown) return std::nullopt;
      (seen->second == Verdict::right ? good : bad) = seen->first;
    }
    return std::pair{low * area, high * area};
  }

  // A shape that is right would be so on either side of the limit: those of its k are right that
  // lie far beyond.
  bool is_blind(const Shape3& shape) {
    for (const bool across : {false, true}) {
      const std::int64_t target = upper() ? 2 * bracket_.high : bracket_.low / 2;
      const Shape3 beyond = solve(shape, target, across);
      if (beyond.k != shape.k || beyond.m < 1 || beyond.n < 1) continue;
      const Verdict seen = verdict(beyond);
      if (seen != Verdict::unknown) return seen == Verdict::right;
    }
    return false;
  }

  // With hashes from the safe side only.
  Verdict verdict(const Shape3& shape) {
    if (!prober_.inside(shape)) return Verdict::unknown;
    spec::Atom safe = bracket_.atom;
    safe.limit = upper() ? bracket_.low * 2 / 3 : bracket_.high * 3 / 2;
    prober_.also = also_;
    prober_.also.push_back(safe);
    const bool is_primed = !prober_.prime(shape.k).empty();
    prober_.also = also_;
    const Verdict seen = is_primed ? prober_.test(shape) : Verdict::unknown;
    prober_.forget();
    return seen;
  }

  // Shapes of this product whose verdict means something: with k it changes from one side of the
  // limit to the other.
  std::vector<Shape3> telling(std::int64_t x) {
    std::vector<Shape3> found;
    // A matrix times a vector has as many shapes of one product as that has divisors: none twice.
    std::set<Shape3> looked;
    for (int tries = 0; tries < 20000 && looked.size() < most_doubtful; ++tries) {
      Shape3 shape{maps_.pick_log(1, 400), maps_.is_gemv() ? 1 : maps_.pick_log(1, 400), 1};
      const std::int64_t area = product(bracket_.atom, shape);
      if (x % area != 0 || x / area > maps_.options().largest.k) continue;
      shape.k = x / area;
      if (!prober_.inside(shape) || !looked.insert(shape).second) continue;
      const Shape3 below{shape.m, shape.n, bracket_.low * 2 / 3 / area};
      const Shape3 above{shape.m, shape.n, bracket_.high * 3 / 2 / area + 1};
      if (below.k >= 1 && above.k <= maps_.options().largest.k &&
          verdict(upper() ? below : above) == Verdict::right &&
          verdict(upper() ? above : below) == Verdict::wrong && !is_blind(shape)) {
        found.push_back(shape);
        if (static_cast<int>(found.size()) == shapes_per_look) break;
      }
    }
    return found;
  }

  // A border of another condition may have cut the bracket: then the rule goes on beyond it.
  void check_outside() {
    for (int turn = 0; turn < widenings; ++turn) {
      const std::int64_t end = upper() ? bracket_.high : bracket_.low;
      const std::int64_t slack = std::max<std::int64_t>(1, end / 64);
      Look seen = look(shapes(end, end, 20000));
      if (seen.right == 0 && seen.wrong == 0) {
        seen = upper() ? look(shapes(end, end + slack, 600))
                       : look(shapes(std::max<std::int64_t>(1, end - slack), end, 600));
      }
      if (seen.wrong > 0 || seen.right < 3) return;
      if (upper())
        bracket_ = {bracket_.atom, seen.most_right, end + 2 * slack, bracket_.explains, bracket_.k};
      if (!upper())
        bracket_ = {bracket_.atom, std::max<std::int64_t>(0, end - 2 * slack), seen.least_right,
                    bracket_.explains, bracket_.k};
    }
  }

  void bisect() {
    int idle = 0;
    for (int step = 0; step < bisections && bracket_.high - bracket_.low > 1 && idle < 4; ++step) {
      const std::int64_t width = bracket_.high - bracket_.low;
      const std::int64_t middle = bracket_.low + width / 2, slack = width / 8;
      const auto some = shapes(std::max(bracket_.low + 1, middle - slack),
                               std::min(bracket_.high - 1, middle + slack), 600);
      idle = !some.empty() && narrow(look(some), width < 64 ? 1 : 2) ? 0 : idle + 1;
    }
  }

  // Limits are round numbers, or one less; few shapes have exactly such a product.
  void look_at_round_ones() {
    for (int turn = 0; turn < exact_looks && bracket_.high - bracket_.low > 1; ++turn) {
      const std::int64_t limit = roundest(bracket_.low, bracket_.high);
      const std::int64_t low = bracket_.low, high = bracket_.high;
      for (const std::int64_t x : {limit, limit + 1, limit + 2}) {
        if (x <= bracket_.low || x >= bracket_.high) continue;
        const auto some = follows_k() ? telling(x) : shapes(x, x, 20000);
        if (!some.empty()) narrow(look(some), 1);
      }
      if (low == bracket_.low && high == bracket_.high) break;
    }
  }

  Maps& maps_;
  const std::vector<spec::Atom>& also_;
  Bracket& bracket_;
  Prober prober_;
};

}  // namespace

void refine(Maps& maps, Rule& rule, const std::vector<spec::Atom>& also, Bracket& bracket) {
  Refinement(maps, rule, also, bracket).run();
}

}  // namespace reprosum::reveal::region
