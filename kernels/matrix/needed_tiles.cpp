#include "kernels/matrix/needed_tiles.h"

#include <algorithm>
#include <utility>

#include "kernels/kernel.h"
#include "kernels/matrix/run_rectangle.h"
#include "spec/error.h"
#include "spec/evaluate/rectangles.h"
#include "spec/expand.h"
#include "spec/surface.h"

namespace reprosum::kernels {
namespace {

// A call of this shape on memory that nobody reads: dense operands.
template <class T>
spec::MatrixArguments<T> call_of(const spec::Entry& entry, const spec::Shape3& shape, T beta,
                                 T* memory) {
  spec::MatrixArguments<T> call;
  call.routine = entry.routine;
  call.trans_a = entry.guard.trans_a;
  call.trans_b = entry.guard.trans_b;
  call.m = shape.m;
  call.n = shape.n;
  call.k = shape.k;
  call.beta = beta;
  call.a = call.b = call.c = memory;
  call.lda = call.trans_a == spec::Trans::no ? shape.m : shape.k;
  call.ldb = call.trans_b == spec::Trans::no ? shape.k : shape.n;
  call.ldc = shape.m;
  return call;
}

std::vector<spec::Shape3> usual_shapes() {
  std::vector<spec::Shape3> shapes;
  for (const std::int64_t k : ahead_lengths())
    for (const std::int64_t m : ahead_sizes())
      for (const std::int64_t n : ahead_sizes()) shapes.push_back({m, n, k});
  return shapes;
}

}  // namespace

const std::vector<std::int64_t>& ahead_sizes() {
  static const auto& sizes = *new const std::vector<std::int64_t>{
      1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 15, 16, 17, 24, 31, 33, 64, 100, 1000};
  return sizes;
}

const std::vector<std::int64_t>& ahead_lengths() {
  static const auto& lengths = *new const std::vector<std::int64_t>{
      1,  2,  3,  4,  5,  6,  7,   8,   9,   10,  11,  12,  13,   14,  15,
      16, 17, 31, 32, 33, 64, 100, 257, 320, 385, 449, 500, 1000, 2000};
  return lengths;
}

void NeededTiles::add(const spec::Spec& spec, const spec::Entry& entry) {
  spec::is_f32(entry.type) ? add_typed<float>(spec, entry) : add_typed<double>(spec, entry);
}

void NeededTiles::check_covered() const {
  for (std::size_t s = 0; is_asked_ && s < shapes_.size(); ++s)
    if (!is_covered_[s])
      throw UserError("no product of the spec that kernels are made for covers m = " +
                      std::to_string(shapes_[s].m) + ", n = " + std::to_string(shapes_[s].n) +
                      ", k = " + std::to_string(shapes_[s].k));
}

NeededTiles::NeededTiles(AheadObjects& objects, std::vector<spec::Shape3> shapes)
    : objects_(objects),
      is_asked_(!shapes.empty()),
      shapes_(is_asked_ ? std::move(shapes) : usual_shapes()),
      is_covered_(shapes_.size()) {}

template <class T>
void NeededTiles::add_typed(const spec::Spec& spec, const spec::Entry& entry) {
  std::unique_ptr<T[]> memory;  // only its address is used
  std::int64_t elements = 0;
  std::map<std::tuple<std::size_t, OutputMode, std::int64_t>, ClassCode> codes;
  Workspace workspace;
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    const spec::Shape3& shape = shapes_[s];
    const auto [m, n, k] = shape;
    if (entry.routine == spec::Routine::gemv && n != 1) continue;
    if (m > entry.m_max || n > entry.n_max) continue;
    const auto map = spec::regions(entry.regimes, shape);
    if (!map || k > map->regime->k_max) continue;
    is_covered_[s] = true;
    if (const std::int64_t most = std::max({m * k, k * n, m * n}); most > elements) {
      memory.reset(new T[static_cast<std::size_t>(most)]);
      elements = most;
    }
    for (const spec::Rectangle& r : spec::rectangles(*map))
      for (const T beta : {T(0), T(1)}) {
        const spec::MatrixClass& kind = map->regime->classes[static_cast<std::size_t>(r.kind)];
        if (kind.order >= kMaxGeneratedOrders) continue;
        const OutputMode mode = output_mode(kind.beta_zero_at(k), beta);
        const auto [place, is_new] = codes.try_emplace({kind.order, mode, k});
        if (is_new) place->second = code_of(spec, kind.order, entry.type, mode, k);
        if (!place->second.why.empty()) continue;
        prepare_rectangle(place->second, call_of<T>(entry, shape, beta, memory.get()), r,
                          workspace);
      }
  }
}

ClassCode NeededTiles::code_of(const spec::Spec& spec, std::size_t number, spec::Type type,
                               OutputMode mode, std::int64_t k) {
  const spec::Order& order = spec.orders.at(number);
  auto& tiles = tiles_[{spec::meaning_hash(order), mode, type}];
  if (tiles == nullptr)
    tiles =
        std::make_shared<OrderTiles>(with_output(order, mode), type, objects_.isa(), "", &objects_);
  ClassCode code = class_code(tiles, k, mode);
  if (depends_on_data(order, k, mode)) code.why = "what takes the place of C depends on the data";
  return code;
}

}  // namespace reprosum::kernels
