#include "src/runtime/device_replayer.h"

#include <algorithm>
#include <vector>

#include "spec/surface.h"
#include "src/runtime/arguments.h"
#include "src/runtime/errors.h"
#include "src/runtime/float_environment.h"
#include "src/runtime/pack.h"

namespace reprosum::runtime {
namespace {

using kernels::device::Buffer;
using kernels::device::Queue;
using kernels::launch::RowsCall;
using kernels::launch::SumLaunches;

constexpr std::int64_t kChunk = std::int64_t{256} << 20;  // bytes of host operands at a time

std::int64_t size_of(spec::Type type) { return spec::bytes(type); }

bool has_y(const RowsContext& rows) { return rows.routine != spec::Routine::sum; }

// The order of all rows. They may differ in their addresses modulo 64; those repeat.
std::size_t order_of(const spec::Spec& spec, int threads, const RowsContext& rows) {
  const auto residue = [&](const RowsOperand& operand, std::int64_t row) {
    const auto elements =
        static_cast<std::uint64_t>(operand.first) +
        static_cast<std::uint64_t>(row) * static_cast<std::uint64_t>(operand.leading);
    return static_cast<int>(
        (operand.address + elements * static_cast<std::uint64_t>(size_of(rows.type))) % 64);
  };
  std::size_t order = 0;
  for (std::int64_t row = 0; row < std::min<std::int64_t>(rows.rows, 64); ++row) {
    spec::Context context = spec::vector_call(rows.routine, rows.type, rows.n, rows.x.increment, 0,
                                              threads, residue(rows.x, row));
    if (has_y(rows)) {
      context.incy = rows.y.increment;
      context.addresses[1] = residue(rows.y, row);
    }
    std::string why;
    const spec::Entry* const entry = spec::find(spec, context, &why);
    if (entry == nullptr)
      throw NotCovered(spec::blas_name(rows.routine, rows.type) +
                       " with n = " + std::to_string(rows.n) + " is not covered: " + why);
    if (row > 0 && spec::order_of(*entry) != order)
      throw NotCovered(
          "rows of one batch follow several orders, by their addresses modulo 64: "
          "rows whose addresses differ have to be called apart");
    order = spec::order_of(*entry);
  }
  return order;
}

// @pre check_reach() of it. Throws BadArgument if some summand is outside of so many elements.
void check_inside(const char* name, const RowsOperand& operand, std::int64_t n, std::int64_t rows,
                  std::int64_t elements) {
  const auto magnitude = [](std::int64_t value) { return value < 0 ? -value : value; };
  const std::int64_t along = (n - 1) * magnitude(operand.increment);
  const std::int64_t down = (rows - 1) * operand.leading;
  const std::int64_t lowest = operand.first + std::min<std::int64_t>(0, down);
  std::int64_t highest = 0;
  if (operand.first < 0 || lowest < 0 ||
      __builtin_add_overflow(operand.first, along + std::max<std::int64_t>(0, down), &highest) ||
      highest >= elements)
    throw BadArgument(std::string(name) + " reaches beyond its memory, which has " +
                      std::to_string(elements) + " elements");
}

// A device reads no element across its words.
void check_aligned(const char* name, const RowsOperand& operand, std::size_t element) {
  if (operand.address % element != 0)
    throw BadArgument(std::string(name) + " is not aligned to its element size");
}

std::int64_t elements_of(const Buffer& buffer, spec::Type type) {
  return static_cast<std::int64_t>(buffer.bytes() / static_cast<std::size_t>(size_of(type)));
}

// Where summand 0 of row 0 is.
std::int64_t start(const RowsOperand& operand, std::int64_t n) {
  return operand.first + (operand.increment < 0 ? (1 - n) * operand.increment : 0);
}

template <class T>
T empty_value(const Replayer& replayer, const RowsContext& rows) {
  const spec::Context context =
      spec::vector_call(rows.routine, rows.type, rows.n, 1, 1, replayer.threads());
  std::string why;
  const spec::EmptyRule* const rule = spec::find_empty(replayer.spec(), context, &why);
  if (rule == nullptr) throw NotCovered(why);
  return spec::zero_of<T>(rows.n < 0 ? *rule->below_zero : rule->result);
}

template <class T>
void write_empty(const Replayer& replayer, const RowsContext& rows, Buffer& out,
                 std::int64_t out_first, Queue& queue) {
  const std::vector<T> values(static_cast<std::size_t>(rows.rows), empty_value<T>(replayer, rows));
  queue.write(out, static_cast<std::size_t>(out_first) * sizeof(T), values.data(),
              values.size() * sizeof(T));
}

}  // namespace

const kernels::launch::SumLaunches& DeviceReplayer::launches_of(const RowsContext& rows) const {
  return launches_of(order_of(replayer_.spec(), replayer_.threads(), rows), rows.routine,
                     rows.type);
}

const kernels::launch::SumLaunches& DeviceReplayer::launches_of(std::size_t order,
                                                                spec::Routine routine,
                                                                spec::Type type) const {
  if (!work_.device->facts().has_f64 && spec::is_f64(type))
    throw NotCovered(work_.device->facts().name + " has no f64");
  const std::tuple key(order, routine, type);
  const auto given = [](const Made& made) -> const SumLaunches& {
    if (made.launches == nullptr) throw NotCovered(made.refused);
    return *made.launches;
  };
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const auto known = launches_.find(key); known != launches_.end())
      return given(known->second);
  }
  Made made;
  const kernels::device::Facts& facts = work_.device->facts();
  with_room([&] {
    try {
      in_words([&] {
        made.launches = std::make_unique<const SumLaunches>(
            replayer_.spec().orders.at(order), routine, type, facts.has_f64 && !facts.is_processor);
      });
    } catch (const NotCovered& error) {
      made.refused = error.what();
    }
  });
  const std::lock_guard<std::mutex> lock(mutex_);
  return given(launches_.try_emplace(key, std::move(made)).first->second);
}

kernels::launch::Launches DeviceReplayer::prepare(const SumLaunches& order,
                                                  const RowsCall& call) const {
  kernels::launch::Launches launches;
  with_room([&] {
    in_words([&] { launches = order.call(call); });
    work_.runner.prepare(launches);
  });
  return launches;
}

std::string DeviceReplayer::kernel(const spec::Context& context) const {
  device().check_process();
  RowsContext rows;
  rows.routine = context.routine;
  rows.type = context.type;
  rows.n = context.shape.k;
  const auto operand = [](std::int64_t increment, int residue) {
    return RowsOperand{0, increment, 0, static_cast<std::uintptr_t>(residue)};
  };
  rows.x = operand(context.incx, context.addresses[0]);
  rows.y = operand(context.incy, context.addresses[1]);
  const std::size_t order = order_of(replayer_.spec(), context.threads, rows);
  RowsCall call;
  call.n = rows.n;
  prepare(launches_of(order, rows.routine, rows.type), call);
  return spec::blas_name(rows.routine, rows.type) + "_" +
         spec::meaning_hash(replayer_.spec().orders.at(order)).substr(0, 12);
}

void DeviceReplayer::reduce(const RowsContext& rows, const Buffer& x, const Buffer* y, Buffer& out,
                            std::int64_t out_first, Queue& queue) const {
  device().check_process();
  check_sizes(0, rows.rows);
  if (rows.rows == 0) return;
  if (out_first < 0 || out_first > elements_of(out, rows.type) ||
      rows.rows > elements_of(out, rows.type) - out_first)
    throw BadArgument("out reaches beyond its memory");
  const DefaultFloatEnvironment environment;
  if (rows.n <= 0)
    return spec::is_f32(rows.type) ? write_empty<float>(replayer_, rows, out, out_first, queue)
                                   : write_empty<double>(replayer_, rows, out, out_first, queue);
  const auto element = static_cast<std::size_t>(size_of(rows.type));
  check_reach({"x", nullptr, rows.x.increment, rows.x.leading}, rows.n, rows.rows, element);
  check_inside("x", rows.x, rows.n, rows.rows, elements_of(x, rows.type));
  check_aligned("x", rows.x, element);
  if (has_y(rows)) {
    check_reach({"y", nullptr, rows.y.increment, rows.y.leading}, rows.n, rows.rows, element);
    check_inside("y", rows.y, rows.n, rows.rows, elements_of(*y, rows.type));
    check_aligned("y", rows.y, element);
  }
  RowsCall call;
  call.n = rows.n;
  call.rows = rows.rows;
  call.x_at = start(rows.x, rows.n);
  call.incx = rows.x.increment;
  call.ldx = rows.x.leading;
  if (has_y(rows)) {
    call.y_at = start(rows.y, rows.n);
    call.incy = rows.y.increment;
    call.ldy = rows.y.leading;
  }
  const kernels::launch::Launches launches = prepare(launches_of(rows), call);
  // Kernels write from the beginning of a buffer.
  std::unique_ptr<Buffer> own;
  const std::size_t bytes = static_cast<std::size_t>(rows.rows) * element;
  if (out_first != 0) own = device().allocate(bytes);
  Buffer& values = own != nullptr ? *own : out;
  std::vector<const Buffer*> operands{&x};
  if (has_y(rows)) operands.push_back(y);
  operands.push_back(&values);
  work_.runner.run(launches, queue, operands);
  if (own == nullptr) return;
  queue.copy(values, 0, out, static_cast<std::size_t>(out_first) * element, bytes);
  queue.finish();  // before it is freed
}

template <class T>
void DeviceReplayer::reduce_host(const RowsContext& rows, const T* x, const T* y, T* out) const {
  device().check_process();
  check_sizes(0, rows.rows);
  if (rows.rows == 0) return;
  const DefaultFloatEnvironment environment;
  if (rows.n <= 0) {
    std::fill_n(out, rows.rows, empty_value<T>(replayer_, rows));
    return;
  }
  RowsContext seen = rows;                               // by guards: the vectors where they are
  seen.x.address = reinterpret_cast<std::uintptr_t>(x);  // host operands begin at their pointer
  check_operand({"x", x, rows.x.increment, rows.x.leading}, rows.n, rows.rows, sizeof(T));
  if (has_y(rows)) {
    check_operand({"y", y, rows.y.increment, rows.y.leading}, rows.n, rows.rows, sizeof(T));
    seen.y.address = reinterpret_cast<std::uintptr_t>(y);
  }
  const SumLaunches& order = launches_of(seen);  // that of the operands where they are
  const std::int64_t row_bytes =
      rows.n * static_cast<std::int64_t>(sizeof(T)) * (has_y(rows) ? 2 : 1);
  const std::int64_t step = std::clamp<std::int64_t>(kChunk / row_bytes, 1, rows.rows);
  std::vector<T> results(static_cast<std::size_t>(rows.rows));  // a later chunk may still fail
  const std::lock_guard<std::mutex> lock(work_.queue_mutex);
  for (std::int64_t first = 0; first < rows.rows; first += step) {
    RowsCall call;
    call.n = rows.n;
    call.rows = std::min(step, rows.rows - first);
    call.ldx = rows.x.leading == 0 ? 0 : rows.n;
    call.ldy = rows.y.leading == 0 ? 0 : rows.n;
    const kernels::launch::Launches launches = prepare(order, call);
    const auto on_x = upload(rows.x, x + first * rows.x.leading, rows.n, call.rows);
    const auto on_y =
        has_y(rows) ? upload(rows.y, y + first * rows.y.leading, rows.n, call.rows) : nullptr;
    const std::size_t bytes = static_cast<std::size_t>(call.rows) * sizeof(T);
    const auto values = device().allocate(bytes);
    std::vector<const Buffer*> operands{on_x.get()};
    if (has_y(rows)) operands.push_back(on_y.get());
    operands.push_back(values.get());
    work_.runner.run(launches, *work_.queue, operands);
    work_.queue->read(*values, 0, results.data() + first, bytes);
  }
  std::copy(results.begin(), results.end(), out);
}

template <class T>
std::unique_ptr<Buffer> DeviceReplayer::upload(const RowsOperand& operand, const T* first,
                                               std::int64_t n, std::int64_t count) const {
  const std::int64_t vectors = operand.leading == 0 ? 1 : count;
  const auto elements = static_cast<std::size_t>(vectors * n);
  auto buffer = device().allocate(elements * sizeof(T));
  if (operand.increment == 1 && (vectors == 1 || operand.leading == n)) {
    work_.queue->write(*buffer, 0, first, elements * sizeof(T));
    return buffer;
  }
  std::vector<T> packed(elements);
  for (std::int64_t k = 0; k < vectors; ++k)
    pack(n, first + k * operand.leading, operand.increment, packed.data() + k * n);
  work_.queue->write(*buffer, 0, packed.data(), elements * sizeof(T));
  return buffer;
}

template void DeviceReplayer::reduce_host(const RowsContext&, const float*, const float*,
                                          float*) const;
template void DeviceReplayer::reduce_host(const RowsContext&, const double*, const double*,
                                          double*) const;

}  // namespace reprosum::runtime
