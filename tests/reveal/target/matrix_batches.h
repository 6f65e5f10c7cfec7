// Random matrix batches and a plain evaluation of them, for the tests of targets.
#pragma once

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "reveal/target.h"
#include "tests/reveal/target/batches.h"

namespace reprosum::reveal::testing {

// What a random context may contain.
struct MatrixContexts {
  std::int64_t largest = 12;
  bool row_major = true;
  bool empty = true;  // sizes of 0
};

inline Call random_matrix_call(std::mt19937_64& engine, const MatrixContexts& allowed = {}) {
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(bound));
  };
  const auto size = [&] {
    return allowed.empty ? below(allowed.largest + 1) : 1 + below(allowed.largest);
  };
  const std::int64_t increments[] = {1, 2, 3, -1, -2};
  Call call;
  call.routine = below(2) ? spec::Routine::gemm : spec::Routine::gemv;
  call.type = type_of(below(2));
  const bool gemm = call.routine == spec::Routine::gemm;
  const int element = spec::bytes(call.type);
  call.trans_a = below(2) ? spec::Trans::yes : spec::Trans::no;
  call.trans_b = gemm && below(2) ? spec::Trans::yes : spec::Trans::no;
  call.row_major = allowed.row_major && below(2);
  call.m = size();
  call.n = gemm ? size() : 1;
  call.k = size();
  call.incx = gemm ? 1 : increments[below(5)];
  call.incy = gemm ? 1 : increments[below(5)];
  call.pad_a = below(4);
  call.pad_b = gemm ? below(4) : 0;
  call.pad_c = gemm ? below(4) : 0;
  call.align_a = static_cast<int>(below(64 / element)) * element;
  call.align_b = static_cast<int>(below(64 / element)) * element;
  call.align_c = static_cast<int>(below(64 / element)) * element;
  return call;
}

// Small integers: every order gives the same, exact sum, in f32 as well.
class IntegerMatrixBatch {
 public:
  // C is left out (and must not be read) in half of the batches with beta = 0.
  IntegerMatrixBatch(std::mt19937_64& engine, const Call& call, int probes)
      : a_(values(engine, engine() % 2 ? call.m * call.k : call.k)),
        b_(values(engine, engine() % 2 ? call.n * call.k : call.k)),
        c_(values(engine, engine() % 2 ? call.m * call.n : 1)) {
    batch_.call = call;
    batch_.alpha = value(engine);
    batch_.beta = engine() % 3 ? value(engine) : 0.0;
    if (batch_.beta == 0 && engine() % 2) c_.clear();
    for (int i = 0; i < probes; ++i) batch_.probes.push_back(edits(engine, call));
    if (call.m * call.n > 0 && engine() % 2) {
      for (std::uint64_t left = 1 + engine() % 9; left > 0; --left) {
        batch_.outputs.emplace_back(index(engine, call.m), index(engine, call.n));
      }
    }
    batch_.a = a_;
    batch_.b = b_;
    batch_.c = c_;
  }
  IntegerMatrixBatch(const IntegerMatrixBatch&) = delete;
  IntegerMatrixBatch& operator=(const IntegerMatrixBatch&) = delete;

  MatrixBatch& batch() { return batch_; }

  // What any right implementation answers.
  std::vector<double> expected() const {
    const Call& call = batch_.call;
    const std::int64_t m = call.m, n = call.n, k = call.k;
    static const std::vector<std::vector<MatrixEdit>> unchanged(1);
    std::vector<double> outputs;
    for (const auto& probe : batch_.probes.empty() ? unchanged : batch_.probes) {
      std::vector<std::vector<double>> a(m, std::vector<double>(k)), b(k, std::vector<double>(n)),
          c(m, std::vector<double>(n));
      for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t p = 0; p < k; ++p) a[i][p] = at(a_, m * k, i * k + p, p);
      }
      for (std::int64_t p = 0; p < k; ++p) {
        for (std::int64_t j = 0; j < n; ++j) b[p][j] = at(b_, n * k, j * k + p, p);
      }
      for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) c[i][j] = c_.empty() ? 0 : at(c_, m * n, i + j * m, 0);
      }
      for (const MatrixEdit& edit : probe) {
        auto& matrix = edit.operand == MatrixEdit::Operand::a   ? a
                       : edit.operand == MatrixEdit::Operand::b ? b
                                                                : c;
        matrix[edit.row][edit.column] = edit.value;
      }
      const auto output = [&](std::int64_t i, std::int64_t j) {
        double sum = 0;
        for (std::int64_t p = 0; p < k; ++p) sum += a[i][p] * b[p][j];
        return batch_.alpha * sum + batch_.beta * c[i][j];
      };
      if (batch_.outputs.empty()) {
        for (std::int64_t j = 0; j < n; ++j) {
          for (std::int64_t i = 0; i < m; ++i) outputs.push_back(output(i, j));
        }
      }
      for (const auto& [i, j] : batch_.outputs) outputs.push_back(output(i, j));
    }
    return outputs;
  }

 private:
  static double value(std::mt19937_64& engine) { return static_cast<double>(engine() % 17) - 8; }
  static std::vector<double> values(std::mt19937_64& engine, std::int64_t count) {
    std::vector<double> result(static_cast<std::size_t>(count));
    for (double& entry : result) entry = value(engine);
    return result;
  }
  static double at(const std::vector<double>& data, std::int64_t all, std::int64_t full,
                   std::int64_t shared) {
    return data[static_cast<std::size_t>(data.size() == static_cast<std::size_t>(all) ? full
                                                                                      : shared)];
  }
  static std::int64_t index(std::mt19937_64& engine, std::int64_t bound) {
    return static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(bound));
  }
  // Repeated places included: the last one counts.
  std::vector<MatrixEdit> edits(std::mt19937_64& engine, const Call& call) const {
    using Operand = MatrixEdit::Operand;
    std::vector<MatrixEdit> result;
    for (std::uint64_t left = engine() % 9; left > 0; --left) {
      const auto operand = static_cast<Operand>(engine() % 3);
      const std::int64_t rows = operand == Operand::b ? call.k : call.m;
      const std::int64_t columns = operand == Operand::a ? call.k : call.n;
      if (rows == 0 || columns == 0) continue;
      result.push_back({operand, index(engine, rows), index(engine, columns), value(engine)});
    }
    return result;
  }

  std::vector<double> a_, b_, c_;
  MatrixBatch batch_;
};

}  // namespace reprosum::reveal::testing
