// Orders of real libraries, written in the text language (facts: tests name libraries freely).
#pragma once

namespace reprosum::spec::samples {

inline constexpr const char* kSequential = "1..1000000: loop 1 { 0: [.@0 +1 x q]; }";

// OpenBLAS 0.3.21 Haswell, Zen, Sandybridge.
inline constexpr const char* kHaswellDdot = R"(
1..1000000: loop 16 {
  0..15: a = [f@0 +16 x q]; b = [a@0 a@2]; c = [b@0 b@4]; d = [c@0 c@8];
         [d@0 d@1 .@16q +1 x r];
})";
inline constexpr const char* kHaswellSdot = R"(
1..1000000: loop 32 {
  0..31: a = [f@0 +32 x q]; b = [a@0 a@4]; c = [b@0 b@8]; d = [c@0 c@16]; e = [d@0 d@1];
         g = [e@0 e@2]; h = wide [.@0 +1 x r]; wide [g@0 h@32q];
})";
// The same with two threads above n = 10000.
inline constexpr const char* kHaswellDdotTwoThreads = R"(
1..10000: loop 16 {
  0..15: a = [f@0 +16 x q]; b = [a@0 a@2]; c = [b@0 b@4]; d = [c@0 c@8];
         [d@0 d@1 .@16q +1 x r];
}
10001..1000000: split ceil_half_up(1) { regime 0, regime 0 })";

// OpenBLAS 0.3.21 SkylakeX and Cooperlake: a phase of 32 lanes, then one of 16, and an fma tail.
inline constexpr const char* kSkylakeXDdot = R"(
1..31: loop 16 {
  0..15: y = [f@0 +16 x q]; w = [y@0 +4 x 4]; v = [w@0 w@2]; u = [v@0 v@1]; [u@0 f@16q +1 x r];
}
32..1000000: loop 32 {
  0..15: z = [f@0 +32 x q]; y = [z@0 z@4]; w = [y@0 +8 x 4]; v = [w@0 w@2]; u = [v@0 v@1];
         [u@0 f@32q +1 x r];
  16..31: z = [f@0 +32 x q]; y = [z@0 z@4]; w = [[y@0 f@32q]@0 [y@0 f@(32q-4)]@8
          [y@0 f@(32q-8)]@16 [y@0 f@(32q-12)]@24]; v = [w@0 w@2]; u = [v@0 v@1];
          [u@0 f@(32q+16) +1 x (r-16)];
})";

inline constexpr const char* kAtlasSdot = R"(
1..1000000: loop 4 { 0..3: a = [.@0 +4 x q]; b = [a@0 a@1]; [b@0 b@2 .@4q +1 x r]; })";

// BLIS ddot: four accumulators of four lanes, folded from the left.
inline constexpr const char* kBlisDdot = R"(
1..1000000: loop 16 {
  0..15: a = [f@0 +16 x q]; b = [a@0 +4 x 4]; [b@0 +1 x 4 .@16q +1 x r];
})";

inline constexpr const char* kNumpySum = R"(
1..128: loop 8 { 0..7: a = [.@0 +8 x q]; b = [a@0 a@1]; c = [b@0 b@2]; [c@0 c@4 .@8q +1 x r]; }
129..8192: split half_down(8) { self, self }
8193..1000000: split last(8192) { self, self })";

// A GPU-like grid: 128 ragged lanes.
inline constexpr const char* kGrid = R"(
1..100000: loop 128 pad { 0: a = [f@0 +128 x q]; [a@0 +1 x 128]; })";

// A gemm-like K split.
inline constexpr const char* kBlocked = R"(
1..320: loop 1 { 0: [f@0 +1 x q]; }
321..3000: parts balanced_up(m=320, u=8) fold regime 0)";

// Windows of four places, and windows of their sums.
inline constexpr const char* kPasses = R"(
sub 0 { 4: trees { 4: a = [.@0 .@2]; [a@0 a@1]; } }
1..4: loop 1 { 0: [.@0 +1 x q]; }
5..100000: windows(4) { sub 0 by self })";

// Every construct of the language once.
inline constexpr const char* kEverything = R"(
zero_start
sub 0 {
  zero_start
  sub 0 { 2: trees { 2: wide [0 x@1 x@0]; } }
  2..3: trees { 2: [.@1 .@0]; 3: [[.@0 f@2]@0 .@1]; }
  5..99: split wide first_rest(7) { self, sub 0 }
}
1..4: trees { 1: [.@0]; 2: [0 .@0 f@1]; 4: a = [.@0 .@1]; [a@0 a@2]; }
5..20: loop 3 { 0..1: [f@0 +1 x (3q+r)]; 2: a = [.@0 -1 x 2]; [.@(3q+1) -1 x r -3 x q .@0 .@1]; }
21..40: loop 8 pad { 0: [.@0 +4 x 2 +8 x q .@1 +4 x 2 +8 x q .@2 +4 x 2 +8 x q
                         .@3 +4 x 2 +8 x q]; }
41..60: split half_up(2) { sub 0, regime 1 }
61..70: split wide ceil_half_up(1) { self, self }
71..72: split half_near(3) { self, self }
73..74: split pow2_below(1) { self, self }
75..76: split pow2_half(1) { self, self }
77..78: split last(5) { self, self }
79..80: split last_const(5) { self, self }
81..82: split first(5) { self, self }
83..84: parts balanced_up(m=20, u=4) fold self
85..86: parts wide balanced_ceil(m=20) fold self
87..88: parts ceil(count=3, m=2) fold self
89..90: parts floor(count=3) fold self
91..92: parts even(count=4) fold regime 1
93..94: parts proportional(count=5) fold self
95..96: parts rest(count=5, m=4) fold self)";

// Groups of eight products, each with the sum so far, as matrix units add them.
inline constexpr const char* kFusedGroups = R"(
  1..15: loop 1 { 0: [f@0 +1 x q]; }
  16..100000: loop 16 {
    0..15: a = fused(terms=8) [f@0 +2 x 8q]; b = fused(terms=8) [0 f@1 +2 x 8q .@16q +1 x r];
           [a@0 b@0];
  })";

inline constexpr const char* kAll[] = {
    kSequential,   kHaswellDdot, kHaswellSdot, kHaswellDdotTwoThreads,
    kSkylakeXDdot, kAtlasSdot,   kBlisDdot,    kNumpySum,
    kGrid,         kBlocked,     kPasses,      kEverything,
    kFusedGroups};

}  // namespace reprosum::spec::samples
