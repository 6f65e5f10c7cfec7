#include "reveal/region/maps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "spec/error.h"

namespace reprosum::reveal {

double counted_seconds(double calls, double products) {
  constexpr double kProductsPerSecond = 1e10, kProductsPerCall = 5e4;
  return calls * (products + kProductsPerCall) / kProductsPerSecond;
}

}  // namespace reprosum::reveal

namespace reprosum::reveal::region {
namespace {

constexpr std::size_t held_limit = 20'000'000;  // numbers of all maps kept: some 150 MB

// Numbers the distinct values in the order of their first appearance.
std::vector<std::int32_t> number(const std::vector<std::uint64_t>& values,
                                 std::vector<std::uint64_t>& distinct) {
  std::unordered_map<std::uint64_t, std::int32_t> seen;
  std::vector<std::int32_t> numbers;
  numbers.reserve(values.size());
  for (const std::uint64_t value : values) {
    const auto [it, is_new] = seen.emplace(value, static_cast<std::int32_t>(distinct.size()));
    if (is_new) distinct.push_back(value);
    numbers.push_back(it->second);
  }
  return numbers;
}

}  // namespace

double work(const spec::Shape3& s) {
  return static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9E3779B97F4A7C15u + (hash << 6) + (hash >> 2);
  hash *= 0xff51afd7ed558ccdu;
  return hash ^ (hash >> 32);
}

// Most columns equal the one before, so that whole maps are compared and only one column of each
// run is read number by number.
ClassMap factor(const std::vector<std::uint64_t>& hashes, std::int64_t m, std::int64_t n) {
  const auto column = [&](std::int64_t j) { return hashes.data() + j * m; };
  std::vector<std::int64_t> starts;  // of runs of equal columns
  for (std::int64_t j = 0; j < n; ++j) {
    if (j == 0 || !std::equal(column(j), column(j) + m, column(j - 1))) starts.push_back(j);
  }
  const auto length = [&](std::size_t run) {
    return (run + 1 < starts.size() ? starts[run + 1] : n) - starts[run];
  };
  std::vector<std::uint64_t> columns;
  columns.reserve(static_cast<std::size_t>(n));
  for (std::size_t run = 0; run < starts.size(); ++run) {
    std::uint64_t digest = 1;
    for (std::int64_t i = 0; i < m; ++i) digest = mix(digest, column(starts[run])[i]);
    columns.insert(columns.end(), static_cast<std::size_t>(length(run)), digest);
  }
  // The digest of a row is that of its own runs of equal numbers, wherever those of columns begin:
  // rows of two maps with as many columns are compared.
  std::vector<std::uint64_t> rows(static_cast<std::size_t>(m), 1);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(m), 0);
  const auto end_run = [&](std::int64_t i, std::uint64_t hash) {
    rows[i] = mix(mix(rows[i], hash), static_cast<std::uint64_t>(counts[i]));
    counts[i] = 0;
  };
  for (std::size_t run = 0; run < starts.size(); ++run) {
    const std::uint64_t* const own = column(starts[run]);
    const bool is_last = run + 1 == starts.size();
    const std::uint64_t* const next = is_last ? own : column(starts[run + 1]);
    for (std::int64_t i = 0; i < m; ++i) {
      counts[i] += length(run);
      if (is_last || own[i] != next[i]) end_run(i, own[i]);
    }
  }
  ClassMap map;
  map.row_kind = number(rows, map.row_digest);
  map.column_kind = number(columns, map.column_digest);
  map.rows = static_cast<std::int32_t>(map.row_digest.size());
  map.columns = static_cast<std::int32_t>(map.column_digest.size());
  map.cells.resize(map.row_digest.size() * map.column_digest.size());
  for (const std::int64_t j : starts) {
    for (std::int64_t i = 0; i < m; ++i) {
      const std::size_t row = map.row_kind[i];
      map.cells[row * map.columns + map.column_kind[j]] = column(j)[i];
    }
  }
  return map;
}

Maps::Maps(SignatureSource& source, const RegionOptions& options)
    : source_(source),
      options_(options),
      limit_(options.time_limit_s),
      work_limit_(options.largest_work),
      start_(std::chrono::steady_clock::now()),
      first_call_(source.calls()),
      random_(options.seed) {}

double Maps::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

double Maps::spent() const { return spent_; }

std::shared_ptr<const ClassMap> Maps::at(const spec::Shape3& shape) {
  auto& known = known_[is_short_];
  if (const auto it = known.find(shape); it != known.end()) return it->second;
  if (spent() > limit_) throw OutOfTime("the time limit was reached");
  const std::int64_t before = source_.calls();
  const std::vector<std::uint64_t> hashes = source_.signatures(shape);
  spent_ += counted_seconds(static_cast<double>(source_.calls() - before), work(shape));
  asked_work_ += work(shape);
  ++shapes_;
  if (static_cast<std::int64_t>(hashes.size()) != shape.m * shape.n) {
    throw InternalError("a signature source gave " + std::to_string(hashes.size()) +
                        " hashes for " + std::to_string(shape.m * shape.n) + " outputs");
  }
  auto map = std::make_shared<const ClassMap>(factor(hashes, shape.m, shape.n));
  if (held_ > held_limit) {
    known_ = {};
    held_ = 0;
  }
  held_ += map->row_kind.size() + map->column_kind.size() + map->cells.size();
  known.emplace(shape, map);
  return map;
}

bool Maps::shorten() {
  std::array<std::vector<std::vector<std::int32_t>>, 2> kinds;
  for (const bool is_short : {false, true}) {
    if (is_short && !set_short(true)) return false;
    for (const std::int64_t k : {11, 37, 64, 151}) {
      const spec::Shape3 shape{std::min<std::int64_t>(67, options_.largest.m),
                               is_gemv() ? 1 : std::min<std::int64_t>(61, options_.largest.n), k};
      if (!affordable(shape)) continue;
      const auto map = at(shape);
      std::unordered_map<std::uint64_t, std::int32_t> seen;
      auto& cells = kinds[is_short].emplace_back();
      for (const std::int64_t i : map->row_kind) {
        for (const std::int64_t j : map->column_kind) {
          const auto hash = map->cell(static_cast<std::int32_t>(i), static_cast<std::int32_t>(j));
          cells.push_back(seen.emplace(hash, static_cast<std::int32_t>(seen.size())).first->second);
        }
      }
    }
  }
  if (kinds[0] == kinds[1]) return true;
  set_short(false);
  return false;
}

bool Maps::set_short(bool is_short) {
  if (!source_.set_short(is_short)) return false;
  is_short_ = is_short;
  return true;
}

bool Maps::affordable(const spec::Shape3& shape) const {
  const spec::Shape3& top = options_.largest;
  if (!reserved_.empty() && std::all_of(reserved_.begin(), reserved_.end(),
                                        [&](const spec::Atom& atom) { return atom.holds(shape); }))
    return false;
  return shape.m >= 1 && shape.n >= 1 && shape.k >= 1 && shape.m <= top.m && shape.n <= top.n &&
         shape.k <= top.k && work(shape) <= work_limit();
}

std::int64_t Maps::pick(std::int64_t low, std::int64_t high) {
  if (high <= low) return low;
  return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
}

std::int64_t Maps::pick_log(std::int64_t low, std::int64_t high) {
  if (high <= low) return low;
  const double u = static_cast<double>(random_() >> 11) * 0x1p-53;
  const double value = static_cast<double>(low) *
                       std::pow(static_cast<double>(high + 1) / static_cast<double>(low), u);
  return std::clamp(static_cast<std::int64_t>(value), low, high);
}

void Maps::log(const std::string& line) const {
  if (options_.log) options_.log(line);
}

}  // namespace reprosum::reveal::region
