// A target whose calls get random increments of those that share an order.
#pragma once

#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "reveal/capture/wrapped_target.h"
#include "reveal/check/random_data.h"
#include "spec/increments.h"

namespace reprosum::reveal {

// Increments up to here are tried everywhere, where memory allows.
inline constexpr std::int64_t kLargestIncrement = 10'000;
// Elements from one end of a vector to the other, in most calls and in few: increments are drawn
// such that no vector is longer, as far as their kind admits that.
inline constexpr std::int64_t kUsualReach = std::int64_t{1} << 14;
inline constexpr std::int64_t kLongReach = std::int64_t{1} << 21;

// The increments cut into parts of one of spec::kIncrementKinds each.
std::vector<spec::Increments> by_kind(const std::vector<spec::Increments>& increments);
// The same, those together that share which increments are 0: data are made for these.
std::vector<std::vector<spec::Increments>> by_zeros(
    const std::vector<spec::Increments>& increments);

// One of the range, such that a vector of n elements reaches over `reach` ones at most, as far as
// the range admits that. @pre the range is of one kind
std::int64_t drawn_increment(const spec::IncrementRange& range, std::int64_t n, std::int64_t reach,
                             FastRandom& random);

// Small ones, powers of two, multiples of 64, any up to kLargestIncrement; often the same of x and
// y. Kinds are equally likely. The target must outlive this.
class DrawnIncrements final : public WrappedTarget {
 public:
  // @pre all of them share which increments are 0
  DrawnIncrements(Target& target, const std::vector<spec::Increments>& increments,
                  std::uint64_t seed);

  // Whether calls keep their own increments.
  void keep_own(bool own) { keeps_own_ = own; }
  bool has_one() const;
  std::int64_t kinds() const { return std::ssize(parts_); }
  // What the last call had.
  const std::pair<std::int64_t, std::int64_t>& last() const { return last_; }

  std::vector<double> run(const Batch& batch) override;
  std::vector<double> run_matrix(const MatrixBatch& batch) override;
  std::vector<std::vector<double>> run_matrices(std::span<const MatrixBatch> batches) override;
  std::vector<std::uint64_t> signatures(const MatrixCall& call,
                                        std::span<const UniformProbe> probes) override;

 private:
  bool is_fixed() const { return keeps_own_ || has_one(); }
  // `x` and `y` summands or outputs; base_id as of a batch.
  void draw(std::int64_t x, std::int64_t y, std::uint64_t base_id);
  MatrixCall with_drawn(const MatrixCall& call, std::uint64_t base_id);

  const std::vector<spec::Increments> parts_;  // of one kind each
  FastRandom random_;
  bool keeps_own_ = false;
  std::pair<std::int64_t, std::int64_t> last_{1, 1};
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

// What a certificate says of increments where an entry admits more than single ones; else "".
std::string increments_not_checked(const std::vector<spec::Increments>& increments);

}  // namespace reprosum::reveal
