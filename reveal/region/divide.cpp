#include "reveal/region/divide.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <utility>

#include "reveal/region/atoms.h"
#include "reveal/region/box.h"
#include "reveal/region/certify.h"
#include "reveal/region/divide_candidate.h"

namespace reprosum::reveal::region {
namespace {

using spec::Atom;
using spec::Shape3;

constexpr std::size_t most_candidates = 6, most_types = 16;
constexpr int first_samples = 1500;
constexpr int most_rounds = 8;
constexpr std::size_t most_pieces = 12;  // of one rule
constexpr double most_left_out = 0.02;   // of the samples
constexpr std::int64_t usual_k = 37;
// Each new k costs looks of its own: all small ones are met, and some more.
constexpr std::int64_t small_k = 64;
constexpr int ks_per_octave = 8;
constexpr int narrowings = 60, most_idle = 4, tries_between = 3000;
constexpr std::size_t looks_between = 12;

struct Sample {
  Shape3 shape;
  // One for each candidate. The last one is that of "no rule": `right` where all candidates are
  // wrong.
  std::vector<Verdict> verdicts;
};

// A rule where conditions hold.
struct Piece {
  std::size_t rule = 0;
  std::vector<Atom> guard;
};

class Division {
 public:
  Division(Maps& maps, std::vector<Rule> rules) : maps_(maps) {
    for (Rule& rule : rules)
      if (is_new(rule)) candidates_.emplace_back(maps, std::move(rule));
    const std::int64_t most = maps.options().largest.k;
    double k = 1;
    for (; k <= static_cast<double>(std::min(small_k, most)); ++k)
      ks_.push_back(static_cast<std::int64_t>(k));
    for (; k <= static_cast<double>(most); k *= std::exp2(1.0 / ks_per_octave))
      ks_.push_back(static_cast<std::int64_t>(k));
  }

  std::vector<Found> run() {
    if (candidates_.size() < 2) return {};
    maps_.log(fmt::format("conditions between {} rules", candidates_.size()));
    for (int at = 0; at < first_samples; ++at) add(random_shape());
    std::vector<Piece> last;  // of the last whole round
    try {
      for (int round = 0; round < most_rounds; ++round) {
        if (!choose_default() || !cover()) return {};
        for (std::size_t number = 0; number < pieces_.size(); ++number)
          for (std::size_t at = 0; at < pieces_[number].guard.size(); ++at) narrow(number, at);
        const std::size_t before = samples_.size();
        add_doubtful();
        std::size_t wrong = 0;
        for (std::size_t at = before; at < samples_.size(); ++at)
          wrong += samples_[at].verdicts[deciding(samples_[at].shape)] == Verdict::wrong;
        maps_.log(fmt::format("  divided: {} pieces, {} of {} new samples wrong",
                              pieces_.size() + 1, wrong, samples_.size() - before));
        last = pieces_;
        if (wrong == 0) break;
      }
    } catch (const OutOfTime& e) {
      if (last.empty()) throw;
      maps_.log(e.what());  // held-out shapes decide what such conditions are worth
      maps_.set_limit(1.05 * maps_.spent());
    }
    pieces_ = std::move(last);
    return result();
  }

 private:
  // Equal words may be those of other classes: then one is wrong where the other was learned.
  bool is_new(const Rule& rule) {
    if (candidates_.size() == most_candidates || rule.witnesses.empty() ||
        std::max(rule.table.size(), rule.table.front().size()) > most_types)
      return false;
    return std::none_of(candidates_.begin(), candidates_.end(), [&](Candidate& known) {
      return known.rule().axes == rule.axes && known.rule().table == rule.table &&
             known.test(rule.witnesses.front().shape) == Verdict::right;
    });
  }

  Shape3 random_shape() {
    const Shape3& top = maps_.options().largest;
    for (;;) {
      const Shape3 shape{
          maps_.pick_log(1, top.m), maps_.is_gemv() ? 1 : maps_.pick_log(1, top.n),
          ks_[static_cast<std::size_t>(maps_.pick(0, static_cast<std::int64_t>(ks_.size()) - 1))]};
      if (work(shape) <= usual_work && maps_.affordable(shape)) return shape;
    }
  }

  // Beside the limits, where they meet, and anywhere.
  void add_doubtful() {
    std::vector<std::vector<Atom>> guards;
    for (const Piece& piece : pieces_) guards.push_back(piece.guard);
    for (const Shape3& shape : held_out_shapes(maps_, guards)) add(shape);
  }

  void add(const Shape3& shape) {
    Sample sample{shape, {}};
    Verdict nothing = Verdict::right;
    for (Candidate& candidate : candidates_) {
      sample.verdicts.push_back(candidate.test(shape));
      if (sample.verdicts.back() != Verdict::wrong) nothing = Verdict::wrong;
    }
    sample.verdicts.push_back(nothing);
    samples_.push_back(std::move(sample));
  }

  // The rule that is right most often stands last.
  bool choose_default() {
    std::vector<std::size_t> right(candidates_.size(), 0);
    std::size_t none = 0;
    for (const Sample& sample : samples_) {
      for (std::size_t c = 0; c < candidates_.size(); ++c)
        right[c] += sample.verdicts[c] == Verdict::right;
      none += sample.verdicts.back() == Verdict::right;
    }
    default_ =
        static_cast<std::size_t>(std::max_element(right.begin(), right.end()) - right.begin());
    maps_.log(fmt::format("  of {} samples {} fall to no rule, {} to the last one", samples_.size(),
                          none, right[default_]));
    return 2 * none < samples_.size();
  }

  // Pieces for what the last rule is wrong about, rule by rule.
  bool cover() {
    pieces_.clear();
    std::vector<const Sample*> left;
    for (const Sample& sample : samples_)
      if (sample.verdicts[default_] == Verdict::wrong) left.push_back(&sample);
    const std::size_t all = left.size();
    // What no rule is right about is kept from all of them, as far as conditions say where it is.
    for (std::size_t c = candidates_.size() + 1; c-- > 0;) {
      if (c == default_) continue;
      for (std::size_t turn = 0; turn < most_pieces; ++turn) {
        std::vector<Shape3> wanted, wrong;
        for (const Sample* sample : left)
          if (sample->verdicts[c] == Verdict::right) wanted.push_back(sample->shape);
        for (const Sample& sample : samples_)
          if (sample.verdicts[c] == Verdict::wrong && decided_by(sample.shape) == pieces_.size())
            wrong.push_back(sample.shape);
        if (wanted.empty()) break;
        const auto guard = separate(wanted, wrong);
        if (!guard) break;
        pieces_.push_back({c, *guard});
        std::erase_if(left, [&](const Sample* sample) { return holds(*guard, sample->shape); });
      }
    }
    maps_.log(fmt::format("  {} of {} samples are left to no piece", left.size(), all));
    return static_cast<double>(left.size()) <= most_left_out * static_cast<double>(samples_.size());
  }

  // Which piece's guard holds first; their number where none does.
  std::size_t decided_by(const Shape3& shape) const {
    return static_cast<std::size_t>(
        std::find_if(pieces_.begin(), pieces_.end(),
                     [&](const Piece& piece) { return holds(piece.guard, shape); }) -
        pieces_.begin());
  }
  std::size_t deciding(const Shape3& shape) const {
    const std::size_t at = decided_by(shape);
    return at < pieces_.size() ? pieces_[at].rule : default_;
  }

  // The limit lies between the products of what the piece's rule alone is right about, and of what
  // it is wrong about; shapes between them decide, where the two rules differ. What it is wrong
  // about counts, wherever else it is right: other pieces may have that.
  void narrow(std::size_t number, std::size_t at) {
    const Piece& piece = pieces_[number];
    const Atom atom = piece.guard[at];
    const bool is_upper = atom.kind == Atom::Kind::at_most;
    std::vector<Atom> others = piece.guard;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(at));
    const auto find_bracket = [&] {
      std::pair<std::int64_t, std::int64_t> ends{is_upper ? 0 : INT64_MAX,
                                                 is_upper ? INT64_MAX : 0};
      auto& [inner, outer] = ends;
      for (const Verdict sought : {Verdict::wrong, Verdict::right}) {
        for (const Sample& sample : samples_) {
          if (sample.verdicts[piece.rule] != sought || !holds(others, sample.shape) ||
              decided_by(sample.shape) < number)
            continue;
          const std::int64_t x = product(atom, sample.shape);
          if (sought == Verdict::wrong)
            outer = is_upper ? std::min(outer, x) : std::max(outer, x);
          else if (sample.verdicts[default_] == Verdict::wrong &&
                   (is_upper ? x < outer : x > outer))
            inner = is_upper ? std::max(inner, x) : std::min(inner, x);
        }
      }
      return ends;
    };
    auto [inner, outer] = find_bracket();
    const auto is_bracket = [&] {
      return std::min(inner, outer) > 0 && std::max(inner, outer) < INT64_MAX;
    };
    for (int turn = 0, idle = 0; turn < narrowings && idle < most_idle && is_bracket(); ++turn) {
      std::int64_t low = std::min(inner, outer), high = std::max(inner, outer);
      const std::int64_t width = high - low;
      // Between the two, and beside the inner one on either side.
      if (turn % 2 == 0 && width > 1) {
        low += width * 3 / 8 + (width < 4);
        high -= width * 3 / 8 + (width < 4);
      } else {
        const std::int64_t beyond = 1 + width + inner / 16;
        (is_upper ? low : high) += is_upper ? -beyond : beyond;
        (is_upper ? high : low) += is_upper ? -1 : 1;
      }
      for (const Shape3& shape : between(atom, others, low, high)) add(shape);
      const auto now = find_bracket();
      idle = now == std::pair{inner, outer} ? idle + 1 : 0;
      std::tie(inner, outer) = now;
    }
    if (!is_bracket()) return;
    pieces_[number].guard[at].limit = is_upper ? roundest(inner, outer) : roundest(outer, inner);
  }

  // Shapes with a product in [low, high] that the other conditions admit.
  std::vector<Shape3> between(const Atom& atom, const std::vector<Atom>& others, std::int64_t low,
                              std::int64_t high) {
    const Shape3& top = maps_.options().largest;
    std::vector<Shape3> found;
    for (int tries = 0; tries < tries_between && found.size() < looks_between; ++tries) {
      Shape3 shape = random_shape();
      // One of its sizes is what such a product leaves to it.
      const std::int64_t target = maps_.pick(low, std::max(low, high));
      if (atom.use_m && (!atom.use_n || tries % 2 == 0))
        shape.m = target / product(atom, {1, shape.n, shape.k});
      else if (atom.use_n)
        shape.n = target / product(atom, {shape.m, 1, shape.k});
      else
        shape.k = target;
      if (shape.m < 1 || shape.n < 1 || shape.k < 1 || shape.m > top.m || shape.n > top.n ||
          shape.k > top.k)
        continue;
      const std::int64_t x = product(atom, shape);
      if (x < low || x > high || !holds(others, shape) || work(shape) > usual_work) continue;
      if (maps_.affordable(shape)) found.push_back(shape);
    }
    return found;
  }

  std::vector<Found> result() {
    std::vector<Found> found;
    pieces_.push_back({default_, {}});
    for (const Piece& piece : pieces_) {
      Found one;
      one.covers_nothing = piece.rule == candidates_.size();
      if (!one.covers_nothing) one.rule = candidates_[piece.rule].rule();
      one.rule.guard = piece.guard;
      if (!one.covers_nothing && !find_witnesses(maps_, one.rule)) {
        // Its shapes must not fall to the next piece.
        one.covers_nothing = true;
        one.rule = {};
        one.rule.guard = piece.guard;
      }
      maps_.log((one.covers_nothing ? "  no rule in " : "  a rule in ") + print(one.rule.guard));
      found.push_back(std::move(one));
    }
    return found;
  }

  Maps& maps_;
  std::vector<Candidate> candidates_;
  std::vector<std::int64_t> ks_;
  std::vector<Sample> samples_;
  std::vector<Piece> pieces_;
  std::size_t default_ = 0;
};

}  // namespace

std::optional<Rule> of_one_class(const Maps& maps, Rule rule) {
  if (rule.classes != 1 || rule.table.size() != 1 || rule.table.front().size() != 1)
    return std::nullopt;
  const Shape3& top = maps.options().largest;
  for (const Side side : {row_side, column_side}) {
    const bool is_row = side == row_side;
    const std::int64_t most = is_row ? top.m : maps.is_gemv() ? 1 : top.n;
    const std::int32_t type = 0;
    rule.axes[side] = {{1, most, 1, 1, {}, {{{{1, 0}, {{type, {1, 1}}}}}}}};
    rule.guard.push_back({Atom::Kind::at_most, is_row, !is_row, false, rule.home_high[side], 1, 1});
  }
  return rule;
}

Rule of_smallest(const Maps& maps) {
  constexpr std::int64_t from = 2, to = 4;  // one row or column may be a matter of its own
  Rule rule;
  rule.table = {{0}};
  rule.classes = 1;
  rule.hashes = {0};
  rule.k_ref = usual_k;
  rule.witnesses = {{{to, to, usual_k}, 0, 0}};
  rule.home_high = {to, to};
  for (const bool is_row : {true, false})
    rule.guard.push_back({Atom::Kind::above, is_row, !is_row, false, from - 1, 1, 1});
  return *of_one_class(maps, std::move(rule));
}

bool has_all_sizes(const Maps& maps, const Rule& rule) {
  for (const Side side : {row_side, column_side}) {
    const Shape3& top = maps.options().largest;
    const std::int64_t most = side == row_side ? top.m : maps.is_gemv() ? 1 : top.n;
    if (rule.axes[side].empty() || rule.axes[side].front().from != 1 ||
        rule.axes[side].back().to < most)
      return false;
  }
  return true;
}

std::vector<Found> divide(Maps& maps, std::vector<Rule> candidates) {
  return Division(maps, std::move(candidates)).run();
}

}  // namespace reprosum::reveal::region
