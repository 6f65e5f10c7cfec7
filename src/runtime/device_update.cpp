#include "src/runtime/device_update.h"

#include <cstdlib>
#include <vector>

#include "src/runtime/matrix_arguments.h"

namespace reprosum::runtime {
namespace {

// Elements without gaps: `count` runs of `length`, one every `step`.
struct Runs {
  std::int64_t count = 0, length = 0, step = 0;
  std::int64_t elements() const { return (count - 1) * step + length; }
};

template <class T>
Runs runs_of(const spec::MatrixArguments<T>& call) {
  const bool is_vector = call.routine == spec::Routine::gemv;
  const std::int64_t increment = std::abs(call.incc);
  if (is_vector && increment != 1) return {call.m, 1, increment};
  if (is_vector || call.n == 1) return {1, call.m, 0};
  if (call.ldc == call.m) return {1, call.m * call.n, 0};
  return {call.n, call.m, call.ldc};
}

}  // namespace

template <class T>
void update_on_device(const spec::EmptyRule& rule, spec::MatrixArguments<T> arguments,
                      kernels::device::Buffer& c, std::int64_t first,
                      kernels::device::Queue& queue) {
  const Runs runs = runs_of(arguments);
  std::vector<T> values(static_cast<std::size_t>(runs.elements()));
  queue.read(c, static_cast<std::size_t>(first) * sizeof(T), values.data(),
             values.size() * sizeof(T));
  const bool is_backward = arguments.routine == spec::Routine::gemv && arguments.incc < 0;
  arguments.c = values.data() + (is_backward ? runs.elements() - 1 : 0);
  update_without_summands(rule, arguments);
  for (std::int64_t k = 0; k < runs.count; ++k)
    queue.write(c, static_cast<std::size_t>(first + k * runs.step) * sizeof(T),
                values.data() + k * runs.step, static_cast<std::size_t>(runs.length) * sizeof(T));
}

template void update_on_device(const spec::EmptyRule&, spec::MatrixArguments<float>,
                               kernels::device::Buffer&, std::int64_t, kernels::device::Queue&);
template void update_on_device(const spec::EmptyRule&, spec::MatrixArguments<double>,
                               kernels::device::Buffer&, std::int64_t, kernels::device::Queue&);

}  // namespace reprosum::runtime
