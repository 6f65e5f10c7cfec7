// What is asked of an oracle while one order is inferred: reveals with a cache, probes, windows.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>

#include "reveal/infer.h"
#include "reveal/oracle.h"
#include "spec/tree.h"

namespace reprosum::reveal::generalize {

// Ends the search and keeps what it has found: the calls that the time limit stands for were made,
// or many calls showed nothing new.
struct OutOfTime : std::runtime_error {
  OutOfTime() : std::runtime_error("all calls of the search were made") {}
  explicit OutOfTime(const std::string& why) : std::runtime_error(why) {}
};

// One run of infer(): shared by the search and the searches for pieces inside it.
class Session {
 public:
  Session(Oracle& oracle, const InferOptions& options);

  Oracle& oracle() { return oracle_; }
  const InferOptions& options() const { return options_; }
  std::int64_t random(std::int64_t lo, std::int64_t hi);  // uniform in [lo, hi]
  double uniform(double lo, double hi);
  void check_time() const;  // throws OutOfTime
  // A rule was accepted, or something was learnt that the next one must fit: a period, say, all of
  // whose residues may have to be looked at.
  void note_progress(std::int64_t period = 0);
  double seconds_left() const;  // of a usual machine
  void log(const std::string& line) const;

  // Cached.
  const spec::Tree& reveal(std::int64_t n, std::int64_t lo, std::int64_t hi);
  const spec::Tree* known(std::int64_t n, std::int64_t lo, std::int64_t hi) const;

  std::set<std::int64_t> revealed, probed;  // sizes n whose whole tree was asked for

 private:
  Oracle& oracle_;
  InferOptions options_;
  std::mt19937_64 generator_;
  std::int64_t useful_;  // calls up to which there was progress
  std::int64_t first_call_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, spec::Tree> trees_;
};

// Where the tree of a length is found: restricted to [lo, hi) of the tree of n.
struct Place {
  std::int64_t n = 0, lo = 0, hi = 0;
};

// A family of trees T(l). The whole routine has every l; the pieces of a split, or the prefixes of
// one long vector, are families in their own right that have some.
class Source {
 public:
  using Where = std::function<std::optional<Place>(std::int64_t)>;

  explicit Source(Session& session);  // the whole routine
  Source(Session& session, Where where) : session_(session), where_(std::move(where)) {}
  virtual ~Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  Session& session() { return session_; }
  std::optional<Place> where(std::int64_t l) const { return where_(l); }
  bool has(std::int64_t l) const { return where_(l).has_value(); }
  // nullptr if T(l) is not to be had or longer than InferOptions::reveal_max.
  virtual const spec::Tree* reveal(std::int64_t l);
  // @pre has(l)
  std::int64_t pair(std::int64_t l, std::int64_t i, std::int64_t j);
  // Random masks and the last leaves agree with the prediction (exact where T(l) was revealed).
  // True if T(l) is not to be had: there is nothing to contradict.
  bool agrees(std::int64_t l, const spec::Tree& predicted, int probes);
  // T(l) restricted to [lo, hi) is the prediction's restriction, annotations included.
  bool window_agrees(std::int64_t l, const spec::Tree& predicted, std::int64_t lo, std::int64_t hi);

 private:
  bool tail_agrees(std::int64_t l, const Place& place, const spec::Tree& predicted);

  Session& session_;
  Where where_;
};

}  // namespace reprosum::reveal::generalize
