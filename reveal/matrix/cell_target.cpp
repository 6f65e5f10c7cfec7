// Packs the probes of a dot into the cells of matrix products.
#include "reveal/matrix/cell_target.h"

#include <algorithm>
#include <set>

#include "spec/error.h"

namespace reprosum::reveal {
namespace {

using Operand = MatrixEdit::Operand;

constexpr std::size_t kBatchEdits = std::size_t{1} << 19;
constexpr std::int64_t kLargestStep = 4096;  // how far beyond n a shape is looked for

// The first cells with distinct rows, distinct columns, or both.
std::vector<std::pair<std::int64_t, std::int64_t>> distinct(
    const std::vector<std::pair<std::int64_t, std::int64_t>>& cells, bool by_row, bool by_column) {
  std::vector<std::pair<std::int64_t, std::int64_t>> chosen;
  std::set<std::int64_t> rows, columns;
  for (const auto& [i, j] : cells) {
    if ((by_row && rows.contains(i)) || (by_column && columns.contains(j))) continue;
    rows.insert(i);
    columns.insert(j);
    chosen.push_back({i, j});
  }
  return chosen;
}

MatrixEdit edit_a(std::int64_t row, std::int64_t k, double value) {
  return {Operand::a, row, k, value};
}
MatrixEdit edit_b(std::int64_t k, std::int64_t column, double value) {
  return {Operand::b, k, column, value};
}

}  // namespace

CellTarget::CellTarget(Target& target, CellsAt cells) : target_(target), cells_(std::move(cells)) {}

bool CellTarget::has(spec::Routine routine, spec::Type type) {
  return routine == spec::Routine::dot &&
         (target_.has(spec::Routine::gemm, type) || target_.has(spec::Routine::gemv, type));
}

std::vector<std::pair<std::string, std::string>> CellTarget::identity() {
  return target_.identity();
}

const CellTarget::Place& CellTarget::place(std::int64_t k) {
  const auto [it, is_new] = places_.try_emplace(k);
  if (!is_new) return it->second;
  const auto found = cells_(k);
  if (!found || found->cells.empty()) return it->second;
  if (found->call.k != k)
    throw InternalError("cells of k = " + std::to_string(k) + " have a call of another k");
  Place& place = it->second;
  place.call = found->call;
  place.rows = distinct(found->cells, true, false);
  place.columns = distinct(found->cells, false, true);
  place.both = distinct(found->cells, true, true);
  return place;
}

const CellTarget::Place& CellTarget::covering(std::int64_t n) {
  if (const Place& own = place(n); own.call.k > 0) return own;
  const auto [it, is_new] = covering_.try_emplace(n, 0);
  for (std::int64_t k = n + 1; is_new && it->second == 0 && k <= n + kLargestStep; ++k)
    if (place(k).call.k > 0) it->second = k;
  if (it->second == 0)
    throw TargetError("declined", "no shape of this class has k = " + std::to_string(n));
  return place(it->second);
}

bool CellTarget::has_shape(std::int64_t k) { return place(k).call.k > 0; }

const CellTarget::CellList& CellTarget::cells_of(const Place& place, Packing packing) {
  if (packing == Packing::rows) return place.rows;
  return packing == Packing::columns ? place.columns : place.both;
}

std::pair<Packing, std::int64_t> CellTarget::best_packing(std::int64_t k) {
  const Place& here = covering(k);
  const auto rows = static_cast<std::int64_t>(here.rows.size());
  const auto columns = static_cast<std::int64_t>(here.columns.size());
  const auto both = static_cast<std::int64_t>(here.both.size());
  if (2 * both >= std::max(rows, columns)) return {Packing::both, both};
  return rows >= columns ? std::pair{Packing::rows, rows} : std::pair{Packing::columns, columns};
}

std::string CellTarget::describe(std::int64_t k) {
  const Place& here = covering(k);
  const Call& call = here.call;
  const auto letter = [](spec::Trans trans) { return trans == spec::Trans::no ? "N" : "T"; };
  std::string text = spec::blas_name(call.routine, call.type) + " " + letter(call.trans_a);
  if (call.routine == spec::Routine::gemm) text += letter(call.trans_b);
  text += " m=" + std::to_string(call.m);
  if (call.routine == spec::Routine::gemm) text += " n=" + std::to_string(call.n);
  return text + " k=" + std::to_string(k) + " output (" + std::to_string(here.both[0].first) +
         ", " + std::to_string(here.both[0].second) + ")";
}

std::vector<double> CellTarget::run(const Batch& batch) {
  const Place& here = covering(batch.call.k);
  if (batch.call.type != here.call.type)
    throw InternalError("the cells are of another type than the call");
  if (batch.rows > 1 && !batch.probes.empty())
    throw InternalError("cells: probes of several rows in one batch");
  return batch.rows > 1 ? run_rows(here, batch) : run_edits(here, batch);
}

// One pair of base vectors. If only x (or y) is edited, the other operand is shared by all cells of
// a call, and since products commute the edited one goes where there are most cells; not where
// zeros of one of them leave products out.
std::vector<double> CellTarget::run_edits(const Place& place, const Batch& batch) {
  const auto n = static_cast<std::size_t>(batch.call.k);
  const auto k = static_cast<std::size_t>(place.call.k);
  bool edits_x = false, edits_y = false;
  for (const Probe& probe : batch.probes) {
    edits_x = edits_x || !probe.x.empty();
    edits_y = edits_y || !probe.y.empty();
  }
  Packing packing = !edits_y ? Packing::rows : edits_x ? Packing::both : Packing::columns;
  const Packing most = place.columns.size() > place.rows.size() ? Packing::columns : Packing::rows;
  const bool swapped = packing != Packing::both && packing != most && !keeps_operands_;
  if (swapped) packing = most;
  const CellList& cells = cells_of(place, packing);
  const std::span<const double> x = swapped ? batch.y : batch.x, y = swapped ? batch.x : batch.y;
  std::vector<double> a(k, swapped ? 1.0 : -0.0), b(k, swapped ? -0.0 : 1.0);
  std::fill_n(a.begin(), n, 1.0);
  std::fill_n(b.begin(), n, 1.0);
  std::copy(x.begin(), x.end(), a.begin());
  std::copy(y.begin(), y.end(), b.begin());

  const double neutral = -0.0;
  MatrixBatch request;
  request.call = place.call;
  request.alpha = 1;
  request.beta = 1;
  request.a = a;
  request.b = b;
  request.c = {&neutral, 1};
  // The same base means other operands once they change places.
  if (batch.base_id != 0) request.base_id = 2 * batch.base_id + (swapped ? 1 : 0);
  const std::size_t probes = std::max<std::size_t>(1, batch.probes.size());
  const std::size_t width = std::min(cells.size(), probes);
  request.outputs.assign(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(width));
  for (std::size_t at = 0; at < batch.probes.size(); at += width) {
    auto& edits = request.probes.emplace_back();
    for (std::size_t c = 0; c < width && at + c < batch.probes.size(); ++c) {
      const auto& [i, j] = cells[c];
      const Probe& probe = batch.probes[at + c];
      for (const Edit& e : swapped ? probe.y : probe.x)
        edits.push_back(edit_a(i, e.index, e.value));
      for (const Edit& e : swapped ? probe.x : probe.y)
        edits.push_back(edit_b(e.index, j, e.value));
    }
  }
  std::vector<double> outputs = target_.run_matrix(request);
  outputs.resize(probes);  // the last call may have had cells to spare
  return outputs;
}

std::vector<double> CellTarget::run_rows(const Place& place, const Batch& batch) {
  UpdateRows data;
  data.k = place.call.k;
  data.rows = batch.rows;
  const auto n = static_cast<std::size_t>(batch.call.k), k = static_cast<std::size_t>(data.k);
  const auto rows = static_cast<std::size_t>(batch.rows);
  data.x.assign(rows * k, -0.0);
  data.y.assign(rows * k, 1.0);
  for (std::size_t row = 0; row < rows; ++row) {
    std::copy_n(batch.x.begin() + static_cast<std::ptrdiff_t>(row * n), n,
                data.x.begin() + static_cast<std::ptrdiff_t>(row * k));
    if (!batch.y.empty())
      std::copy_n(batch.y.begin() + static_cast<std::ptrdiff_t>(row * n), n,
                  data.y.begin() + static_cast<std::ptrdiff_t>(row * k));
  }
  const auto later = data.y.begin() + static_cast<std::ptrdiff_t>(k);
  if (std::equal(later, data.y.end(), data.y.begin())) {  // every row has the y of the first one
    data.packing = Packing::rows;
    data.y.resize(k);
  }
  data.c.assign(rows, -0.0);
  return update(place, data);
}

std::vector<double> CellTarget::update(const UpdateRows& data) {
  return update(place(data.k), data);
}

// The base data of its calls: what all cells share; what differs is in the edits.
CellTarget::Request CellTarget::request_of(const Place& place, const UpdateRows& data) {
  const CellList& cells = cells_of(place, data.packing);
  const auto k = static_cast<std::size_t>(data.k);
  const std::size_t width = std::min(cells.size(), static_cast<std::size_t>(data.rows));
  Request request;
  request.a.assign(k, 1.0);
  request.b.assign(k, 1.0);
  if (data.packing == Packing::columns) request.a.assign(data.x.begin(), data.x.end());
  if (data.packing == Packing::rows) request.b.assign(data.y.begin(), data.y.end());
  MatrixBatch& batch = request.batch;
  batch.call = place.call;
  batch.alpha = data.alpha;
  batch.beta = data.beta;
  batch.a = request.a;
  batch.b = request.b;
  batch.c = {data.c.data(), 1};
  batch.outputs.assign(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(width));
  return request;
}

// One more call of the batch, for as many rows from `at` on as it has outputs. @return the next
// row.
std::size_t CellTarget::add_call(const UpdateRows& data, std::size_t at, MatrixBatch& batch) {
  const auto k = static_cast<std::size_t>(data.k), rows = static_cast<std::size_t>(data.rows);
  auto& edits = batch.probes.emplace_back();
  for (std::size_t c = 0; c < batch.outputs.size() && at < rows; ++c, ++at) {
    const auto& [i, j] = batch.outputs[c];
    const auto row = static_cast<std::int64_t>(at);
    for (std::size_t p = 0; p < k; ++p) {
      const auto index = static_cast<std::int64_t>(p);
      if (data.packing != Packing::columns) edits.push_back(edit_a(i, index, data.x_row(row)[p]));
      if (data.packing != Packing::rows) edits.push_back(edit_b(index, j, data.y_row(row)[p]));
    }
    edits.push_back({Operand::c, i, j, data.c[at]});
  }
  return at;
}

std::vector<double> CellTarget::update(const Place& place, const UpdateRows& data) {
  const auto rows = static_cast<std::size_t>(data.rows);
  Request request = request_of(place, data);
  MatrixBatch& batch = request.batch;
  const std::size_t width = batch.outputs.size();
  const std::size_t calls_per_batch =
      std::max<std::size_t>(1, kBatchEdits / (2 * static_cast<std::size_t>(data.k) * width));
  std::vector<double> outputs;
  outputs.reserve(rows + width);
  for (std::size_t at = 0; at < rows;) {
    batch.probes.clear();
    for (std::size_t call = 0; call < calls_per_batch && at < rows; ++call)
      at = add_call(data, at, batch);
    const std::vector<double> part = target_.run_matrix(batch);
    outputs.insert(outputs.end(), part.begin(), part.end());
  }
  outputs.resize(rows);
  return outputs;
}

std::vector<std::vector<double>> CellTarget::updates(std::span<const UpdateRows> data) {
  std::vector<std::vector<double>> outputs;
  std::vector<Request> requests;
  std::vector<MatrixBatch> batches;
  std::size_t edits = 0;
  const auto run = [&] {
    for (Request& request : requests) batches.push_back(std::move(request.batch));
    for (auto& answer : target_.run_matrices(batches)) outputs.push_back(std::move(answer));
    requests.clear();
    batches.clear();
    edits = 0;
  };
  for (const UpdateRows& one : data) {
    const Place& here = place(one.k);
    const auto rows = static_cast<std::size_t>(one.rows);
    if (rows > cells_of(here, one.packing).size()) {  // more than one call
      run();
      outputs.push_back(update(here, one));
      continue;
    }
    requests.push_back(request_of(here, one));
    add_call(one, 0, requests.back().batch);
    edits += requests.back().batch.probes.front().size();
    if (edits > kBatchEdits) run();
  }
  run();
  return outputs;
}

}  // namespace reprosum::reveal
