#include "bench/replay_kernels.h"

#include "kernels/kernel.h"
#include "spec/error.h"

namespace reprosum::bench {
namespace {

// Generates the kernel once more, from the order alone: this also proves that the handle named the
// kernel of this order.
template <class T>
RanKernel generated(const spec::Order& order, spec::Routine routine, kernels::Isa isa,
                    std::int64_t n) {
  RanKernel kernel;
  const auto made = kernels::compile<T>(order, routine, {isa, ""}, &kernel.left_out);
  kernel.name = made->name(n);
  kernel.isa = kernels::name(made->isa());
  return kernel;
}

}  // namespace

RanKernel kernel_of(const Handle& handle, const reveal::Call& call, const spec::Order& order) {
  const reprosum_reduction reduction{
      call.routine == spec::Routine::dot ? REPROSUM_DOT : REPROSUM_SUM,
      spec::is_f32(call.type) ? REPROSUM_F32 : REPROSUM_F64,
      call.k,
      call.incx,
      call.incy,
      0,
      call.align_a,
      call.align_b};
  char name[128];
  const char* isa = nullptr;
  require_ok(reprosum_kernel_name(handle.get(), &reduction, name, sizeof name, &isa), handle.get());
  const std::string ran = isa;
  // The interpreter does not tell which instruction set it stands in for; the best one's reason is
  // as good.
  kernels::Isa wanted = kernels::host_isas().back();
  for (const kernels::Isa host : kernels::host_isas())
    if (ran != "interpreter" && ran == kernels::name(host)) wanted = host;
  RanKernel kernel = spec::is_f32(call.type)
                         ? generated<float>(order, call.routine, wanted, call.k)
                         : generated<double>(order, call.routine, wanted, call.k);
  if (ran == "interpreter" && (kernel.isa != ran || wanted == kernels::Isa::interpreter))
    return {name, ran, ""};
  if (kernel.name != name)
    throw InternalError("the handle runs " + std::string(name) + " where the order's kernel is " +
                        kernel.name);
  return kernel;
}

}  // namespace reprosum::bench
