#include "reveal/target/matrix_caller.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "reveal/target/matrix_layout.h"
#include "reveal/target/matrix_server.h"
#include "reveal/target/probed_library.h"

namespace reprosum::reveal {
namespace {

// Results are fetched in pieces of about this size: what fits a second-level cache is cheap to
// copy, and a round trip costs little against it.
constexpr std::size_t kResultsAtOnce = std::size_t{8} << 20;

// Batches up to about this much of shared memory and multiplications go into one request: a round
// trip costs little against them, and their deadline is that of one batch.
constexpr std::size_t kBytesTogether = std::size_t{1} << 20;
constexpr double kWorkTogether = 1e7;

[[noreturn]] void decline(const Call& call, const std::string& why) {
  throw TargetError("declined", fmt::format("{}: {}", describe(call), why));
}

std::byte* put(std::span<const double> values, std::byte* to) {
  if (!values.empty()) std::memcpy(to, values.data(), values.size_bytes());
  return to + values.size_bytes();
}

std::size_t value_bytes(const MatrixBatch& batch) {
  return batch.a.size_bytes() + batch.b.size_bytes() + batch.c.size_bytes();
}

}  // namespace

void MatrixCaller::decline_unless_callable(const Call& call) const {
  constexpr std::int64_t kIntMax = std::numeric_limits<int>::max();
  const auto require_int = [&](std::int64_t value) {
    if (value >= -kIntMax && value <= kIntMax) return;
    decline(call, fmt::format("{} does not fit the routine's 32-bit integers", value));
  };
  // Before the layouts, whose products must not overflow.
  for (const std::int64_t value :
       {call.m, call.n, call.k, call.incx, call.incy, call.pad_a, call.pad_b, call.pad_c}) {
    require_int(value);
  }
  if (call.routine == spec::Routine::gemv && (call.incx == 0 || call.incy == 0)) {
    decline(call, "BLAS has no gemv with an increment of 0");
  }
  const std::string name = spec::blas_name(call.routine, call.type);
  if (call.row_major && !connection_.has_fact("row_major." + name)) {
    decline(call, fmt::format("{} takes no matrices by rows{}", connection_.library(),
                              connection_.kind() == kBlas ? ": it has no cblas_" + name : ""));
  }
  if (call.cblas && !connection_.has_fact(kOtherFace + name))
    decline(call, fmt::format("{} has one face of {}", connection_.library(), name));
  if (call.conjugate && connection_.kind() != kBlas)
    decline(call, "conjugate transposes are asked of BLAS libraries alone");
  if (((call.align_a | call.align_b | call.align_c) != 0 || call.place != Place{}) &&
      connection_.has_fact(kAddresses))
    decline(call, "operands begin where the device's memory does");
  const MatrixLayouts layouts = layouts_of(call);
  for (const OperandLayout& layout : layouts) require_int(layout.leading);
  if (operand_bytes(layouts, call.type) > kOperandsBytes) {
    decline(call, fmt::format("the operands need more than {} bytes", kOperandsBytes));
  }
}

MatrixRequest MatrixCaller::request_of(const MatrixBatch& batch) const {
  const Call& call = batch.call;
  decline_unless_callable(call);
  MatrixRequest request;
  request.call = call;
  request.routine = routine_index(call.routine, call.type);
  request.alpha = batch.alpha;
  request.beta = batch.beta;
  request.a_values = static_cast<std::int64_t>(batch.a.size());
  request.b_values = static_cast<std::int64_t>(batch.b.size());
  request.c_values = static_cast<std::int64_t>(batch.c.size());
  request.all_outputs = batch.outputs.empty();
  request.outputs =
      request.all_outputs ? call.m * call.n : static_cast<std::int64_t>(batch.outputs.size());
  const auto per_probe = static_cast<std::size_t>(request.outputs);
  if (per_probe > kResultsBytes / sizeof(double) ||
      batch.outputs.size() > kWantedBytes / sizeof(WantedOutput)) {
    decline(call, fmt::format("{} outputs are too many", per_probe));
  }
  if (value_bytes(batch) > kValuesBytes) {
    decline(call, fmt::format("the base data have more than {} bytes", kValuesBytes));
  }
  return request;
}

void MatrixCaller::put_values(const MatrixBatch& batch, std::size_t at) {
  put(batch.c, put(batch.b, put(batch.a, connection_.data() + kValuesOffset + at)));
}

void MatrixCaller::put_wanted(const MatrixBatch& batch, std::size_t at) {
  std::byte* to = connection_.data() + kWantedOffset + at;
  for (const auto& [row, column] : batch.outputs) {
    const WantedOutput output{row, column};
    std::memcpy(to, &output, sizeof output);
    to += sizeof output;
  }
}

// Writes probes [from, from + result) of the batch; without probes, one that changes nothing.
std::int64_t MatrixCaller::encode_probes(const MatrixBatch& batch, std::size_t from,
                                         std::size_t at_most, std::size_t at) {
  std::byte* to = connection_.data() + kEditsOffset + at;
  const std::byte* const end = connection_.data() + kEditsOffset + kEditsBytes;
  const auto put_record = [&](const auto& record) {
    std::memcpy(to, &record, sizeof record);
    to += sizeof record;
  };
  if (batch.probes.empty()) {
    put_record(std::int64_t{0});
    return 1;
  }
  std::size_t count = 0;
  for (; count < at_most && from + count < batch.probes.size(); ++count) {
    const auto& probe = batch.probes[from + count];
    const auto left = static_cast<std::size_t>(end - to);
    if (sizeof(std::int64_t) + probe.size() * sizeof(MatrixEditRecord) > left) break;
    put_record(static_cast<std::int64_t>(probe.size()));
    for (const MatrixEdit& edit : probe) {
      put_record(MatrixEditRecord{edit.operand, edit.row, edit.column, edit.value});
    }
  }
  if (count == 0) {
    decline(batch.call, fmt::format("the edits of one probe need more than {} bytes", kEditsBytes));
  }
  return static_cast<std::int64_t>(count);
}

std::vector<double> MatrixCaller::run(const MatrixBatch& batch) {
  const Call& call = batch.call;
  MatrixRequest request = request_of(batch);
  const auto per_probe = static_cast<std::size_t>(request.outputs);
  const Placed wanted{call,           batch.base_id,  connection_.ready(),
                      batch.a.size(), batch.b.size(), batch.c.size()};
  request.place = batch.base_id == 0 || placed_ != wanted;
  const auto deadline = connection_.deadline();
  if (request.place) {
    placed_.reset();
    connection_.forget_unused(kValuesOffset, values_touched_, value_bytes(batch));
    put_values(batch, 0);
  }
  connection_.forget_unused(kWantedOffset, wanted_touched_,
                            batch.outputs.size() * sizeof(WantedOutput));
  put_wanted(batch, 0);
  const std::size_t probes = std::max<std::size_t>(1, batch.probes.size());
  const std::size_t at_once = std::max<std::size_t>(
      1, kResultsAtOnce / sizeof(double) / std::max<std::size_t>(1, per_probe));
  std::vector<double> outputs(probes * per_probe);
  for (std::size_t probe = 0; probe < probes;) {
    request.probes = encode_probes(batch, probe, at_once, 0);
    const auto count = static_cast<std::size_t>(request.probes);
    connection_.forget_unused(kResultsOffset, results_touched_, count * per_probe * sizeof(double));
    connection_.control().matrices[0] = request;
    connection_.control().matrix_count = 1;
    connection_.exchange(RequestKind::matrix, deadline, [&] { return "ran " + describe(call); });
    const auto* from = reinterpret_cast<const double*>(connection_.data() + kResultsOffset);
    std::copy_n(from, count * per_probe, outputs.data() + probe * per_probe);
    probe += count;
    request.place = false;
  }
  placed_ = wanted;
  return outputs;
}

// How many of the first batches are small enough, all in all, to be answered by one request.
std::size_t MatrixCaller::count_together(std::span<const MatrixBatch> batches) const {
  std::size_t bytes = 0, count = 0;
  double work = 0;
  for (; count < std::min(batches.size(), kMatricesAtOnce); ++count) {
    const MatrixBatch& batch = batches[count];
    const Call& call = batch.call;
    const std::size_t probes = std::max<std::size_t>(1, batch.probes.size());
    const double outputs = static_cast<double>(call.m) * static_cast<double>(call.n);
    work += outputs * static_cast<double>(call.k) * static_cast<double>(probes);
    if (work > kWorkTogether) break;
    const std::size_t per_probe =
        batch.outputs.empty() ? static_cast<std::size_t>(outputs) : batch.outputs.size();
    bytes += value_bytes(batch) + per_probe * (probes * sizeof(double) + sizeof(WantedOutput)) +
             probes * sizeof(std::int64_t);
    for (const auto& probe : batch.probes) bytes += probe.size() * sizeof(MatrixEditRecord);
    if (bytes > kBytesTogether) break;
  }
  return count;
}

void MatrixCaller::run_together(std::span<const MatrixBatch> batches,
                                std::vector<double>* outputs) {
  connection_.ready();
  const auto deadline = connection_.deadline();
  placed_.reset();
  connection_.forget_unused(kValuesOffset, values_touched_, kBytesTogether);
  connection_.forget_unused(kWantedOffset, wanted_touched_, kBytesTogether);
  connection_.forget_unused(kResultsOffset, results_touched_, kBytesTogether);
  BlasControl& control = connection_.control();
  MatrixRequest next;  // where its parts begin
  std::array<std::size_t, kMatricesAtOnce + 1> results{};
  for (std::size_t at = 0; at < batches.size(); ++at) {
    const MatrixBatch& batch = batches[at];
    MatrixRequest request = request_of(batch);
    request.values_at = next.values_at;
    request.edits_at = next.edits_at;
    request.wanted_at = next.wanted_at;
    request.results_at = next.results_at;
    put_values(batch, request.values_at);
    put_wanted(batch, request.wanted_at);
    request.probes = encode_probes(batch, 0, batch.probes.size(), request.edits_at);
    next.values_at += value_bytes(batch);
    next.wanted_at += batch.outputs.size() * sizeof(WantedOutput);
    next.edits_at += static_cast<std::size_t>(request.probes) * sizeof(std::int64_t);
    for (const auto& probe : batch.probes) next.edits_at += probe.size() * sizeof(MatrixEditRecord);
    next.results_at += static_cast<std::size_t>(request.probes * request.outputs) * sizeof(double);
    results[at + 1] = next.results_at;
    control.matrices[at] = request;
  }
  control.matrix_count = batches.size();
  connection_.exchange(RequestKind::matrix, deadline, [&] {
    return "ran " + describe(batches[std::min(control.matrix_at.load(), batches.size() - 1)].call);
  });
  for (std::size_t at = 0; at < batches.size(); ++at) {
    const std::byte* const first = connection_.data() + kResultsOffset;
    outputs[at].assign(reinterpret_cast<const double*>(first + results[at]),
                       reinterpret_cast<const double*>(first + results[at + 1]));
  }
}

std::vector<std::vector<double>> MatrixCaller::run_all(std::span<const MatrixBatch> batches) {
  std::vector<std::vector<double>> outputs(batches.size());
  for (std::size_t at = 0; at < batches.size();) {
    const std::size_t count = count_together(batches.subspan(at));
    if (count < 2)
      outputs[at] = run(batches[at]);
    else
      run_together(batches.subspan(at, count), outputs.data() + at);
    at += std::max<std::size_t>(count, 1);
  }
  return outputs;
}

std::vector<std::uint64_t> MatrixCaller::signatures(const Call& call,
                                                    std::span<const UniformProbe> probes) {
  decline_unless_callable(call);
  const std::size_t outputs = static_cast<std::size_t>(call.m * call.n);
  const std::size_t per_probe = (3 + 2 * static_cast<std::size_t>(call.k)) * sizeof(double);
  if (outputs > kResultsBytes / sizeof(std::uint64_t) || probes.size() > kValuesBytes / per_probe) {
    decline(call, "the probes or the outputs do not fit the memory");
  }
  connection_.ready();
  const auto deadline = connection_.deadline();
  placed_.reset();  // the operands' memory is used anew
  connection_.forget_unused(kValuesOffset, values_touched_, probes.size() * per_probe);
  connection_.forget_unused(kResultsOffset, results_touched_, outputs * sizeof(std::uint64_t));
  std::byte* to = connection_.data() + kValuesOffset;
  for (const UniformProbe& probe : probes) {
    const double scalars[] = {probe.alpha, probe.beta, probe.c};
    to = put(probe.b, put(probe.a, put(scalars, to)));
  }
  SignatureRequest request;
  request.call = call;
  request.routine = routine_index(call.routine, call.type);
  request.probes = static_cast<std::int64_t>(probes.size());
  connection_.control().signatures = request;
  connection_.exchange(RequestKind::signatures, deadline, [&] { return "ran " + describe(call); });
  const auto* from = reinterpret_cast<const std::uint64_t*>(connection_.data() + kResultsOffset);
  return {from, from + outputs};
}

}  // namespace reprosum::reveal
