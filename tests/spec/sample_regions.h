// Region rules of real libraries (facts: tests name libraries freely), built from text and runs.
#pragma once

#include <utility>
#include <vector>

#include "spec/spec.h"
#include "spec/surface.h"

namespace reprosum::spec::samples {

// `block` rows or columns at a time, of type 0; those behind the last block have type 1.
inline Segment tiles(std::int64_t from, std::int64_t to, std::int64_t block) {
  Segment segment{from, to, from, block, {}, {}};
  for (std::int64_t r = 0; r < block; ++r) {
    const std::int64_t rest = (from + r) % block;
    const Count whole{from + r - rest, block};
    Word word{{{1, 0}, {}}};
    if (whole.c + whole.q > 0) word[0].runs.push_back({0, whole});
    if (rest > 0) word[0].runs.push_back({1, {rest, 0}});
    segment.schemas.push_back(word);
  }
  return segment;
}

inline Segment uniform(std::int64_t to) { return {1, to, 1, 1, {}, {{{{1, 0}, {{0, {1, 1}}}}}}}; }

inline Atom at_most(const char* product, std::int64_t limit) {
  Atom atom;
  for (const char* letter = product; *letter != '\0'; ++letter) {
    atom.use_m |= *letter == 'm';
    atom.use_n |= *letter == 'n';
    atom.use_k |= *letter == 'k';
  }
  atom.limit = limit;
  return atom;
}

inline Atom above(const char* product, std::int64_t limit) {
  Atom atom = at_most(product, limit);
  atom.kind = Atom::Kind::above;
  return atom;
}

// Two fma accumulators over even and odd k, in blocks of 384 rounded to 8; alpha meets every block.
inline constexpr const char* kTwoAccumulators = R"(
sub 0 { 1..768: loop 2 { 0..1: a = [f@0 +2 x q]; [a@0 a@1 f@2q +1 x r]; } }
1..100000: parts balanced_up(m=384, u=8) onto scale fused fold sub 0)";
inline constexpr const char* kOneAccumulator = R"(
sub 0 { 1..768: loop 1 { 0: [f@0 +1 x q]; } }
1..100000: parts balanced_up(m=384, u=8) onto scale fused fold sub 0)";
inline constexpr const char* kColumnByColumn = "1..100000: loop 1 { 0: [out <f@0 +1 x q]; }";
inline constexpr const char* kFourColumns = R"(
1..100000: loop 4 {
  0: a = [.@0 f@1 +1 x 3]; [out &a@0 +4 x q];
  1..3: a = [.@0 f@1 +1 x 3]; [out &a@0 +4 x q <f@4q +1 x r];
})";

inline Entry entry(Routine routine, Type type, Trans a, Trans b) {
  Entry entry;
  entry.routine = routine;
  entry.type = type;
  entry.guard.trans_a = a;
  entry.guard.trans_b = b;
  entry.guard.increments = {{1, 1}};
  entry.guard.threads = {1};
  entry.m_max = 2048;
  entry.n_max = routine == Routine::gemm ? 2048 : 1;
  return entry;
}

// Haswell sgemm: rows in tiles of 8 with a first, inner and last one; a second block of rows from
// 321 on; columns in pairs of sixes. Columns that are left over differ for the rows of the second
// block.
inline Spec haswell_sgemm() {
  Spec spec;
  spec.orders = {parse_order(kTwoAccumulators), parse_order(kOneAccumulator)};
  Entry gemm = entry(Routine::gemm, Type::f32, Trans::no, Trans::yes);
  MatrixRegime regime;
  Segment rows{1, 320, 24, 16, {}, {}};
  for (std::int64_t m = 1; m < 24; ++m) rows.words.push_back({{{1, 0}, {{3, {m, 0}}}}});
  for (std::int64_t r = 0; r < 16; ++r) {
    Word word{{{1, 0}, {{0, {8, 0}}, {1, {8 + r / 8 * 8, 16}}, {2, {8, 0}}}}};
    if (r % 8 != 0) word[0].runs.push_back({3, {r % 8, 0}});
    rows.schemas.push_back(word);
  }
  Segment second{321, 640, 321, 32, {}, {}};
  for (std::int64_t r = 0; r < 32; ++r)
    second.schemas.push_back(
        {{{1, 0}, {{0, {8, 0}}, {1, {152, 16}}, {4, {8, 0}}, {5, {152, 16}}, {3, {1 + r, 0}}}}});
  regime.rows = {rows, second};
  Segment columns{1, 2048, 24, 12, {}, {}};
  for (std::int64_t n = 1; n < 24; ++n) columns.words.push_back({{{1, 0}, {{3, {n, 0}}}}});
  for (std::int64_t r = 0; r < 12; ++r) {
    Word word{{{2, 1}, {{0, {6, 0}}, {1, {6, 0}}}}};
    if (r > 0) word.push_back({{1, 0}, {{r < 8 ? 3 : 4, {r, 0}}}});
    columns.schemas.push_back(word);
  }
  regime.columns = {columns};
  regime.table = {{0, 1, 0, 1, 0}, {1, 1, 0, 1, 0}, {1, 0, 0, 1, 0},
                  {1, 1, 1, 1, 1}, {0, 1, 1, 1, 0}, {1, 1, 1, 1, 0}};
  regime.classes = {{0, {}, {}}, {1, {}, {}}};
  regime.k_max = 2048;
  gemm.regimes = {regime};
  spec.entries = {gemm};
  canonicalize(spec);
  return spec;
}

// SkylakeX sgemv N: one order up to k = 48, tiles of 16 outputs above it.
inline Spec skylakex_sgemv() {
  Spec spec;
  spec.orders = {parse_order(kColumnByColumn), parse_order(kFourColumns)};
  Entry gemv = entry(Routine::gemv, Type::f32, Trans::no, Trans::no);
  MatrixRegime small, large;
  small.guard = {at_most("k", 48)};
  small.rows = small.columns = {uniform(2048)};
  small.table = {{0}};
  small.classes = {{0, MatrixClass::BetaZero::drop, {}}};
  small.k_max = 48;
  large = small;
  large.guard = {above("k", 48), at_most("m", 4096)};
  large.rows = {tiles(1, 2048, 16)};
  large.table = {{0}, {1}};
  large.classes = {{1, {}, {}}, {0, {}, {}}};
  large.k_max = 2048;
  gemv.regimes = {small, large};
  spec.entries = {gemv};
  canonicalize(spec);
  return spec;
}

// SkylakeX dgemm TN: three regimes in m*n*k and m*n; the corner of the tiles differs.
inline Spec skylakex_dgemm() {
  Spec spec;
  spec.orders = {parse_order(kTwoAccumulators), parse_order(kOneAccumulator)};
  Entry gemm = entry(Routine::gemm, Type::f64, Trans::yes, Trans::no);
  MatrixRegime small, medium, large;
  small.guard = {at_most("mnk", 1'000'000), at_most("mn", 1200)};
  small.rows = small.columns = {tiles(1, 2048, 4)};
  small.table = {{0, 0}, {0, 1}};
  small.classes = {{0, {}, {}}, {1, {}, {}}};
  small.k_max = 2048;
  medium = large = small;
  medium.guard = {at_most("mnk", 1'000'000)};
  medium.table = {{0, 1}, {0, 1}};
  large.guard = {};
  large.rows = {uniform(192), tiles(193, 2048, 8)};
  large.columns = {tiles(1, 2048, 12)};
  gemm.regimes = {small, medium, large};
  spec.entries = {gemm};
  canonicalize(spec);
  return spec;
}

inline std::vector<Spec> all_regions() {
  return {haswell_sgemm(), skylakex_sgemv(), skylakex_dgemm()};
}

inline EmptyRule empty_rule(Routine routine, Type type, std::vector<int> threads,
                            EmptyRule::Result result) {
  EmptyRule rule;
  rule.routine = routine;
  rule.type = type;
  rule.threads = std::move(threads);
  rule.result = result;
  return rule;
}

// All four routines with what each has alone: an entry and a rule of calls without summands.
inline Spec all_routines() {
  Spec spec = skylakex_sgemv();
  Entry gemm = entry(Routine::gemm, Type::f64, Trans::no, Trans::yes);
  gemm.regimes = {spec.entries[0].regimes[0]};
  spec.entries.push_back(gemm);
  spec.orders.push_back(parse_order("1..100000: loop 1 { 0: [.@0 +1 x q]; }"));
  for (const Routine routine : {Routine::dot, Routine::sum})
    spec.entries.push_back(entry_of_one_output(
        routine, Type::f64, vector_guard({{1, routine == Routine::dot ? 1 : 0}}, {1, 2}),
        spec.orders.size() - 1, 100'000));
  using enum EmptyRule::Result;
  spec.empty_rules = {empty_rule(Routine::gemm, Type::f64, {1}, fuse),
                      empty_rule(Routine::gemv, Type::f32, {1}, keep),
                      empty_rule(Routine::dot, Type::f64, {1, 2}, plus_zero),
                      empty_rule(Routine::sum, Type::f64, {1}, minus_zero)};
  spec.empty_rules[0].keeps_at_one = true;
  spec.empty_rules[0].beta_zero = MatrixClass::BetaZero::drop;
  spec.empty_rules[0].m_max = spec.empty_rules[0].n_max = 100;
  spec.empty_rules[2].below_zero = minus_zero;
  canonicalize(spec);
  return spec;
}

}  // namespace reprosum::spec::samples
