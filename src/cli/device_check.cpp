#include "src/cli/device_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/launch/matrix_launches.h"
#include "kernels/launch/sum_launches.h"
#include "reveal/check/matrix_check.h"
#include "spec/expand.h"
#include "spec/surface.h"
#include "src/cli/device_calls.h"
#include "src/cli/output.h"
#include "src/report/entries.h"

namespace reprosum::cli {
namespace {

constexpr std::int64_t kMostSummands = 500'000, kMostProducts = 2'000'000;
constexpr std::size_t kRows = 16;
constexpr int kMostMisses = 200;  // shapes drawn in vain, one after the other

template <class T>
bool same(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof a) == 0;
}

template <class T>
void compare(const std::vector<T>& right, const std::vector<T>& got, const std::string& call,
             DeviceReport& report) {
  ++report.calls;
  report.outputs += static_cast<std::int64_t>(right.size());
  for (std::size_t k = 0; k < right.size() && !report.first; ++k)
    if (!same(right[k], got[k]))
      report.first =
          DeviceReport::Mismatch{call + fmt::format(", output {}", k),
                                 fmt::format("{:a}", right[k]), fmt::format("{:a}", got[k])};
}

}  // namespace

DeviceReport DeviceCheck::run(const spec::Entry& entry, std::int64_t outputs) {
  DeviceReport report;
  try {
    if (spec::is_f32(entry.type))
      calls<float>(entry, outputs, report);
    else
      calls<double>(entry, outputs, report);
  } catch (const UserError& e) {
    report.why_not = e.what();
  }
  return report;
}

template <class T>
void DeviceCheck::calls(const spec::Entry& entry, std::int64_t outputs, DeviceReport& report) {
  if (spec::has_matrices(entry.routine))
    products<T>(entry, outputs, report);
  else
    sums<T>(entry, outputs, report);
}

template <class T>
void DeviceCheck::sums(const spec::Entry& entry, std::int64_t outputs, DeviceReport& report) {
  const spec::Order& order = spec_.orders.at(spec::order_of(entry));
  std::unique_ptr<const kernels::launch::SumLaunches> launches;
  runtime::with_room([&] {
    launches =
        std::make_unique<const kernels::launch::SumLaunches>(order, entry.routine, entry.type);
  });
  const std::int64_t most =
      std::min({spec::most_summands(entry), spec::covered_to(order), kMostSummands});
  for (int call = 0; report.outputs < outputs && !report.first; ++call) {
    const std::int64_t limits[] = {70, 1000, 70, 20'000, 1000, call % 30 == 5 ? most : 200};
    const std::int64_t n = 1 + random_.below(std::min(most, limits[call % 6]));
    const auto kind = static_cast<reveal::Data>(call % reveal::kAllKinds);
    const std::vector<reveal::Data> kinds(kRows, kind);
    const Sums<T> sums = draw_sums<T>(entry, n, kinds, random_);
    const std::vector<T> right = interpret(order, sums);
    const std::vector<T> got = cli::run(work_, launches_of(*launches, n, sums.rows), sums);
    compare(right, got, fmt::format("n={}, data '{}'", n, reveal::name(kind)), report);
  }
}

template <class T>
void DeviceCheck::products(const spec::Entry& entry, std::int64_t outputs, DeviceReport& report) {
  const bool gemv = entry.routine == spec::Routine::gemv;
  const kernels::launch::MatrixLaunches launches(spec_, entry);
  const spec::Shape3 most = largest(entry);
  const auto inside =
      reveal::shapes_inside(entry.regimes, gemv, most, kMostProducts / 4, random_.bits());
  const auto below = [&](std::int64_t size) {
    return 1 + random_.below(std::max<std::int64_t>(1, size));
  };
  for (int call = 0, misses = 0; report.outputs < outputs && !report.first && misses < kMostMisses;
       ++call) {
    // Every regime has its shape first.
    spec::Shape3 shape;
    if (static_cast<std::size_t>(call) < inside.size())
      shape = inside[static_cast<std::size_t>(call)];
    else
      shape = {below(std::min<std::int64_t>(most.m, call % 3 == 0 ? 300 : 70)),
               gemv ? 1 : below(std::min<std::int64_t>(most.n, call % 4 == 0 ? 300 : 70)),
               below(std::min<std::int64_t>(most.k, call % 5 == 0 ? 900 : 70))};
    const auto map = spec::regions(entry.regimes, shape);
    if (!map || shape.m * shape.n * shape.k > kMostProducts) {
      ++misses;
      continue;
    }
    const auto kind = static_cast<reveal::Data>(call % reveal::kAllKinds);
    const Product<T> product = draw_product<T>(entry, shape, kind, random_);
    std::vector<T> right;
    try {
      right = interpret(*map, spec_.orders, product);
    } catch (const UserError&) {  // an order that is not defined at this k
      ++misses;
      continue;
    }
    misses = 0;
    const std::vector<T> got = cli::run(work_, launches_of(launches, *map, product), product);
    compare(right, got,
            fmt::format("m={} n={} k={} alpha={:a} beta={:a}, data '{}'", shape.m, shape.n, shape.k,
                        product.alpha, product.beta, reveal::name(kind)),
            report);
  }
}

}  // namespace reprosum::cli
