#include "reveal/capture/matrix_band.h"

#include <algorithm>

#include "reveal/capture/product_capture.h"

namespace reprosum::reveal {
namespace {

using spec::Atom;
using spec::MatrixRegime;
using spec::Shape3;

constexpr std::int64_t kLong = 65;       // at least: shorter sides are looked at one by one
constexpr std::int64_t kMostShort = 64;  // wrong with more of these, it is no band
constexpr std::int64_t kBeyond = 6;      // short sides that are right beyond the last wrong one
constexpr std::int64_t kMostWide = 16;   // lengths of the long side
constexpr std::int64_t kBeside = 8;      // lengths that are right on both sides of them
constexpr std::size_t kMostBands = 12;   // more of them are a rule of their own
constexpr int kLooks = 2;                // at one shape, when other bands are looked for
constexpr double kMostWork = 1e8;        // multiplications around one shape

// Lengths of the long side from `first` to `last`, with short ones up to `most_short`.
struct Band {
  std::int64_t first = 0, last = 0, most_short = 0;
  std::int64_t run = 1;  // so many neighbouring lengths are wrong at once
  bool holds(std::int64_t length, std::int64_t other) const {
    return first <= length && length <= last && other <= most_short;
  }
};

class Search {
 public:
  Search(bool is_m_long, const Shape3& largest, int trials, const FirstWrong& first_wrong)
      : is_m_long_(is_m_long),
        longest_(is_m_long ? largest.m : largest.k),
        most_other_(is_m_long ? largest.k : largest.m),
        trials_(trials),
        first_wrong_(first_wrong) {}

  std::optional<Band> around(std::int64_t length, std::int64_t other) const {
    const double work = static_cast<double>(trials_) * static_cast<double>(length * other) *
                        static_cast<double>(2 * (kMostWide + kBeside));
    if (length < kLong || other > kMostShort || work > kMostWork) return std::nullopt;
    Band band;
    if (!widen(band, length, other)) return std::nullopt;
    // Fewer of the short side may be wrong at more lengths.
    std::int64_t least = other;
    for (std::int64_t at = 1; at <= std::min(most_other_, band.most_short + kBeyond); ++at) {
      if (!is_wrong_in(band, at)) continue;
      least = std::min(least, at);
      band.most_short = std::max(band.most_short, at);
    }
    if (band.most_short > kMostShort) return std::nullopt;
    const std::int64_t middle = (band.first + band.last) / 2;
    for (const std::int64_t at : {least, band.most_short})
      if (at != other && !widen(band, middle, at)) return std::nullopt;
    return band;
  }

  // That band and all others; none where they are many. What else is wrong is left to others.
  std::vector<Band> all(const Band& known) const {
    std::vector<Band> bands{known};
    for (std::int64_t other = 1; other <= known.most_short; ++other) {
      std::vector<Shape3> shapes;
      for (std::int64_t length = kLong; length <= longest_; length += known.run)
        shapes.insert(shapes.end(), kLooks, shape(length, other));
      while (true) {
        std::erase_if(shapes, [&](const Shape3& one) {
          return std::any_of(bands.begin(), bands.end(),
                             [&](const Band& band) { return band.holds(length_of(one), other); });
        });
        const auto wrong = first_wrong_(shapes);
        if (!wrong) break;
        const auto band = around(length_of(*wrong), other);
        if (!band) break;
        if (bands.size() == kMostBands) return {};
        bands.push_back(*band);
      }
    }
    return bands;
  }

  MatrixRegime nothing_in(const Band& band, const Shape3& largest) const {
    const auto atom = [&](Atom::Kind kind, bool is_long, std::int64_t limit) {
      const bool is_m = is_long == is_m_long_;
      return Atom{kind, is_m, false, !is_m, limit, 1, 1};
    };
    MatrixRegime regime;
    regime.guard = {atom(Atom::Kind::at_most, true, band.last),
                    atom(Atom::Kind::above, true, band.first - 1),
                    atom(Atom::Kind::at_most, false, band.most_short)};
    regime.k_max = largest.k;
    cover_nothing(regime);
    return regime;
  }

 private:
  Shape3 shape(std::int64_t length, std::int64_t other) const {
    return is_m_long_ ? Shape3{length, 1, other} : Shape3{other, 1, length};
  }
  std::int64_t length_of(const Shape3& shape) const { return is_m_long_ ? shape.m : shape.k; }

  bool is_wrong(std::int64_t length, std::int64_t other) const {
    const std::vector<Shape3> again(static_cast<std::size_t>(trials_), shape(length, other));
    return first_wrong_(again).has_value();
  }

  bool is_wrong_in(const Band& band, std::int64_t other) const {
    std::vector<Shape3> shapes;
    const std::int64_t count = std::max<std::int64_t>(trials_, 8 * (band.last - band.first + 1));
    for (std::int64_t at = 0; at < count; ++at)
      shapes.push_back(shape(band.first + at % (band.last - band.first + 1), other));
    return first_wrong_(shapes).has_value();
  }

  // Takes in what is wrong around this length; false if that has no end.
  bool widen(Band& band, std::int64_t length, std::int64_t other) const {
    const std::int64_t reach = kMostWide + kBeside;
    std::int64_t run = 0;
    for (std::int64_t at = std::max<std::int64_t>(1, length - reach);
         at <= std::min(longest_, length + reach); ++at) {
      if (!is_wrong(at, other)) {
        run = 0;
        continue;
      }
      band.run = std::max(band.run, ++run);
      band.first = band.first == 0 ? at : std::min(band.first, at);
      band.last = std::max(band.last, at);
    }
    band.most_short = std::max(band.most_short, other);
    return band.first > 0 && band.last - band.first < kMostWide &&
           band.first > length - reach + kBeside && band.last < length + reach - kBeside;
  }

  const bool is_m_long_;
  const std::int64_t longest_, most_other_;
  const int trials_;
  const FirstWrong& first_wrong_;
};

}  // namespace

std::vector<MatrixRegime> bands_of_few_sizes(const Shape3& shape, const Shape3& largest, int trials,
                                             const FirstWrong& first_wrong) {
  const bool is_m_long = shape.m > shape.k;
  const Search search(is_m_long, largest, trials, first_wrong);
  const auto band = is_m_long ? search.around(shape.m, shape.k) : search.around(shape.k, shape.m);
  if (!band) return {};
  std::vector<MatrixRegime> regimes;
  for (const Band& one : search.all(*band)) regimes.push_back(search.nothing_in(one, largest));
  return regimes;
}

}  // namespace reprosum::reveal
