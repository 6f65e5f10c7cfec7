#!/usr/bin/env python3
"""Takes each check of kernels/chain away, one at a time, and demands that chain_test.cpp fails.

    python3 tests/kernels/chain_mutations.py [NAME...]     about a minute per processor

Exit code 0: every missing check was noticed, and the code as it is passes. 1: one was not. 2: a
fault no longer fits the source, or nothing could be built."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from concurrent import futures

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLAGS = ["-std=c++20", "-O2", "-ffp-contract=off", "-w", "-I."]
UNITS = ["kernels/chain/chain.cpp", "kernels/chain/chain_avx2.cpp",
         "kernels/chain/chain_avx512.cpp"]

# name: (file in kernels/chain, what stands there, what is planted)
FAULTS = {
    "block_sums_unlimited": ("blocks.h", "(s < binade.half) & ", ""),
    "block_below_the_binade": ("blocks.h", "(a - down > binade.low) & ", ""),
    "block_above_the_binade": ("blocks.h", "(a + up < binade.high) &", ""),
    "block_ties_not_seen": ("blocks.h", "(V::first_bits(not_tied) == V::kAllLanes);", "true;"),
    "block_at_the_lower_end": ("blocks.h", "(a - down > binade.low)", "(a - down >= binade.low)"),
    "unit_at_the_lower_end": ("blocks.h", "V::less(V::all(binade.low), start - down) &",
                              "~V::less(start - down, V::all(binade.low)) & V::kAllLanes &"),
    "ties_of_open_units": ("blocks.h", "proven = prove() & ((1u << settled.units) - 1);",
                           "proven = prove();"),
    "ties_forget_odd_vectors": ("blocks.h", "        since = V::differing(since, t);\n", ""),
    "block_sums_by_net": ("blocks.h", "to_size += V::abs(r);", "to_size += r;"),
    "unit_sums_unlimited": ("blocks.h", " &\n           V::less(size, V::all(binade.half));",
                            ";"),
    "unit_below_the_binade": ("blocks.h", "V::less(V::all(binade.low), start - down) & ", ""),
    "unit_above_the_binade": ("blocks.h", "V::less(start + up, V::all(binade.high))",
                              "V::kAllLanes"),
    "unit_ties_not_seen": ("blocks.h", "if (V::first_bits(not_tied) != V::kAllLanes) [[unlikely]]",
                           "if (false)"),
    "ties_of_even_alone": ("blocks.h", "if (is_odd) change +=", "if (false) change +="),
    "ties_all_downward": ("blocks.h", "(upward >> at & 1) != 0 ? 1 : -1", "-1"),
    "ties_keep_parity": ("blocks.h", "        is_odd = false;\n", ""),
    "ties_start_even": ("blocks.h", "bool is_odd = (std::bit_cast<typename V::Bits>(a) & 1) != 0;",
                        "bool is_odd = false;"),
    "ties_do_not_reach": ("blocks.h", "size += V::load(settled.ties);", ""),
    "units_after_the_first_open": ("blocks.h", "int count = std::countr_one(proven);",
                                   "int count = std::popcount(proven);"),
    "sign_of_the_binade": ("blocks.h", "low = edge < 0 ? 2 * edge : edge;", "low = edge;"),
    "odd_start_is_even": ("blocks.h", "std::bit_cast<Bits>(s) + 1", "std::bit_cast<Bits>(s) + 2"),
    "no_binade_of_the_new_one": ("walk.h", "      account(units * kUnit - kCostOfLeaving);\n"
                                 "      if (state_.credit < 0) pause();\n      return;",
                                 "      account(units * kUnit - kCostOfLeaving);\n"
                                 "      if (state_.credit < 0) return pause();"),
    "gap_packed_twice": ("walk.h", "to[k + 3] = from[3 * step];", "to[k + 3] = from[2 * step];"),
    "gaps_not_left_out": ("walk.h", "    x += count * incx;", "    x += count;"),
    "gaps_added_one_by_one": ("walk.h", "const T from_x = x[k * incx];", "const T from_x = x[k];"),
    "rest_dropped": ("walk.h", "    plain(left_);\n", ""),
    "lane_before_counted": ("lanes.h", "  v = moved_up<V, 1>(v, lanes);\n", ""),
}


def run(command, where, limit=600, **more):
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=where,
                          timeout=limit, **more)


def build_and_test(root):
    """Whether the tests pass; raises where nothing can be built."""
    program = root / "test"
    sources = [*UNITS, "kernels/chain_hosts.cpp", "tests/kernels/chain_test.cpp"]
    built = run(["g++", *FLAGS, *sources, "-o", program, "-lgtest", "-lgtest_main", "-lpthread"],
                root)
    if built.returncode != 0:
        raise RuntimeError(built.stderr[:2000])
    # A seed of its own is drawn in each run; so many chains find each fault whatever it is.
    environment = dict(os.environ, REPROSUM_CHAIN_CASES="6000")
    try:
        return run([program], root, env=environment).returncode == 0
    except subprocess.TimeoutExpired:
        return False


# The table of backends without LLVM and without the rest of the library.
HOSTS = """#include "kernels/backends.h"
namespace reprosum::kernels {
const Backend& backend(Isa isa) {
  static Backend rows[7];
  rows[5].name = "avx2", rows[6].name = "avx512";
  return rows[isa.index()];
}
std::vector<Isa> host_isas() {
  std::vector<Isa> isas;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) isas.push_back(Isa::avx2);
  if (__builtin_cpu_supports("avx512dq")) isas.push_back(Isa::avx512);
  return isas;
}
}
"""


def passes(name):
    with tempfile.TemporaryDirectory() as place:
        root = pathlib.Path(place)
        for part in ("kernels/chain", "kernels/plan", "spec", "src/base"):
            shutil.copytree(ROOT / part, root / part,
                            ignore=shutil.ignore_patterns("*.json", "library"))
        for header in (ROOT / "kernels").glob("*.h"):
            shutil.copy(header, root / "kernels")
        (root / "tests/kernels").mkdir(parents=True)
        for file in ("chain_test.cpp", "chain_data.h"):
            shutil.copy(ROOT / "tests/kernels" / file, root / "tests/kernels")
        (root / "kernels/chain_hosts.cpp").write_text(HOSTS)
        if name:
            file, there, planted = FAULTS[name]
            path = root / "kernels/chain" / file
            path.write_text(path.read_text().replace(there, planted))
        return build_and_test(root)


def main():
    names = sys.argv[1:] or list(FAULTS)
    for name in names:
        file, there, _ = FAULTS[name]
        places = (ROOT / "kernels/chain" / file).read_text().count(there)
        if places != 1:
            print(f"{name}: {file} has {places} places for it", file=sys.stderr)
            return 2
    missed = 0
    with futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        try:
            if not passes(None):
                print("the tests fail without a fault", file=sys.stderr)
                return 2
            for name, caught in zip(names, pool.map(lambda name: not passes(name), names)):
                missed += not caught
                print(f"{name:28} {'caught' if caught else 'NOT CAUGHT'}", flush=True)
        except RuntimeError as error:
            print(error, file=sys.stderr)
            return 2
    print(f"{len(names) - missed} of {len(names)} faults caught")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
