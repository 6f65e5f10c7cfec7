// The signatures of one shape, kept small: which rows are equal and which columns are.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "reveal/region.h"

namespace reprosum::reveal::region {

// Equal rows have one kind, equal columns have one kind; cells[row kind * columns + column kind].
struct ClassMap {
  std::vector<std::int32_t> row_kind, column_kind;
  std::int32_t rows = 0, columns = 0;  // numbers of kinds
  std::vector<std::uint64_t> cells;
  std::vector<std::uint64_t> row_digest, column_digest;  // per kind: equal iff the kinds are equal
  std::uint64_t cell(std::int32_t row, std::int32_t column) const {
    return cells[static_cast<std::size_t>(row) * columns + column];
  }
};

// @pre hashes.size() == m * n, output (i, j) at i + j*m.
ClassMap factor(const std::vector<std::uint64_t>& hashes, std::int64_t m, std::int64_t n);

// m*n*k.
double work(const spec::Shape3& shape);

std::uint64_t mix(std::uint64_t hash, std::uint64_t value);

struct OutOfTime : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The source with a memory, a clock and a purse: every shape is asked for once.
class Maps {
 public:
  Maps(SignatureSource& source, const RegionOptions& options);

  // Throws OutOfTime once more than the limit is spent, at first options.time_limit_s.
  std::shared_ptr<const ClassMap> at(const spec::Shape3& shape);
  // Inside options.largest, and cheap enough for one look.
  bool affordable(const spec::Shape3& shape) const;
  // m*n*k of one look at most. It does not follow the speed of the machine: what is learned must
  // not depend on its load.
  double work_limit() const { return work_limit_; }
  // A lower limit while it lives, or a higher one.
  class WorkLimit {
   public:
    WorkLimit(Maps& maps, double work, bool is_higher = false)
        : maps_(maps), before_(maps.work_limit_) {
      maps_.work_limit_ = is_higher ? std::max(work, before_) : std::min(work, before_);
    }
    ~WorkLimit() { maps_.work_limit_ = before_; }
    WorkLimit(const WorkLimit&) = delete;
    WorkLimit& operator=(const WorkLimit&) = delete;

   private:
    Maps& maps_;
    double before_;
  };
  // Shapes that all these conditions hold for belong to a region of their own and are not
  // affordable to searches outside; none: there is no such region.
  void reserve(std::vector<spec::Atom> guard) { reserved_ = std::move(guard); }
  // Asks for short signatures, if those of a few shapes tell as much apart as the full ones.
  bool shorten();
  // Asks for short or full signatures; what was seen of the others is kept for the next change.
  // False if nothing changes.
  bool set_short(bool is_short);

  bool is_gemv() const { return options_.is_gemv; }
  const RegionOptions& options() const { return options_; }
  std::int64_t shapes() const { return shapes_; }
  std::int64_t calls() const { return source_.calls() - first_call_; }
  double asked_work() const { return asked_work_; }  // m*n*k of all shapes
  double seconds() const;                            // since the beginning
  // Seconds of the time limit. They are counted in products and calls, so that neither the speed of
  // a machine nor its load decides what is learned. A clock ends whole runs only (the target's).
  double spent() const;
  void set_limit(double seconds) { limit_ = seconds; }
  std::mt19937_64& random() { return random_; }
  // Uniform in [low, high].
  std::int64_t pick(std::int64_t low, std::int64_t high);
  // Log-uniform in [low, high].
  std::int64_t pick_log(std::int64_t low, std::int64_t high);
  void log(const std::string& line) const;

 private:
  SignatureSource& source_;
  const RegionOptions& options_;
  double limit_, work_limit_, spent_ = 0;
  std::chrono::steady_clock::time_point start_;
  std::array<std::map<spec::Shape3, std::shared_ptr<const ClassMap>>, 2> known_;  // full, short
  bool is_short_ = false;
  std::size_t held_ = 0;  // numbers in known_
  std::int64_t shapes_ = 0, first_call_ = 0;
  double asked_work_ = 0;
  std::vector<spec::Atom> reserved_;
  std::mt19937_64 random_;
};

}  // namespace reprosum::reveal::region
