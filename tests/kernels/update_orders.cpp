#include "tests/kernels/update_orders.h"

#include <utility>

#include "tests/kernels/orders.h"

namespace reprosum::kernels::test {
namespace {

using spec::Type;

std::string str(std::int64_t value) { return std::to_string(value); }

// `inner` for K blocks of at most m, folded onto the output.
std::string blocks(const std::string& inner, std::int64_t m, std::int64_t u,
                   const std::string& how) {
  return "sub 0 { " + inner + " } 1..5000: parts balanced_up(m = " + str(m) + ", u = " + str(u) +
         ") " + how + " fold sub 0";
}

// W lanes, folded; the tail appended.
std::string lanes_loop(int width, const std::vector<int>& distances) {
  return "1..5000: loop " + str(width) + " { 0.." + str(width - 1) + ": L = [f@0 +" + str(width) +
         " x q]; [" + fold(lanes("L", width), distances) + " f@" + str(width) + "q +1 x r]; }";
}

// Sums of at most `m` that begin with the output in one of four lanes, and from there on blocks of
// m that go on from what those before them left; `start` begins the first block.
std::string running_lanes(std::int64_t m, const std::string& start, const std::string& zero) {
  const auto sums = [&](const std::string& first) {
    return "1..3: loop 1 { 0: [" + first + "f@0 +1 x q]; } 4.." + str(m) +
           ": loop 4 { 0..3: M = [" + first + "f@0 +4 x q]; L = [" + zero +
           "f@0 +4 x q]; [[M@0 L@1]@0 [L@2 L@3]@0 f@4q +1 x r]; } ";
  };
  return "sub 0 { " + sums("out ") + "} " + sums(start) + str(m + 1) + "..5000: split last(" +
         str(m) + ") through { self, sub 0 }";
}

// Panels of 160 summands: short ones as blocks of 16 that go on, long ones summed apart.
std::string panels() {
  const std::string block =
      "1..16: loop 2 { 0..1: M = [out .@0 +2 x q]; [M@0 [.@1 +2 x q]@0 .@2q +1 x r]; } ";
  const std::string panel = block +
                            "17..79: split last(16) through { self, sub 0 } "
                            "80..160: parts fixed(m = 4096) onto fold sub 1 ";
  const std::string subs = "sub 0 { " + block + "} sub 1 { " + running_lanes(16, "", "") + " } ";
  return subs + "sub 2 { " + subs + panel + "} " + panel +
         "161..5000: split last(160) through { self, sub 2 }";
}

// What BLIS's saxpyf does to columns in fives (Zen kernels): C in wide, then rounded; single ones
// behind them are left out where alpha*x is zero.
std::string wide_fives() {
  const std::string block =
      "1..4: loop 1 { 0: [out ?>.@0 +1 x q]; } 5: trees { 5: wide [out >.@0 +1 x 5]; } ";
  return "sub 0 { " + block + "} " + block + "6..5000: split last(5) through { self, sub 0 }";
}

constexpr const char* kChain = "1..5000: loop 1 { 0: [f@0 +1 x q]; }";

}  // namespace

std::vector<NamedUpdate> library_updates() {
  const Type f32 = Type::f32, f64 = Type::f64;
  std::vector<NamedUpdate> all;
  for (const Type type : {f32, f64}) {
    all.push_back({"blocks fused onto C", type, blocks(kChain, 96, 16, "onto scale fused")});
    all.push_back({"blocks rounded onto C", type, blocks(kChain, 64, 4, "onto scale rounded")});
    all.push_back({"two accumulators", type,
                   blocks("1..7: loop 1 { 0: [0 f@0 +1 x q]; } 8..5000: loop 8 { 0..7: L = [0 f@0 "
                          "+2 x 4q]; [[L@0 f@8q +1 x r]@0 L@1]; }",
                          80, 8, "onto scale fused")});
    all.push_back({"four accumulators", type,
                   blocks("1..3: loop 1 { 0: [0 f@0 +1 x q]; } 4..5000: loop 4 { 0..3: L = [f@0 +4 "
                          "x q]; [[L@0 L@1]@0 [L@2 L@3]@0 f@4q +1 x r]; }",
                          72, 4, "onto scale rounded")});
    all.push_back({"small kernel", type, "1..5000: loop 1 { 0: a = [f@0 +1 x q]; [*a@0 outf]; }"});
    const std::string dot = type == f32 ? lanes_loop(16, {1, 2, 4, 8}) : lanes_loop(8, {1, 2, 4});
    all.push_back({"dot lanes", type,
                   "sub 0 { " + dot +
                       " } 1..5000: parts fixed(m = 4096) onto fused scale rounded "
                       "fold sub 0"});
    all.push_back({"output starts a lane", type,
                   "1..5000: loop 4 { 0..3: M = [out f@0 +4 x q]; L = [f@0 +4 x q]; "
                   "[[M@0 L@1]@0 [L@2 L@3]@0 f@4q +1 x r]; }"});
    all.push_back({"groups onto C", type,
                   "1..5000: loop 4 { 0..3: P = [.@0 f@1 f@2 f@3]; [out &P@0 +4 x q &.@4q +1 x r]; "
                   "}"});
    all.push_back({"pairs onto C, scaled factors", type,
                   "1..5000: loop 4 { 0..3: P = [[<.@0 <f@2]@0 [<.@1 <f@3]@0]; [out P@0 +4 x q "
                   ">f@4q +1 x r]; }"});
    all.push_back({"row of one chain", type, "1..5000: loop 1 { 0: [out <f@0 +1 x q]; }"});
    all.push_back({"rest left out where scaled factors are zero", type,
                   "1..5000: loop 8 { 0..7: [out >f@0 +1 x 8q ?>f@8q +1 x r]; }"});
    all.push_back({"zeros of x left out of groups", type,
                   "1..5000: loop 4 { 0..3: P = [~.@0 ~f@1 f@2 ~f@3]; [out &P@0 +4 x q ^<.@4q +1 x "
                   "r]; }"});
    all.push_back(
        {"padded lanes onto C", type,
         "1..5000: loop 2 pad { 0: L = [.@0 +2 x q]; S = [L@0 L@1]; [out *[0 S@0]@0]; }"});
    all.push_back({"padded lanes, C in one of them", type,
                   "1..5000: loop 4 pad { 0: M = [out f@0 +4 x q]; L = [0 f@0 +4 x q]; "
                   "[[M@0 L@2]@0 [L@1 L@3]@0]; }"});
    all.push_back({"blocks go on in a lane", type, running_lanes(48, "out ", "")});
    all.push_back(
        {"blocks go on in a lane, others from zero", type, running_lanes(20, "out ", "0 ")});
    all.push_back({"a buffer whose blocks go on", type,
                   "sub 0 { " + running_lanes(24, "", "") +
                       " } 1..5000: parts fixed(m = 4096) onto scale fused fold sub 0"});
    all.push_back({"panels go on, long ones by a buffer", type, panels()});
    all.push_back({"no rule for a single summand", type,
                   "sub 0 { 2..5000: loop 1 { 0: [0 f@0 +1 x q]; } } 1..5000: parts "
                   "balanced_up(m = 320, u = 8) onto scale fused fold sub 0"});
    all.push_back({"groups from zero onto C", type,
                   "1..5000: loop 8 { 0..7: P = [0 f@0 +1 x 8]; T = [0 f@0 +1 x r]; "
                   "[out &P@0 +8 x q &T@8q]; }"});
    all.push_back({"halves of groups from zero onto C", type,
                   "1..5000: loop 8 { 0..7: A = [0 f@0 +2 x 4]; P = [0 f@0 +2 x 4 A@1]; "
                   "[out *P@0 +8 x q >f@8q +1 x r]; }"});
    all.push_back({"products from zero in lanes", type,
                   "1..5000: loop 4 { 0..3: A = [0 .@0]; L = [A@0 +4 x q]; "
                   "[out &[[L@0 L@1]@0 [L@2 L@3]@0]@0 >f@4q +1 x r]; }"});
    all.push_back({"zeros left out of lanes", type,
                   "1..5000: loop 4 { 0..3: L = [~f@0 +4 x q]; M = [0 ^f@0 +4 x q]; [*[L@0 L@1]@0 "
                   "[M@2 M@3]@0 ?<.@4q +1 x r]; }"});
  }
  all.push_back({"wide sums that go on", f32, wide_fives()});
  all.back().generated = false;
  return all;
}

NamedUpdate random_update(std::mt19937_64& random, Type type) {
  const auto below = [&](int k) { return static_cast<int>(random() % static_cast<unsigned>(k)); };
  const auto pick = [&](const std::vector<std::string>& v) {
    return v[static_cast<std::size_t>(below(static_cast<int>(v.size())))];
  };
  NamedUpdate update;
  update.name = "random";
  update.type = type;
  const bool may_wide = is_f32(type) && below(4) == 0;
  update.generated = !may_wide;
  bool is_wide = false;
  const auto wide = [&] {
    is_wide = may_wide && below(2) == 0;
    return std::string(is_wide ? "wide " : "");
  };
  bool factors = below(4) == 0;  // alpha meets the factors
  const bool skips = below(5) == 0;
  const auto leaf = [&] {
    const std::string kind = is_wide && below(2) == 0 ? "x" : below(2) == 0 ? "f" : ".";
    const std::string scale = factors ? pick({"", "<", ">"}) : std::string();
    if (!skips) return scale + kind;
    return pick({"", "~", "^", scale.empty() ? "~" : "?"}) + scale + kind;
  };
  const int width = std::vector<int>{1, 1, 2, 3, 4, 8, 16}[static_cast<std::size_t>(below(7))];
  const int per = 1 + below(2);
  const int block = width * per;
  bool output = false;  // once
  const auto out = [&](const char* text) {
    if (output || below(2) == 0) return std::string();
    output = true;
    return std::string(text);
  };
  // Where the output is a matter of the schema, so is alpha.
  const bool inside = below(2) == 0;
  std::string first_lane;
  const std::string lane_format = wide();
  std::string lane;
  if (per == 1 || below(2) == 0) {
    lane = leaf() + "@0 +" + str(width) + " x " + str(per) + "q";
  } else {
    lane = lane_format + "[" + leaf() + "@0";
    for (int k = 1; k < per; ++k) lane += " " + leaf() + "@" + str(k * width);
    lane = (inside && !factors ? pick({"", "*", "&"}) : std::string()) + lane + "]@0 +" +
           str(block) + " x q";
  }
  if (below(4) == 0) lane = "0 " + lane;
  std::vector<std::string> values = lanes("L", width);
  std::string schema = "L = " + lane_format + "[" + lane + "]; ";
  if (inside && !output && below(3) == 0) {
    schema += "M = " + lane_format + "[out " + lane + "]; ";
    values[0] = "M@0";
    output = true;
  }
  while (values.size() > 1) {  // a random tree over the lanes
    const auto a = static_cast<std::size_t>(below(static_cast<int>(values.size())));
    const std::string left = values[a];
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(a));
    const auto b = static_cast<std::size_t>(below(static_cast<int>(values.size())));
    values[b] = wide() + "[" + left + " " + values[b] + "]@0";
  }
  const std::string format = wide();
  // A lane is a single copy of its chain where it has one; then it must not meet alpha twice.
  const bool scaled = lane.find('*') != std::string::npos || lane.find('&') != std::string::npos;
  const std::string sum = format + "[" + values[0] + " " + leaf() + "@" + str(block) + "q +1 x r]";
  std::string root = sum;
  if (inside)
    root = wide() + "[" + out("out ") + (factors || scaled ? "" : pick({"*", "&", ""})) + sum +
           "@0" + out(" outf") + "]";
  // A padded loop has the tree of the next full block without what lies beyond the last summand.
  const std::string rule = below(4) == 0 ? " pad { 0: " : " { 0.." + str(block - 1) + ": ";
  const std::string loop = ": loop " + str(block) + rule + schema + root + "; }";
  if (below(6) == 0) update.text = "zero_start ";
  if (inside) {
    update.text += "1..5000" + loop;
    return update;
  }
  const std::string how = pick({" onto", " onto fused", ""}) +
                          (factors ? "" : pick({" scale rounded", " scale fused"}));
  const std::string cut = pick({"balanced_up(m = " + str(16 + 4 * below(30)) + ", u = 4)",
                                "balanced_ceil(m = " + str(2 + below(90)) + ")",
                                "fixed(m = " + str(1 + below(90)) + ")", "fixed(m = 4096)"});
  if (below(3) == 0) {  // a remainder with its own arithmetic
    const int m = 1 + below(7);
    update.text = "sub 0 { sub 0 { 1..5000" + loop + " } 1..5000: parts " + wide() + cut +
                  (how.empty() ? " onto" : how) +
                  " fold sub 0 } sub 1 { 1..5000: loop 1 { 0: [<.@0 <f@1 +1 x (q-1)]; } } 1.." +
                  str(m) + ": loop 1 { 0: [out >f@0 +1 x q]; } " + str(m + 1) + "..5000: split " +
                  wide() + "remainder(" + str(m) + ") { sub 0, sub 1 }";
    return update;
  }
  update.text = "sub 0 { 1..5000" + loop + " } " + update.text + "1..5000: parts " + wide() + cut +
                (how.empty() ? " onto" : how) + " fold sub 0";
  const std::size_t zero = update.text.find("zero_start ");
  if (zero != std::string::npos) {
    update.text.erase(zero, 11);
    update.text = "zero_start " + update.text;
  }
  return update;
}

spec::MatrixRegime uniform_regime(spec::MatrixClass kind, std::int64_t size) {
  spec::MatrixRegime regime;
  spec::Segment all;
  all.to = size;
  all.schemas = {{{{1, 0}, {{0, {1, 1}}}}}};
  regime.rows = regime.columns = {all};
  regime.table = {{0}};
  regime.classes = {kind};
  regime.k_max = 5000;
  return regime;
}

spec::MatrixRegime random_regime(std::mt19937_64& random, std::size_t classes, std::int64_t size) {
  const auto below = [&](std::size_t k) { return static_cast<std::size_t>(random() % k); };
  spec::MatrixRegime regime;
  regime.k_max = 5000;
  for (std::size_t k = 0; k < classes; ++k) {
    spec::MatrixClass kind;
    kind.order = k;
    kind.beta_zero = static_cast<spec::MatrixClass::BetaZero>(below(5));
    for (std::int64_t up_to = below(2) == 0 ? 100 : 1; up_to < 100;
         up_to += 1 + static_cast<std::int64_t>(below(40)))
      kind.beta_zero_up_to.emplace_back(up_to, static_cast<spec::MatrixClass::BetaZero>(below(5)));
    kind.alpha_zero = static_cast<spec::MatrixClass::AlphaZero>(below(2));
    regime.classes.push_back(kind);
  }
  // Every size is listed: random runs.
  const std::size_t types[2] = {1 + below(3), 1 + below(3)};
  for (const bool rows : {true, false}) {
    spec::Segment segment;
    segment.to = size;
    segment.base = size + 1;
    for (std::int64_t length = 1; length <= size; ++length) {
      spec::WordItem item;
      for (std::int64_t left = length; left > 0;) {
        const std::int64_t most = below(3) == 0 ? 40 : 9;
        const auto run = std::min<std::int64_t>(
            left, 1 + static_cast<std::int64_t>(below(static_cast<std::size_t>(most))));
        item.runs.push_back({static_cast<std::int32_t>(below(types[rows ? 0 : 1])), {run, 0}});
        left -= run;
      }
      segment.words.push_back({item});
    }
    (rows ? regime.rows : regime.columns) = {segment};
  }
  for (std::size_t i = 0; i < types[0]; ++i) {
    regime.table.emplace_back();
    for (std::size_t j = 0; j < types[1]; ++j)
      regime.table.back().push_back(static_cast<std::int32_t>(below(classes)));
  }
  return regime;
}

}  // namespace reprosum::kernels::test
