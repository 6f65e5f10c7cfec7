#include "src/cli/device_calls.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "reveal/check/random_matrices.h"
#include "spec/evaluate/evaluate.h"
#include "spec/evaluate/evaluate_matrix.h"

namespace reprosum::cli {
namespace {

using kernels::device::Buffer;
using kernels::launch::Launches;

template <class T>
std::vector<T> as(std::span<const double> values) {
  std::vector<T> out;
  out.reserve(values.size());
  for (const double value : values) out.push_back(static_cast<T>(value));
  return out;
}

// The last operand is read back.
template <class T>
void run_on(runtime::DeviceWork& work, const Launches& launches,
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

template <class T>
Sums<T> draw_sums(const spec::Entry& entry, std::int64_t n, std::span<const reveal::Data> kinds,
                  reveal::FastRandom& random) {
  const bool has_y = entry.routine == spec::Routine::dot;
  const auto length = static_cast<std::size_t>(n);
  std::vector<double> x(length * kinds.size()), y(has_y ? x.size() : 0);
  for (std::size_t row = 0; row < kinds.size(); ++row) {
    const auto of_row = [&](std::vector<double>& all) {
      return all.empty() ? std::span<double>() : std::span(all).subspan(row * length, length);
    };
    reveal::fill(kinds[row], entry.type, random, of_row(x), of_row(y));
  }
  return {n, static_cast<std::int64_t>(kinds.size()), as<T>(x), as<T>(y)};
}

template <class T>
Product<T> draw_product(const spec::Entry& entry, const spec::Shape3& shape, reveal::Data kind,
                        reveal::FastRandom& random) {
  reveal::Call drawn;
  drawn.routine = entry.routine;
  drawn.type = entry.type;
  drawn.m = shape.m;
  drawn.n = shape.n;
  drawn.k = shape.k;
  reveal::Matrices data;
  data.fill(drawn, kind, random);
  auto [alpha, beta] = reveal::random_scalars(
      entry.type, {.is_alpha_one = entry.guard.alpha_one, .are_finite = entry.guard.finite_only},
      random);
  if (entry.guard.beta == spec::Beta::one) beta = 1;
  if (entry.guard.nan_beta_is_zero && std::isnan(beta)) beta = 0;
  return {entry.routine, shape,         static_cast<T>(alpha), static_cast<T>(beta),
          as<T>(data.a), as<T>(data.b), as<T>(data.c)};
}

template <class T>
std::vector<T> interpret(const spec::Order& order, const Sums<T>& sums) {
  std::vector<T> out;
  for (std::int64_t row = 0; row < sums.rows; ++row)
    out.push_back(spec::evaluate<T>(order, sums.n, sums.x.data() + row * sums.n, 1,
                                    sums.y.empty() ? nullptr : sums.y.data() + row * sums.n, 1));
  return out;
}

template <class T>
std::vector<T> interpret(const spec::RegionMap& map, const std::vector<spec::Order>& orders,
                         const Product<T>& product) {
  std::vector<T> out = product.c;
  spec::MatrixArguments<T> call;
  call.routine = product.routine;
  call.trans_a = spec::Trans::yes;  // op(A) lies row by row
  call.m = product.shape.m;
  call.n = product.shape.n;
  call.k = call.lda = call.ldb = product.shape.k;
  call.ldc = product.shape.m;
  call.alpha = product.alpha;
  call.beta = product.beta;
  call.a = product.a.data();
  call.b = product.b.data();
  call.c = out.data();
  spec::interpret_matrix(map, orders, call);
  return out;
}

Launches launches_of(const kernels::launch::SumLaunches& order, std::int64_t n, std::int64_t rows) {
  kernels::launch::RowsCall call;
  call.n = call.ldx = call.ldy = n;
  call.rows = rows;
  Launches made;
  runtime::with_room([&] { made = order.call(call); });
  return made;
}

template <class T>
Launches launches_of(const kernels::launch::MatrixLaunches& orders, const spec::RegionMap& map,
                     const Product<T>& product) {
  kernels::launch::MatrixCall call;
  call.routine = product.routine;
  call.trans_a = spec::Trans::yes;
  call.m = call.ldc = product.shape.m;
  call.n = product.shape.n;
  call.k = call.lda = call.ldb = product.shape.k;
  call.alpha = static_cast<double>(product.alpha);
  call.beta = static_cast<double>(product.beta);
  Launches made;
  runtime::with_room([&] { made = orders.call(map, call); });
  return made;
}

template <class T>
std::vector<T> run(runtime::DeviceWork& work, const Launches& launches, const Sums<T>& sums) {
  std::vector<const std::vector<T>*> inputs{&sums.x};
  if (!sums.y.empty()) inputs.push_back(&sums.y);
  std::vector<T> out(static_cast<std::size_t>(sums.rows));
  run_on(work, launches, inputs, out);
  return out;
}

template <class T>
std::vector<T> run(runtime::DeviceWork& work, const Launches& launches, const Product<T>& product) {
  std::vector<T> out = product.c;
  run_on(work, launches, {&product.a, &product.b}, out);
  return out;
}

#define REPROSUM_CALLS(T)                                                                       \
  template Sums<T> draw_sums(const spec::Entry&, std::int64_t, std::span<const reveal::Data>,   \
                             reveal::FastRandom&);                                              \
  template Product<T> draw_product(const spec::Entry&, const spec::Shape3&, reveal::Data,       \
                                   reveal::FastRandom&);                                        \
  template std::vector<T> interpret(const spec::Order&, const Sums<T>&);                        \
  template std::vector<T> interpret(const spec::RegionMap&, const std::vector<spec::Order>&,    \
                                    const Product<T>&);                                         \
  template Launches launches_of(const kernels::launch::MatrixLaunches&, const spec::RegionMap&, \
                                const Product<T>&);                                             \
  template std::vector<T> run(runtime::DeviceWork&, const Launches&, const Sums<T>&);           \
  template std::vector<T> run(runtime::DeviceWork&, const Launches&, const Product<T>&);
REPROSUM_CALLS(float)
REPROSUM_CALLS(double)
#undef REPROSUM_CALLS

}  // namespace reprosum::cli
