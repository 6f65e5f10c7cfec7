#include "reveal/capture/matrix_places.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "reveal/capture/matrix_addresses.h"
#include "reveal/check/placements.h"
#include "reveal/check/random_matrices.h"
#include "reveal/check/replay_check.h"

namespace reprosum::reveal {
namespace {

constexpr int kRandomPlaces = 12;

std::vector<spec::Shape3> sample_shapes(bool is_gemv, const spec::Shape3& largest) {
  std::vector<spec::Shape3> shapes = is_gemv
                                         ? std::vector<spec::Shape3>{{37, 1, 41}, {160, 1, 90}}
                                         : std::vector<spec::Shape3>{{21, 19, 38}, {64, 64, 64}};
  for (spec::Shape3& shape : shapes)
    shape = {std::min(shape.m, largest.m), std::min(shape.n, largest.n),
             std::min(shape.k, largest.k)};
  return shapes;
}

// One product, and what it gives as it is usually called.
class Product {
 public:
  Product(Target& target, const Call& call, Data kind, FastRandom& random)
      : target_(target), call_(call) {
    data_.fill(call, kind, random);
    std::tie(alpha_, beta_) = std::pair(random.unit() + 0.5, random.unit() - 2);
    if (spec::is_f32(call.type)) {
      alpha_ = static_cast<double>(static_cast<float>(alpha_));
      beta_ = static_cast<double>(static_cast<float>(beta_));
    }
  }

  Matrices& data() { return data_; }
  const Call& call() const { return call_; }

  std::optional<Refused> unlike(const Call& other, const char* reason, const std::string& what) {
    if (usual_.empty()) usual_ = run(call_);
    const std::vector<double> got = run(other);
    const std::size_t at = first_unlike(got);
    if (at == got.size()) return std::nullopt;
    if (first_unlike(run(call_)) < got.size())
      return Refused("not_deterministic",
                     describe(call_) + ": equal products gave other bits later");
    return Refused(reason, describe(other) + ": " + what + " matters: the same numbers gave " +
                               hex(got[at]) + ", but " + hex(usual_[at]) + " at " +
                               describe(call_));
  }

 private:
  std::vector<double> run(const Call& call) {
    return target_.run_matrix(
        {.call = call, .alpha = alpha_, .beta = beta_, .a = data_.a, .b = data_.b, .c = data_.c});
  }
  std::size_t first_unlike(const std::vector<double>& got) const {
    std::size_t at = 0;
    while (at < got.size() && same_bits(got[at], usual_[at])) ++at;
    return at;
  }

  Target& target_;
  const Call call_;
  Matrices data_;
  double alpha_ = 1, beta_ = 1;
  std::vector<double> usual_;
};

std::optional<Refused> faces_matter(Target& target, const Call& call, FastRandom& random) {
  for (const Data kind : {Data::wide, Data::special, Data::zeros}) {
    Product product(target, call, kind, random);
    if (target.has_both_faces(call.routine, call.type)) {
      Call other = call;
      other.cblas = true;
      if (auto why = product.unlike(other, "faces_differ",
                                    "whether Fortran's or CBLAS's routine is called"))
        return why;
    }
    if (!target.has_conjugate()) continue;
    Call other = call;
    other.conjugate = true;
    if (auto why = product.unlike(other, "faces_differ", "whether a transpose is called T or C"))
      return why;
  }
  return std::nullopt;
}

std::optional<Refused> addresses_matter(Target& target, const Call& call, FastRandom& random) {
  Product product(target, placed(call, {0, 0, 0}), Data::wide, random);
  for (const Placement& other : placements(call, kRandomPlaces, random))
    if (auto why = product.unlike(other.call, "address_dependent", other.what)) return why;
  return std::nullopt;
}

// A and B are one matrix.
std::optional<Refused> sharing_matters(Target& target, const Call& call, FastRandom& random) {
  const auto shared = as_one_matrix(call);
  if (!shared) return std::nullopt;
  Call usual = *shared;
  usual.place = {};
  Product product(target, usual, Data::wide, random);
  product.data().make_one_matrix(usual);
  return product.unlike(*shared, "address_dependent", "that A and B are one matrix");
}

}  // namespace

std::optional<Refused> product_place_matters(Target& target, const Call& context,
                                             const spec::AddressGuard& addresses,
                                             const spec::Shape3& largest, std::uint64_t seed) {
  FastRandom random(seed ^ 0x27d4eb2fu);
  const bool is_gemv = context.routine == spec::Routine::gemv;
  for (const spec::Shape3& shape : sample_shapes(is_gemv, largest)) {
    Call call = context;
    std::tie(call.m, call.n, call.k) = std::tie(shape.m, shape.n, shape.k);
    if (!addresses.is_any()) call = placed(call, addresses, addresses.residues.front());
    if (auto why = faces_matter(target, call, random)) return why;
    try {
      if (auto why = addresses_matter(target, call, random)) return why;
      if (is_gemv || !addresses.is_any()) continue;
      call.n = call.m;
      if (auto why = sharing_matters(target, call, random)) return why;
      call.k = call.m;
      if (auto why = sharing_matters(target, call, random)) return why;
    } catch (const TargetError& error) {
      if (error.reason != "declined") throw;
    }
  }
  return std::nullopt;
}

}  // namespace reprosum::reveal
