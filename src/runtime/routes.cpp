#include "src/runtime/routes.h"

#include <algorithm>
#include <set>

namespace reprosum::runtime {

bool Route::admits(std::int64_t n, int align_x, int align_y) const {
  if (n > n_max) return false;
  if (modulus <= 1) return true;
  const std::pair wanted{align_x % modulus, align_y % modulus};
  return std::binary_search(residues->begin(), residues->end(), wanted);
}

Routes::Routes(const spec::Spec& spec, int threads) : threads_(threads) {
  for (const spec::Entry& entry : spec.entries) {
    const auto& counts = entry.guard.threads;
    if (!std::binary_search(counts.begin(), counts.end(), threads)) continue;
    for (const auto& [incx, incy] : entry.guard.increments) {
      routes_[index(entry.routine, entry.type)].push_back(
          {incx, incy, entry.n_max, entry.guard.modulus, &entry.guard.residues, entry.order});
    }
  }
  for (auto& list : routes_)
    std::stable_partition(list.begin(), list.end(), [](const Route& route) {
      return route.incx == 1 && (route.incy == 1 || route.incy == 0);
    });
}

const Route* Routes::find(spec::Routine routine, spec::Type type, std::int64_t n, std::int64_t incx,
                          std::int64_t incy, int align_x, int align_y) const {
  for (const Route& route : routes_[index(routine, type)]) {
    if (route.incx == incx && route.incy == incy && route.admits(n, align_x, align_y))
      return &route;
  }
  return nullptr;
}

bool Routes::is_only(spec::Routine routine, spec::Type type, const Route& route) const {
  const auto& list = routes_[index(routine, type)];
  return std::count_if(list.begin(), list.end(), [&](const Route& other) {
           return other.incx == route.incx && other.incy == route.incy;
         }) == 1;
}

std::int64_t Routes::largest_n(spec::Routine routine, spec::Type type, std::int64_t incx,
                               std::int64_t incy, int align_x, int align_y) const {
  std::int64_t largest = 0;
  for (const Route& route : routes_[index(routine, type)]) {
    if (route.incx == incx && route.incy == incy && route.admits(1, align_x, align_y))
      largest = std::max(largest, route.n_max);
  }
  return largest;
}

std::vector<int> captured_threads(const spec::Spec& spec) {
  std::set<int> counts;
  for (const spec::Entry& entry : spec.entries)
    counts.insert(entry.guard.threads.begin(), entry.guard.threads.end());
  for (const spec::MatrixEntry& entry : spec.matrices)
    counts.insert(entry.guard.threads.begin(), entry.guard.threads.end());
  return {counts.begin(), counts.end()};
}

}  // namespace reprosum::runtime
