#include "src/runtime/routes.h"

#include <algorithm>
#include <set>

namespace reprosum::runtime {

bool Route::admits(std::int64_t n, int align_x, int align_y) const {
  if (n > n_max) return false;
  return addresses == nullptr || addresses->admits({align_x, align_y});
}

Routes::Routes(const spec::Spec& spec, int threads) : threads_(threads) {
  for (const spec::Entry& entry : spec.entries) {
    // No call has numbers of another type.
    if (spec::has_matrices(entry.routine) || !spec::is_native(entry.type)) continue;
    const auto& counts = entry.guard.threads;
    if (!std::binary_search(counts.begin(), counts.end(), threads)) continue;
    const std::size_t at = index(entry.routine, entry.type);
    const std::int64_t unit_y = entry.routine == spec::Routine::sum ? 0 : 1;
    for (const spec::Increments& increments : entry.guard.increments) {
      const spec::AddressGuard& addresses = entry.guard.addresses;
      const Route route{increments, spec::most_summands(entry),
                        addresses.is_any() ? nullptr : &addresses, spec::order_of(entry)};
      routes_[at].push_back(route);
      if (increments.admits(1, unit_y)) unit_[at].push_back(route);
    }
  }
}

const std::vector<Route>& Routes::routes_of(spec::Routine routine, spec::Type type,
                                            std::int64_t incx, std::int64_t incy) const {
  const bool is_unit = incx == 1 && (incy == 1 || routine == spec::Routine::sum);
  return (is_unit ? unit_ : routes_)[index(routine, type)];
}

const Route* Routes::find(spec::Routine routine, spec::Type type, std::int64_t n, std::int64_t incx,
                          std::int64_t incy, int align_x, int align_y) const {
  for (const Route& route : routes_of(routine, type, incx, incy)) {
    if (route.increments.admits(incx, incy) && route.admits(n, align_x, align_y)) return &route;
  }
  return nullptr;
}

std::int64_t Routes::largest_n(spec::Routine routine, spec::Type type, std::int64_t incx,
                               std::int64_t incy, int align_x, int align_y) const {
  std::int64_t largest = 0;
  for (const Route& route : routes_of(routine, type, incx, incy)) {
    if (route.increments.admits(incx, incy) && route.admits(1, align_x, align_y))
      largest = std::max(largest, route.n_max);
  }
  return largest;
}

std::vector<int> captured_threads(const spec::Spec& spec) {
  std::set<int> counts;
  for (const spec::Entry& entry : spec.entries)
    counts.insert(entry.guard.threads.begin(), entry.guard.threads.end());
  return {counts.begin(), counts.end()};
}

}  // namespace reprosum::runtime
