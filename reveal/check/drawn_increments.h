// A target whose calls get random increments, addresses, places and faces, drawn from those that
// share an order.
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "reveal/check/random_data.h"
#include "reveal/target/wrapped_target.h"
#include "spec/increments.h"

namespace reprosum::reveal {

// Increments up to here are tried everywhere, where memory allows.
inline constexpr std::int64_t kLargestIncrement = 10'000;
// Elements from one end of a vector to the other: increments are drawn such that no vector is
// longer, as far as their kind admits that. Most calls have the usual reach, some any up to the
// long one: a library may go another way where a stretch is longer than its buffer or a page.
inline constexpr std::int64_t kUsualReach = std::int64_t{1} << 14;
inline constexpr std::int64_t kLongReach = std::int64_t{1} << 21;

// Addresses of vectors by residues modulo 64 bytes that share an order, as AlignmentClasses has
// them.
struct AddressClass {
  int modulus = 1;
  std::vector<std::pair<int, int>> residues{{0, 0}};
};

// The increments cut into parts of one of spec::kIncrementKinds each.
std::vector<spec::Increments> by_kind(const std::vector<spec::Increments>& increments);
// The same, grouped by which increments are 0, because data are made for one such group.
std::vector<std::vector<spec::Increments>> by_zeros(
    const std::vector<spec::Increments>& increments);

// An increment that is related to one of `size`: the same, a neighbour, twice or half of it.
std::int64_t related_increment(std::int64_t size, FastRandom& random);

// A random increment of the range with which a vector of n elements reaches over at most `reach`
// elements, as far as the range admits that. @pre the range is of one kind
std::int64_t drawn_increment(const spec::IncrementRange& range, std::int64_t n, std::int64_t reach,
                             FastRandom& random);

// Draws small increments, powers of two, multiples of 64, any up to kLargestIncrement; often the
// same for x and y, or neighbours, or one twice the other. Kinds are equally likely. The target
// must outlive this.
class DrawnIncrements final : public WrappedTarget {
 public:
  // @pre all of them share which increments are 0
  DrawnIncrements(Target& target, const std::vector<spec::Increments>& increments,
                  std::uint64_t seed);

  // Whether calls keep their own increments and addresses.
  void keep_own(bool own) { keeps_own_ = own; }
  // Half of the calls of sum and dot get other addresses of this class from now on, and half of
  // these any place (placements.h).
  void draw_addresses(AddressClass addresses) { addresses_ = std::move(addresses); }
  // Half of the calls of sum and dot go through CBLAS from now on, where the target has both faces.
  void draw_faces() { draws_faces_ = true; }
  // Whether all calls reach farther than usual.
  void draw_far(bool far) { draws_far_ = far; }
  // Whether there is only one pair of increments.
  bool has_one() const;
  std::int64_t kinds() const { return std::ssize(parts_); }
  // The increments of the last call.
  const std::pair<std::int64_t, std::int64_t>& last() const { return last_; }
  const Call& last_call() const { return last_call_; }

  std::vector<double> run(const Batch& batch) override;
  std::vector<double> run_matrix(const MatrixBatch& batch) override;
  std::vector<std::vector<double>> run_matrices(std::span<const MatrixBatch> batches) override;
  std::vector<std::uint64_t> signatures(const Call& call,
                                        std::span<const UniformProbe> probes) override;

 private:
  bool is_fixed() const { return keeps_own_ || (has_one() && !addresses_ && !draws_faces_); }
  // A batch that has the base of the one before also keeps its call.
  bool is_as_before(std::uint64_t base_id);
  std::int64_t draw_reach();
  // `x` and `y` summands or outputs.
  void draw(std::int64_t x, std::int64_t y);
  // Draws an address of the class. `call` has its increments already.
  void put_address(Call& call);
  Call with_drawn(const Call& call, std::uint64_t base_id);

  const std::vector<spec::Increments> parts_;  // of one kind each
  FastRandom random_;
  bool keeps_own_ = false, draws_far_ = false, draws_faces_ = false;
  std::optional<AddressClass> addresses_;  // nullopt: calls keep their own
  std::pair<std::int64_t, std::int64_t> last_{1, 1};
  Call last_call_;
  std::uint64_t last_base_ = 0;
};

// Lets calls keep their own increments as long as this lives.
class OwnIncrements {
 public:
  explicit OwnIncrements(DrawnIncrements& drawn) : drawn_(drawn) { drawn_.keep_own(true); }
  ~OwnIncrements() { drawn_.keep_own(false); }
  OwnIncrements(const OwnIncrements&) = delete;
  OwnIncrements& operator=(const OwnIncrements&) = delete;

 private:
  DrawnIncrements& drawn_;
};

// Lets all calls reach far as long as this lives.
class FarIncrements {
 public:
  explicit FarIncrements(DrawnIncrements& drawn) : drawn_(drawn) { drawn_.draw_far(true); }
  ~FarIncrements() { drawn_.draw_far(false); }
  FarIncrements(const FarIncrements&) = delete;
  FarIncrements& operator=(const FarIncrements&) = delete;

 private:
  DrawnIncrements& drawn_;
};

// What a certificate says of increments where an entry admits more than single ones; else "".
std::string increments_not_checked(const std::vector<spec::Increments>& increments);

}  // namespace reprosum::reveal
