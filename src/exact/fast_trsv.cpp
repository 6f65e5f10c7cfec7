#include "src/exact/fast_trsv.h"

#include <new>
#include <vector>

#include "src/exact/fast_solve.h"
#include "src/exact/tiles.h"

namespace reprosum::exact {
namespace {

// Certified floats are tried in plain doubles first; what that finds of sizes gives pairs their
// anchors.
template <class T, bool kCertified>
bool solve_floats(const Kernels* kernels, const TileKernels& tiles, const Triangular<T>& system,
                  View<T> b) {
  std::vector<double> sizes;
  {
    const SolveKernel<float>& loops =
        kernels->converts_slowly ? tiles.first_solve : tiles.first_solve_converting;
    FastSolve<T, kCertified, false> plain(kernels, tiles, loops, system, b);
    if (plain.run(nullptr, nullptr)) return true;
    if (!kCertified) return false;
    sizes.assign(plain.sizes(), plain.sizes() + system.n);
  }
  const Correction<T> correction{tiles.float_residual, tiles.plain_solve};
  return FastSolve<T, true, true>(kernels, tiles, tiles.float_solve, system, b)
      .run(sizes.data(), &correction);
}

template <class T, bool kCertified>
bool solve_fast(const Kernels* kernels, const Triangular<T>& system, View<T> b) {
  constexpr std::int64_t kMost = std::int64_t{1} << 22;
  const TileKernels* const tiles = kernels != nullptr ? tile_kernels(kernels->lanes) : nullptr;
  if (tiles == nullptr || system.n > kMost) return false;
  if (system.a.row != 1 && system.a.column != 1) return false;
  try {
    if constexpr (sizeof(T) == 8) {
      const Correction<T> correction{tiles->residual, tiles->plain_doubles};
      return FastSolve<T, kCertified, true>(kernels, *tiles, tiles->solve, system, b)
          .run(nullptr, &correction);
    } else {
      return solve_floats<T, kCertified>(kernels, *tiles, system, b);
    }
  } catch (const std::bad_alloc&) {
    return false;  // before anything was written
  }
}

}  // namespace

template <class T>
bool substitute_fast(const Kernels* kernels, const Triangular<T>& system, View<T> b) {
  return solve_fast<T, false>(kernels, system, b);
}
template <class T>
bool solve_certified_fast(const Kernels* kernels, const Triangular<T>& system, View<T> b) {
  return solve_fast<T, true>(kernels, system, b);
}

template bool substitute_fast(const Kernels*, const Triangular<float>&, View<float>);
template bool substitute_fast(const Kernels*, const Triangular<double>&, View<double>);
template bool solve_certified_fast(const Kernels*, const Triangular<float>&, View<float>);
template bool solve_certified_fast(const Kernels*, const Triangular<double>&, View<double>);

}  // namespace reprosum::exact
