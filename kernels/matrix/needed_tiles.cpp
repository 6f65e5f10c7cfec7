#include "kernels/matrix/needed_tiles.h"

#include <algorithm>
#include <utility>

#include "kernels/kernel.h"
#include "kernels/matrix/rectangles.h"
#include "kernels/matrix/run_rectangle.h"
#include "spec/expand.h"
#include "spec/surface.h"

namespace reprosum::kernels {
namespace {

// A call of this shape on memory that nobody reads: dense operands.
template <class T>
MatrixArguments<T> call_of(const spec::MatrixEntry& entry, const spec::Shape3& shape, T beta,
                           T* memory) {
  MatrixArguments<T> call;
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

std::int64_t largest(const std::vector<std::int64_t>& sizes) {
  return *std::max_element(sizes.begin(), sizes.end());
}

}  // namespace

const std::vector<std::int64_t>& ahead_sizes() {
  static const std::vector<std::int64_t> sizes{1,  2,  3,  4,  5,  6,  7,  8,  9,   11,
                                               12, 15, 16, 17, 24, 31, 33, 64, 100, 1000};
  return sizes;
}

const std::vector<std::int64_t>& ahead_lengths() {
  static const std::vector<std::int64_t> lengths{1,  2,   3,   4,   5,   6,   7,   8,    9,   10,
                                                 11, 12,  13,  14,  15,  16,  17,  31,   32,  33,
                                                 64, 100, 257, 320, 385, 449, 500, 1000, 2000};
  return lengths;
}

void NeededTiles::add(const spec::Spec& spec, const spec::MatrixEntry& entry) {
  entry.type == spec::Type::f32 ? add_typed<float>(spec, entry) : add_typed<double>(spec, entry);
}

template <class T>
void NeededTiles::add_typed(const spec::Spec& spec, const spec::MatrixEntry& entry) {
  const std::vector<std::int64_t> one{1};
  const auto& columns = entry.routine == spec::Routine::gemv ? one : ahead_sizes();
  // Only its address is used.
  const std::unique_ptr<T[]> memory(
      new T[static_cast<std::size_t>(largest(ahead_sizes()) * largest(ahead_lengths()))]);
  Workspace workspace;
  for (const std::int64_t k : ahead_lengths()) {
    std::map<std::pair<std::size_t, OutputMode>, ClassCode> codes;
    for (const std::int64_t m : ahead_sizes())
      for (const std::int64_t n : columns) {
        if (m > entry.m_max || n > entry.n_max) continue;
        const auto map = spec::regions(entry.regimes, {m, n, k});
        if (!map || k > map->regime->k_max) continue;
        for (const Rectangle& r : rectangles(*map))
          for (const T beta : {T(0), T(1)}) {
            const spec::MatrixClass& kind = map->regime->classes[static_cast<std::size_t>(r.kind)];
            const OutputMode mode = output_mode(kind.beta_zero_at(k), beta);
            const spec::Order& order = spec.orders.at(kind.order);
            if (kind.order >= kMaxGeneratedOrders) continue;
            const auto [place, is_new] = codes.try_emplace({kind.order, mode});
            if (is_new) {
              auto& tiles = tiles_[{spec::meaning_hash(order), mode, entry.type}];
              if (tiles == nullptr)
                tiles = std::make_shared<OrderTiles>(with_output(order, mode), entry.type,
                                                     objects_.isa(), "", &objects_);
              place->second = class_code(tiles, k, mode);
              if (is_dropped(mode) && spec::leaves_products_out(order))
                place->second.why = "what takes the place of C depends on the data";
            }
            if (!place->second.why.empty()) continue;
            prepare_rectangle(place->second, call_of<T>(entry, {m, n, k}, beta, memory.get()), r,
                              workspace);
          }
      }
  }
}

}  // namespace reprosum::kernels
