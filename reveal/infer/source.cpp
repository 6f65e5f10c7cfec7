// Reveals with a cache, probes and windows.
#include "reveal/infer/source.h"

#include <algorithm>
#include <vector>

#include "reveal/infer/tree_tools.h"

namespace reprosum::reveal::generalize {
namespace {

// Without any progress. The dearest search that ends with a rule takes half of that.
constexpr std::int64_t kMostUseless = 250'000;

// What a usual machine does, as region/ counts calls.
constexpr double kCallsPerSecond = 200'000;

}  // namespace

Session::Session(Oracle& oracle, const InferOptions& options)
    : oracle_(oracle),
      options_(options),
      generator_(options.seed),
      useful_(oracle.calls()),
      first_call_(oracle.calls()) {}

// The standard distributions differ between standard libraries; a seed must not.
std::int64_t Session::random(std::int64_t lo, std::int64_t hi) {
  if (hi <= lo) return lo;
  return lo + static_cast<std::int64_t>(generator_() % static_cast<std::uint64_t>(hi - lo + 1));
}

double Session::uniform(double lo, double hi) {
  constexpr double kUnit = 0x1p-53;
  return lo + (hi - lo) * (static_cast<double>(generator_() >> 11) * kUnit);
}

void Session::note_progress(std::int64_t period) {
  constexpr std::int64_t kCallsOfResidue = 4000;  // some trees each
  useful_ = oracle_.calls() + period * kCallsOfResidue;
}

void Session::check_time() const {
  if (seconds_left() < 0) throw OutOfTime();
  if (oracle_.calls() - useful_ > kMostUseless)
    throw OutOfTime("no rule was found in " + std::to_string(kMostUseless) + " calls");
}

double Session::seconds_left() const {
  return options_.time_limit_s -
         static_cast<double>(oracle_.calls() - first_call_) / kCallsPerSecond;
}

void Session::log(const std::string& line) const {
  if (options_.log) options_.log(line);
}

const spec::Tree& Session::reveal(std::int64_t n, std::int64_t lo, std::int64_t hi) {
  const auto key = std::make_tuple(n, lo, hi);
  const auto it = trees_.find(key);
  if (it != trees_.end()) return it->second;
  check_time();
  if (lo == 0 && hi == n) revealed.insert(n);
  return trees_.emplace(key, oracle_.reveal(n, lo, hi)).first->second;
}

const spec::Tree* Session::known(std::int64_t n, std::int64_t lo, std::int64_t hi) const {
  const auto it = trees_.find(std::make_tuple(n, lo, hi));
  return it == trees_.end() ? nullptr : &it->second;
}

Source::Source(Session& session)
    : session_(session), where_([&session](std::int64_t l) -> std::optional<Place> {
        if (l < 1 || l > session.options().n_max) return std::nullopt;
        return Place{l, 0, l};
      }) {}

const spec::Tree* Source::reveal(std::int64_t l) {
  const auto place = where_(l);
  if (!place || l > session_.options().reveal_max) return nullptr;
  return &session_.reveal(place->n, place->lo, place->hi);
}

std::int64_t Source::pair(std::int64_t l, std::int64_t i, std::int64_t j) {
  const auto place = where_(l);
  session_.check_time();
  return session_.oracle().pair(place->n, i, j, place->lo, place->hi);
}

bool Source::agrees(std::int64_t l, const spec::Tree& predicted, int probes) {
  const auto place = where_(l);
  if (!place) return true;
  if (predicted.n != l) return false;
  if (const spec::Tree* known = session_.known(place->n, place->lo, place->hi))
    return same_function(*known, predicted);
  session_.check_time();
  if (l < 3) return same_function(session_.reveal(place->n, place->lo, place->hi), predicted);
  if (place->lo == 0 && place->hi == place->n) session_.probed.insert(l);
  return tail_agrees(l, *place, predicted) &&
         session_.oracle().verify(place->n, predicted, probes, place->lo, place->hi);
}

// Random probes of a long vector hardly ever meet its last leaves, where orders differ most: the
// sizes of some of their common ancestors are compared one by one.
bool Source::tail_agrees(std::int64_t l, const Place& place, const spec::Tree& predicted) {
  const std::int64_t last = l - 1;
  std::vector<std::int64_t> js{0, last - 1, last / 2};
  for (const std::int64_t reach : {4, 8, 24, 70})
    js.push_back(session_.random(std::max<std::int64_t>(0, last - reach), last - 1));
  std::sort(js.begin(), js.end());
  js.erase(std::unique(js.begin(), js.end()), js.end());
  return session_.oracle().pairs(place.n, last, js, place.lo, place.hi) ==
         common_sizes(predicted, last, js);
}

bool Source::window_agrees(std::int64_t l, const spec::Tree& predicted, std::int64_t lo,
                           std::int64_t hi) {
  const auto place = where_(l);
  if (!place) return true;
  lo = std::max<std::int64_t>(lo, 0);
  hi = std::min(hi, l);
  if (hi - lo < 2) return true;
  return same_function(session_.reveal(place->n, place->lo + lo, place->lo + hi),
                       restrict_range(predicted, lo, hi));
}

}  // namespace reprosum::reveal::generalize
