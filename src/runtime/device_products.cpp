#include "src/runtime/device_products.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "src/runtime/arguments.h"
#include "src/runtime/device_update.h"
#include "src/runtime/float_environment.h"
#include "src/runtime/matrix_arguments.h"
#include "src/runtime/pack.h"

namespace reprosum::runtime {
namespace {

using kernels::device::Buffer;
using kernels::device::Queue;
using kernels::launch::Launches;
using spec::MatrixArguments;

// What is stored of an operand, column by column; a vector is one of a column.
struct Stored {
  std::int64_t rows = 0, columns = 1, leading = 0;
  std::int64_t elements() const { return (columns - 1) * leading + rows; }
};

template <class T>
Stored stored_a(const MatrixArguments<T>& call) {
  return call.trans_a == spec::Trans::no ? Stored{call.m, call.k, call.lda}
                                         : Stored{call.k, call.m, call.lda};
}
template <class T>
Stored stored_b(const MatrixArguments<T>& call) {
  if (call.routine == spec::Routine::gemv) return {(call.k - 1) * std::abs(call.incb) + 1};
  return call.trans_b == spec::Trans::no ? Stored{call.k, call.n, call.ldb}
                                         : Stored{call.n, call.k, call.ldb};
}
template <class T>
Stored stored_c(const MatrixArguments<T>& call) {
  if (call.routine == spec::Routine::gemv) return {(call.m - 1) * std::abs(call.incc) + 1};
  return {call.m, call.n, call.ldc};
}

template <class T>
void check_inside(const char* name, const Buffer* buffer, std::int64_t first, std::int64_t stride,
                  std::int64_t count, std::int64_t elements) {
  if (buffer == nullptr) throw BadArgument(std::string(name) + " is null");
  const auto there = static_cast<std::int64_t>(buffer->bytes() / sizeof(T));
  std::int64_t last = 0, end = 0;
  if (first < 0 || __builtin_mul_overflow(count - 1, stride, &last) ||
      __builtin_add_overflow(first, last, &last) || last < 0 ||
      __builtin_add_overflow(std::max(first, last), elements, &end) || end > there)
    throw BadArgument(std::string(name) + " reaches beyond its memory, which has " +
                      std::to_string(there) + " elements");
}

void check_batch(const Batch& batch) {
  if (batch.count < 0) throw BadArgument("batch is negative");
  constexpr std::int64_t kMost = std::int64_t{1} << 20;  // launches of each are prepared before
  if (batch.count > kMost) throw BadArgument("batch is more than 1048576");
}

template <class T>
MatrixCall<T> at(const MatrixCall<T>& call, const Batch& batch, std::int64_t k) {
  MatrixCall<T> one = call;
  const auto moved = [k](auto* pointer, std::int64_t stride) {
    return pointer == nullptr ? pointer : pointer + k * stride;
  };
  one.a = moved(call.a, batch.stride_a);
  one.b = moved(call.b, batch.stride_b);
  one.c = moved(call.c, batch.stride_c);
  return one;
}

template <class T>
kernels::launch::MatrixCall launch_call(const MatrixArguments<T>& arguments) {
  kernels::launch::MatrixCall call;
  call.routine = arguments.routine;
  call.trans_a = arguments.trans_a;
  call.trans_b = arguments.trans_b;
  call.m = arguments.m;
  call.n = arguments.n;
  call.k = arguments.k;
  call.alpha = static_cast<double>(arguments.alpha);
  call.beta = static_cast<double>(arguments.beta);
  call.lda = arguments.lda;
  call.ldb = arguments.ldb;
  call.incb = arguments.incb;
  call.ldc = arguments.ldc;
  call.incc = arguments.incc;
  return call;
}

template <class T>
std::unique_ptr<Buffer> upload(DeviceWork& work, const T* first, const Stored& stored) {
  auto buffer = work.device->device().allocate(
      std::max<std::size_t>(1, static_cast<std::size_t>(stored.rows * stored.columns)) * sizeof(T));
  if (first == nullptr) return buffer;
  const auto column = static_cast<std::size_t>(stored.rows) * sizeof(T);
  if (stored.columns == 1 || stored.leading == stored.rows) {
    work.queue->write(*buffer, 0, first, column * static_cast<std::size_t>(stored.columns));
    return buffer;
  }
  std::vector<T> packed;
  for (std::int64_t j = 0; j < stored.columns; ++j)
    packed.insert(packed.end(), first + j * stored.leading,
                  first + j * stored.leading + stored.rows);
  work.queue->write(*buffer, 0, packed.data(), packed.size() * sizeof(T));
  return buffer;
}

// A vector without its gaps, from its first element on.
template <class T>
std::unique_ptr<Buffer> upload_vector(DeviceWork& work, const T* lowest, std::int64_t n,
                                      std::int64_t increment) {
  if (lowest == nullptr || increment == 1) return upload(work, lowest, {n, 1, n});
  std::vector<T> packed(static_cast<std::size_t>(n));
  pack(n, lowest, increment, packed.data());
  return upload(work, packed.data(), {n, 1, n});
}

// What a call gave, without gaps, to where C is.
template <class T>
void write_back(const MatrixArguments<T>& call, const std::vector<T>& values) {
  const std::int64_t columns = call.routine == spec::Routine::gemv ? 1 : call.n;
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t i = 0; i < call.m; ++i)
      *call.at_c(i, j) = values[static_cast<std::size_t>(i + j * call.m)];
}

}  // namespace

const kernels::launch::MatrixLaunches& DeviceProducts::launches_of(const spec::Entry& entry) const {
  if (!work_.device->facts().has_f64 && spec::is_f64(entry.type))
    throw NotCovered(work_.device->facts().name + " has no f64");
  const std::lock_guard<std::mutex> lock(mutex_);
  auto& kept = launches_[&entry];
  if (kept == nullptr)  // only copies orders
    kept = std::make_unique<const kernels::launch::MatrixLaunches>(replayer_.spec(), entry);
  return *kept;
}

Launches DeviceProducts::prepare(const Products::Cover& cover,
                                 const kernels::launch::MatrixCall& call) const {
  const kernels::launch::MatrixLaunches& entry = launches_of(*cover.entry);
  Launches launches;
  with_room([&] {
    in_words([&] { launches = entry.call(cover.map, call); });
    work_.runner.prepare(launches);
  });
  return launches;
}

template <class T>
void DeviceProducts::multiply(const MatrixCall<T>& call, const Batch& batch,
                              const DeviceOperands& operands, Queue& queue) const {
  work_.device->device().check_process();
  check_arguments(call);
  check_batch(batch);
  const DefaultFloatEnvironment environment;
  MatrixArguments<T> first = column_major(call);
  if (first.m == 0 || first.n == 0 || batch.count == 0) return;
  check_output(call);
  check_inside<T>("c", operands.c, operands.c_first, batch.stride_c, batch.count,
                  stored_c(first).elements());
  if (first.k == 0) {
    const spec::EmptyRule& rule = replayer_.products().empty(call, first, replayer_.threads());
    if (!spec::writes(rule, first.beta)) return;
    for (std::int64_t k = 0; k < batch.count; ++k)
      update_on_device(rule, first, *operands.c, operands.c_first + k * batch.stride_c, queue);
    return;
  }
  // By rows A and B change places.
  const bool is_swapped = call.routine == spec::Routine::gemm && call.layout == Layout::row_major;
  const auto& [a, a_first, stride_a] =
      is_swapped ? std::tuple(operands.b, operands.b_first, batch.stride_b)
                 : std::tuple(operands.a, operands.a_first, batch.stride_a);
  const auto& [b, b_first, stride_b] =
      is_swapped ? std::tuple(operands.a, operands.a_first, batch.stride_a)
                 : std::tuple(operands.b, operands.b_first, batch.stride_b);
  std::vector<Launches> all;
  for (std::int64_t k = 0; k < batch.count; ++k) {
    const MatrixCall<T> one = at(call, batch, k);
    MatrixArguments<T> arguments = column_major(one);
    const auto cover = replayer_.products().cover(one, arguments, replayer_.threads(), false);
    if (cover.reads_factors && k == 0) {
      check_inside<T>(is_swapped ? "b" : "a", a, a_first, stride_a, batch.count,
                      stored_a(arguments).elements());
      check_inside<T>(is_swapped ? "a" : "b", b, b_first, stride_b, batch.count,
                      stored_b(arguments).elements());
    }
    kernels::launch::MatrixCall launch = launch_call(arguments);
    const bool gemv = call.routine == spec::Routine::gemv;
    launch.a_at = a_first + k * stride_a;
    launch.b_at = b_first + k * stride_b;
    launch.c_at = operands.c_first + k * batch.stride_c;
    if (gemv && arguments.incb < 0) launch.b_at += (1 - arguments.k) * arguments.incb;
    if (gemv && arguments.incc < 0) launch.c_at += (1 - arguments.m) * arguments.incc;
    all.push_back(prepare(cover, launch));
  }
  const std::vector<const Buffer*> buffers{a != nullptr ? a : operands.c,
                                           b != nullptr ? b : operands.c, operands.c};
  for (const Launches& launches : all) work_.runner.run(launches, queue, buffers);
}

template <class T>
void DeviceProducts::multiply_host(const MatrixCall<T>& call, const Batch& batch) const {
  work_.device->device().check_process();
  check_arguments(call);
  check_batch(batch);
  const DefaultFloatEnvironment environment;
  const MatrixArguments<T> first = column_major(call);
  if (first.m == 0 || first.n == 0 || batch.count == 0) return;
  check_output(call);
  const Products& products = replayer_.products();
  if (first.k == 0) {
    const spec::EmptyRule& rule = products.empty(call, first, replayer_.threads());
    if (!spec::writes(rule, first.beta)) return;
    for (std::int64_t k = 0; k < batch.count; ++k)
      update_without_summands(rule, column_major(at(call, batch, k)));
    return;
  }
  const bool gemv = call.routine == spec::Routine::gemv;
  struct Result {
    MatrixArguments<T> arguments;
    std::vector<T> values;
  };
  std::vector<Result> results;
  const std::lock_guard<std::mutex> lock(work_.queue_mutex);
  for (std::int64_t k = 0; k < batch.count; ++k) {
    const MatrixCall<T> one = at(call, batch, k);
    MatrixArguments<T> arguments = column_major(one);
    const auto cover = products.cover(one, arguments, replayer_.threads(), true);
    const Stored a = stored_a(arguments), b = stored_b(arguments), c = stored_c(arguments);
    kernels::launch::MatrixCall launch = launch_call(arguments);
    launch.lda = a.rows;
    launch.ldb = b.rows;
    launch.ldc = c.rows;
    if (gemv) launch.incb = launch.incc = 1;
    const Launches launches = prepare(cover, launch);
    const auto on_a = upload(work_, cover.reads_factors ? arguments.a : nullptr, a);
    // Vectors from their lowest address, as BLAS is passed them.
    const T* const from_b = cover.reads_factors ? (gemv ? one.b : arguments.b) : nullptr;
    const auto on_b =
        gemv ? upload_vector(work_, from_b, arguments.k, arguments.incb) : upload(work_, from_b, b);
    const auto on_c = gemv ? upload_vector<T>(work_, one.c, arguments.m, arguments.incc)
                           : upload<T>(work_, arguments.c, c);
    const std::vector<const Buffer*> buffers{on_a.get(), on_b.get(), on_c.get()};
    work_.runner.run(launches, *work_.queue, buffers);
    const std::int64_t outputs = arguments.m * (gemv ? 1 : arguments.n);
    Result result{arguments, std::vector<T>(static_cast<std::size_t>(outputs))};
    work_.queue->read(*on_c, 0, result.values.data(), result.values.size() * sizeof(T));
    results.push_back(std::move(result));
  }
  for (const Result& result : results) write_back(result.arguments, result.values);
}

void DeviceProducts::check_kernels(const spec::Context& context) const {
  work_.device->device().check_process();
  const Products::Cover cover = replayer_.products().cover(context);
  kernels::launch::MatrixCall call;
  call.routine = context.routine;
  call.trans_a = context.trans_a;
  call.trans_b = context.trans_b;
  call.m = call.ldc = context.shape.m;
  call.n = context.shape.n;
  call.k = context.shape.k;
  call.lda = call.trans_a == spec::Trans::no ? call.m : call.k;
  call.ldb = call.trans_b == spec::Trans::no ? call.k : call.n;
  for (const double beta : {0, 1}) {
    call.beta = beta;
    prepare(cover, call);
  }
}

template void DeviceProducts::multiply(const MatrixCall<float>&, const Batch&,
                                       const DeviceOperands&, Queue&) const;
template void DeviceProducts::multiply(const MatrixCall<double>&, const Batch&,
                                       const DeviceOperands&, Queue&) const;
template void DeviceProducts::multiply_host(const MatrixCall<float>&, const Batch&) const;
template void DeviceProducts::multiply_host(const MatrixCall<double>&, const Batch&) const;

}  // namespace reprosum::runtime
