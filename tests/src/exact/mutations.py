#!/usr/bin/env python3
"""Plants faults of published exact libraries into a copy of src/exact and demands that the tests
catch each.

    python3 tests/src/exact/mutations.py [NAME...]     some minutes per processor; prints one line each

Exit code 0: every fault of code that this processor runs was caught, and the copy without a fault
passes. 1: one was not. 2: a fault no longer fits the source, or nothing could be built."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from concurrent import futures

ROOT = pathlib.Path(__file__).resolve().parents[3]
ACCUMULATOR = ["values/upstream_faults_test.cpp"]
REDUCE = ["sums/reduce_test.cpp"]
BOUNDED = ["sums/bounded_test.cpp"]
LADDER = ["sums/ladder_test.cpp", "sums/ill_conditioned_test.cpp"]
BUCKETS = ["sums/bounded_test.cpp", "sums/ladder_test.cpp"]
VECTORS = ["sums/vectors_test.cpp"]
PRODUCTS = ["products/product_test.cpp"]
SOLVERS = ["solve/solver_test.cpp"]
REMAINDERS = ["remainders/remainder_product_test.cpp"]
LOOPS = ["remainders/remainder_loops_test.cpp"]
TILES = ["remainders/machine_tiles_test.cpp"]
FAST = ["products/fast_product_test.cpp", "products/fast_gemv_test.cpp"]
FACTORS = ["factor/fast_factor_test.cpp"]
SOLVES = ["solve/fast_trsv_test.cpp"]
CORRECTED = ["solve/corrected_trsv_test.cpp"]

# name: (file of a room of src/exact, what stands there, what is planted, tests that must fail)
FAULTS = {
    # ExBLAS: the sticky bit goes into a bit of the result.
    "sticky_bit": ("round.h", "const std::uint64_t q = bits_from(value, cut) & mask;",
                   "const std::uint64_t q = (bits_from(value, cut) & mask) | "
                   "(any_below(value, cut) ? 1 : 0);", ACCUMULATOR),
    # ExBLAS: negative numbers are complemented word by word without a borrow.
    "negation_without_borrow": ("wide_integer.h", "unsigned carry = 1;", "unsigned carry = 0;",
                                ACCUMULATOR),
    # ExBLAS: the elements behind the last whole step are dropped.
    "dropped_tail": ("slices.h", "  if (i < n) {\n    double tail[kStep]",
                     "  if (false) {\n    double tail[kStep]", REDUCE),
    # ExBLAS: transposes and leading dimensions are ignored.
    "leading_dimension_ignored": ("exact_entry.cpp", "call.a.first + i * call.a.row",
                                  "call.a.first + i", PRODUCTS),
    "transpose_ignored": ("exact_entry.cpp", "kernels, call.k, row, call.a.column, column, call.b.row);",
                          "kernels, call.k, row, call.a.column, column, 1);", PRODUCTS),
    # ExBLAS: alpha is ignored.
    "alpha_ignored": ("triple.h", "total.add_scaled(sum, static_cast<double>(alpha));",
                      "total.add_scaled(sum, 1.0);", PRODUCTS),
    # ExBLAS: the sum is rounded, and so is its sum with C.
    "two_roundings": ("triple.h", "    if (c != nullptr) total.add(beta < T(0) ? -*c : *c);\n"
                      "    return total.rounded<T>(Rounding::nearest_even);",
                      "    const T once = total.rounded<T>(Rounding::nearest_even);\n"
                      "    return c != nullptr ? once + (beta < T(0) ? -*c : *c) : once;", PRODUCTS),
    # ExBLAS: a component of trsv is rounded, then divided.
    "rounded_before_division": ("triangular.cpp", ": rounded_quotient(sum, system.a.at(i, i));",
                                ": sum.rounded<T>(Rounding::nearest_even) / system.a.at(i, i);",
                                SOLVERS),
    # CUB: a sum near overflow is scaled the wrong way.
    "scale_sign": ("round.h", "if (position > F::kLargestPosition) {",
                   "if (position > F::kLargestPosition - 53) {", ACCUMULATOR),
    # xsum: negative mantissas of ones only, slightly larger in magnitude.
    "negative_all_ones": ("round.h", "const bool rest = any_below(value, cut - 1);",
                          "const bool rest = any_below(value, cut - 1) && !(negative && q == mask);",
                          ACCUMULATOR),
    # ExBLAS: subnormal numbers get a hidden bit.
    "hidden_bit_of_subnormals": ("float_bits.h", "field != 0 ? std::uint64_t{1} << F::kFraction : 0;",
                                 "std::uint64_t{1} << F::kFraction;", ACCUMULATOR),
    # ReproBLAS: products are rounded before they are summed.
    "rounded_products": ("slices.h", "d = V::fma_minus(u, w, p);", "d = V::sub(p, p);", LADDER),
    # Fast ways that trust themselves.
    "no_rounding_test": ("nearest.h", "return (least == most) & (least != T(0));",
                         "return least != T(0);", VECTORS),
    "bound_of_gemm_too_small": ("fast_product.cpp", "+ 2 * blocks + 4) * kU * 1.01;",
                                "+ 2 * blocks + 4) * kU * 1e-6;", FAST),
    "bound_of_gemv_too_small": ("fast_gemv.cpp", "(in_blocks + between) * (kU * kU * 1.01)",
                                "(in_blocks + between) * (kU * kU * 1e-4)", FAST),
    "bound_of_sgemv_too_small": ("fast_gemv.cpp", "+ 2 * blocks + 4) * kU * 1.01;",
                                 "+ 2 * blocks + 4) * kU * 1e-7;", FAST),
    "rows_together_not_judged": ("anchored_strips.h", "if (r % 2 == 1) held =",
                                 "if (r % 2 == 1 && r < 4) held =", FAST),
    "last_rows_not_judged": ("anchored_strips.h", "if (r % 2 == 1) held =",
                             "if (r == 1) held =", FAST),
    "vectors_of_a_line_mixed": ("anchored_strips.h", "step(std::true_type(), i + l, kLanes);",
                                "step(std::true_type(), i, kLanes);", FAST),
    "bound_of_capped_too_small": ("capped_gemv.h", "+ between) * 0x1.01p-54;",
                                  "+ between) * 0x1.01p-90;", FAST),
    "overflow_not_run_again": ("capped_gemv.h", "    if (!held) {\n      const int needed",
                               "    if (false) {\n      const int needed", FAST),
    "sums_of_one_sign_not_run_again": ("capped_gemv.h", "if (!held && hope_ != 0) {",
                                       "if (false) {", FAST),
    "scale_for_cancelling_kept": ("capped_gemv.h", "    hope_ = 0;\n", "", FAST),
    "scale_of_capped_kept": ("capped_gemv.h", "    back_ = power_of_two(-scale);",
                             "    if (back_ == 0) back_ = power_of_two(-scale);", FAST),
    "elements_of_capped_dropped": ("capped_strip_loops.h",
                                   "    for (; i < end; i += V::kLanes) {",
                                   "    for (; i + V::kLanes <= end; i += V::kLanes) {", FAST),
    "columns_of_capped_dropped": ("capped_strip_loops.h",
                                  "  if (j < end) add(std::integral_constant<int, 1>(), nothing);",
                                  "", FAST),
    "only_group_not_added": ("capped_strip_loops.h", "if (first && last)", "if (false)", FAST),
    "last_group_not_added": ("capped_strip_loops.h", "V::fma(sum[v], factor_back, V::load(sums + at))",
                             "V::load(sums + at)", FAST),
    "rows_after_tiles_dropped": ("capped_strip_loops.h", "} else if (i < count) {",
                                 "} else if (false) {", FAST),
    "columns_of_tiles_dropped": ("capped_strip_loops.h", "j < columns; ++j, from += stride",
                                 "j + 1 < columns; ++j, from += stride", FAST),
    "lanes_of_eight_rows_mixed": ("capped_avx512.cpp", "_mm512_shuffle_f64x2(a, b, 0xdd)",
                                  "_mm512_shuffle_f64x2(a, b, 0xd8)", FAST),
    "unproven_entries_written": ("gemv_entries.h", "if (open == 0 && call.c.row == 1) {",
                                 "if (call.c.row == 1) {", FAST),
    "stride_of_x_ignored": ("capped_gemv.h", "to[l] = call.b.at(l, 0);",
                            "to[l] = call.b.first[l];", FAST),
    "premise_of_gemv_not_seen": ("fast_gemv.cpp", "if (loop()) return size_;",
                                 "loop();\n    return size_;", FAST),
    "rows_leave_the_interval": ("anchored_strips.h", "return within && V::in_one_to_two(held);",
                                "return within;", FAST),
    "columns_leave_the_interval": ("anchored_strips.h", "  return V::in_one_to_two(held);",
                                   "  return true;", FAST),
    "last_columns_not_seen": ("anchored_strips.h", "if (kWidth == 1) held", "if (false) held", FAST),
    "tall_strips_written_once": ("fast_gemv.cpp", "high_ + r, low_ + r,", "high_, low_,", FAST),
    "rows_after_vectors_dropped": ("anchored_strips.h", "if (after > 0) rows(", "if (false) rows(",
                                   FAST),
    "scaled_with_rounding": ("fast_gemv.cpp", "    return same;", "    return true;", FAST),
    "largest_of_floats_not_seen": ("strip_loops.h", "most[r] = V::max_abs(most[r], v);",
                                   "most[r] = most[r];", FAST),
    "sums_leave_the_interval": ("anchored_sums.h", "return V::in_one_to_two(seen[0]);",
                                "return true;", BOUNDED),
    "dots_leave_the_interval": ("anchored_sums.h", "  bool held() const {",
                                "  bool held() const {\n    if (!kScaled) return true;", BOUNDED),
    "other_products_not_seen": ("anchored_sums.h",
                                "return V::bits_or(seen[0], seen[1]);", "return seen[0];", BOUNDED),
    "lanes_together_not_seen": ("anchored_sums.h", "chains.held_with(high[0]);", "chains.held();",
                                BOUNDED),
    "bound_of_doubles_too_small": ("anchored_sums.h", "roundings(n) * (0x1p-107 *",
                                   "roundings(n) * (0x1p-137 *", BOUNDED),
    "bound_of_short_vectors_too_small": ("anchored_sums.h", "power_of_two(exponent + 15 - 107);",
                                         "power_of_two(exponent + 15 - 137);", BOUNDED),
    "infinite_lanes_not_seen": ("anchored_sums.h", "V::or_differing(differing, t, start)",
                                "kScaled ? V::bits_without(start, V::bits_and(seen[0], t, t)) : "
                                "V::or_differing(differing, t, start)", BOUNDED),
    "other_chains_added": ("anchored_sums.h", "V::sub(chains.sum[2 * k], chains.sum[2 * k + 1]);",
                           "V::add(chains.sum[2 * k], chains.sum[2 * k + 1]);", BOUNDED),
    "bound_of_floats_too_small": ("anchored_sums.h", "(0x1p-48 * 1.01)", "(0x1p-48 * 1e-4)", BOUNDED),
    "bound_of_capped_sums_too_small": ("capped_sum_loops.h", "* 0x1.03p970 * back;",
                                       "* 0x1.03p930 * back;", BOUNDED),
    "overflow_of_lanes_not_seen": ("capped_sum_loops.h", "out.holds = out.high - out.high == 0;",
                                   "out.holds = true;", BOUNDED),
    "second_of_two_dropped": ("capped_sum_loops.h", "V::load(x + i + V::kLanes));",
                              "V::all(0));", BOUNDED),
    "errors_of_chunks_lost": ("interval.h", "    return error_ * (1 +", "    return 0 * (1 +",
                              BOUNDED),
    "wide_bound_too_small": ("brackets.h", "0x1p-52 * absolute", "0x1p-52 * 1e-6 * absolute",
                             BOUNDED),
    "bit_of_eight_chains_lost": ("anchored_sums.h", "l[0] = F::add(F::add(l[0], l[4]), bit);",
                                 "l[0] = F::add(l[0], l[4]);", BOUNDED),
    "streams_not_seen": ("anchored_sums.h", "          look(chain, chain + 1);\n", "", BOUNDED),
    "streams_short": ("anchored_sums.h", "return kStreams * part;", "return n / kStep * kStep;",
                      BOUNDED),
    "single_vectors_not_seen": ("anchored_sums.h", "      look(k, k);\n", "", BOUNDED),
    "interval_not_compared": ("interval.h", "return bits == std::bit_cast<Bits>(above) &&", "return",
                              BOUNDED),
    "floats_scaled_wrong": ("anchored_sums.h", "V::sum_of_lanes(V::add(low[0], low[1])) * size;",
                            "V::sum_of_lanes(V::add(low[0], low[1]));", BOUNDED),
    "bucket_overflow_lost": ("buckets.h", "overflowed:\n      ++overflows_[bucket];",
                             "overflowed:;", BUCKETS),
    "negative_subnormals_not_counted": ("buckets.h",
                                        "sums_[0] == before[0] && sums_[kFields] == before[1]",
                                        "sums_[0] == before[0]", BUCKETS),
    "bucket_hidden_bit_kept": ("buckets.h",
                               "value -= Uint128(without_hidden_[negative]) * kHidden;", ";",
                               BUCKETS),
    "lines_too_long_for_the_moduli": ("remainders.cpp", "std::ldexp(r.high, r.exponent - 1)",
                                      "std::ldexp(r.high, r.exponent + 6)", REMAINDERS),
    "range_of_remainders_too_wide": ("remainders.cpp", "(1 - 0x1p-9)) * (1 - 0x1p-40);",
                                     "(1 - 0x1p-9)) * 1.01;", REMAINDERS),
    "dropped_of_rows_not_counted": ("remainder_product.cpp", "from_p = line.dropped +",
                                    "from_p = 0 * line.dropped +", REMAINDERS),
    "rounded_lines_taken_for_whole": ("scaled_lines.cpp",
                                      "y != std::rint(y) || y * line.unscale != from[l * step]",
                                      "y != y", REMAINDERS),
    "dropped_of_columns_not_counted": ("remainder_product.cpp", "q[k] = line.dropped;",
                                       "q[k] = 0;", REMAINDERS),
    "pieces_of_depth_not_added": ("remainder_product.cpp", "part.adds = l != 0;",
                                  "part.adds = false;", REMAINDERS),
    "open_entries_forgotten": ("remainder_product.cpp",
                               "share([&](int w) { desks_[static_cast<std::size_t>(w)].open.sum(); "
                               "});",
                               "", REMAINDERS),
    "one_copied_column_for_eight": ("open_entries.cpp",
                                    "entry.column % kSideBySide * call_.k, 1, 0}",
                                    "0 * entry.column, 1, 0}", REMAINDERS),
    "rows_not_lowered": ("remainders.cpp", "modulo(start - 128, p)", "modulo(start, p)", LOOPS),
    "upper_halves_not_weighted": ("remainders.cpp", "power_of_two(16, p) * 65536 + 1", "1", LOOPS),
    "sums_left_on_tiles": ("tile_product.h",
                           "    }\n  }\n  beside.reduce_all(block, reduce);\n}",
                           "    }\n  }\n}", LOOPS),
    "tile_unit_trusted": ("tile_product.h", "return std::memcmp(wanted, got, sizeof wanted) == 0;",
                          "return true;", LOOPS),
    "bound_of_getrf_too_small": ("column_bounds.h", "return sum == 0 ? 0 : trusted;",
                                 "return trusted * 0;", FACTORS),
    "bound_of_rows_of_u_too_small": ("panel_loops.h",
                                     "off = V::add(V::mul(off, slack), V::all(0x1p-1000));",
                                     "off = V::all(0);", FACTORS),
    "bound_of_quotients_too_small": ("panel_loops.h", "V::all(off + 0x1p-1000));",
                                     "V::all(off * 0 + 0x1p-1000));", FACTORS),
    "candidates_for_pivots_missed": ("factor_panel.cpp", "most * (1 - 0x1p-21) - 4 * off;",
                                     "most * (1 - 0x1p-60);", FACTORS),
    "bound_of_trsv_too_small": ("solves.h", "return (n * n / 8 + 20 * n + 64) * (0.67 * 0x1p-106);",
                                "return n * 0;", SOLVES),
    "errors_do_not_spread": ("diagonal_block.h", "const double spread = kCertified ? from_size : 0;",
                             "const double spread = 0;", SOLVES),
    "first_of_eight_columns_lost": ("solve_loops.h", "l = k == 0 ? rest :",
                                    "l = k == 0 ? V::all(0) :", SOLVES),
    "errors_of_floats_do_not_spread": ("block_loops.h",
                                       "const double spread = kCertified ? 1.01 / block.shift : 0;",
                                       "const double spread = 0;", SOLVES),
    "bound_of_blocks_of_floats_too_small": ("block_loops.h",
                                            "wide = V::or_nan(wide, fine[v]);",
                                            "wide = V::or_nan(V::all(0), fine[v]);", SOLVES),
    "pieces_of_columns_mixed": ("solve_loops.h", "H::load(p + v * H::kLanes), x1[k]",
                                "H::load(p + (v & 1) * H::kLanes), x1[k]", SOLVES),
    "rows_before_a_line_dropped": ("solve_loops.h", "if (i > 0) piece(std::false_type(), 0, i);",
                                   "", SOLVES),
    "errors_of_pairs_do_not_spread": ("block_loops.h", "V::all(kCertified ? 1.01 / block.shift : 0);",
                                      "V::all(0);", SOLVES),
    "anchor_of_blocks_not_checked": ("block_loops.h", "V::mul(V::all(kAnchored), rows.anchor[v])",
                                     "V::mul(V::all(0x1p60), rows.anchor[v])", SOLVES),
    "norms_of_a_row_lost": ("row_norms.h", "size += root() * std::sqrt(norms_[row]) + more();",
                            "size += more();", SOLVES),
    "norms_of_rows_to_come_lost": ("solve_loops.h",
                                   "V::fma(V::all(root), V::sqrt(V::load(norms + i)), V::all(more));",
                                   "V::all(more);", SOLVES),
    "squares_not_added": ("solve_loops.h", "kNorms ? V::fma(a, a, sizes)", "kNorms ? sizes",
                          SOLVES),
    "squares_of_sizes_underflow": ("row_norms.h", "return kLeastNormed * sizes_;", "return 0;",
                                   SOLVES),
    "small_sizes_squared": ("row_norms.h", "if (size > 0) size = std::max(size, kLeastNormed);", "",
                            SOLVES),
    "sizes_in_float_too_small": ("solves.h", "const double larger = size * (1 + 0x1p-16);",
                                 "const double larger = size * 0x1p-30;", SOLVES),
    "anchor_of_trsv_not_checked": ("diagonal_block.h",
                                   "within = m[r] <= kAnchored * block.anchor[r];",
                                   "within = m[r] <= 0x1p60 * block.anchor[r];", SOLVES),
    "bound_of_residuals_too_small": ("residuals.h",
                                     "return 10 * (n + 16) * (n + 16) * (0.67 * 0x1p-106);",
                                     "return n * 0;", CORRECTED),
    "range_of_residuals_not_checked": ("residuals.cpp",
                                       "block.size[r] <= kAnchored * block.anchor[r] ? off",
                                       "true ? off", CORRECTED),
    "errors_of_corrections_not_counted": ("fast_solve.h", "d.sizes_of_x[i] * back +",
                                          "0 * d.sizes_of_x[i] * back +", CORRECTED),
    "every_other_largest_not_seen": ("slices.h", "V::max_abs(largest, other_largest)", "largest",
                                     REDUCE),
    "no_check_of_remainders": ("ladder.cpp", "if (normal && out.complete && needed <= exponent_) {",
                               "if (normal && needed <= exponent_) {", REDUCE),
}
# In code that only processors with such instructions run.
NEEDED = {"rows_together_not_judged": "avx512f", "lanes_of_eight_rows_mixed": "avx512f",
          "bit_of_eight_chains_lost": "avx512f", "pieces_of_columns_mixed": "avx512f",
          "other_products_not_seen": "avx512f", "bound_of_short_vectors_too_small": "avx512f",
          "rows_not_lowered": "avx512_vnni", "upper_halves_not_weighted": "avx512_vnni"}
# Those that only a machine with tiles shows.
PROCESSORS = pathlib.Path("/proc/cpuinfo")
HAS = set(PROCESSORS.read_text().split()) if PROCESSORS.is_file() else set()
if "amx_int8" in HAS:
    FAULTS |= {
        "tiles_not_released": ("remainders_amx.cpp", "      MachineTiles().release();",
                               "      MachineTiles();", TILES),
        "callers_tiles_lost": ("remainders_amx.cpp", "      MachineTiles().configure(config_);",
                               "      MachineTiles().release();", TILES),
        "one_row_for_sixteen": ("remainders_amx.cpp", "tileloaddt1 (%1,%2,1)",
                                "tileloaddt1 (%1)", TILES),
        "permission_not_asked": ("remainders_amx.cpp",
                                 "return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;",
                                 "return true;", TILES),
        "machines_sums_wrongly_reduced": ("reduce_sums_avx512.h", "_mm512_set1_epi32(0x8000)",
                                          "_mm512_set1_epi32(0)", TILES),
    }


PROCESSOR_SECONDS = 1200
WALL_SECONDS = 7200
FLAGS = ["-std=c++20", "-O1", "-ffp-contract=off", "-w", "-I.", f"-I{ROOT}/include"]


def source(name):
    """Where the file of a fault lies, from the tree's root."""
    found, = ROOT.glob(f"src/exact/*/{name}")
    return str(found.relative_to(ROOT))


def units(tests):
    """What a test program is made of, from the tree's root."""
    names = (ROOT / "src/exact/CMakeLists.txt").read_text()
    listed = [word for word in names.replace("(", " ").replace(")", " ").split() if word.endswith(".cpp")]
    return (["src/base/fork_gate.cpp", "src/base/workers.cpp"] +
            [f"src/exact/{name}" for name in dict.fromkeys(listed)] +
            [f"tests/src/exact/{name}" for name in ["generators.cpp", *tests]])


class Tree:
    """A copy of the sources, and objects made from it; those of units that do not read the faulty
    file are another tree's."""

    def __init__(self, place):
        self.root = pathlib.Path(place)
        for part in ("src/base", "src/exact", "tests/src/exact"):
            shutil.copytree(ROOT / part, self.root / part)
        self.files = {}  # of unit: what it reads
        self.objects = {}

    def compile(self, unit):
        target = self.root / (unit.replace("/", "_") + ".o")
        run_compiler([*FLAGS, "-MMD", "-MF", f"{target}.d", "-c", unit, "-o", target], self.root)
        read = pathlib.Path(f"{target}.d").read_text().split(":", 1)[1]
        self.files[unit] = {os.path.normpath(name) for name in read.replace("\\\n", " ").split()}
        self.objects[unit] = target

    def plant(self, file, there, planted):
        path = self.root / file
        path.write_text(path.read_text().replace(there, planted))

    def passes(self, tests):
        """False: a test fails, or does not end. The limit that matters is of processor time, so
        that a busy machine refutes no test; the other one is for a test that waits for ever."""
        program = self.root / "test"
        run_compiler([*(self.objects[unit] for unit in units(tests)), "-o", program, "-lgtest",
                      "-lgtest_main", "-lmpfr", "-lgmp", "-lpthread"], self.root)
        environment = dict(os.environ, REPROSUM_EXACT_CASES="20000", GTEST_FAIL_FAST="1")
        try:
            ran = subprocess.run(["sh", "-c", f"ulimit -t {PROCESSOR_SECONDS}; exec \"$0\"", program],
                                 capture_output=True, timeout=WALL_SECONDS, env=environment,
                                 check=False)
        except subprocess.TimeoutExpired:
            return False
        return ran.returncode == 0


def run_compiler(arguments, where):
    ran = subprocess.run(["g++", *arguments], capture_output=True, text=True, check=False, cwd=where)
    if ran.returncode != 0:
        raise RuntimeError(ran.stderr[:2000])


def catches(sound, name):
    """Do the tests of a fault fail with it?"""
    file, there, planted, tests = FAULTS[name]
    with tempfile.TemporaryDirectory() as place:
        tree = Tree(place)
        tree.objects = dict(sound.objects)
        tree.plant(source(file), there, planted)
        for unit in units(tests):
            if source(file) in sound.files[unit]:
                tree.compile(unit)
        return not tree.passes(tests)


def main():
    names = []
    for name in sys.argv[1:] or list(FAULTS):
        if name in NEEDED and NEEDED[name] not in HAS:
            print(f"{name:28} skipped: this processor has no {NEEDED[name]}")
        else:
            names.append(name)
    if not names:
        return 0
    for name in names:
        file, there, _, _ = FAULTS[name]
        places = (ROOT / source(file)).read_text().count(there)
        if places != 1:
            print(f"{name}: {file} has {places} places for it", file=sys.stderr)
            return 2
    every = sorted({test for name in names for test in FAULTS[name][3]})
    missed = 0
    with tempfile.TemporaryDirectory() as place, futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        try:
            sound = Tree(place)
            list(pool.map(sound.compile, units(every)))
            if not sound.passes(every):
                print("the tests fail without a fault", file=sys.stderr)
                return 2
            for name, caught in zip(names, pool.map(lambda name: catches(sound, name), names)):
                missed += not caught
                tests = ", ".join(FAULTS[name][3])
                print(f"{name:28} {'caught' if caught else 'NOT CAUGHT'} by {tests}", flush=True)
        except RuntimeError as error:
            print(error, file=sys.stderr)
            return 2
    print(f"{len(names) - missed} of {len(names)} faults caught")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
