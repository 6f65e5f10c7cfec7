"""Captures gemv and gemm of a real library from end to end and replays them.

matrix_replay.py BUILD TARGET --threads 1,2 --coverage sgemv=0.99,dgemv=0.99,sgemm=0.99,dgemm=0.99
                 [--spec FILE]

Random calls are drawn without a look at the spec: sizes in 1..64 and up to 600, every transpose and
layout, increments up to thousands, alpha and beta of {0, 1, -1, random}, padded leading dimensions, any
address. At least the named share of each routine's calls without Inf and NaN must be covered,
for each thread count. Every covered output must have the target's bits with the kernels of every
instruction set of the host, with one worker and with three, and with the interpreter on small
shapes. A call that is not covered must say why and write nothing. With --generated the interpreter may
serve no call. FILE is a capture of the target that other tests also use. Exit code 77 skips: no such
target.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

from capture_run import capture
from kernels_listed import interpreted


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("target")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--coverage", required=True, help="routine=share, ...")
    parser.add_argument("--needs", default="", help="file that must exist")
    parser.add_argument("--outputs", type=int, default=1000000)
    parser.add_argument("--generated", action="store_true")
    parser.add_argument("--spec", help="captured before; otherwise it is captured here")
    options = parser.parse_args()
    if options.needs and not os.path.exists(options.needs):
        print(f"skipped: {options.needs} is not installed")
        return 77

    wanted = {name: float(share)
              for name, share in (item.split("=") for item in options.coverage.split(","))}
    with tempfile.TemporaryDirectory() as folder:
        spec_file = options.spec or os.path.join(folder, "spec.json")
        code = None if options.spec else capture(
            [f"{options.build}/reprosum", "capture", "--target", options.target, "--reach", "0",
             "--routines", ",".join(wanted), "--threads", options.threads, "-o", spec_file])
        if code is not None:
            return code
        slow = interpreted(options.build, spec_file) if options.generated else []
        replay_file = os.path.join(folder, "replay.json")
        replay = [f"{options.build}/replay_products", spec_file, "--target", options.target,
                  "--routines", ",".join(wanted), "--threads", options.threads,
                  "--outputs", str(options.outputs), "--json", replay_file]
        code = subprocess.run(replay).returncode
        if code not in (0, 1):
            print(f"the replay ended with {code}")
            return 1
        with open(replay_file) as file:
            rows = json.load(file)["rows"]
    problems = [problem for row in rows
                for problem in check(row, wanted[row["routine"]], options.outputs)]
    problems += [f"left to the interpreter: {row}" for row in slow]
    for problem in problems:
        print("problem:", problem)
    print(summary(options.target, rows))
    return 1 if problems or code != 0 else 0


def check(row, share, outputs):
    """What is wrong with the replays of one routine and thread count, as sentences."""
    place = f"{row['routine']}, threads={row['threads']}"
    calls, covered = row["finite"]["calls"], row["finite"]["covered"]
    problems = []
    if covered < share * calls:
        problems.append(f"{place}: {covered} of {calls} calls are covered, {share:.2%} demanded")
    if row["unclean"] > 0:
        problems.append(f"{place}: {row['unclean']} calls were not refused, or written, cleanly")
    # Small shares are replayed on fewer outputs: twice as many are asked for, not more.
    least = min(outputs, int(share * outputs))
    for name, ran in row["kernels"].items():
        if ran["mismatches"] > 0:
            problems.append(f"{place}: {ran['mismatches']} outputs of {name} differ")
        if ran["outputs"] < (least if name != "interpreter/1" else min(least, 1000)):
            problems.append(f"{place}: only {ran['outputs']} outputs of {name}")
    if len(row["kernels"]) < 2:
        print(f"note: {place}: this host runs no generated kernels, so they were not tested")
    return problems


def summary(target, rows):
    calls = sum(row["finite"]["calls"] + row["special"]["calls"] for row in rows)
    covered = sum(row["finite"]["covered"] + row["special"]["covered"] for row in rows)
    outputs = sum(row["outputs"] for row in rows)
    replayed = sum(ran["outputs"] for row in rows for ran in row["kernels"].values())
    wrong = sum(ran["mismatches"] for row in rows for ran in row["kernels"].values())
    names = sorted({name for row in rows for name in row["kernels"]})
    return (f"{target}: {calls} calls, {covered} covered, {outputs} outputs, {replayed} replays "
            f"by {', '.join(names)}, {wrong} differ")


if __name__ == "__main__":
    sys.exit(main())
