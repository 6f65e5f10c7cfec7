// The C API: what a spec covers, and the choice of threads and kernels.
#include <algorithm>
#include <cstring>
#include <string>

#include "spec/surface.h"
#include "src/runtime/arguments.h"
#include "src/runtime/border.h"
#include "src/runtime/forced_device.h"

namespace reprosum::runtime {
namespace {

// Read as integers: a C caller can put any value in an enum, and then a switch may assume too much.
template <class Enum>
int value_of(const Enum& wild) {
  static_assert(sizeof(Enum) == sizeof(int));
  int value = 0;
  std::memcpy(&value, &wild, sizeof value);
  return value;
}

int checked_residue(int align, const char* name) {
  if (align < 0 || align > 63) throw BadArgument(std::string(name) + " is not in 0..63");
  return align;
}

spec::Context context_of(const Replayer& replayer, const reprosum_reduction* reduction) {
  require(reduction, "reduction");
  spec::Context context;
  switch (value_of(reduction->routine)) {
    case REPROSUM_SUM:
      context.routine = spec::Routine::sum;
      break;
    case REPROSUM_DOT:
      context.routine = spec::Routine::dot;
      break;
    default:
      throw BadArgument("unknown routine " + std::to_string(value_of(reduction->routine)));
  }
  switch (value_of(reduction->type)) {
    case REPROSUM_F32:
      context.type = spec::Type::f32;
      break;
    case REPROSUM_F64:
      context.type = spec::Type::f64;
      break;
    default:
      throw BadArgument("unknown type " + std::to_string(value_of(reduction->type)));
  }
  if (reduction->threads < 0) throw BadArgument("threads is negative");
  context.shape = {1, 1, reduction->n};
  context.incx = reduction->incx;
  context.incy = reduction->incy;
  context.threads = reduction->threads == 0 ? replayer.threads() : reduction->threads;
  context.addresses[0] = checked_residue(reduction->align_x, "align_x");
  if (context.routine != spec::Routine::sum)
    context.addresses[1] = checked_residue(reduction->align_y, "align_y");
  return context;
}

ChosenKernel kernel_of(const reprosum_handle& handle, const spec::Context& context) {
  if (const ForcedDevice* const device = handle.device.load())
    if (const auto name = device->kernel(context)) return {*name, device->isa()};
  return handle.replayer->kernel(context);
}

}  // namespace
}  // namespace reprosum::runtime

using namespace reprosum::runtime;

extern "C" {

reprosum_status reprosum_entry_count(const reprosum_handle* handle, size_t* count) {
  return with_handle(handle, [&](Replayer& replayer) {
    require(count, "count");
    *count = replayer.spec().entries.size();
  });
}

reprosum_status reprosum_covers(const reprosum_handle* handle, const reprosum_reduction* reduction,
                                int* covered) {
  return with_handle(handle, [&](Replayer& replayer) {
    require(covered, "covered");
    const reprosum::spec::Context context = context_of(replayer, reduction);
    std::string why;
    const bool found = context.shape.k <= 0
                           ? reprosum::spec::find_empty(replayer.spec(), context, &why) != nullptr
                           : reprosum::spec::find(replayer.spec(), context, &why) != nullptr;
    if (!found) keep_message(handle, why);
    *covered = found ? 1 : 0;
  });
}

reprosum_status reprosum_largest_n(const reprosum_handle* handle,
                                   const reprosum_reduction* reduction, int64_t* n) {
  return with_handle(handle, [&](Replayer& replayer) {
    require(n, "n");
    *n = replayer.largest_n(context_of(replayer, reduction));
  });
}

reprosum_status reprosum_spec_hash(const reprosum_handle* handle, char hash[65]) {
  return with_handle(handle, [&](Replayer& replayer) {
    require(hash, "hash");
    const std::string text = reprosum::spec::meaning_hash(replayer.spec());
    if (text.size() != 64) throw reprosum::InternalError("a hash is not 64 digits long");
    std::memcpy(hash, text.c_str(), 65);
  });
}

reprosum_status reprosum_set_threads(reprosum_handle* handle, int threads) {
  return with_handle(handle, [&](Replayer& replayer) {
    if (threads < 1) throw BadArgument("threads = " + std::to_string(threads) + " is below 1");
    replayer.set_threads(threads);
  });
}

reprosum_status reprosum_get_threads(const reprosum_handle* handle, int* threads) {
  return with_handle(handle, [&](Replayer& replayer) {
    require(threads, "threads");
    *threads = replayer.threads();
  });
}

reprosum_status reprosum_set_isa(reprosum_handle* handle, const char* isa) {
  return with_handle(handle, [&](Replayer&) {
    if (isa == nullptr || isa[0] == '\0') return handle->choose_best();
    handle->choose(known_isa(isa));
  });
}

reprosum_status reprosum_device_calls(const reprosum_handle* handle, int64_t* there,
                                      int64_t* here) {
  return with_handle(handle, [&](Replayer&) {
    require(there, "there");
    require(here, "here");
    const ForcedDevice* const device = handle->device.load();
    *there = device == nullptr ? 0 : device->calls_there();
    *here = device == nullptr ? 0 : device->calls_here();
  });
}

const char* reprosum_device_refusal(const reprosum_handle* handle) {
  const ForcedDevice* const device = handle == nullptr ? nullptr : handle->device.load();
  return device == nullptr ? "" : device->refusal();
}

reprosum_status reprosum_kernel_name(const reprosum_handle* handle,
                                     const reprosum_reduction* reduction, char* name, size_t size,
                                     const char** isa) {
  return with_handle(handle, [&](Replayer& replayer) {
    require(name, "name");
    if (size == 0) throw BadArgument("size is 0: there is no room for a name");
    const reprosum::spec::Context context = context_of(replayer, reduction);
    if (context.shape.k < 1) throw BadArgument("no kernel runs for n < 1");
    const ChosenKernel kernel = kernel_of(*handle, context);
    const size_t length = std::min(size - 1, kernel.name.size());
    std::memcpy(name, kernel.name.data(), length);
    name[length] = '\0';
    if (isa != nullptr) *isa = reprosum::kernels::name(kernel.isa);
  });
}

}  // extern "C"
