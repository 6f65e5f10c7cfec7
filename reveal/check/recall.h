// Calls that are made at first and again later: what changes in time shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reveal/check/random_data.h"
#include "reveal/check/random_matrices.h"
#include "reveal/check/replay_check.h"
#include "reveal/target.h"
#include "spec/region.h"

namespace reprosum::reveal {

// A library that adds in another order in its first calls, or from some call on, is deterministic
// wherever the same call is made twice in a row.
class Recall {
 public:
  // Makes some calls of sum or dot.
  Recall(Target& target, const Call& context, std::uint64_t seed);
  // Makes them again. What has changed, if anything.
  std::optional<std::string> changed(Target& target) const;

 private:
  struct Made {
    Call call;
    Vectors data;
    std::int64_t rows = 0;
    std::vector<double> outputs{};
  };
  std::vector<Made> made_;
  std::int64_t calls_ = 0;  // of the target before
};

// The same of gemv or gemm: two products of at most `largest`.
class ProductRecall {
 public:
  ProductRecall(Target& target, const Call& context, const spec::Shape3& largest,
                std::uint64_t seed);
  std::optional<std::string> changed(Target& target) const;

 private:
  struct Made {
    Call call;
    Matrices data;
    std::vector<double> outputs{};
    std::vector<double> run(Target& target) const;
  };
  std::vector<Made> made_;
  std::int64_t calls_ = 0;
};

}  // namespace reprosum::reveal
