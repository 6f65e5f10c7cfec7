#include "tests/reveal/matrix/planted_product.h"

#include <algorithm>

namespace reprosum::reveal::test {

std::vector<double> PlantedProduct::run_matrix(const MatrixBatch& batch) {
  const Call& call = batch.call;
  const auto m = static_cast<std::size_t>(call.m), n = static_cast<std::size_t>(call.n),
             k = static_cast<std::size_t>(call.k);
  std::vector<double> a(m * k), b(n * k), c(m * n);
  const auto fill = [](std::vector<double>& to, std::span<const double> from) {
    for (std::size_t s = 0; s < to.size(); ++s) to[s] = from[s % from.size()];
  };
  std::vector<std::pair<std::int64_t, std::int64_t>> outputs = batch.outputs;
  if (outputs.empty())
    for (std::int64_t j = 0; j < call.n; ++j)
      for (std::int64_t i = 0; i < call.m; ++i) outputs.push_back({i, j});
  std::vector<double> results;
  for (std::size_t p = 0; p < std::max<std::size_t>(1, batch.probes.size()); ++p) {
    fill(a, batch.a);
    fill(b, batch.b);
    fill(c, batch.c);
    if (p < batch.probes.size())
      for (const MatrixEdit& edit : batch.probes[p]) {
        const auto row = static_cast<std::size_t>(edit.row);
        const auto column = static_cast<std::size_t>(edit.column);
        if (edit.operand == MatrixEdit::Operand::a) a.at(row * k + column) = edit.value;
        if (edit.operand == MatrixEdit::Operand::b) b.at(column * k + row) = edit.value;
        if (edit.operand == MatrixEdit::Operand::c) c.at(column * m + row) = edit.value;
      }
    ++calls_;
    for (const auto& [i, j] : outputs)
      results.push_back(
          element_({call, i, j, a.data() + static_cast<std::size_t>(i) * k,
                    b.data() + static_cast<std::size_t>(j) * k, batch.alpha, batch.beta,
                    c[static_cast<std::size_t>(j) * m + static_cast<std::size_t>(i)]}));
  }
  return results;
}

CellsAt diagonal(spec::Routine routine, spec::Type type, std::int64_t m) {
  return [=](std::int64_t k) -> std::optional<Cells> {
    Cells cells;
    cells.call.routine = routine;
    cells.call.type = type;
    cells.call.m = m;
    cells.call.n = routine == spec::Routine::gemv ? 1 : m;
    cells.call.k = k;
    for (std::int64_t i = 0; i < m; ++i)
      cells.cells.push_back({i, routine == spec::Routine::gemv ? 0 : i});
    return cells;
  };
}

}  // namespace reprosum::reveal::test
