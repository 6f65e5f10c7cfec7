// The C API of include/reprosum/gpu.h.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "kernels/device/devices.h"
#include "kernels/device/open_device.h"
#include "reprosum/gpu.h"
#include "src/runtime/border.h"
#include "src/runtime/c_values.h"
#include "src/runtime/cache_directory.h"
#include "src/runtime/device_orders.h"

struct reprosum_gpu : reprosum::runtime::DeviceOrders {
  using DeviceOrders::DeviceOrders;
  mutable reprosum::runtime::Messages messages;
};

namespace reprosum::runtime {
namespace {

using kernels::device::Dialect;

Dialect dialect_of(reprosum_gpu_backend backend) {
  switch (number_of(backend)) {
    case REPROSUM_OPENCL:
      return Dialect::opencl;
    case REPROSUM_CUDA:
      return Dialect::cuda;
    default:
      throw BadArgument("unknown backend " + std::to_string(number_of(backend)));
  }
}

template <class Open>
reprosum_status open(const reprosum_handle* handle, reprosum_gpu** gpu, Open&& open) noexcept {
  try {
    require(handle, "the handle");
    require(gpu, "the place for the device");
    auto made = std::make_unique<reprosum_gpu>(*handle->replayer, open_with_room(open));
    *gpu = made.release();
    return REPROSUM_OK;
  } catch (...) {
    return status_of_current_exception(nullptr, REPROSUM_BAD_ARGUMENT);
  }
}

template <class Body>
reprosum_status with_gpu(const reprosum_gpu* gpu, Body&& body) noexcept {
  if (gpu == nullptr) {
    keep_message(nullptr, "the device is null");
    return REPROSUM_BAD_ARGUMENT;
  }
  try {
    body(*gpu);
    return REPROSUM_OK;
  } catch (...) {
    // A UserError that is neither of the two is the driver's about an operand.
    return status_of_current_exception(gpu->messages, REPROSUM_BAD_ARGUMENT);
  }
}

RowsOperand operand_of(const reprosum_gpu_vectors& vectors, std::uintptr_t address) {
  return {vectors.first, vectors.increment, vectors.leading, address};
}

RowsContext context_of(const reprosum_gpu_reduction& call, bool has_addresses) {
  RowsContext context;
  switch (number_of(call.routine)) {
    case REPROSUM_SUM:
      context.routine = spec::Routine::sum;
      break;
    case REPROSUM_DOT:
      context.routine = spec::Routine::dot;
      break;
    default:
      throw BadArgument("unknown routine " + std::to_string(number_of(call.routine)));
  }
  context.type = type_of(call.type);
  context.n = call.n;
  context.rows = call.rows;
  const auto address = [&](const void* memory) {
    return has_addresses ? reinterpret_cast<std::uintptr_t>(memory) : 0;
  };
  context.x = operand_of(call.x, address(call.x.memory));
  if (context.routine == spec::Routine::dot) context.y = operand_of(call.y, address(call.y.memory));
  return context;
}

template <class T>
void reduce_host(const DeviceReplayer& replayer, const RowsContext& context,
                 const reprosum_gpu_reduction& call) {
  // The order is chosen by where the vectors are; `first` moves the pointers.
  RowsContext at = context;
  at.x.first = at.y.first = 0;
  const auto pointer = [](const void* memory, std::int64_t first) {
    return memory == nullptr ? nullptr : static_cast<const T*>(memory) + first;
  };
  T* const out = call.out == nullptr ? nullptr : static_cast<T*>(call.out) + call.out_first;
  if (context.rows > 0) require(out, "out");
  replayer.reduce_host<T>(at, pointer(call.x.memory, call.x.first),
                          pointer(call.y.memory, call.y.first), out);
}

// alpha and beta are passed as doubles; a float call must mean a float.
template <class T>
T scalar(double value, const char* name) {
  const T narrow = static_cast<T>(value);
  if (static_cast<double>(narrow) != value && value == value)
    throw BadArgument(std::string(name) + " is no float");
  return narrow;
}

// The pointers may be addresses that only guards see.
template <class T>
MatrixCall<T> call_of(const reprosum_gpu_product& product, const T* a, const T* b, T* c) {
  MatrixCall<T> call;
  switch (number_of(product.routine)) {
    case REPROSUM_GEMV:
      call.routine = spec::Routine::gemv;
      break;
    case REPROSUM_GEMM:
      call.routine = spec::Routine::gemm;
      call.trans_b = trans_of(product.transb);
      call.k = product.k;
      break;
    default:
      throw BadArgument("routine " + std::to_string(number_of(product.routine)) +
                        " is neither gemv nor gemm");
  }
  call.layout = layout_of(product.layout);
  call.trans_a = trans_of(product.transa);
  call.m = product.m;
  call.n = product.n;
  call.alpha = scalar<T>(product.alpha, "alpha");
  call.beta = scalar<T>(product.beta, "beta");
  call.a = a;
  call.lda = product.a.leading;
  call.b = b;
  call.ldb = product.b.leading;
  call.c = c;
  call.ldc = product.c.leading;
  return call;
}

Batch batch_of(const reprosum_gpu_product& product) {
  return {product.batch, product.a.stride, product.b.stride, product.c.stride};
}

template <class T>
T* moved(const reprosum_gpu_matrix& matrix) {
  return matrix.memory == nullptr ? nullptr : static_cast<T*>(matrix.memory) + matrix.first;
}

// An address for guards: of an OpenCL buffer the place inside it, far from null.
template <class T>
T* seen(const reprosum_gpu_matrix& matrix, bool has_addresses) {
  constexpr std::uintptr_t kBase = std::uintptr_t{1} << 46;
  if (matrix.memory == nullptr) return nullptr;
  const std::uintptr_t base =
      has_addresses ? reinterpret_cast<std::uintptr_t>(matrix.memory) : kBase;
  return reinterpret_cast<T*>(base + static_cast<std::uintptr_t>(matrix.first) * sizeof(T));
}

template <class T>
void multiply(const reprosum_gpu& on, void* queue, const reprosum_gpu_product& product) {
  const bool has_addresses = on.facts().dialect == Dialect::cuda;
  const MatrixCall<T> call =
      call_of<T>(product, seen<T>(product.a, has_addresses), seen<T>(product.b, has_addresses),
                 seen<T>(product.c, has_addresses));
  const auto adopt = [&](const reprosum_gpu_matrix& matrix) {
    return matrix.memory == nullptr ? nullptr : on.device().adopt(matrix.memory);
  };
  const auto on_queue = on.device().adopt_queue(queue);
  const auto a = adopt(product.a), b = adopt(product.b), c = adopt(product.c);
  on.products.multiply(
      call, batch_of(product),
      {a.get(), b.get(), c.get(), product.a.first, product.b.first, product.c.first}, *on_queue);
}

template <class T>
void multiply_host(const reprosum_gpu& on, const reprosum_gpu_product& product) {
  on.products.multiply_host(call_of<T>(product, moved<const T>(product.a),
                                       moved<const T>(product.b), moved<T>(product.c)),
                            batch_of(product));
}

}  // namespace
}  // namespace reprosum::runtime

using namespace reprosum::runtime;

extern "C" {

reprosum_status reprosum_gpu_device_count(reprosum_gpu_backend backend, int* count) {
  try {
    require(count, "count");
    std::string why;
    const int found =
        static_cast<int>(reprosum::kernels::device::devices(dialect_of(backend), &why).size());
    if (found == 0) keep_message(nullptr, why);
    *count = found;
    return REPROSUM_OK;
  } catch (...) {
    return status_of_current_exception(nullptr, REPROSUM_BAD_ARGUMENT);
  }
}

reprosum_status reprosum_gpu_open(const reprosum_handle* handle, reprosum_gpu_backend backend,
                                  int device, reprosum_gpu** gpu) {
  return open(handle, gpu, [&] {
    if (device < 0) throw BadArgument("device is negative");
    return reprosum::kernels::device::open_device(
        dialect_of(backend), static_cast<std::size_t>(device), cache_directory());
  });
}

reprosum_status reprosum_gpu_open_opencl(const reprosum_handle* handle, void* context, void* device,
                                         reprosum_gpu** gpu) {
  return open(handle, gpu, [&] {
    require(context, "context");
    require(device, "device");
    return reprosum::kernels::device::open_opencl_device(context, device, cache_directory());
  });
}

void reprosum_gpu_close(reprosum_gpu* gpu) { delete gpu; }

const char* reprosum_gpu_last_error(const reprosum_gpu* gpu) {
  return gpu != nullptr ? gpu->messages.of_this_thread() : kept_message(nullptr);
}

reprosum_status reprosum_gpu_device_name(const reprosum_gpu* gpu, char* name, size_t size) {
  return with_gpu(gpu, [&](const reprosum_gpu& on) {
    if (size > 0) require(name, "name");
    if (size == 0) return;
    const std::string& text = on.facts().name;
    const std::size_t length = std::min(size - 1, text.size());
    std::memcpy(name, text.data(), length);
    name[length] = '\0';
  });
}

reprosum_status reprosum_gpu_reduce(const reprosum_gpu* gpu, void* queue,
                                    const reprosum_gpu_reduction* reduction) {
  return with_gpu(gpu, [&](const reprosum_gpu& on) {
    require(reduction, "reduction");
    const bool is_cuda = on.facts().dialect == Dialect::cuda;
    const RowsContext context = context_of(*reduction, is_cuda);
    if (context.rows == 0) return;
    auto& device = on.device();
    const auto on_queue = device.adopt_queue(queue);
    const auto out = device.adopt(reduction->out);
    const std::size_t element = reprosum::spec::bytes(context.type);
    if (is_cuda && reinterpret_cast<std::uintptr_t>(reduction->out) % element != 0)
      throw BadArgument("out is not aligned to its element size");
    const bool reads = context.n > 0;
    const auto x = reads ? device.adopt(reduction->x.memory) : nullptr;
    const bool reads_y = reads && context.routine == reprosum::spec::Routine::dot;
    const auto y = reads_y ? device.adopt(reduction->y.memory) : nullptr;
    on.sums.reduce(context, x != nullptr ? *x : *out, y.get(), *out, reduction->out_first,
                   *on_queue);
  });
}

reprosum_status reprosum_gpu_reduce_host(const reprosum_gpu* gpu,
                                         const reprosum_gpu_reduction* reduction) {
  return with_gpu(gpu, [&](const reprosum_gpu& on) {
    require(reduction, "reduction");
    const RowsContext context = context_of(*reduction, true);
    if (reprosum::spec::is_f32(context.type))
      reduce_host<float>(on.sums, context, *reduction);
    else
      reduce_host<double>(on.sums, context, *reduction);
  });
}

reprosum_status reprosum_gpu_multiply(const reprosum_gpu* gpu, void* queue,
                                      const reprosum_gpu_product* product) {
  return with_gpu(gpu, [&](const reprosum_gpu& on) {
    require(product, "product");
    if (reprosum::spec::is_f32(type_of(product->type)))
      multiply<float>(on, queue, *product);
    else
      multiply<double>(on, queue, *product);
  });
}

reprosum_status reprosum_gpu_multiply_host(const reprosum_gpu* gpu,
                                           const reprosum_gpu_product* product) {
  return with_gpu(gpu, [&](const reprosum_gpu& on) {
    require(product, "product");
    if (reprosum::spec::is_f32(type_of(product->type)))
      multiply_host<float>(on, *product);
    else
      multiply_host<double>(on, *product);
  });
}

}  // extern "C"
