// Sources with a known rule: the class of an output is a function of (shape, i, j).
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "reveal/region.h"

namespace reprosum::reveal::region_testing {

// Classes are numbers; what they hash to differs with k. Two classes that are one at some k are
// given one number there by the function.
class PlantedSource final : public SignatureSource {
 public:
  using Class =
      std::function<std::uint64_t(const spec::Shape3& shape, std::int64_t i, std::int64_t j)>;
  explicit PlantedSource(Class planted) : planted_(std::move(planted)) {}

  std::vector<std::uint64_t> signatures(const spec::Shape3& shape) override {
    ++calls_;
    EXPECT_TRUE(shape.m >= 1 && shape.n >= 1 && shape.k >= 1) << "an empty shape is looked at";
    std::vector<std::uint64_t> hashes(shape.m * shape.n);
    for (std::int64_t j = 0; j < shape.n; ++j) {
      for (std::int64_t i = 0; i < shape.m; ++i) {
        hashes[i + j * shape.m] =
            (planted_(shape, i, j) + 1) * 0x9E3779B97F4A7C15u ^ (shape.k * 0xff51afd7ed558ccdu);
      }
    }
    return hashes;
  }
  std::int64_t calls() const override { return calls_; }

 private:
  Class planted_;
  std::int64_t calls_ = 0;
};

}  // namespace reprosum::reveal::region_testing
