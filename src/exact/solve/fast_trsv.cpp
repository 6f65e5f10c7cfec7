#include "src/exact/solve/fast_trsv.h"

#include <new>
#include <vector>

#include "src/exact/solve/fast_solve.h"
#include "src/exact/solve/solve_kernels.h"

namespace reprosum::exact {
namespace {

// Certified floats are tried in plain doubles first; what that finds of sizes gives pairs their
// anchors.
template <class T, bool kCertified>
bool solve_floats(const Kernels* kernels, const SolveKernels& all, const Triangular<T>& system,
                  View<T> b) {
  std::vector<double> sizes;
  {
    const SolveKernel<float>& loops =
        kernels->converts_slowly ? all.first_solve : all.first_solve_converting;
    FastSolve<T, kCertified, false> plain(kernels, all, loops, system, b);
    if (plain.run(nullptr, nullptr)) return true;
    if (!kCertified) return false;
    sizes.assign(plain.sizes(), plain.sizes() + system.n);
  }
  const Correction<T> correction{all.float_residual, all.plain_solve};
  return FastSolve<T, true, true>(kernels, all, all.float_solve, system, b)
      .run(sizes.data(), &correction);
}

template <class T, bool kCertified>
bool solve_fast(const Kernels* kernels, const Triangular<T>& system, View<T> b) {
  constexpr std::int64_t kMost = std::int64_t{1} << 22;
  const SolveKernels* const all = kernels != nullptr ? solve_kernels(kernels->lanes) : nullptr;
  if (all == nullptr || system.n > kMost) return false;
  if (system.a.row != 1 && system.a.column != 1) return false;
  try {
    if constexpr (sizeof(T) == 8) {
      const Correction<T> correction{all->residual, all->plain_doubles};
      return FastSolve<T, kCertified, true>(kernels, *all, all->solve, system, b)
          .run(nullptr, &correction);
    } else {
      return solve_floats<T, kCertified>(kernels, *all, system, b);
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
