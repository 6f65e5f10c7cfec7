// gemv and gemm of a function target.
#include <limits>
#include <utility>

#include "reveal/target/function_target.h"
#include "reveal/target/matrix_layout.h"
#include "reveal/target/output_hash.h"

namespace reprosum::reveal {
namespace {

// `lines` times k values, from data that hold them all or one line for all. Nothing is copied
// before the first edit, as uniform data may have thousands of lines.
class EditableLines {
 public:
  EditableLines(std::span<const double> data, std::int64_t lines, std::int64_t k)
      : data_(data), k_(k), edited_(static_cast<std::size_t>(lines)) {
    step_ = data.size() == static_cast<std::size_t>(lines * k) ? k : 0;
  }
  const double* line(std::int64_t at) const {
    const auto& edited = edited_[static_cast<std::size_t>(at)];
    return edited.empty() ? data_.data() + at * step_ : edited.data();
  }
  void set(std::int64_t at, std::int64_t p, double value) {
    auto& edited = edited_[static_cast<std::size_t>(at)];
    if (edited.empty()) {
      const double* const base = line(at);
      edited.assign(base, base + k_);
      changed_.push_back(static_cast<std::size_t>(at));
    }
    edited[static_cast<std::size_t>(p)] = value;
  }
  void revert() {
    for (const std::size_t at : changed_) edited_[at].clear();
    changed_.clear();
  }

 private:
  std::span<const double> data_;
  std::int64_t k_;
  std::int64_t step_;
  std::vector<std::vector<double>> edited_;
  std::vector<std::size_t> changed_;
};

}  // namespace

std::vector<double> FunctionTarget::run_matrix(const MatrixBatch& batch) {
  using Operand = MatrixEdit::Operand;
  check(batch);
  const Call& call = batch.call;
  require(call);
  require_summands(call.k);
  const std::vector<std::vector<MatrixEdit>> unchanged(1);
  const auto& probes = batch.probes.empty() ? unchanged : batch.probes;
  EditableLines a(batch.a, call.m, call.k), b(batch.b, call.n, call.k);
  std::vector<double> outputs;
  for (const auto& probe : probes) {
    for (const MatrixEdit& edit : probe) {
      if (edit.operand == Operand::a) a.set(edit.row, edit.column, edit.value);
      if (edit.operand == Operand::b) b.set(edit.column, edit.row, edit.value);
    }
    const auto old = [&](std::int64_t i, std::int64_t j) {
      for (auto edit = probe.rbegin(); edit != probe.rend(); ++edit) {
        if (edit->operand == Operand::c && edit->row == i && edit->column == j) return edit->value;
      }
      if (batch.c.empty()) return std::numeric_limits<double>::quiet_NaN();
      return batch.c.size() == 1 ? batch.c[0] : batch.c[static_cast<std::size_t>(i + j * call.m)];
    };
    const auto put = [&](std::int64_t i, std::int64_t j) {
      outputs.push_back(
          matrix_function_(call, i, j, a.line(i), b.line(j), batch.alpha, batch.beta, old(i, j)));
    };
    ++calls_;
    if (batch.outputs.empty()) {
      for (std::int64_t j = 0; j < call.n; ++j) {
        for (std::int64_t i = 0; i < call.m; ++i) put(i, j);
      }
    }
    for (const auto& [i, j] : batch.outputs) put(i, j);
    a.revert();
    b.revert();
  }
  return outputs;
}

std::vector<std::uint64_t> FunctionTarget::signatures(const Call& call,
                                                      std::span<const UniformProbe> probes) {
  check(call, probes);
  require(call);
  std::vector<std::uint64_t> hashes(static_cast<std::size_t>(call.m * call.n), kHashSeed);
  for (const UniformProbe& probe : probes) {
    ++calls_;
    std::size_t at = 0;
    for (std::int64_t j = 0; j < call.n; ++j) {
      for (std::int64_t i = 0; i < call.m; ++i, ++at) {
        const double output = matrix_function_(call, i, j, probe.a.data(), probe.b.data(),
                                               probe.alpha, probe.beta, probe.c);
        const std::uint64_t bits = spec::is_f32(call.type)
                                       ? canonical_bits(static_cast<float>(output))
                                       : canonical_bits(output);
        hashes[at] = hash_step(hashes[at], bits);
      }
    }
  }
  for (std::uint64_t& hash : hashes) hash = hash_end(hash);
  return hashes;
}

}  // namespace reprosum::reveal
