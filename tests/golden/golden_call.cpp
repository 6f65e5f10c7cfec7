#include "tests/golden/golden_call.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <set>

#include "kernels/object_cache.h"
#include "reveal/check/matrix_check.h"
#include "spec/error.h"
#include "spec/expand.h"
#include "spec/names.h"
#include "spec/surface.h"
#include "src/cli/device_calls.h"
#include "src/report/entries.h"

namespace reprosum::golden {
namespace {

constexpr std::int64_t kSizes[] = {1,    2,    3,    5,    7,    8,    9,      15,     17,     31,
                                   33,   63,   65,   100,  127,  129,  255,    257,    511,    1000,
                                   1023, 1025, 2047, 2049, 4095, 4097, 10'007, 65'537, 100'003};
constexpr int kDrawnSizes = 8;
constexpr std::int64_t kLongRow = 5000, kManyRows = reveal::kAllKinds, kFewRows = 4;
constexpr double kProducts = 200'000;  // multiplications of the shapes of one regime
constexpr std::int64_t kMostProducts = 1'000'000;
constexpr std::size_t kShapes = 40;  // of one rule

template <class T>
void append(std::string& bytes, T value) {
  if (std::isnan(value)) value = std::numeric_limits<T>::quiet_NaN();  // payloads are nobody's
  const auto bits = std::bit_cast<std::array<char, sizeof(T)>>(value);
  bytes.append(bits.data(), bits.size());
}

template <class T>
std::string hash(std::initializer_list<const std::vector<T>*> parts) {
  std::string bytes;
  for (const auto* const part : parts)
    for (const T value : *part) append(bytes, value);
  return kernels::sha256(bytes);
}

template <class T>
std::string inputs_hash(const cli::Sums<T>& sums) {
  return hash<T>({&sums.x, &sums.y});
}
template <class T>
std::string inputs_hash(const cli::Product<T>& product) {
  const std::vector<T> scalars{product.alpha, product.beta};
  return hash<T>({&scalars, &product.a, &product.b, &product.c});
}

template <class T>
cli::Sums<T> sums_of(const spec::Entry& entry, const Call& call) {
  reveal::FastRandom random(call.seed);
  std::vector<reveal::Data> kinds;
  for (std::int64_t row = 0; row < call.shape.m; ++row)
    kinds.push_back(static_cast<reveal::Data>((call.kind + row) % reveal::kAllKinds));
  return cli::draw_sums<T>(entry, call.shape.k, kinds, random);
}

template <class T>
cli::Product<T> product_of(const spec::Entry& entry, const Call& call) {
  reveal::FastRandom random(call.seed);
  return cli::draw_product<T>(entry, call.shape, static_cast<reveal::Data>(call.kind), random);
}

spec::RegionMap map_of(const spec::Entry& entry, const Call& call) {
  auto map = spec::regions(entry.regimes, call.shape);
  if (!map) throw UserError("no regime covers the shape");
  return *std::move(map);
}

// `place` is the entry's among those of its kind: what is drawn hangs on it.
void add_sums(const spec::Spec& spec, std::size_t at, std::size_t place, std::vector<Call>& out) {
  const spec::Entry& entry = spec.entries[at];
  const std::int64_t most =
      std::min(spec::most_summands(entry), spec::covered_to(spec.orders.at(spec::order_of(entry))));
  std::set<std::int64_t> sizes;
  for (const std::int64_t n : kSizes) sizes.insert(std::min(n, most));
  reveal::FastRandom random(place);
  for (int k = 0; k < kDrawnSizes; ++k)
    sizes.insert(1 + random.below(std::min<std::int64_t>(most, k % 2 == 0 ? 300 : 3000)));
  for (const std::int64_t n : sizes) {
    Call call;
    call.entry = at;
    call.shape = {n > kLongRow ? kFewRows : kManyRows, 1, n};
    call.kind = n > kLongRow ? random.below(reveal::kAllKinds) : 0;
    call.seed = random.bits();
    out.push_back(call);
  }
}

void add_products(const spec::Spec& spec, std::size_t at, std::size_t place,
                  std::vector<Call>& out) {
  const spec::Entry& entry = spec.entries[at];
  const bool is_gemv = entry.routine == spec::Routine::gemv;
  const auto inside =
      reveal::shapes_inside(entry.regimes, is_gemv, report::largest(entry), kProducts, place);
  const std::size_t step = std::max<std::size_t>(1, (inside.size() + kShapes - 1) / kShapes);
  reveal::FastRandom random(1000 + place);
  std::int64_t kind = 0;
  for (std::size_t k = 0; k < inside.size(); k += step) {
    if (inside[k].m * inside[k].n * inside[k].k > kMostProducts) continue;
    Call call;
    call.is_product = true;
    call.entry = at;
    call.shape = inside[k];
    call.kind = kind++ % reveal::kAllKinds;
    call.seed = random.bits();
    out.push_back(call);
  }
}

}  // namespace

template <class T>
void SpecCalls::interpret_as(Call& call) const {
  const spec::Entry& entry = entry_of(call);
  if (call.is_product) {
    const auto product = product_of<T>(entry, call);
    const auto out = cli::interpret(map_of(entry, call), spec_.orders, product);
    call.inputs = inputs_hash(product);
    call.outputs = hash<T>({&out});
  } else {
    const auto sums = sums_of<T>(entry, call);
    const auto out = cli::interpret(spec_.orders.at(spec::order_of(entry)), sums);
    call.inputs = inputs_hash(sums);
    call.outputs = hash<T>({&out});
  }
}

template <class T>
kernels::launch::Launches SpecCalls::launches_as(const Call& call) {
  const spec::Entry& entry = entry_of(call);
  if (call.is_product) {
    auto& texts = products_[call.entry];
    if (texts == nullptr)
      texts = std::make_unique<const kernels::launch::MatrixLaunches>(spec_, entry);
    const spec::RegionMap map = map_of(entry, call);
    return cli::launches_of(*texts, map, product_of<T>(entry, call));
  }
  auto& texts = sums_[call.entry];
  if (texts == nullptr)
    runtime::with_room([&] {
      texts = std::make_unique<const kernels::launch::SumLaunches>(
          spec_.orders.at(spec::order_of(entry)), entry.routine, entry.type);
    });
  return cli::launches_of(*texts, call.shape.k, call.shape.m);
}

template <class T>
Call SpecCalls::run_as(const Call& call, runtime::DeviceWork& work) {
  Call out = call;
  const auto launches = launches_as<T>(call);
  if (call.is_product) {
    const auto product = product_of<T>(entry_of(call), call);
    const auto got = cli::run(work, launches, product);
    out.inputs = inputs_hash(product);
    out.outputs = hash<T>({&got});
  } else {
    const auto sums = sums_of<T>(entry_of(call), call);
    const auto got = cli::run(work, launches, sums);
    out.inputs = inputs_hash(sums);
    out.outputs = hash<T>({&got});
  }
  return out;
}

std::vector<Call> SpecCalls::all() const {
  const spec::Spec& spec = spec_;
  std::vector<Call> out;
  std::size_t sums = 0, products = 0;
  for (std::size_t at = 0; at < spec.entries.size(); ++at) {
    const spec::Entry& entry = spec.entries[at];
    const bool is_product = spec::has_matrices(entry.routine);
    const std::size_t place = is_product ? products++ : sums++;
    const auto same = [&](const spec::Entry& other) {
      return other.routine == entry.routine && other.type == entry.type &&
             (is_product ? other.regimes == entry.regimes
                         : spec::order_of(other) == spec::order_of(entry));
    };
    const auto first = std::find_if(spec.entries.begin(), spec.entries.end(), same);
    if (!spec::is_native(entry.type) || first - spec.entries.begin() != std::ptrdiff_t(at))
      continue;
    is_product ? add_products(spec, at, place, out) : add_sums(spec, at, place, out);
  }
  return out;
}

bool SpecCalls::interpret(Call& call, std::string& why) {
  try {
    launches(call);
    is_f32(call) ? interpret_as<float>(call) : interpret_as<double>(call);
    return true;
  } catch (const UserError& e) {
    why = e.what();
    return false;
  }
}

kernels::launch::Launches SpecCalls::launches(const Call& call) {
  return is_f32(call) ? launches_as<float>(call) : launches_as<double>(call);
}

Call SpecCalls::run(const Call& call, runtime::DeviceWork& work) {
  return is_f32(call) ? run_as<float>(call, work) : run_as<double>(call, work);
}

const spec::Entry& SpecCalls::entry_of(const Call& call) const {
  const spec::Entry& entry = spec_.entries.at(call.entry);
  if (spec::has_matrices(entry.routine) != call.is_product)
    throw UserError(fmt::format("entry {} is of {}", call.entry, spec::name(entry.routine)));
  return entry;
}

bool SpecCalls::is_f32(const Call& call) const { return spec::is_f32(entry_of(call).type); }

std::string SpecCalls::describe(const Call& call) const {
  const spec::Entry& entry = entry_of(call);
  if (call.is_product)
    return fmt::format("{} of entry {}, m = {}, n = {}, k = {}, data '{}', seed {}",
                       spec::blas_name(entry.routine, entry.type), call.entry, call.shape.m,
                       call.shape.n, call.shape.k,
                       reveal::name(static_cast<reveal::Data>(call.kind)), call.seed);
  return fmt::format("{} of entry {}, n = {}, {} rows, seed {}",
                     spec::blas_name(entry.routine, entry.type), call.entry, call.shape.k,
                     call.shape.m, call.seed);
}

}  // namespace reprosum::golden
