// Batches of probes, cut to sizes a target answers well within its time limit.
#include "reveal/tree/prober.h"

#include <algorithm>
#include <atomic>
#include <string>

#include "reveal/refused.h"

namespace reprosum::reveal {
namespace {

constexpr std::int64_t kBatchWork = std::int64_t{1} << 27;  // summands added per batch
constexpr std::size_t kBatchProbes = 16384;
constexpr std::size_t kBatchEdits = std::size_t{1} << 20;

}  // namespace

std::uint64_t fresh_base_id() {
  static std::atomic<std::uint64_t> last{std::uint64_t{0x7265766561} << 24};
  return ++last;
}

Prober::Prober(Target& target, const Call& call) : target_(target), call_(call) {
  varies_y_ = call.incx == 0;
  if (varies_y_ && (call.routine == spec::Routine::sum || call.incy == 0))
    throw Refused("unmaskable", "all summands are the same number: nothing can cancel in part");
}

bool Prober::other_is_shared() const {
  return call_.routine == spec::Routine::sum || call_.incx == 0 || call_.incy == 0;
}

std::vector<double> Prober::ask(const Batch& batch) {
  std::vector<double> outputs = target_.run(batch);
  const auto wanted = std::size_t(batch.rows) * std::max<std::size_t>(1, batch.probes.size());
  if (outputs.size() != wanted)
    throw InternalError("target answered " + std::to_string(outputs.size()) + " outputs where " +
                        std::to_string(wanted) + " were asked for");
  return outputs;
}

std::vector<double> Prober::run(std::span<const double> base, std::span<const Probe> probes,
                                double other, std::uint64_t base_id) {
  Batch batch;
  batch.call = call_;
  batch.base_id = base_id;
  const bool plain_other = other == 1 && !varies_y_;
  if (!plain_other) {
    others_.assign(std::size_t(n()), other);
    (varies_y_ ? batch.x : batch.y) = others_;
  }
  (varies_y_ ? batch.y : batch.x) = base;
  if (probes.empty()) return ask(batch);
  const auto most = std::clamp<std::size_t>(std::size_t(kBatchWork / n()), 32, kBatchProbes);
  std::vector<double> outputs;
  outputs.reserve(probes.size());
  for (std::size_t at = 0; at < probes.size();) {
    batch.probes.clear();
    for (std::size_t edits = 0; at < probes.size() && batch.probes.size() < most; ++at) {
      edits += probes[at].x.size() + probes[at].y.size();
      if (!batch.probes.empty() && edits > kBatchEdits) break;
      batch.probes.push_back(probes[at]);
      if (varies_y_) std::swap(batch.probes.back().x, batch.probes.back().y);
    }
    const std::vector<double> part = ask(batch);
    outputs.insert(outputs.end(), part.begin(), part.end());
  }
  return outputs;
}

std::vector<double> Prober::run_rows(std::span<const double> rows) {
  const auto width = static_cast<std::size_t>(n());
  const std::size_t count = rows.size() / width;
  const std::size_t most = std::max<std::size_t>(1, (std::size_t{1} << 22) / width);
  std::vector<double> outputs;
  for (std::size_t at = 0; at < count; at += most) {
    Batch batch;
    batch.call = call_;
    const std::size_t take = std::min(most, count - at);
    batch.rows = static_cast<std::int64_t>(take);
    (varies_y_ ? batch.y : batch.x) = rows.subspan(at * width, take * width);
    if (varies_y_) {
      others_.assign(take * width, 1.0);
      batch.x = others_;
    }
    const std::vector<double> part = ask(batch);
    outputs.insert(outputs.end(), part.begin(), part.end());
  }
  return outputs;
}

}  // namespace reprosum::reveal
