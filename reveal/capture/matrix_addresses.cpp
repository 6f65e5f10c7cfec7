#include "reveal/capture/matrix_addresses.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "reveal/check/random_data.h"
#include "reveal/refused.h"
#include "reveal/region.h"
#include "reveal/target/layout.h"

namespace reprosum::reveal {
namespace {

constexpr int kRandom = 16;  // combinations of random residues beside those of single operands
constexpr int kBases = 6;    // from which each operand is moved alone
constexpr int kRounds = 6;   // of bases that random combinations have shown to be needed
constexpr std::size_t kMostTuples = spec::kMostResidues;
// Gaps in every operand: some libraries take another path without them, whatever the residue.
constexpr std::int64_t kPad = 1;

const spec::Residues kEveryBit = {64, 64, 64, 64, 64, 64};

// Few and many outputs and summands; odd and even ones, so that heads and tails are seen.
std::vector<spec::Shape3> sample_shapes(bool is_gemv, const spec::Shape3& largest) {
  std::vector<spec::Shape3> shapes =
      is_gemv ? std::vector<spec::Shape3>{{5, 1, 1},   {2, 1, 9},   {9, 1, 6},  {16, 1, 17},
                                          {37, 1, 22}, {23, 1, 67}, {70, 1, 41}}
              : std::vector<spec::Shape3>{{3, 2, 1}, {5, 7, 6}, {16, 8, 17}, {21, 19, 38}};
  std::erase_if(shapes, [&](const spec::Shape3& s) {
    return s.m > largest.m || s.n > largest.n || s.k > largest.k;
  });
  return shapes;
}

// An infinity beside a zero gives a NaN, unless the zero leaves the product out: the finite data of
// a signature do not show that. First, middle and last summand, zeros of A and of B.
std::vector<UniformProbe> zeros_beside_infinities(std::int64_t k) {
  std::vector<UniformProbe> probes;
  for (const std::int64_t at : std::set<std::int64_t>{0, k / 2, k - 1}) {
    UniformProbe probe;
    probe.a.assign(static_cast<std::size_t>(k), 1);
    probe.b = probe.a;
    probe.a[static_cast<std::size_t>(at)] = std::numeric_limits<double>::infinity();
    probe.b[static_cast<std::size_t>(at)] = 0;
    probes.push_back(probe);
    std::swap(probe.a, probe.b);
    probes.push_back(std::move(probe));
  }
  return probes;
}

// The bits of the sample shapes at some residues modulo 64.
class Looks {
 public:
  Looks(Target& target, const Call& context, const spec::Shape3& largest, std::uint64_t seed)
      : target_(target),
        context_(context),
        seed_(seed),
        shapes_(sample_shapes(context.routine == spec::Routine::gemv, largest)) {
    context_.pad_a = std::max(context.pad_a, kPad);
    if (context.routine == spec::Routine::gemm) context_.pad_b = context_.pad_c = kPad;
  }

  using Bits = std::vector<std::uint64_t>;
  Bits look(const spec::Residues& residues) {
    PlacedTarget placed(target_, {kEveryBit, {residues}});
    const auto source = make_signature_source(placed, context_, seed_);
    Bits bits;
    for (const spec::Shape3& shape : shapes_) {
      const auto more = source->signatures(shape);
      bits.insert(bits.end(), more.begin(), more.end());
      Call call = context_;
      std::tie(call.m, call.n, call.k) = std::tie(shape.m, shape.n, shape.k);
      const auto skips = placed.signatures(call, zeros_beside_infinities(shape.k));
      bits.insert(bits.end(), skips.begin(), skips.end());
    }
    return bits;
  }
  // A number for the bits: equal bits, equal numbers.
  int kind(const spec::Residues& residues) {
    if (const auto seen = kinds_.find(residues); seen != kinds_.end()) return seen->second;
    const auto number = static_cast<int>(numbers_.size());
    return kinds_[residues] = numbers_.try_emplace(look(residues), number).first->second;
  }
  bool all_alike() const { return numbers_.size() <= 1; }

 private:
  Target& target_;
  Call context_;
  const std::uint64_t seed_;
  const std::vector<spec::Shape3> shapes_;
  std::map<spec::Residues, int> kinds_;
  std::map<Bits, int> numbers_;
};

class Search {
 public:
  Search(Looks& looks, spec::Routine routine, spec::Type type, std::uint64_t seed)
      : looks_(looks),
        places_(spec::address_places(routine)),
        size_(static_cast<int>(element_size(type))),
        type_(type),
        random_(seed) {}

  // Whether some address matters at all.
  bool matters() {
    for (std::size_t place = 0; place < places_; ++place)
      for (int residue = 0; residue < spec::kAddressModulus; residue += size_) {
        spec::Residues alone{};
        alone[place] = residue;
        looks_.kind(alone);
      }
    for (int k = 0; k < kRandom; ++k) looks_.kind(random_residues());
    return !looks_.all_alike();
  }

  std::vector<spec::AddressGuard> classes() {
    std::vector<spec::Residues> bases{{}};
    while (bases.size() < kBases) bases.push_back(random_residues());
    for (int round = 0; round < kRounds; ++round) {
      const spec::Residues moduli = moduli_from(bases);
      const auto tuples = all_residues(moduli);
      const auto other = exception_to(moduli);
      if (other) {
        bases.push_back(*other);
        bases.push_back(spec::reduced(*other, moduli));
        continue;
      }
      std::map<int, spec::AddressGuard> by_kind;
      for (const spec::Residues& one : tuples) {
        spec::AddressGuard& guard = by_kind[looks_.kind(one)];
        guard.moduli = moduli;
        guard.residues.push_back(one);
      }
      std::vector<spec::AddressGuard> guards;
      for (auto& [kind, guard] : by_kind) {
        spec::canonicalize(guard, type_);
        guards.push_back(std::move(guard));
      }
      return guards;
    }
    throw Refused("address_dependent", "no residues of addresses modulo 64 explain the bits");
  }

 private:
  spec::Residues random_residues() {
    spec::Residues residues{};
    for (std::size_t k = 0; k < places_; ++k)
      residues[k] = size_ * static_cast<int>(random_.below(spec::kAddressModulus / size_));
    return residues;
  }

  // The least moduli that explain what moving one operand alone changes. More bases only raise
  // them: too many combinations for one base are too many for all.
  spec::Residues moduli_from(const std::vector<spec::Residues>& bases) {
    spec::Residues moduli{1, 1, 1, 1, 1, 1};
    for (const spec::Residues& base : bases) {
      for (std::size_t place = 0; place < places_; ++place)
        while (moduli[place] < spec::kAddressModulus && !is_explained(base, place, moduli[place]))
          moduli[place] = std::max(2 * moduli[place], 2 * size_);
      all_residues(moduli);
    }
    return moduli;
  }
  bool is_explained(const spec::Residues& base, std::size_t place, int modulus) {
    for (int residue = 0; residue < spec::kAddressModulus; residue += size_) {
      spec::Residues moved = base, least = base;
      moved[place] = residue;
      least[place] = residue & (modulus - 1);
      if (looks_.kind(moved) != looks_.kind(least)) return false;
    }
    return true;
  }

  std::vector<spec::Residues> all_residues(const spec::Residues& moduli) const {
    auto all = spec::residues_below(moduli, size_, kMostTuples);
    if (!all)
      throw Refused("address_dependent", "the bits hang on more than " +
                                             std::to_string(kMostTuples) +
                                             " combinations of addresses");
    return std::move(*all);
  }

  // Random residues whose bits are not those of what is left of them modulo the moduli.
  std::optional<spec::Residues> exception_to(const spec::Residues& moduli) {
    for (int k = 0; k < 2 * kRandom; ++k) {
      const spec::Residues residues = random_residues();
      if (looks_.kind(residues) != looks_.kind(spec::reduced(residues, moduli))) return residues;
    }
    return std::nullopt;
  }

  Looks& looks_;
  const std::size_t places_;
  const int size_;
  const spec::Type type_;
  FastRandom random_;
};

}  // namespace

Call placed(Call call, const spec::AddressGuard& where, const spec::Residues& residues) {
  const auto size = static_cast<int>(element_size(call.type));
  // Elements to add to a leading dimension.
  const auto missing = [&](std::size_t place, std::int64_t leading) {
    const std::int64_t unit = std::max(where.moduli[place] / size, 1);
    const std::int64_t wanted = residues[place] / size;
    return ((wanted - leading) % unit + unit) % unit;
  };
  const auto rows_of = [](spec::Trans trans, std::int64_t no, std::int64_t yes) {
    return trans == spec::Trans::no ? no : yes;
  };
  if (where.moduli[0] > 1) call.align_a = residues[0];
  if (where.moduli[1] > 1) call.align_b = residues[1];
  if (where.moduli[2] > 1) call.align_c = residues[2];
  call.pad_a += missing(3, rows_of(call.trans_a, call.m, call.k) + call.pad_a);
  if (call.routine == spec::Routine::gemm) {
    call.pad_b += missing(4, rows_of(call.trans_b, call.k, call.n) + call.pad_b);
    call.pad_c += missing(5, call.m + call.pad_c);
  }
  return call;
}

std::vector<double> PlacedTarget::run_matrix(const MatrixBatch& batch) {
  MatrixBatch moved = batch;
  moved.call = place(batch.call);
  return target_.run_matrix(moved);
}

std::vector<std::vector<double>> PlacedTarget::run_matrices(std::span<const MatrixBatch> batches) {
  std::vector<MatrixBatch> moved(batches.begin(), batches.end());
  for (MatrixBatch& batch : moved) batch.call = place(batch.call);
  return target_.run_matrices(moved);
}

std::vector<std::uint64_t> PlacedTarget::signatures(const Call& call,
                                                    std::span<const UniformProbe> probes) {
  return target_.signatures(place(call), probes);
}

std::vector<spec::AddressGuard> address_classes(Target& target, const Call& context,
                                                const spec::Shape3& largest, std::uint64_t seed) {
  const std::vector<spec::AddressGuard> every(1);
  Looks looks(target, context, largest, seed);
  try {
    // Where equal calls differ, addresses explain nothing; what judges the context will say so.
    if (looks.look({}) != looks.look({})) return every;
    Search search(looks, context.routine, context.type, seed);
    return search.matters() ? search.classes() : every;
  } catch (const TargetError& error) {
    if (error.reason != "declined") throw;
    return every;  // a target that cannot choose addresses
  }
}

}  // namespace reprosum::reveal
