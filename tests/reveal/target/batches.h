// Random batches and a plain evaluation of them, for the tests of targets.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "reveal/target.h"

namespace reprosum::reveal::testing {

inline constexpr std::uint64_t kSeed = 20240607;

inline spec::Type type_of(bool wide) { return wide ? spec::Type::f64 : spec::Type::f32; }

// Small integers: every order gives the same, exact sum, in f32 as well.
class IntegerBatch {
 public:
  IntegerBatch(std::mt19937_64& engine, const Call& call, std::int64_t rows, int probes,
               bool with_y)
      : x_(values(engine, rows * call.k)), y_(values(engine, with_y ? rows * call.k : 0)) {
    batch_.call = call;
    batch_.rows = rows;
    for (int i = 0; i < probes; ++i) {
      batch_.probes.push_back({edits(engine, call.k), edits(engine, call.k)});
    }
    batch_.x = x_;
    batch_.y = y_;
  }
  IntegerBatch(const IntegerBatch&) = delete;
  IntegerBatch& operator=(const IntegerBatch&) = delete;

  Batch& batch() { return batch_; }

  // What any right implementation answers.
  std::vector<double> expected() const {
    static const std::vector<Probe> unchanged(1);
    const auto& probes = batch_.probes.empty() ? unchanged : batch_.probes;
    const Call& call = batch_.call;
    const auto n = static_cast<std::size_t>(call.k);
    std::vector<double> outputs;
    for (std::size_t row = 0; row < static_cast<std::size_t>(batch_.rows); ++row) {
      for (const Probe& probe : probes) {
        std::vector<double> x(x_.begin() + row * n, x_.begin() + (row + 1) * n);
        std::vector<double> y(n, 1.0);
        if (!y_.empty()) y.assign(y_.begin() + row * n, y_.begin() + (row + 1) * n);
        for (const Edit& edit : probe.x) x[static_cast<std::size_t>(edit.index)] = edit.value;
        for (const Edit& edit : probe.y) y[static_cast<std::size_t>(edit.index)] = edit.value;
        double sum = 0;
        for (std::size_t k = 0; k < n; ++k) {
          const double factor = call.incy == 0 ? y[0] : y[k];
          sum +=
              (call.incx == 0 ? x[0] : x[k]) * (call.routine == spec::Routine::dot ? factor : 1.0);
        }
        outputs.push_back(sum);
      }
    }
    return outputs;
  }

 private:
  static double value(std::mt19937_64& engine) {
    return static_cast<double>(static_cast<std::int64_t>(engine() % 17)) - 8;
  }
  static std::vector<double> values(std::mt19937_64& engine, std::int64_t count) {
    std::vector<double> result(static_cast<std::size_t>(count));
    for (double& entry : result) entry = value(engine);
    return result;
  }
  // Repeated indices included: the last one counts.
  static std::vector<Edit> edits(std::mt19937_64& engine, std::int64_t n) {
    std::vector<Edit> result;
    if (n == 0) return result;
    for (std::uint64_t left = engine() % 5; left > 0; --left) {
      result.push_back(
          {static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(n)), value(engine)});
    }
    return result;
  }

  std::vector<double> x_, y_;
  Batch batch_;
};

}  // namespace reprosum::reveal::testing
