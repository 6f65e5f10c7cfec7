// Small specs written by hand, so that no test depends on what a capture finds.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "spec/surface.h"

namespace reprosum {

inline constexpr const char* kSequentialOrder = "1..100000: loop 1 { 0: [.@0 +1 x q]; }";
// What `double s = 0; for (...) s += x[k] * y[k];` does.
inline constexpr const char* kFromZeroOrder = "1..100000: loop 1 { 0: [0 .@0 +1 x q]; }";
inline constexpr const char* kLanesOrder = R"(
1..100000: loop 16 {
  0..15: a = [f@0 +16 x q]; b = [a@0 a@2]; c = [b@0 b@4]; d = [c@0 c@8];
         [d@0 d@1 .@16q +1 x r];
})";
inline constexpr const char* kPairwiseOrder = R"(
1..128: loop 8 { 0..7: a = [.@0 +8 x q]; b = [a@0 a@1]; c = [b@0 b@2]; [c@0 c@4 .@8q +1 x r]; }
129..8192: split half_down(8) { self, self }
8193..1000000: split last(8192) { self, self })";
inline constexpr const char* kWideTailOrder = R"(
1..1000000: loop 32 {
  0..31: a = [f@0 +32 x q]; b = [a@0 a@4]; c = [b@0 b@8]; d = [c@0 c@16]; e = [d@0 d@1];
         g = [e@0 e@2]; h = wide [.@0 +1 x r]; wide [g@0 h@32q];
})";

struct Sample {
  const char* routine;
  const char* order;
  std::int64_t n_max = 100000;
  std::vector<spec::Increments> increments{{1, 1}};
  std::vector<int> threads{1};
};

inline std::string sample_spec(const std::vector<Sample>& samples) {
  spec::Spec out;
  for (const Sample& sample : samples) {
    const auto [routine, type] = *spec::routine_from_blas_name(sample.routine);
    spec::Guard guard = spec::vector_guard(sample.increments, sample.threads);
    if (routine == spec::Routine::sum)
      for (auto& increments : guard.increments) increments.y = 0;
    out.entries.push_back(spec::entry_of_one_output(routine, type, std::move(guard),
                                                    out.orders.size(), sample.n_max));
    out.entries.back().certificate.seed = 7;
    out.orders.push_back(spec::parse_order(sample.order));
  }
  out.provenance = {{"cpu", "a CPU"}, {"target", "blas:libsample.so"}};
  spec::canonicalize(out);
  return spec::to_json(out);
}

}  // namespace reprosum
