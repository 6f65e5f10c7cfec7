// The spec as a call sees it: a short flat list per routine and type, instead of guards.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "spec/spec.h"

namespace reprosum::runtime {

// One part of the increments of one entry, at one thread count.
struct Route {
  spec::Increments increments;  // y is 0 for sum
  std::int64_t n_max = 0;
  const spec::AddressGuard* addresses = nullptr;  // of the spec's guard, where it asks
  std::size_t order = 0;                          // index into Spec::orders

  // @pre 0 <= align_x, align_y < 64; align_y is 0 for sum.
  bool admits(std::int64_t n, int align_x, int align_y) const;
};

// The routes of one thread count. Gives the entry that spec::find gives, faster: the increments of
// most calls are 1, so those routes have a list of their own.
class Routes {
 public:
  // The spec must outlive the routes.
  Routes(const spec::Spec& spec, int threads);

  int threads() const { return threads_; }

  // nullptr if the context is not covered; spec::find says why. incy and align_y must be 0 for sum.
  const Route* find(spec::Routine routine, spec::Type type, std::int64_t n, std::int64_t incx,
                    std::int64_t incy, int align_x, int align_y) const;

  // Whether one route alone decides calls with increments of 1, for every n and address.
  bool has_one_of_unit(spec::Routine routine, spec::Type type) const {
    return unit_[index(routine, type)].size() == 1;
  }

  // The largest n for which find() gives a route; 0 if there is none.
  std::int64_t largest_n(spec::Routine routine, spec::Type type, std::int64_t incx,
                         std::int64_t incy, int align_x, int align_y) const;

 private:
  static std::size_t index(spec::Routine routine, spec::Type type) {
    return 2 * static_cast<std::size_t>(routine) + (spec::is_f32(type) ? 0 : 1);
  }
  const std::vector<Route>& routes_of(spec::Routine routine, spec::Type type, std::int64_t incx,
                                      std::int64_t incy) const;
  int threads_;
  // In the order of the spec's entries.
  std::array<std::vector<Route>, 4> routes_, unit_;
};

// Every thread count that some entry admits, ascending.
std::vector<int> captured_threads(const spec::Spec& spec);

}  // namespace reprosum::runtime
