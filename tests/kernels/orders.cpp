#include "tests/kernels/orders.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace reprosum::kernels::test {
namespace {

using spec::Routine;
using spec::Type;

std::string str(std::int64_t value) { return std::to_string(value); }

// Lanes over a block, folded; the tail appended to the result.
NamedOrder appended(std::string name, Routine routine, Type type, int block, int width,
                    const std::string& reduced, const char* lane = "f", const char* tail = ".") {
  const std::string times = block == width ? "q" : str(block / width) + "q";
  return {std::move(name), routine, type,
          "1..1048576: loop " + str(block) + " { 0.." + str(block - 1) + ": L = [" + lane + "@0 +" +
              str(width) + " x " + times + "]; [" + reduced + " " + tail + "@" + str(block) +
              "q +1 x r]; }"};
}

// The same with the tail as a chain of its own in wide, added to the result.
NamedOrder apart(std::string name, int block, int width, const std::string& reduced) {
  const std::string times = block == width ? "q" : str(block / width) + "q";
  return {std::move(name), Routine::dot, Type::f32,
          "1..1048576: loop " + str(block) + " { 0.." + str(block - 1) + ": L = [f@0 +" +
              str(width) + " x " + times + "]; wide [wide [0 .@" + str(block) + "q +1 x r]@0 " +
              reduced + "]; }"};
}

// 64 lanes (f64: 32), halved inside each register, continued by half a block, folded.
std::string two_phase_case(int width, bool more, bool wide_tail) {
  const int vector = width / 4, half = vector / 2, block = width;
  std::string accs;
  std::vector<std::vector<std::string>> acc(4);
  for (int a = 0; a < 4; ++a) {
    for (int s = 0; s < half; ++s) {
      std::string item = "[L@" + str(a * vector + s) + " L@" + str(a * vector + s + half) + "]@0";
      if (more) item = "[" + item + " f@(" + str(block) + "q+" + str(a * half + s) + ")]@0";
      acc[static_cast<std::size_t>(a)].push_back(item);
    }
  }
  std::vector<std::string> folded;
  for (int s = 0; s < half; ++s) {
    std::vector<std::string> column;
    for (auto& a : acc) column.push_back(a[static_cast<std::size_t>(s)]);
    folded.push_back(left_fold(column));
  }
  const std::string main = wide_tail ? fold(folded, {4, 1, 2}) : fold(folded, {2, 1});
  const std::string from = more ? "(" + str(block) + "q+" + str(block / 2) + ")" : str(block) + "q";
  const std::string count = more ? "(r-" + str(block / 2) + ")" : "r";
  const std::string lane = "L = [f@0 +" + str(block) + " x q]; ";
  if (wide_tail) return lane + "wide [wide [0 .@" + from + " +1 x " + count + "]@0 " + main + "];";
  return lane + "[" + main + " f@" + from + " +1 x " + count + "];";
}

NamedOrder two_phase(std::string name, Type type) {
  const bool f32 = is_f32(type);
  const int block = f32 ? 64 : 32;
  return {std::move(name), Routine::dot, type,
          "1..1048576: loop " + str(block) + " { 0.." + str(block / 2 - 1) + ": " +
              two_phase_case(block, false, f32) + " " + str(block / 2) + ".." + str(block - 1) +
              ": " + two_phase_case(block, true, f32) + " }"};
}

}  // namespace

std::vector<std::string> lanes(const std::string& shape, int count, int first) {
  std::vector<std::string> result;
  for (int k = 0; k < count; ++k) result.push_back(shape + "@" + str(first + k));
  return result;
}

std::string fold(std::vector<std::string> values, const std::vector<int>& distances) {
  for (const int d : distances) {
    std::vector<std::string> next(values.size());
    std::vector<std::string> kept;
    for (std::size_t k = 0; k < values.size(); ++k)
      if ((k & static_cast<std::size_t>(d)) == 0)
        next[k] = "[" + values[k] + " " + values[k + static_cast<std::size_t>(d)] + "]@0";
    values = std::move(next);
    // Keep the numbering: lane k of the next step is still lane k (empty ones are skipped).
    for (std::size_t k = 0; k < values.size(); ++k)
      if (values[k].empty()) values[k] = "";
  }
  return values[0];
}

std::string left_fold(const std::vector<std::string>& values) {
  std::string text = "[";
  for (const std::string& v : values) text += (text.size() > 1 ? " " : "") + v;
  return text + "]@0";
}

// BLIS's sdot on Zen: blocks of ten vectors, then at most one of five, two of two and one of one,
// each onto the accumulators that the folds before have left; what is fewer than a vector is a sum
// of its own.
NamedOrder ten_accumulators() {
  std::string text = "zero_start 1..1048576: loop 80 {";
  for (int vectors = 0; vectors < 10; ++vectors) {
    const int fives = vectors / 5, twos = vectors % 5 / 2, ones = vectors % 5 % 2;
    const int first = 8 * vectors;
    const auto place = [](int offset) { return "@(80q+" + str(offset) + ") "; };
    const std::string pairs = " f" + place(40 * fives) + "+16 x " + str(twos);
    text += " " + str(first) + ".." + str(first + 7) + ": a = [f@0 +80 x q];";
    text += " b = [a@0 a@40" + (fives > 0 ? " f" + place(0) : "") + "]; c = [b@0 b@16" + pairs +
            "]; d = [b@0 b@16 +16 x 2" + pairs + " c@8" +
            (ones > 0 ? " f" + place(first - 8) : "") + "]; e = [.@0 +1 x (r-" + str(first) +
            ")]; [d@0 +1 x 8 e" + place(first) + "];";
  }
  return {"BLIS sdot, Zen", Routine::dot, Type::f32, text + " }"};
}

std::vector<NamedOrder> library_orders() {
  std::vector<NamedOrder> all;
  const Routine dot = Routine::dot, sum = Routine::sum;
  const Type f32 = Type::f32, f64 = Type::f64;
  all.push_back({"sequential s", dot, f32, "1..1048576: loop 1 { 0: [.@0 +1 x q]; }"});
  all.push_back({"sequential d", dot, f64, "1..1048576: loop 1 { 0: [.@0 +1 x q]; }"});
  all.push_back(apart("Haswell sdot", 32, 32, fold(lanes("L", 32), {4, 8, 16, 1, 2})));
  all.push_back(apart("Nehalem sdot", 32, 16, fold(lanes("L", 16), {4, 8, 1, 2})));
  all.push_back(two_phase("SkylakeX sdot", f32));
  all.push_back(appended("Haswell ddot", dot, f64, 16, 16, fold(lanes("L", 16), {2, 4, 8, 1})));
  all.push_back(appended("Nehalem ddot", dot, f64, 16, 8, fold(lanes("L", 8), {2, 4, 1}), "."));
  all.push_back(two_phase("SkylakeX ddot", f64));
  for (const bool single : {true, false}) {
    const int w = single ? 8 : 4;
    std::vector<std::string> columns;
    for (int s = 0; s < w; ++s) {
      std::vector<std::string> column;
      for (int a = 0; a < 4; ++a) column.push_back("L@" + str(a * w + s));
      columns.push_back(left_fold(column));
    }
    all.push_back(appended(single ? "BLIS sdot" : "BLIS ddot", dot, single ? f32 : f64, 4 * w,
                           4 * w, left_fold(columns)));
  }
  all.push_back(ten_accumulators());
  all.push_back(appended("ATLAS sdot", dot, f32, 4, 4, fold(lanes("L", 4), {1, 2}), "."));
  for (const Type type : {f32, f64}) {
    NamedOrder pairwise =
        appended("pairwise sum", sum, type, 8, 8, fold(lanes("L", 8), {1, 2, 4}), ".");
    const std::string leaf_rule = pairwise.text.substr(pairwise.text.find(':'));
    pairwise.text = "1..128" + leaf_rule + " 129..8192: split half_down(8) { self, self }" +
                    " 8193..1048576: split last(8192) { self, self }";
    all.push_back(pairwise);
  }
  // Reversed groups: in each lane 3, 2, 1, 0 of a block of four packets.
  all.push_back(
      {"reversed groups d", dot, f64,
       "1..7: loop 1 { 0: [.@0 +1 x q]; } 8..1048576: loop 8 { 0..7: L = [.@6 -2 x 4 +8 x "
       "q]; [[L@0 L@1]@0 .@8q +1 x r]; }"});
  all.push_back({"group sums s", sum, f32,
                 "1..1048576: loop 16 { 0..15: P = [[.@0 .@4]@0 [.@8 .@12]@0]; L = [P@0 +16 x q]; "
                 "[[[L@0 L@1]@0 [L@2 L@3]@0]@0 .@16q +1 x r]; }"});
  all.push_back({"pair sums s", dot, f32,
                 "1..1048576: loop 2 { 0..1: P = [.@0 .@1]; [P@0 +2 x q .@2q +1 x r]; }"});
  all.push_back({"pair sums of two accumulators d", dot, f64,
                 "1..1048576: loop 4 { 0..3: P = [.@0 .@2]; L = [P@0 +4 x q]; "
                 "[[L@0 .@4q +1 x r]@0 L@1]; }"});
  NamedOrder halves = all[5];
  halves.name = "threaded halves d";
  halves.text = "1..10000" + halves.text.substr(halves.text.find(':')) +
                " 10001..1048576: split ceil_half_up(1) { regime 0, regime 0 }";
  all.push_back(halves);
  for (const Routine routine : {sum, dot})
    for (const Type type : {f32, f64})
      all.push_back(appended("4 lanes", routine, type, 4, 4, fold(lanes("L", 4), {1, 2})));
  return all;
}

std::vector<NamedOrder> lane_orders() {
  const std::string levels =
      "sub 0 { 1..4: loop 1 { 0: [.@0 +1 x q]; } 5..16: split last(4) { self, self } "
      "17..1048576: split last(16) { self, self } }";
  const std::string of_vectors =
      "1..1048576: loop 3 { 0: a = [sub 0@0 +3 x q]; [a@0 +1 x 3]; "
      "1..2: a = [sub 0@0 +3 x q]; b = [.@3q +1 x r]; [a@0 b@0 a@1 a@2]; }";
  const std::string outer =
      "loop 8 { 0..7: a = [sub 0@0 +8 x q]; b = [.@0 +1 x r]; [a@0 b@8q a@1 +1 x 7]; }";
  const auto whole = [&](const std::string& subs, const std::string& head) {
    return head + subs + " 1..1048576: " + outer;
  };
  const std::string halves =
      "sub 0 { zero_start 1..1: loop 1 { 0: [f@0 +1 x q]; } "
      "2..1048576: split half_up(1) { self, self } }";
  const std::string wide =
      "sub 0 { 1..1048576: loop 2 { 0..1: wide [x@0 +2 x q x@1 +2 x q x@2q +1 x r]; } }";
  return {
      {"levels in lanes", Routine::sum, Type::f32, whole(levels, ""), 1048576},
      {"levels in lanes of lanes", Routine::sum, Type::f64,
       whole("sub 0 { " + levels + " " + of_vectors + " }", "zero_start "), 1048576},
      {"products in lanes of lanes", Routine::dot, Type::f32,
       whole("sub 0 { " + levels + " " + of_vectors + " }", ""), 1048576},
      {"halves of products in lanes", Routine::dot, Type::f64, whole(halves, ""), 1048576},
      {"fused products in lanes", Routine::dot, Type::f32,
       whole("sub 0 { 1..1048576: loop 4 { 0..3: L = [f@0 +4 x q]; [L@0 +1 x 4 f@4q +1 x r]; } }",
             ""),
       1048576},
      {"wide lanes of their own", Routine::dot, Type::f32, whole(wide, ""), 1048576},
      {"two halves of levels in lanes", Routine::sum, Type::f32,
       "sub 0 { " + whole(levels, "") +
           " } 1..1: loop 1 { 0: [.@0]; } "
           "2..1048576: parts ceil(count = 2, m = 1) fold sub 0",
       1048576},
      {"levels in many lanes", Routine::sum, Type::f64,
       levels + " 1..1048576: loop 96 { 0..95: a = [sub 0@0 +96 x q]; b = [.@0 +1 x r]; "
                "[a@0 +1 x 96 b@96q]; }",
       1048576},
  };
}

std::vector<NamedOrder> many_lanes_orders() {
  const Routine dot = Routine::dot, sum = Routine::sum;
  const Type f32 = Type::f32, f64 = Type::f64;
  // 256 neighbours folded by halves, the farthest first.
  const std::string halves =
      "b = [a@0 a@128]; c = [b@0 b@64]; d = [c@0 c@32]; e = [d@0 d@16]; g = [e@0 e@8]; "
      "h = [g@0 g@4]; i = [h@0 h@2]; j = [i@0 i@1]; ";
  return {
      {"halves of work-items", dot, f64,
       "1..1000000: loop 4608 pad { 0: a = [0 f@0 +4608 x q]; " + halves + "[j@0 +256 x 18]; }",
       1'000'000},
      {"work-items without a zero", dot, f32,
       "1..1000000: loop 5120 pad { 0: a = [f@0 +5120 x q]; " + halves +
           "k = [j@0 j@2560]; [k@0 +256 x 10]; }",
       1'000'000},
      {"work-items in wide", dot, f32,
       "1..100000: loop 4352 pad { 0: a = wide [0 x@0 +4352 x q]; b = wide [a@0 +1 x 16]; "
       "wide [b@0 +16 x 256 b@4096 +16 x 16]; }",
       100'000},
      {"lane after lane", sum, f32,
       "zero_start 1..200000: loop 5000 pad { 0: a = [.@0 +5000 x q]; [a@0 +1 x 5000]; }", 200'000},
      {"far lanes first", sum, f64,
       "1..200000: loop 4200 pad { 0: a = [.@0 +4200 x q]; b = [a@0 a@2100]; [b@0 +1 x 2100]; }",
       200'000},
      {"below work-items a loop", dot, f64,
       "1..2000: loop 1 { 0: [.@0 +1 x q]; } 2001..200000: loop 8192 pad { 0: "
       "a = [0 .@0 +8192 x q]; b = [a@0 +1 x 64]; c = [b@0 +64 x 128]; [0 c@0]; }",
       200'000},
      {"pieces of work-items", sum, f64,
       "1..50000: loop 4608 pad { 0: a = [0 .@0 +4608 x q]; " + halves +
           "[j@0 +256 x 18]; } "
           "50001..1000000: split last(50000) { self, self }",
       1'000'000},
  };
}

std::vector<NamedOrder> running_orders() {
  constexpr auto dot = spec::Routine::dot;
  constexpr auto f32 = spec::Type::f32, f64 = spec::Type::f64;
  return {
      {"fused at odd places", dot, f64,
       "sub 0 { 1..2: trees { 1: [out .@0]; 2: [out .@0 f@1]; } } 1..2: trees { 1: [0 .@0]; 2: a = "
       "[0 .@0]; [a@0 f@1]; } 3..100000: split last(2) through { self, sub 0 }",
       100000},
      {"fused at odd places of lanes", dot, f32,
       "sub 0 { sub 0 { 1..2: trees { 1: [out .@0]; 2: [out .@0 f@1]; } } 1..2: trees { 1: [.@0]; "
       "2: [f@0 +1 x 2]; } 3..1099511627776: split last(2) through { self, sub 0 } } "
       "1..100000: loop 4 { 0..3: [sub 0@0 +4 x q sub 0@1 +4 x q sub 0@2 +4 x q sub 0@3 +4 x q "
       ".@4q +1 x r]; }",
       100000}};
}

std::vector<NamedOrder> synthetic_orders() {
  const Routine dot = Routine::dot, sum = Routine::sum;
  const Type f32 = Type::f32, f64 = Type::f64;
  return {
      {"reverse sequential", dot, f64, "1..100000: loop 1 { 0: [f@(q-1) -1 x q]; }", 100000},
      {"zero start", dot, f32,
       "zero_start 1..100000: loop 2 { 0..1: L = [f@0 +2 x q]; [L@0 L@1 "
       "f@2q +1 x r]; }",
       100000},
      {"zero lanes", dot, f64,
       "1..3: loop 1 { 0: [.@0 +1 x q]; } 4..100000: loop 4 { 0..3: L = [0 f@0 +4 x q]; [L@0 L@1 "
       "L@2 L@3 .@4q +1 x r]; }",
       100000},
      {"groups from zero", dot, f32,
       "1..100000: loop 4 { 0..3: P = [0 f@0 +1 x 4]; [P@0 +4 x q .@4q +1 x r]; }", 100000},
      {"lanes of groups from zero", dot, f64,
       "1..100000: loop 8 { 0..7: P = [0 .@0 f@4]; L = [P@0 +8 x q]; [[L@0 L@1]@0 [L@2 L@3]@0 "
       ".@8q +1 x r]; }",
       100000},
      {"zeros in lanes", sum, f32,
       "1..100000: loop 4 { 0..3: P = [0 .@0]; L = [P@0 +4 x q]; [[L@0 L@1]@0 [L@2 L@3]@0 "
       ".@4q +1 x r]; }",
       100000},
      {"two first", dot, f64,
       "1..1: trees { 1: [.@0]; } 2..100000: loop 4 { "
       "0: L = [f@2 +4 x (q-1)]; [.@1 .@0 [L@0 L@1 L@2 L@3]@0 .@(4q-2) +1 x 2]; "
       "1: L = [f@2 +4 x (q-1)]; [.@1 .@0 [L@0 L@1 L@2 L@3]@0 .@(4q-2) +1 x 3]; "
       "2..3: L = [f@2 +4 x q]; [.@1 .@0 [L@0 L@1 L@2 L@3]@0 .@(4q+2) +1 x (r-2)]; }",
       100000},
      {"parts from inside a block", dot, f32,
       "1..2: loop 1 { 0: [.@0 +1 x q]; } 3..100: loop 8 { 0..7: [f@2 .@1 .@0 .@3 +1 x (8q+r-3)]; "
       "} 101..100000: parts ceil(count = 40, m = 1) fold regime 1",
       100000},
      {"wide lanes", dot, f32,
       "1..100000: loop 4 { 0..3: L = wide [x@0 +4 x q]; wide [L@0 L@1 L@2 L@3 x@4q +1 x r]; }",
       100000},
      {"wide fused", dot, f32,
       "1..100000: loop 4 { 0..3: L = wide [f@0 +4 x q]; wide [[L@0 L@1 L@2 L@3]@0 x@4q +1 x r]; }",
       100000},
      {"wide sum", sum, f32, "1..100000: loop 1 { 0: wide [x@0 +1 x q]; }", 100000},
      {"uneven lanes", dot, f64,
       "1..3: loop 1 { 0: [.@0 +1 x q]; } 4..100000: loop 4 { "
       "0: L = [f@0 +4 x q]; [L@0 L@1 L@2 L@3]; "
       "1: L = [f@0 +4 x q]; [[f@0 +4 x (q+1)]@0 L@1 L@2 L@3]; "
       "2: L = [f@0 +4 x q]; M = [f@0 +4 x (q+1)]; [M@0 M@1 L@2 L@3]; "
       "3: L = [f@0 +4 x q]; M = [f@0 +4 x (q+1)]; [M@0 M@1 M@2 L@3]; }",
       100000},
      {"explicit", dot, f64,
       "1..5: trees { 1: [.@0]; 2: [.@0 f@1]; 3: [[.@0 .@2]@0 f@1]; 4: [[.@0 f@3]@0 [.@1 .@2]@0]; "
       "5: [.@4 f@0 +1 x 4]; } 6..100000: split pow2_below(4) { self, self }",
       100000},
      {"padded", dot, f64,
       "1..100000: loop 8 pad { 0: L = [f@0 +8 x q]; [[L@0 L@4]@0 [L@2 L@6]@0 [L@1 L@5]@0 [L@3 "
       "L@7]@0]; }",
       100000},
      {"padded groups", dot, f32,
       "1..100000: loop 16 pad { 0: P = [.@0 f@4]; L = wide [0 P@0 +8 x 2q]; wide [L@0 L@1 L@2 "
       "L@3]; }",
       100000},
      {"windows", sum, f32,
       "zero_start sub 0 { 8: trees { 8: a = [.@0 .@4]; b = [a@0 a@2]; [b@0 b@1]; } } "
       "1..8: loop 1 { 0: [.@0 +1 x q]; } 9..100000: windows(8) { sub 0 by self }",
       100000},
      {"windows of products", dot, f64,
       "sub 0 { 5: trees { 5: [.@0 +1 x 5]; } } sub 1 { 2..100000: split half_up(1) { self, self "
       "} } 1..5: loop 1 { 0: [.@0 +1 x q]; } 6..200: windows(5) { sub 0 by self } "
       "201..400: windows(5) { sub 0 by sub 1 } 401..100000: split last(400) { self, regime 2 }",
       100000},
      {"one beside the others", sum, f64,
       "sub 0 { 1..100: loop 8 { 0..7: L = [.@0 +8 x q]; [L@0 L@1 L@2 L@3 L@4 L@5 L@6 L@7 .@8q +1 "
       "x r]; } 101..100000: split half_down(8) { self, self } } 1: trees { 1: [.@0]; } "
       "2..100000: split first(1) { sub 0, sub 0 }",
       100000},
      {"right fold", sum, f64,
       "1..16: loop 1 { 0: [.@0 +1 x q]; } 17..100000: split first(7) { self, self }", 100000},
      {"first rest", dot, f32,
       "1..16: loop 1 { 0: [f@0 +1 x q]; } 17..100000: split wide first_rest(16) { regime 0, self "
       "}",
       100000},
      {"chunks of two", dot, f32,
       "zero_start 1..6: trees { 1: [.@0]; 2: [.@0 .@1]; 3: [.@0 +1 x 3]; 4: a = [.@0 .@1]; [.@0 "
       ".@1 a@2]; 5: a = [.@0 .@1]; wide [a@0 +2 x 2 .@4]; 6: a = [.@0 .@1]; wide [a@0 +2 x 3]; } "
       "7..100000: split wide last(2) { self, self }",
       100000},
      {"chunks of a sub-order", dot, f64,
       "sub 0 { zero_start 1..3: trees { 1: [.@0]; 2: [f@1 f@0]; 3: [.@2 .@0 f@1]; } } 1..7: loop "
       "1 "
       "{ 0: [f@0 +1 x q]; } 8..100000: split last_const(3) { self, sub 0 }",
       100000},
      {"long chunks", sum, f64,
       "1..200: loop 8 { 0..7: L = [.@0 +8 x q]; [[L@0 L@1 L@2 L@3 L@4 L@5 L@6 L@7]@0 .@8q +1 x "
       "r]; } 201..100000: split last(200) { self, self }",
       100000},
      {"balanced parts", dot, f32,
       "sub 0 { 1..1000: loop 2 { 0..1: L = [f@0 +2 x q]; [L@0 L@1 .@2q +1 x r]; } } 1..1: trees { "
       "1: [.@0]; } 2..64: loop 1 { 0: [f@0 +1 x q]; } 65..100000: parts balanced_up(m = 64, u = "
       "4) fold sub 0",
       100000},
      {"three parts", sum, f32,
       "1..100: loop 1 { 0: [.@0 +1 x q]; } 101..100000: parts ceil(count = 3, m = 4) fold regime "
       "0",
       100000},
  };
}

NamedOrder random_order(std::mt19937_64& random) {
  const auto below = [&](int k) { return static_cast<int>(random() % static_cast<unsigned>(k)); };
  const auto pick = [&](const std::vector<std::string>& v) {
    return v[static_cast<std::size_t>(below(static_cast<int>(v.size())))];
  };
  NamedOrder order;
  order.name = "random";
  order.routine = below(4) == 0 ? Routine::sum : Routine::dot;
  order.type = below(2) == 0 ? Type::f32 : Type::f64;
  order.n_max = 20000;
  const bool may_wide = is_f32(order.type) && below(2) == 0;
  // The format of a chain; an exact leaf needs a wide one.
  bool is_wide = false;
  const auto wide = [&] {
    is_wide = may_wide && below(3) == 0;
    return is_wide ? "wide " : "";
  };
  const auto leaf = [&] { return is_wide && below(2) == 0 ? "x" : below(2) == 0 ? "f" : "."; };
  const int width = std::vector<int>{1, 2, 3, 4, 5, 8, 12, 16, 32}[std::size_t(below(9))];
  const int per = 1 + below(3);
  const int block = width * per;
  const std::string lane_format = wide();
  std::string chain;
  switch (below(4)) {
    case 0:  // all in one run
      chain = std::string(leaf()) + "@0 +" + str(width) + " x " + str(per) + "q";
      break;
    case 1: {  // backwards inside each block
      chain = std::string(leaf()) + "@" + str((per - 1) * width) + " -" + str(width) + " x " +
              str(per) + " +" + str(block) + " x q";
      break;
    }
    case 2: {  // a small tree per block
      std::string inner = lane_format + "[";
      for (int k = 0; k < per; ++k)
        inner += (k > 0 ? " " : "") + std::string(leaf()) + "@" + str(k * width);
      chain = inner + "]@0 +" + str(block) + " x q";
      break;
    }
    default:
      chain = std::string(width == 1 && below(2) == 0 ? "0 " : "") + leaf() + "@0 +" + str(width) +
              " x " + str(per) + "q";
  }
  std::vector<std::string> values = lanes("L", width);
  while (values.size() > 1) {  // a random tree over the lanes
    const std::size_t a = static_cast<std::size_t>(below(static_cast<int>(values.size())));
    std::string left = values[a];
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(a));
    const std::size_t b = static_cast<std::size_t>(below(static_cast<int>(values.size())));
    values[b] = std::string(wide()) + "[" + left + " " + values[b] + "]@0";
  }
  const std::string lane = "L = " + lane_format + "[" + chain + "]; ";
  const std::string run = str(block) + "q +1 x r";
  std::string loop = "loop " + str(block) + " { 0.." + str(block - 1) + ": " + lane;
  if (below(2) == 0) {
    const std::string format = wide();
    loop += format + "[" + values[0] + " " + leaf() + "@" + run + "]; }";
  } else {
    const std::string outer = wide(), inner = wide();
    loop += outer + "[" + values[0] + " " + inner + "[" + leaf() + "@" + run + "]@0]; }";
  }
  if (below(4) == 0) order.text = "zero_start ";
  switch (below(4)) {
    case 0:
    case 1:
      order.text += "1..20000: " + loop;
      break;
    case 2: {
      const int from = block + 1 + below(200);
      order.text +=
          "1.." + str(from) + ": " + loop + " " + str(from + 1) + "..20000: split " + wide() +
          pick({"half_down(1)", "half_up(1)", "ceil_half_up(1)", "pow2_below(1)",
                "last(" + str(1 + below(from)) + ")", "last_const(" + str(1 + below(from)) + ")",
                "first(" + str(1 + below(from)) + ")",
                "first_rest(" + str(1 + below(from)) + ")"}) +
          " { self, self }";
      break;
    }
    default: {
      const int from = block + 20 + below(200);
      order.text += "1.." + str(from) + ": " + loop + " " + str(from + 1) + "..20000: parts " +
                    wide() +
                    pick({"even(count = 3)", "proportional(count = 4)",
                          "balanced_ceil(m = " + str(2 + below(from - 1)) + ")"}) +
                    " fold regime 0";
    }
  }
  return order;
}

template <class T>
std::vector<T> hostile_data(std::mt19937_64& random, std::int64_t n, bool special) {
  std::vector<T> data(static_cast<std::size_t>(n));
  const int range = sizeof(T) == 4 ? 60 : 500;
  const int mode = static_cast<int>(random() % 3);  // near 1, wide exponents, everything
  std::uniform_real_distribution<double> mantissa(-2, 2);
  for (T& v : data) {
    const int e =
        mode == 0 ? 0 : static_cast<int>(random() % static_cast<unsigned>(2 * range)) - range;
    v = static_cast<T>(std::ldexp(mantissa(random), e));
    if (mode < 2) continue;
    switch (random() % 16) {
      case 0:
        v = T(0);
        break;
      case 1:
        v = -T(0);
        break;
      case 2:
        v = std::numeric_limits<T>::denorm_min() * static_cast<T>(random() % 1000);
        break;
      case 3:
        v = static_cast<T>(-std::numeric_limits<T>::min());
        break;
      default:
        break;
    }
    if (special && random() % 500 == 0)
      v = random() % 2 == 0 ? std::numeric_limits<T>::infinity()
                            : std::numeric_limits<T>::quiet_NaN();
  }
  return data;
}

template <class T>
bool same(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0 || (std::isnan(a) && std::isnan(b));
}

template std::vector<float> hostile_data(std::mt19937_64&, std::int64_t, bool);
template std::vector<double> hostile_data(std::mt19937_64&, std::int64_t, bool);
template bool same(float, float);
template bool same(double, double);

}  // namespace reprosum::kernels::test
