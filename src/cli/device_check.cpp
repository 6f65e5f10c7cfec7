#include "src/cli/device_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/launch/matrix_launches.h"
#include "kernels/launch/sum_launches.h"
#include "kernels/matrix.h"
#include "reveal/check/matrix_check.h"
#include "reveal/check/random_matrices.h"
#include "spec/evaluate/evaluate.h"
#include "spec/expand.h"
#include "spec/surface.h"
#include "src/cli/matrix_entries.h"

namespace reprosum::cli {
namespace {

using kernels::device::Buffer;
using kernels::launch::Launches;

constexpr std::int64_t kMostSummands = 500'000, kMostProducts = 2'000'000;
constexpr std::int64_t kRows = 16;
constexpr int kMostMisses = 200;  // shapes drawn in vain, one after the other

template <class T>
bool same(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof a) == 0;
}

template <class T>
std::vector<T> as(std::span<const double> values) {
  std::vector<T> out;
  for (const double value : values) out.push_back(static_cast<T>(value));
  return out;
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

// The last operand is read back.
template <class T>
void run(runtime::DeviceWork& work, const Launches& launches,
         const std::vector<const std::vector<T>*>& inputs, std::vector<T>& out) {
  runtime::with_room([&] { work.runner.prepare(launches); });
  auto& device = work.device->device();
  std::vector<std::unique_ptr<Buffer>> buffers;
  std::vector<const Buffer*> operands;
  const auto place = [&](const std::vector<T>& data) {
    buffers.push_back(device.allocate(std::max<std::size_t>(1, data.size()) * sizeof(T)));
    work.queue->write(*buffers.back(), 0, data.data(), data.size() * sizeof(T));
    operands.push_back(buffers.back().get());
  };
  for (const auto* const input : inputs) place(*input);
  place(out);
  work.runner.run(launches, *work.queue, operands);
  work.queue->read(*buffers.back(), 0, out.data(), out.size() * sizeof(T));
}

}  // namespace

DeviceReport DeviceCheck::run(const spec::Entry& entry, std::int64_t outputs) {
  DeviceReport report;
  try {
    if (spec::is_f32(entry.type))
      sums<float>(entry, outputs, report);
    else
      sums<double>(entry, outputs, report);
  } catch (const UserError& e) {
    report.why_not = e.what();
  }
  return report;
}

DeviceReport DeviceCheck::run(const spec::MatrixEntry& entry, std::int64_t outputs) {
  DeviceReport report;
  try {
    if (spec::is_f32(entry.type))
      products<float>(entry, outputs, report);
    else
      products<double>(entry, outputs, report);
  } catch (const UserError& e) {
    report.why_not = e.what();
  }
  return report;
}

template <class T>
void DeviceCheck::sums(const spec::Entry& entry, std::int64_t outputs, DeviceReport& report) {
  const spec::Order& order = spec_.orders.at(entry.order);
  const bool has_y = entry.routine == spec::Routine::dot;
  std::unique_ptr<const kernels::launch::SumLaunches> launches;
  runtime::with_room([&] {
    launches =
        std::make_unique<const kernels::launch::SumLaunches>(order, entry.routine, entry.type);
  });
  const std::int64_t most = std::min({entry.n_max, spec::covered_to(order), kMostSummands});
  for (int call = 0; report.outputs < outputs && !report.first; ++call) {
    const std::int64_t limits[] = {70, 1000, 70, 20'000, 1000, call % 30 == 5 ? most : 200};
    const std::int64_t n = 1 + random_.below(std::min(most, limits[call % 6]));
    const auto kind = static_cast<reveal::Data>(call % reveal::kAllKinds);
    std::vector<double> x(static_cast<std::size_t>(n * kRows)), y(has_y ? x.size() : 0);
    for (std::int64_t row = 0; row < kRows; ++row) {
      const auto of_row = [&](std::vector<double>& all) {
        return all.empty() ? std::span<double>()
                           : std::span(all).subspan(static_cast<std::size_t>(row * n),
                                                    static_cast<std::size_t>(n));
      };
      reveal::fill(kind, entry.type, random_, of_row(x), of_row(y));
    }
    const std::vector<T> on_x = as<T>(x), on_y = as<T>(y);
    std::vector<T> right, got(kRows);
    for (std::int64_t row = 0; row < kRows; ++row)
      right.push_back(spec::evaluate<T>(order, n, on_x.data() + row * n, 1,
                                        has_y ? on_y.data() + row * n : nullptr, 1));
    kernels::launch::RowsCall rows;
    rows.n = n;
    rows.rows = kRows;
    rows.ldx = rows.ldy = n;
    Launches made;
    runtime::with_room([&] { made = launches->call(rows); });
    std::vector<const std::vector<T>*> inputs{&on_x};
    if (has_y) inputs.push_back(&on_y);
    cli::run(work_, made, inputs, got);
    compare(right, got, fmt::format("n={}, data '{}'", n, reveal::name(kind)), report);
  }
}

template <class T>
void DeviceCheck::products(const spec::MatrixEntry& entry, std::int64_t outputs,
                           DeviceReport& report) {
  const bool gemv = entry.routine == spec::Routine::gemv;
  const kernels::launch::MatrixLaunches launches(spec_, entry);
  const spec::Shape3 most = largest(entry);
  const auto inside =
      reveal::shapes_inside(entry.regimes, gemv, most, kMostProducts / 4, random_.bits());
  reveal::Matrices data;
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
    reveal::MatrixCall drawn;
    drawn.routine = entry.routine;
    drawn.type = entry.type;
    drawn.m = shape.m;
    drawn.n = shape.n;
    drawn.k = shape.k;
    const auto kind = static_cast<reveal::Data>(call % reveal::kAllKinds);
    data.fill(drawn, kind, random_);
    auto [alpha, beta] = reveal::random_scalars(
        entry.type, {.is_alpha_one = entry.guard.alpha_one, .are_finite = entry.guard.finite_only},
        random_);
    if (entry.guard.beta == spec::Beta::one) beta = 1;
    if (entry.guard.nan_beta_is_zero && std::isnan(beta)) beta = 0;
    const std::vector<T> a = as<T>(data.a), b = as<T>(data.b);
    std::vector<T> right = as<T>(data.c), got = right;
    spec::MatrixArguments<T> arguments;
    arguments.routine = entry.routine;
    arguments.trans_a = spec::Trans::yes;  // op(A) lies row by row
    arguments.m = shape.m;
    arguments.n = shape.n;
    arguments.k = arguments.lda = arguments.ldb = shape.k;
    arguments.ldc = shape.m;
    arguments.alpha = static_cast<T>(alpha);
    arguments.beta = static_cast<T>(beta);
    arguments.a = a.data();
    arguments.b = b.data();
    arguments.c = right.data();
    try {
      spec::interpret_matrix(*map, spec_.orders, arguments);
    } catch (const UserError&) {  // an order that is not defined at this k
      ++misses;
      continue;
    }
    misses = 0;
    kernels::launch::MatrixCall product;
    product.routine = entry.routine;
    product.trans_a = arguments.trans_a;
    product.m = shape.m;
    product.n = shape.n;
    product.k = product.lda = product.ldb = shape.k;
    product.ldc = shape.m;
    product.alpha = static_cast<double>(arguments.alpha);
    product.beta = static_cast<double>(arguments.beta);
    Launches made;
    runtime::with_room([&] { made = launches.call(*map, product); });
    cli::run(work_, made, {&a, &b}, got);
    compare(right, got,
            fmt::format("m={} n={} k={} alpha={:a} beta={:a}, data '{}'", shape.m, shape.n, shape.k,
                        alpha, beta, reveal::name(kind)),
            report);
  }
}

}  // namespace reprosum::cli
