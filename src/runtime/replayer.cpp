#include "src/runtime/replayer.h"

#include <algorithm>
#include <utility>

#include "spec/surface.h"
#include "src/base/fork_gate.h"
#include "src/runtime/arguments.h"
#include "src/runtime/errors.h"
#include "src/runtime/float_environment.h"
#include "src/runtime/pack.h"

namespace reprosum::runtime {
namespace {

template <class T>
constexpr spec::Type type_of() {
  return spec::type_of<T>();
}

template <class T>
int residue(const T* pointer) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(pointer) % 64);
}

// A spec that a program made may hold what no document can.
void check_empty_rule(const spec::EmptyRule& rule) {
  using Result = spec::EmptyRule::Result;
  const bool has_matrix = spec::has_matrices(rule.routine);
  const auto fits = [&](Result result) {
    return (result == Result::plus_zero || result == Result::minus_zero) != has_matrix;
  };
  if (!fits(rule.result) || (rule.below_zero && (has_matrix || !fits(*rule.below_zero))))
    throw UserError("a rule of calls without summands has the result of another routine");
}

spec::Spec canonical(spec::Spec spec) {
  for (const spec::EmptyRule& rule : spec.empty_rules) check_empty_rule(rule);
  for (const spec::Entry& entry : spec.entries) {
    if (!spec::has_matrices(entry.routine) &&
        (entry.regimes.size() != 1 || !spec::is_of_one_output(entry.regimes[0])))
      throw UserError("an entry of a sum or dot product has other regions than one");
    for (const spec::MatrixRegime& regime : entry.regimes) {
      spec::validate(regime);
      for (const spec::MatrixClass& output : regime.classes)
        if (output.order >= spec.orders.size())
          throw UserError("a class of outputs names an order that is none");
    }
  }
  spec::canonicalize(spec);  // lookups below are binary searches
  return spec;
}

}  // namespace

kernels::Isa known_isa(const std::string& text) {
  const std::optional<kernels::Isa> isa = kernels::find_isa(text);
  if (!isa)
    throw BadArgument("unknown ISA \"" + text + "\" (there are " + kernels::isa_names() + ")");
  return *isa;
}

void check_host(kernels::Isa isa) {
  if (!kernels::can_run(isa)) throw EnvironmentError(kernels::why_not(isa));
}

Replayer::Replayer(spec::Spec spec, std::string cache_directory, std::optional<kernels::Isa> isa)
    : spec_(canonical(std::move(spec))),
      cache_directory_(std::move(cache_directory)),
      best_isa_(kernels::host_isas().back()),
      isa_(isa.value_or(best_isa_)),
      products_(spec_, cache_directory_) {
  for (const spec::Order& order : spec_.orders) {
    for (const spec::Routine routine : {spec::Routine::sum, spec::Routine::dot}) {
      slots_f32_.push_back(std::make_unique<KernelSlot<float>>(order, routine));
      slots_f64_.push_back(std::make_unique<KernelSlot<double>>(order, routine));
    }
  }
  const std::vector<int> counts = captured_threads(spec_);
  const bool has_one = std::binary_search(counts.begin(), counts.end(), 1);
  const int first = has_one || counts.empty() ? 1 : counts.front();
  routes_ = (all_routes_[first] = std::make_unique<const Routes>(spec_, first)).get();
}

void Replayer::set_threads(int threads) {
  const std::vector<int> counts = captured_threads(spec_);
  if (!std::binary_search(counts.begin(), counts.end(), threads))
    throw NotCovered("threads = " + std::to_string(threads) + " was not captured");
  const base::ForkSafeLock lock(mutex_);
  auto& routes = all_routes_[threads];
  if (!routes) routes = std::make_unique<const Routes>(spec_, threads);
  routes_.store(routes.get(), std::memory_order_release);
}

void Replayer::refuse(const spec::Context& context) const {
  std::string why;
  spec::find(spec_, context, &why);
  throw NotCovered(spec::blas_name(context.routine, context.type) +
                   " with n = " + std::to_string(context.shape.k) + " is not covered: " + why);
}

template <>
const Replayer::Slots<float>& Replayer::slots<float>() const {
  return slots_f32_;
}
template <>
const Replayer::Slots<double>& Replayer::slots<double>() const {
  return slots_f64_;
}

template <>
ShortCuts<float>& Replayer::short_cuts<float>() const {
  return short_cuts_f32_;
}
template <>
ShortCuts<double>& Replayer::short_cuts<double>() const {
  return short_cuts_f64_;
}

template <class T>
const kernels::Kernel<T>& Replayer::kernel_of(const Route& route, spec::Routine routine,
                                              kernels::Isa isa, std::int64_t n) const {
  KernelSlot<T>& slot = *slots<T>()[2 * route.order + static_cast<std::size_t>(routine)];
  if (route.order >= kernels::kMaxGeneratedOrders) isa = kernels::Isa::interpreter;
  const auto& kernel = slot.get(isa, cache_directory_);
  if (n > kernel.n_max()) {
    throw NotCovered("the order is not defined at n = " + std::to_string(n) +
                     ", though the spec's entry says so");
  }
  return kernel;
}

template <class T>
const Route& Replayer::route_of(const Routes& routes, spec::Routine routine, std::int64_t n,
                                const T* x, std::int64_t incx, const T* y,
                                std::int64_t incy) const {
  const bool sum = routine == spec::Routine::sum;
  const Route* route =
      routes.find(routine, type_of<T>(), n, incx, sum ? 0 : incy, residue(x), sum ? 0 : residue(y));
  if (route == nullptr) {
    refuse(spec::vector_call(routine, type_of<T>(), n, incx, incy, routes.threads(), residue(x),
                             residue(y)));
  }
  return *route;
}

template <class T>
T Replayer::call(spec::Routine routine, std::int64_t n, const T* x, std::int64_t incx, const T* y,
                 std::int64_t incy) const {
  const bool with_y = routine != spec::Routine::sum;
  if (n > 0 && is_plain(x, incx, n) && (!with_y || is_plain(y, incy, n))) [[likely]] {
    const Routes& routes = *routes_.load(std::memory_order_acquire);
    const kernels::Isa isa = isa_.load(std::memory_order_relaxed);
    if (const auto* kernel = short_cuts<T>().find(routine, &routes, isa, n)) [[likely]] {
      // Entered last: what follows its read of the flags does not overlap with earlier arithmetic.
      const DefaultFloatEnvironment environment;
      return kernel->call(n, x, y);
    }
  }
  return call_without_short_cut(routine, n, x, incx, y, incy);
}

template <class T>
T Replayer::call_without_short_cut(spec::Routine routine, std::int64_t n, const T* x,
                                   std::int64_t incx, const T* y, std::int64_t incy) const {
  const bool with_y = routine != spec::Routine::sum;
  if (n <= 0) return empty<T>(routine, n);
  check_vector("x", x, incx, n);
  if (with_y) check_vector("y", y, incy, n);
  const DefaultFloatEnvironment environment;  // code generation folds constants: it counts too
  const Routes& routes = *routes_.load(std::memory_order_acquire);
  return call_by_route(routes, isa_.load(std::memory_order_relaxed), routine, n, x, incx, y, incy);
}

template <class T>
T Replayer::empty(spec::Routine routine, std::int64_t n) const {
  const spec::Context call = spec::vector_call(routine, type_of<T>(), n, 1, 1, threads());
  std::string why;
  const spec::EmptyRule* rule = spec::find_empty(spec_, call, &why);
  if (rule == nullptr) throw NotCovered(why);
  return spec::zero_of<T>(n < 0 ? *rule->below_zero : rule->result);
}

template <class T>
T Replayer::call_by_route(const Routes& routes, kernels::Isa isa, spec::Routine routine,
                          std::int64_t n, const T* x, std::int64_t incx, const T* y,
                          std::int64_t incy) const {
  const bool with_y = routine != spec::Routine::sum;
  const bool unit = incx == 1 && (!with_y || incy == 1);
  const Route& route = route_of(routes, routine, n, x, incx, y, incy);
  const kernels::Kernel<T>& kernel = kernel_of<T>(route, routine, isa, n);
  if (unit) {
    // An interpreter in place of another kernel may be for now.
    if (kernel.isa() == isa && route.addresses == nullptr &&
        routes.has_one_of_unit(routine, type_of<T>()))
      short_cuts<T>().keep(routine, {&routes, isa, std::min(route.n_max, kernel.n_max()), &kernel});
    return kernel.call(n, x, y);
  }
  T out = 0;
  rows_of_one_kernel(kernel, with_y, n, 1, x, incx, 0, y, incy, 0, &out);
  return out;
}

// Rows are packed in chunks that stay in the second-level cache.
template <class T>
void Replayer::rows_of_one_kernel(const kernels::Kernel<T>& kernel, bool with_y, std::int64_t n,
                                  std::int64_t rows, const T* x, std::int64_t incx,
                                  std::int64_t ldx, const T* y, std::int64_t incy, std::int64_t ldy,
                                  T* out) const {
  const bool pack_x = incx != 1, pack_y = with_y && incy != 1;
  if (!pack_x && !pack_y) return kernel.batch(n, rows, x, ldx, y, ldy, out);
  if (rows == 1) {
    const T* const first_x = incx < 0 ? x + (1 - n) * incx : x;
    const T* const first_y = with_y && incy < 0 ? y + (1 - n) * incy : y;
    if (kernel.call_strided(n, first_x, incx, first_y, incy, out)) return;
  }
  constexpr std::int64_t kChunk = std::int64_t{1} << 18;  // bytes
  const std::int64_t bytes = static_cast<std::int64_t>(sizeof(T)) * n;
  const std::int64_t step = std::clamp(kChunk / bytes, std::int64_t{1}, rows);
  Scratch<T> scratch;
  T* const packed_x = scratch.reserve(step * n * (pack_x + pack_y));
  T* const packed_y = packed_x + (pack_x ? step * n : 0);
  for (std::int64_t row = 0; row < rows; row += step) {
    const std::int64_t count = std::min(step, rows - row);
    const T* from_x = x + row * ldx;
    const T* from_y = with_y ? y + row * ldy : nullptr;
    if (pack_x)
      for (std::int64_t i = 0; i < count; ++i) pack(n, from_x + i * ldx, incx, packed_x + i * n);
    if (pack_y)
      for (std::int64_t i = 0; i < count; ++i) pack(n, from_y + i * ldy, incy, packed_y + i * n);
    kernel.batch(n, count, pack_x ? packed_x : from_x, pack_x ? n : ldx, pack_y ? packed_y : from_y,
                 pack_y ? n : ldy, out + row);
  }
}

template <class T>
void Replayer::batch(spec::Routine routine, std::int64_t n, std::int64_t rows, const T* x,
                     std::int64_t incx, std::int64_t ldx, const T* y, std::int64_t incy,
                     std::int64_t ldy, T* out) const {
  const bool with_y = routine != spec::Routine::sum;
  check_sizes(0, rows);
  if (rows == 0) return;
  if (n <= 0) {
    std::fill_n(out, rows, empty<T>(routine, n));
    return;
  }
  check_operand({"x", x, incx, ldx}, n, rows, sizeof(T));
  if (with_y) check_operand({"y", y, incy, ldy}, n, rows, sizeof(T));
  const DefaultFloatEnvironment environment;
  // Rows may differ in their addresses modulo 64 and therefore in their order. All routes are
  // found, and their kernels made, before the first output is written. One load: a set_threads that
  // runs at the same time moves every row or none.
  const Routes& routes = *routes_.load(std::memory_order_acquire);
  const kernels::Isa isa = isa_.load(std::memory_order_relaxed);
  constexpr std::int64_t kPeriod = 64;  // of the residues, whatever the leading dimensions
  const std::int64_t distinct = std::min(rows, kPeriod);
  std::vector<const kernels::Kernel<T>*> kernels(static_cast<std::size_t>(distinct));
  bool one_kernel = true;
  for (std::int64_t i = 0; i < distinct; ++i) {
    const Route& route =
        route_of(routes, routine, n, x + i * ldx, incx, with_y ? y + i * ldy : y, incy);
    kernels[static_cast<std::size_t>(i)] = &kernel_of<T>(route, routine, isa, n);
    one_kernel = one_kernel && kernels[static_cast<std::size_t>(i)] == kernels.front();
  }
  if (one_kernel) {
    return rows_of_one_kernel(*kernels.front(), with_y, n, rows, x, incx, ldx, y, incy, ldy, out);
  }
  std::vector<T> results(static_cast<std::size_t>(rows));  // a later row may still fail
  for (std::int64_t i = 0; i < rows; ++i) {
    rows_of_one_kernel(*kernels[static_cast<std::size_t>(i % kPeriod)], with_y, n, 1, x + i * ldx,
                       incx, 0, with_y ? y + i * ldy : y, incy, 0,
                       &results[static_cast<std::size_t>(i)]);
  }
  std::copy(results.begin(), results.end(), out);
}

std::int64_t Replayer::largest_n(const spec::Context& context) const {
  const bool sum = context.routine == spec::Routine::sum;
  return Routes(spec_, context.threads)
      .largest_n(context.routine, context.type, context.incx, sum ? 0 : context.incy,
                 context.addresses[0], sum ? 0 : context.addresses[1]);
}

ChosenKernel Replayer::kernel(const spec::Context& context) const {
  const DefaultFloatEnvironment environment;
  const spec::Entry* entry = spec::find(spec_, context);
  if (entry == nullptr) refuse(context);
  Route route;
  route.order = spec::order_of(*entry);
  const kernels::Isa isa = isa_.load(std::memory_order_relaxed);
  const auto chosen = [&](const auto& kernel) {
    return ChosenKernel{kernel.name(context.shape.k), kernel.isa()};
  };
  return spec::is_f32(context.type)
             ? chosen(kernel_of<float>(route, context.routine, isa, context.shape.k))
             : chosen(kernel_of<double>(route, context.routine, isa, context.shape.k));
}

template float Replayer::call(spec::Routine, std::int64_t, const float*, std::int64_t, const float*,
                              std::int64_t) const;
template double Replayer::call(spec::Routine, std::int64_t, const double*, std::int64_t,
                               const double*, std::int64_t) const;
template void Replayer::batch(spec::Routine, std::int64_t, std::int64_t, const float*, std::int64_t,
                              std::int64_t, const float*, std::int64_t, std::int64_t, float*) const;
template void Replayer::batch(spec::Routine, std::int64_t, std::int64_t, const double*,
                              std::int64_t, std::int64_t, const double*, std::int64_t, std::int64_t,
                              double*) const;

}  // namespace reprosum::runtime
