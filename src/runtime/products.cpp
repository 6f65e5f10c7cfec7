#include "src/runtime/products.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "spec/conditions.h"
#include "spec/expand.h"
#include "src/base/fork_gate.h"
#include "src/runtime/errors.h"
#include "src/runtime/float_environment.h"
#include "src/runtime/matrix_arguments.h"
#include "src/runtime/region_cache.h"

namespace reprosum::runtime {
namespace {

// The residues of the column-major problem. A vector's address is that of its lowest element, which
// is also what BLAS is passed with a negative increment.
template <class T>
spec::Residues residues_of(const MatrixCall<T>& call, const spec::MatrixArguments<T>& arguments,
                           const spec::Residues& masks) {
  const bool gemv = call.routine == spec::Routine::gemv;
  const auto address = [](const T* pointer) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(pointer) % spec::kAddressModulus);
  };
  const auto leading = [](std::int64_t elements) {
    return static_cast<int>(static_cast<std::uint64_t>(elements) * sizeof(T) %
                            spec::kAddressModulus);
  };
  spec::Residues residues{address(arguments.a),
                          address(gemv ? call.b : arguments.b),
                          address(call.c),
                          leading(arguments.lda),
                          gemv ? 0 : leading(arguments.ldb),
                          gemv ? 0 : leading(arguments.ldc)};
  for (std::size_t k = 0; k < residues.size(); ++k) residues[k] &= masks[k];
  return residues;
}

std::vector<const spec::Entry*> products_of(const spec::Spec& spec) {
  std::vector<const spec::Entry*> products;
  for (const spec::Entry& entry : spec.entries)
    if (spec::has_matrices(entry.routine)) products.push_back(&entry);
  return products;
}

// The bits of residues that some entry asks about, so that calls which differ in others have one
// context.
spec::Residues masks_of(const spec::Spec& spec) {
  spec::Residues masks{};
  for (const spec::Entry* entry : products_of(spec))
    for (std::size_t k = 0; k < masks.size(); ++k)
      masks[k] |= std::max(entry->guard.alignment, entry->guard.addresses.moduli[k]) - 1;
  return masks;
}

// Where intervals of increments begin, and what comes after them.
std::vector<std::int64_t> starts_of(const spec::Spec& spec,
                                    spec::IncrementRange spec::Increments::*vector) {
  std::set<std::int64_t> starts{spec::IncrementRange::kLeast};
  for (const spec::Entry* entry : products_of(spec))
    for (const spec::Increments& increments : entry->guard.increments) {
      const spec::IncrementRange& range = increments.*vector;
      starts.insert(range.least);
      if (range.greatest < spec::IncrementRange::kGreatest) starts.insert(range.greatest + 1);
    }
  return {starts.begin(), starts.end()};
}

// One for all increments that no guard tells apart: each lda of a program may be an increment.
std::int64_t stand_in(const std::vector<std::int64_t>& starts, std::int64_t increment) {
  return *std::prev(std::upper_bound(starts.begin(), starts.end(), increment));
}

// The leading dimensions that some entry asks about.
spec::Tightness asked_leadings(const spec::Spec& spec) {
  spec::Tightness asked{};
  for (const spec::Entry* entry : products_of(spec))
    for (std::size_t k = 0; k < asked.size(); ++k)
      asked[k] = asked[k] || entry->guard.leading[k] != spec::Leading::any;
  return asked;
}

// Which leading dimensions are the least ones; those that nobody asks about count as such.
template <class T>
spec::Tightness tightness_of(const spec::MatrixArguments<T>& call, bool gemv,
                             const spec::Tightness& asked) {
  const auto is_least = [](std::int64_t leading, std::int64_t rows) {
    return leading == std::max<std::int64_t>(rows, 1);
  };
  const std::int64_t a_rows = call.trans_a == spec::Trans::no ? call.m : call.k;
  const std::int64_t b_rows = call.trans_b == spec::Trans::no ? call.k : call.n;
  return {!asked[0] || is_least(call.lda, a_rows), gemv || !asked[1] || is_least(call.ldb, b_rows),
          gemv || !asked[2] || is_least(call.ldc, call.m)};
}

// Whether the call reads A and B, as far as the regime tells: the spec says what alpha = 0 does.
template <class T>
bool reads_factors(const spec::RegionMap& map, const spec::MatrixArguments<T>& call) {
  const auto& classes = map.regime->classes;
  return call.alpha != T(0) || std::any_of(classes.begin(), classes.end(), [](const auto& output) {
           return output.alpha_zero == spec::MatrixClass::AlphaZero::compute;
         });
}

// Whether it reads C: the spec also says what beta = 0 does.
template <class T>
bool reads_output(const spec::RegionMap& map, const spec::MatrixArguments<T>& call) {
  const auto& classes = map.regime->classes;
  return call.beta != T(0) || std::any_of(classes.begin(), classes.end(), [](const auto& output) {
           return output.multiplies_by_zero();
         });
}

// Is every element that the call reads finite?
template <class T>
bool all_finite(const spec::MatrixArguments<T>& call, bool reads_factors, bool reads_output) {
  // A sum of x - x is 0 or NaN: one branch for a whole row.
  T bad = 0;
  for (std::int64_t p = 0; p < call.k && reads_factors; ++p) {
    for (std::int64_t i = 0; i < call.m; ++i) bad += *call.at_a(i, p) - *call.at_a(i, p);
    for (std::int64_t j = 0; j < call.n; ++j) bad += *call.at_b(p, j) - *call.at_b(p, j);
  }
  if (reads_output)
    for (std::int64_t j = 0; j < call.n; ++j)
      for (std::int64_t i = 0; i < call.m; ++i) bad += *call.at_c(i, j) - *call.at_c(i, j);
  return bad == T(0) && std::isfinite(call.alpha) && std::isfinite(call.beta);
}

// Is a factor zero, as it is or times alpha?
template <class T>
bool has_zero_factor(const spec::MatrixArguments<T>& call) {
  const T alpha = call.alpha == T(0) ? T(1) : call.alpha;
  const auto is_zero = [alpha](T value) { return value == T(0) || alpha * value == T(0); };
  bool found = false;
  for (std::int64_t p = 0; p < call.k && !found; ++p) {
    for (std::int64_t i = 0; i < call.m; ++i) found |= is_zero(*call.at_a(i, p));
    for (std::int64_t j = 0; j < call.n; ++j) found |= is_zero(*call.at_b(p, j));
  }
  return found;
}

// Whether the guard does not admit the data; the context is told why.
template <class T>
bool keeps_out(const spec::Guard& guard, const spec::MatrixArguments<T>& call,
               const spec::RegionMap& map, spec::Context& context) {
  const bool reads = reads_factors(map, call);
  if (guard.finite_only && !all_finite(call, reads, reads_output(map, call)))
    return context.has_special = true;
  if (guard.nonzero_only && reads && has_zero_factor(call)) return context.has_zero = true;
  return false;
}

std::string named(const spec::Context& context) {
  std::string text = spec::name_of(context) + " with m = " + std::to_string(context.shape.m);
  if (context.routine == spec::Routine::gemm) text += ", n = " + std::to_string(context.shape.n);
  return text + ", k = " + std::to_string(context.shape.k);
}

// The call whose column-major problem this is: by rows A and B of a gemm change places, and A of a
// gemv is transposed.
spec::Context as_called(spec::Context context) {
  if (!context.from_row_major) return context;
  if (context.routine == spec::Routine::gemm) {
    std::swap(context.trans_a, context.trans_b);
    std::swap(context.shape.m, context.shape.n);
  } else {
    context.trans_a = context.trans_a == spec::Trans::no ? spec::Trans::yes : spec::Trans::no;
  }
  return context;
}

// What is found about a call by rows is said of its column-major problem.
[[noreturn]] void refuse(const spec::Context& context, const std::string& why) {
  std::string text = named(as_called(context));
  if (context.from_row_major)
    text += " by rows is not covered: it is " + named(context) + " by columns, of which: " + why;
  else
    text += " is not covered: " + why;
  throw NotCovered(text);
}

// The regions of a covered call whose orders are all defined at its k.
spec::RegionMap map_of(const spec::Spec& spec, const spec::Entry& entry,
                       const spec::Context& context) {
  std::string why;
  auto map = spec::regions(entry.regimes, context.shape, &why);
  if (!map) refuse(context, why);
  for (const spec::Stretch& rows : map->rows)
    for (const spec::Stretch& columns : map->columns) {
      const std::int32_t c = map->class_at(rows.first, columns.first);
      if (c < 0) refuse(context, "a region of its outputs has no known order");
      const std::size_t order = map->regime->classes[static_cast<std::size_t>(c)].order;
      if (!spec::covers(spec.orders[order], context.shape.k))
        refuse(context, "an order of its outputs is not known for so many summands");
      if (spec::has_fused_nodes(spec.orders[order]))
        refuse(context,
               "an order of its outputs has nodes that fuse several terms, which are "
               "not computed in products of matrices");
    }
  return std::move(*map);
}

const spec::EmptyRule& empty_rule(const spec::Spec& spec, const spec::Context& context) {
  std::string why;
  const spec::EmptyRule* rule = spec::find_empty(spec, context, &why);
  if (rule == nullptr) refuse(context, why);
  return *rule;
}

// What an entry says of alpha and beta.
template <class T>
void admit_scalars(const spec::Entry& entry, const spec::Context& context,
                   spec::MatrixArguments<T>& arguments) {
  if (entry.guard.alpha_one && arguments.alpha != T(1))
    refuse(context, "only alpha = 1 was captured");
  if (entry.guard.nan_beta_is_zero && std::isnan(arguments.beta)) arguments.beta = T(0);
}

std::uint64_t fresh_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

const spec::Entry& entry_of(const spec::Spec& spec, const spec::Context& context) {
  std::string why;
  const spec::Entry* entry = spec::find(spec, context, &why);
  if (entry == nullptr) refuse(context, why);
  return *entry;
}

}  // namespace

Products::Products(const spec::Spec& spec, std::string cache_directory)
    : spec_(spec),
      id_(fresh_id()),
      cache_directory_(std::move(cache_directory)),
      address_masks_(masks_of(spec)),
      asked_leadings_(asked_leadings(spec)),
      increment_starts_{starts_of(spec, &spec::Increments::x),
                        starts_of(spec, &spec::Increments::y)},
      asks_beta_(std::any_of(spec.entries.begin(), spec.entries.end(), [](const auto& entry) {
        return entry.guard.beta != spec::Beta::any;
      })) {
  for (const spec::Entry& entry : spec.entries)
    slots_.push_back(spec::has_matrices(entry.routine) ? std::make_unique<Slot>() : nullptr);
}

template <class T>
const kernels::MatrixKernels<T>& Products::kernels_of(const spec::Entry& entry,
                                                      kernels::Isa isa) const {
  Slot& slot = *slots_[static_cast<std::size_t>(&entry - spec_.entries.data())];
  const auto index = isa.index();
  auto& ready = [&]() -> auto& {
    if constexpr (sizeof(T) == 4)
      return slot.ready_f32[index];
    else
      return slot.ready_f64[index];
  }
  ();
  if (const auto* kernels = ready.load(std::memory_order_acquire)) return *kernels;
  const base::ForkSafeLock lock(slot.mutex);
  auto& kept = [&]() -> auto& {
    if constexpr (sizeof(T) == 4)
      return slot.f32[index];
    else
      return slot.f64[index];
  }
  ();
  if (!kept) {
    kernels::CompileOptions options;
    options.isa = isa;
    options.cache_directory = cache_directory_;
    kept = kernels::compile_matrix<T>(spec_, entry, options);
  }
  ready.store(kept.get(), std::memory_order_release);
  return *kept;
}

template <class T>
spec::Context Products::context_of(const MatrixCall<T>& call,
                                   const spec::MatrixArguments<T>& arguments, int threads) const {
  spec::Context context;
  context.routine = call.routine;
  context.type = spec::type_of<T>();
  context.trans_a = arguments.trans_a;
  context.trans_b = arguments.trans_b;
  context.shape = {arguments.m, arguments.n, arguments.k};
  context.incx = stand_in(increment_starts_[0], arguments.incb);
  context.incy = stand_in(increment_starts_[1], arguments.incc);
  context.threads = threads;
  context.from_row_major = call.layout == Layout::row_major;
  return context;
}

template <class T>
void Products::add_operands(const MatrixCall<T>& call, const spec::MatrixArguments<T>& arguments,
                            spec::Context& context) const {
  context.addresses = residues_of(call, arguments, address_masks_);
  if (asks_beta_) context.beta = arguments.beta == T(1) ? spec::Beta::one : spec::Beta::other;
  context.tight = tightness_of(arguments, call.routine == spec::Routine::gemv, asked_leadings_);
}

template <class T>
const spec::EmptyRule& Products::empty(const MatrixCall<T>& call,
                                       const spec::MatrixArguments<T>& arguments,
                                       int threads) const {
  return empty_rule(spec_, context_of(call, arguments, threads));
}

template <class T>
Products::Cover Products::cover(const MatrixCall<T>& call, spec::MatrixArguments<T>& arguments,
                                int threads, bool sees_data) const {
  spec::Context context = context_of(call, arguments, threads);
  add_operands(call, arguments, context);
  context.incx = arguments.incb;
  context.incy = arguments.incc;
  context.has_special = context.has_zero = !sees_data;
  Cover found;
  // Where the data are not those of an entry, another one may admit them.
  do {
    found.entry = &entry_of(spec_, context);
    found.map = map_of(spec_, *found.entry, context);
    found.reads_factors = reads_factors(found.map, arguments);
    if (found.reads_factors) check_factors(call);
  } while (sees_data && keeps_out(found.entry->guard, arguments, found.map, context));
  admit_scalars(*found.entry, context, arguments);
  return found;
}

Products::Cover Products::cover(const spec::Context& context) const {
  const spec::Entry& entry = entry_of(spec_, context);
  return {&entry, map_of(spec_, entry, context), true};
}

template <class T>
void Products::run(const MatrixCall<T>& call, int threads, kernels::Isa isa, int workers) const {
  check_arguments(call);
  const DefaultFloatEnvironment environment;
  spec::MatrixArguments<T> arguments = column_major(call);
  if (arguments.m == 0 || arguments.n == 0) return;  // there is no output

  spec::Context context = context_of(call, arguments, threads);
  if (arguments.k == 0) {
    const spec::EmptyRule& rule = empty_rule(spec_, context);
    if (!spec::writes(rule, arguments.beta)) return;
    check_output(call);
    return update_without_summands(rule, arguments);
  }
  check_output(call);
  add_operands(call, arguments, context);
  RegionCache& cache = RegionCache::of_this_thread();
  const FoundRegions* found = nullptr;
  // Where the data are not those of an entry, another one may admit them.
  do {
    found = cache.find(id_, context);
    if (found == nullptr) {
      spec::Context asked = context;
      asked.incx = arguments.incb;
      asked.incy = arguments.incc;
      const spec::Entry& covering = entry_of(spec_, asked);
      found = &cache.keep(id_, context, {&covering, map_of(spec_, covering, asked)});
    }
    if (reads_factors(found->map, arguments)) check_factors(call);
  } while (keeps_out(found->entry->guard, arguments, found->map, context));
  const spec::Entry& entry = *found->entry;
  const spec::RegionMap& map = found->map;
  admit_scalars(entry, context, arguments);
  const bool interprets = isa == kernels::Isa::interpreter;  // on the caller's thread
  kernels_of<T>(entry, isa).run(map, arguments, interprets ? 1 : workers);
}

std::string Products::kernels(const spec::Context& context, kernels::Isa isa) const {
  const Cover found = cover(context);
  if (isa == kernels::Isa::interpreter) return "interpreter: every output";
  const auto names = [&](int beta) {
    const std::int64_t k = context.shape.k;
    return spec::is_f32(context.type)
               ? kernels_of<float>(*found.entry, isa).names(found.map, k, static_cast<float>(beta))
               : kernels_of<double>(*found.entry, isa)
                     .names(found.map, k, static_cast<double>(beta));
  };
  const std::vector<std::string> others = names(1);
  std::string text;
  for (const std::string& name : others) text += (text.empty() ? "" : "; ") + name;
  for (const std::string& name : names(0))
    if (std::find(others.begin(), others.end(), name) == others.end())
      text += "; beta = 0: " + name;
  return text;
}

template void Products::run(const MatrixCall<float>&, int, kernels::Isa, int) const;
template void Products::run(const MatrixCall<double>&, int, kernels::Isa, int) const;
template Products::Cover Products::cover(const MatrixCall<float>&, spec::MatrixArguments<float>&,
                                         int, bool) const;
template Products::Cover Products::cover(const MatrixCall<double>&, spec::MatrixArguments<double>&,
                                         int, bool) const;
template const spec::EmptyRule& Products::empty(const MatrixCall<float>&,
                                                const spec::MatrixArguments<float>&, int) const;
template const spec::EmptyRule& Products::empty(const MatrixCall<double>&,
                                                const spec::MatrixArguments<double>&, int) const;

}  // namespace reprosum::runtime
