#include "reveal/target/function_target.h"

#include <algorithm>

#include "reveal/target/layout.h"

namespace reprosum::reveal {
namespace {

// One vector of a row with the probe's edits applied to it.
class EditableRow {
 public:
  EditableRow(std::span<const double> all, std::int64_t row, std::int64_t n, std::int64_t increment)
      : shared_(increment == 0),
        values_(static_cast<std::size_t>(std::max<std::int64_t>(n, 0)), 1.0) {
    if (all.empty() || n <= 0) return;
    const auto base = all.subspan(static_cast<std::size_t>(row * n), static_cast<std::size_t>(n));
    if (shared_) {
      std::fill(values_.begin(), values_.end(), base[0]);
    } else {
      std::copy(base.begin(), base.end(), values_.begin());
    }
  }

  void apply(const std::vector<Edit>& edits) {
    undo_.clear();
    for (const Edit& edit : edits) {
      double& value = values_[static_cast<std::size_t>(edit.index)];
      if (shared_ && edit.index != 0) continue;
      undo_.push_back({edit.index, value});
      set(edit);
    }
  }
  void revert() {
    for (auto edit = undo_.rbegin(); edit != undo_.rend(); ++edit) set(*edit);
  }
  const double* data() const { return values_.data(); }

 private:
  void set(const Edit& edit) {
    if (shared_) {
      std::fill(values_.begin(), values_.end(), edit.value);
    } else {
      values_[static_cast<std::size_t>(edit.index)] = edit.value;
    }
  }

  bool shared_;
  std::vector<double> values_;
  std::vector<Edit> undo_;
};

}  // namespace

FunctionTarget::FunctionTarget(Function function,
                               std::vector<std::pair<spec::Routine, spec::Type>> routines,
                               std::string name)
    : function_(std::move(function)), routines_(std::move(routines)), name_(std::move(name)) {}

FunctionTarget::FunctionTarget(MatrixFunction function,
                               std::vector<std::pair<spec::Routine, spec::Type>> routines,
                               std::string name)
    : matrix_function_(std::move(function)),
      routines_(std::move(routines)),
      name_(std::move(name)) {}

bool FunctionTarget::has(spec::Routine routine, spec::Type type) {
  const bool matrix = routine == spec::Routine::gemv || routine == spec::Routine::gemm;
  if (!spec::is_native(type) || (matrix ? !matrix_function_ : !function_)) return false;
  return routines_.empty() ||
         std::find(routines_.begin(), routines_.end(), std::pair{routine, type}) != routines_.end();
}

Addresses addresses_of(const Call& call) {
  constexpr std::uint64_t kApart = std::uint64_t{1} << 36;
  const auto at = [&](std::uint64_t turn, int align) {
    return (call.place.is_reversed ? 4 - turn : turn) * kApart + static_cast<std::uint64_t>(align);
  };
  Addresses all{at(1, call.align_a), at(2, call.align_b), at(3, call.align_c)};
  if (call.place.shift)
    all.b =
        all.a + static_cast<std::uint64_t>(*call.place.shift * call.incx * element_size(call.type));
  return all;
}

void FunctionTarget::require(const Call& call) {
  const auto [routine, type] = std::pair{call.routine, call.type};
  if (!has(routine, type))
    throw TargetError("missing_symbol", name_ + " has no " + spec::blas_name(routine, type));
  if (call.cblas && !has_both_faces(routine, type))
    throw TargetError("declined", name_ + " has one face of " + spec::blas_name(routine, type));
}

void FunctionTarget::require_summands(std::int64_t count) const {
  if (count <= 0 && !takes_empty_calls_)
    throw TargetError("declined", name_ + " takes no calls without summands");
}

std::vector<std::pair<std::string, std::string>> FunctionTarget::identity() {
  return {{"target", "function:" + name_}};
}

std::vector<double> FunctionTarget::run(const Batch& batch) {
  check(batch);
  const Call& call = batch.call;
  require(call);
  require_summands(call.k);
  const bool dot = call.routine == spec::Routine::dot;
  const std::vector<Edit> no_edits;
  const std::vector<Probe> unchanged(1);
  const std::vector<Probe>& probes = batch.probes.empty() ? unchanged : batch.probes;
  std::vector<double> outputs;
  outputs.reserve(static_cast<std::size_t>(batch.rows) * probes.size());
  for (std::int64_t row = 0; row < batch.rows; ++row) {
    EditableRow x(batch.x, row, call.k, call.incx);
    EditableRow y(dot ? batch.y : std::span<const double>(), row, call.k, dot ? call.incy : 1);
    for (const Probe& probe : probes) {
      x.apply(probe.x);
      y.apply(dot ? probe.y : no_edits);
      ++calls_;
      outputs.push_back(function_(call, x.data(), y.data()));
      y.revert();
      x.revert();
    }
  }
  return outputs;
}

}  // namespace reprosum::reveal
