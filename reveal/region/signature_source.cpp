// Data that make outputs of different orders differ, the same for every output of a call.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <span>

#include "reveal/region.h"

namespace reprosum::reveal {
namespace {

// Orders that differ in one addition, or in the place of C, agree in about half of all probes.
constexpr int tree_probes = 4, scaled_probes = 10;
constexpr int short_tree_probes = 2, short_scaled_probes = 2;  // the first of each
// Few summands round seldom: two orders of four products agree in three of four probes. So there
// are more of them, with factors of A of their own: what shared ones hide, all of them hide.
constexpr std::int64_t few_summands = 7;
constexpr int times_for_few = 3;

class TargetSource final : public SignatureSource {
 public:
  TargetSource(Target& target, const Call& call, std::uint64_t seed, Alphas alphas)
      : target_(target), call_(call), seed_(seed), alphas_(alphas) {}

  std::vector<std::uint64_t> signatures(const spec::Shape3& shape) override {
    if (shape.k != k_) {
      k_ = shape.k;
      probes_ = make_probes(shape.k);
    }
    Call call = call_;
    call.m = shape.m;
    call.n = shape.n;
    call.k = shape.k;
    calls_ += static_cast<std::int64_t>(probes_.size());
    return target_.signatures(call, probes_);
  }
  bool set_short(bool is_short) override {
    const bool changes = is_short != is_short_;
    is_short_ = is_short;
    k_ = 0;
    return changes;
  }
  std::int64_t calls() const override { return calls_; }

 private:
  bool narrow() const { return spec::is_f32(call_.type); }
  double fit(long double value) const {
    return narrow() ? static_cast<float>(value) : static_cast<double>(value);
  }
  std::vector<UniformProbe> make_probes(std::int64_t k) const;
  UniformProbe random_probe(std::int64_t k, bool is_scaled, std::span<const double> a,
                            std::mt19937_64& random) const;

  Target& target_;
  Call call_;
  std::uint64_t seed_;
  Alphas alphas_;
  bool is_short_ = false;
  std::int64_t k_ = 0, calls_ = 0;
  std::vector<UniformProbe> probes_;
};

// Without scaling the products cancel in pairs, so that the result is the rounding history. With
// alpha and beta, C cancels alpha*(a.b) instead: with sums near zero alpha and beta would not show.
// Such a probe has the rows `a`, if given: writing A may take longer than the call.
UniformProbe TargetSource::random_probe(std::int64_t k, bool is_scaled, std::span<const double> a,
                                        std::mt19937_64& random) const {
  const auto unit = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  UniformProbe probe;
  const auto factor = [&] {
    const double sign = random() % 2 == 0 ? 1 : -1;
    return fit(std::ldexp(sign * (1 + unit()), static_cast<int>(random() % 3)));
  };
  probe.a.assign(a.begin(), a.end());
  probe.a.resize(k);
  probe.b.resize(k);
  if (is_scaled) {
    if (a.empty()) std::generate(probe.a.begin(), probe.a.end(), factor);
    for (double& value : probe.b) value = fit(1 + unit());
    // Drawn either way: the other numbers do not depend on it.
    const double alpha = fit(0.5 + unit());
    if (alphas_ == Alphas::any) probe.alpha = alpha;
    probe.beta = fit(0.5 + unit());
    long double sum = 0;
    for (std::int64_t i = 0; i < k; ++i) sum += static_cast<long double>(probe.a[i]) * probe.b[i];
    probe.c = fit(-probe.alpha * sum / probe.beta);
    return probe;
  }
  std::vector<std::int64_t> places(k);
  std::iota(places.begin(), places.end(), std::int64_t{0});
  for (std::int64_t i = k - 1; i > 0; --i) {
    std::swap(places[i], places[random() % static_cast<std::uint64_t>(i + 1)]);
  }
  for (std::int64_t i = 0; i < k; ++i) {
    const std::int64_t at = places[i];
    probe.a[at] = i % 2 == 0 ? factor() : -probe.a[places[i - 1]];
    probe.b[at] = i % 2 == 0 ? fit(1 + unit()) : probe.b[places[i - 1]];
  }
  return probe;
}

std::vector<UniformProbe> TargetSource::make_probes(std::int64_t k) const {
  std::seed_seq seeds{static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32),
                      static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(k >> 32)};
  std::mt19937_64 random(seeds);
  std::vector<UniformProbe> probes;
  // One product has no tree, and what rounding leaves of it beside C is one of few values: alpha
  // and beta act in all probes but one there.
  // Few bits differ there in all, and calls are cheap: nothing is left out.
  const int times = k > 1 && k <= few_summands ? times_for_few : 1;
  const int trees = k == 1 ? 1 : times * tree_probes;
  const int short_trees = times * short_tree_probes, short_scaled = times * short_scaled_probes;
  const bool is_short = is_short_ && k > 1;
  std::vector<double> a;  // of the scaled probes of more summands
  for (int i = 0; i < times * (tree_probes + scaled_probes); ++i) {
    probes.push_back(random_probe(k, i >= trees, a, random));
    if (i >= trees && k > few_summands) a = probes.back().a;
  }
  // C may enter otherwise where beta is 1. What cancels has few values: one would not do.
  const auto first_scaled = static_cast<std::size_t>(times * tree_probes);
  for (std::size_t i = first_scaled + short_scaled + 1; i < probes.size(); i += 2) {
    probes[i].c = fit(probes[i].beta * probes[i].c);
    probes[i].beta = 1;
  }
  if (is_short) {
    probes.erase(probes.begin() + trees + short_scaled, probes.end());
    probes.erase(probes.begin() + short_trees, probes.begin() + trees);
  }
  // Every product is -0, or rounds to -0: chain starts (a product, a fused product onto +0, a
  // product added to +0) give different signs of zero. C = -0 changes none of them; with beta = 0,
  // where C may be stored as +0 first, only that is seen.
  const double tiny = narrow() ? 0x1p-100 : 0x1p-800;
  UniformProbe zeros;
  zeros.a.assign(k, -0.0);
  zeros.b.assign(k, 1.0);
  UniformProbe underflows;
  underflows.a.assign(k, -tiny);
  underflows.b.assign(k, tiny);
  if (!is_short) probes.push_back(zeros);
  zeros.beta = underflows.beta = 1;
  zeros.c = underflows.c = -0.0;
  if (!is_short) probes.push_back(std::move(zeros));
  // A product +0 that is left out leaves C = -0 as it is: a factor 0 in A, and in B.
  for (const double a : {0.0, 1.0}) {
    UniformProbe skipped;
    skipped.a.assign(k, a);
    skipped.b.assign(k, 1 - a);
    skipped.beta = 1;
    skipped.c = -0.0;
    if (!is_short) probes.push_back(std::move(skipped));
  }
  // With beta = 0 the scaled sum is stored or added to +0. Where a +0 joins every sum none is -0,
  // so that only a negative alpha shows which.
  UniformProbe negated;
  negated.a.assign(k, tiny);
  negated.b.assign(k, tiny);
  negated.alpha = -1;
  if (alphas_ == Alphas::any && !is_short) probes.push_back(std::move(negated));
  probes.push_back(std::move(underflows));
  return probes;
}

}  // namespace

std::unique_ptr<SignatureSource> make_signature_source(Target& target, const Call& call,
                                                       std::uint64_t seed, Alphas alphas) {
  return std::make_unique<TargetSource>(target, call, seed, alphas);
}

}  // namespace reprosum::reveal
