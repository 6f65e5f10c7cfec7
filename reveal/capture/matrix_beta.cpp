#include "reveal/capture/matrix_beta.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "reveal/check/random_data.h"

namespace reprosum::reveal {
namespace {

using spec::Beta;

constexpr int kProbes = 8;
constexpr int kZeroProbes = 2;     // of these: signs of zero show what starts at +0
constexpr int kRandomShapes = 60;  // with sizes up to kMiddle: rests of blocks of any length
constexpr std::int64_t kMiddle = 130;
constexpr double kHuge = 0x1p100;  // C from here on is halved, not doubled: in f32, too

double rounded_product(spec::Type type, double a, double b) {
  return spec::is_f32(type) ? static_cast<double>(static_cast<float>(a) * static_cast<float>(b))
                            : a * b;
}

// What takes the place of a beta, and of each C beside it.
struct Exchange {
  double beta = 1, scale = 1;
  bool stores_zero = false;
  double of(spec::Type type, double c) const {
    return stores_zero ? 0 : rounded_product(type, scale, c);
  }
};

Exchange exchange(Beta wanted, double beta, double largest_c) {
  if (wanted == Beta::one) return {1, beta, beta == 0};
  if (wanted == Beta::other && beta == 1)
    return largest_c < kHuge ? Exchange{0.5, 2, false} : Exchange{2, 0.5, false};
  return {beta, 1, false};
}

double largest_of(std::span<const double> values) {
  double most = 0;
  for (const double value : values)
    if (std::isfinite(value)) most = std::max(most, std::abs(value));
  return most;
}

// The batch and the C that it sees.
struct Exchanged {
  MatrixBatch batch;
  std::vector<double> c;
};

Exchanged exchanged(const MatrixBatch& batch, Beta wanted) {
  Exchanged out{batch, {batch.c.begin(), batch.c.end()}};
  double most = largest_of(out.c);
  const auto for_each_c = [&](auto change) {
    for (auto& probe : out.batch.probes)
      for (MatrixEdit& edit : probe)
        if (edit.operand == MatrixEdit::Operand::c) change(edit.value);
  };
  for_each_c([&](double& value) { most = std::max(most, largest_of({&value, 1})); });
  const Exchange to = exchange(wanted, batch.beta, most);
  for (double& value : out.c) value = to.of(batch.call.type, value);
  for_each_c([&](double& value) { value = to.of(batch.call.type, value); });
  out.batch.beta = to.beta;
  out.batch.c = out.c;
  return out;
}

std::vector<spec::Shape3> sample_shapes(bool is_gemv, const spec::Shape3& largest,
                                        FastRandom& random) {
  std::vector<spec::Shape3> shapes =
      is_gemv ? std::vector<spec::Shape3>{{5, 1, 2},   {3, 1, 12},  {20, 1, 9},  {9, 1, 40},
                                          {40, 1, 17}, {37, 1, 70}, {130, 1, 33}}
              : std::vector<spec::Shape3>{{3, 2, 2},    {5, 7, 6},    {16, 8, 17},
                                          {21, 19, 38}, {70, 66, 80}, {33, 64, 57},
                                          {64, 33, 57}, {42, 53, 56}};  // rests of blocks
  for (int turn = 0; turn < kRandomShapes; ++turn) {
    const auto size = [&](std::int64_t most) { return 1 + random.below(std::min(most, kMiddle)); };
    const std::int64_t m = size(largest.m), n = is_gemv ? 1 : size(largest.n);
    shapes.push_back({m, n, size(largest.k)});
  }
  std::erase_if(shapes, [&](const spec::Shape3& s) {
    return s.m > largest.m || s.n > largest.n || s.k > largest.k;
  });
  return shapes;
}

}  // namespace

std::vector<double> BetaTarget::run_matrix(const MatrixBatch& batch) {
  if (beta_ == Beta::any) return target_.run_matrix(batch);
  return target_.run_matrix(exchanged(batch, beta_).batch);
}

std::vector<std::vector<double>> BetaTarget::run_matrices(std::span<const MatrixBatch> batches) {
  if (beta_ == Beta::any) return target_.run_matrices(batches);
  std::vector<Exchanged> all;
  all.reserve(batches.size());
  for (const MatrixBatch& batch : batches) all.push_back(exchanged(batch, beta_));
  std::vector<MatrixBatch> seen;
  for (Exchanged& one : all) {
    one.batch.c = one.c;
    seen.push_back(one.batch);
  }
  return target_.run_matrices(seen);
}

std::vector<std::uint64_t> BetaTarget::signatures(const Call& call,
                                                  std::span<const UniformProbe> probes) {
  std::vector<UniformProbe> seen(probes.begin(), probes.end());
  for (UniformProbe& probe : seen) {
    const Exchange to = exchange(beta_, probe.beta, largest_of({&probe.c, 1}));
    probe.c = to.of(call.type, probe.c);
    probe.beta = to.beta;
  }
  return target_.signatures(call, seen);
}

std::vector<Beta> beta_classes(Target& target, const Call& context, const spec::Shape3& largest,
                               std::uint64_t seed) {
  FastRandom random(seed + 41);
  BetaTarget one(target, Beta::one), other(target, Beta::other);
  Call call = context;
  for (const spec::Shape3& shape :
       sample_shapes(context.routine == spec::Routine::gemv, largest, random)) {
    call.m = shape.m;
    call.n = shape.n;
    call.k = shape.k;
    std::vector<UniformProbe> probes(kProbes);
    for (int p = 0; p < kProbes; ++p) {
      UniformProbe& probe = probes[static_cast<std::size_t>(p)];
      probe.a.resize(static_cast<std::size_t>(shape.k));
      probe.b.resize(static_cast<std::size_t>(shape.k));
      std::vector<double> c(2), ones(2);
      fill(Data::ordinary, call.type, random, probe.a, probe.b);
      fill(Data::ordinary, call.type, random, c, ones);
      probe.alpha = p % 2 == 0 ? 1 : c[0];
      probe.beta = 1;
      probe.c = 4 * c[1];
      if (p >= kProbes - kZeroProbes) {
        std::fill(probe.a.begin(), probe.a.end(), -0.0);
        std::fill(probe.b.begin(), probe.b.end(), 1);
        probe.alpha = p % 2 == 0 ? 1 : -1;
        probe.c = p % 2 == 0 ? -0.0 : 0.0;
      }
    }
    if (one.signatures(call, probes) != other.signatures(call, probes))
      return {Beta::one, Beta::other};
  }
  return {Beta::any};
}

bool takes_nan_beta_for_zero(Target& target, const Call& context, const spec::Shape3& largest,
                             std::uint64_t seed) {
  FastRandom random(seed + 43);
  Call call = context;
  bool is_seen = false;
  for (const spec::Shape3& shape :
       sample_shapes(context.routine == spec::Routine::gemv, largest, random)) {
    std::tie(call.m, call.n, call.k) = std::tie(shape.m, shape.n, shape.k);
    const std::vector<double> ones(static_cast<std::size_t>(shape.k), 1);
    const std::vector<double> c(1, 2.0);
    MatrixBatch batch;
    batch.call = call;
    batch.beta = std::numeric_limits<double>::quiet_NaN();
    batch.a = ones;
    batch.b = ones;
    batch.c = c;
    const std::vector<double> got = target.run_matrix(batch);
    if (std::any_of(got.begin(), got.end(), [](double value) { return std::isnan(value); }))
      return false;
    is_seen = is_seen || !got.empty();
  }
  return is_seen;
}

const char* name(Beta beta) {
  switch (beta) {
    case Beta::any:
      return "";
    case Beta::one:
      return ", beta = 1";
    case Beta::other:
      return ", beta other than 1";
  }
  return "";
}

}  // namespace reprosum::reveal
