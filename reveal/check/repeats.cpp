#include "reveal/check/repeats.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "reveal/check/replay_check.h"

namespace reprosum::reveal {
namespace {

constexpr std::int64_t kElements = 4'000'000;         // of all calls of one size
constexpr std::int64_t kMultiplications = 8'000'000;  // of all calls of one shape
constexpr std::int64_t kFewest = 16;
// Small ones with edges, one that is long, and those that threads share in gemv and gemm.
constexpr spec::Shape3 kShapes[] = {
    {5, 7, 9}, {37, 41, 30}, {13, 11, 600}, {330, 2, 150}, {66, 67, 80}};

// Of `times` runs of `outputs` numbers each: what those that differ from the first have.
std::optional<std::string> unlike_first(const Call& call, const std::vector<double>& got,
                                        std::size_t outputs, std::int64_t times) {
  std::int64_t others = 0;
  std::string example;
  for (std::size_t at = outputs; at < got.size(); at += outputs) {
    std::size_t k = 0;
    while (k < outputs && same_bits(got[at + k], got[k])) ++k;
    if (k == outputs) continue;
    if (others++ == 0) example = fmt::format("{} and then {}", hex(got[k]), hex(got[at + k]));
  }
  if (others == 0) return std::nullopt;
  return fmt::format(
      "{}: of {} calls with the same numbers in the same place {} gave other bits than the first: "
      "{}",
      describe(call), times, others, example);
}

std::vector<double> random_values(std::int64_t count, spec::Type type, FastRandom& random) {
  std::vector<double> values(static_cast<std::size_t>(count));
  fill(Data::wide, type, random, values, {});
  return values;
}

}  // namespace

std::optional<std::string> changes_when_repeated(Target& target, const Call& context,
                                                 std::span<const std::int64_t> sizes,
                                                 std::uint64_t seed) {
  FastRandom random(seed ^ 0x7feb352du);
  for (const std::int64_t n : sizes) {
    if (n < 1) continue;
    const std::int64_t times = std::clamp(kElements / n, kFewest, kRepeats);
    Batch batch;
    batch.call = context;
    batch.call.k = n;
    const Vectors data = random_vectors(batch.call, 1, Data::wide, random);
    batch.x = data.x;
    batch.y = data.y;
    batch.probes.resize(static_cast<std::size_t>(times));
    if (auto what = unlike_first(batch.call, target.run(batch), 1, times)) return what;
  }
  return std::nullopt;
}

std::optional<std::string> product_changes_when_repeated(Target& target, const Call& context,
                                                         const spec::Shape3& largest,
                                                         std::uint64_t seed) {
  FastRandom random(seed ^ 0x7feb352du);
  for (const spec::Shape3& shape : kShapes) {
    MatrixBatch batch;
    Call& call = batch.call = context;
    call.m = std::min(shape.m, largest.m);
    call.n = context.routine == spec::Routine::gemv ? 1 : std::min(shape.n, largest.n);
    call.k = std::min(shape.k, largest.k);
    const std::int64_t times =
        std::clamp(kMultiplications / (call.m * call.n * call.k), kFewest, kRepeats);
    const auto a = random_values(call.m * call.k, call.type, random);
    const auto b = random_values(call.n * call.k, call.type, random);
    batch.a = a;
    batch.b = b;
    batch.probes.resize(static_cast<std::size_t>(times));
    const auto outputs = static_cast<std::size_t>(call.m * call.n);
    if (auto what = unlike_first(call, target.run_matrix(batch), outputs, times)) return what;
  }
  return std::nullopt;
}

}  // namespace reprosum::reveal
