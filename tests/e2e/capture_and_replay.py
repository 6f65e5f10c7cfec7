"""Captures a real library from end to end and replays it.

capture_and_replay.py BUILD TARGET --threads 1,2 --routines sdot,ddot [--refused ssum=not_a_sum]

Every routine must be captured for every thread count at unit increments up to 10^6 or more, or be
refused with exactly the reason given; then `compile`d kernels and the interpreter must give the
target's bits on --vectors random vectors of sizes 1..10^6, at one thread and unit increments. Other
thread counts and increments rest on the capture's own replay. An order that the generator cannot
express runs in the interpreter on both sides: this does not tell. Exit code 77 skips: no such target.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("target")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--routines", required=True)
    parser.add_argument("--refused", action="append", default=[])
    parser.add_argument("--needs", default="", help="file or Python module that must exist")
    parser.add_argument("--vectors", default="100000")
    options = parser.parse_args()

    if options.needs.startswith("/"):
        if not os.path.exists(options.needs):
            print(f"skipped: {options.needs} is not installed")
            return 77
    elif options.needs:
        if subprocess.run([sys.executable, "-c", f"import {options.needs}"]).returncode != 0:
            print(f"skipped: Python has no module {options.needs}")
            return 77

    refused = dict(item.split("=") for item in options.refused)
    routines = options.routines.split(",")
    with tempfile.TemporaryDirectory() as folder:
        spec_file = os.path.join(folder, "spec.json")
        capture = [f"{options.build}/reprosum", "capture", "--target", options.target,
                   "--routines", ",".join(routines + list(refused)),
                   "--threads", options.threads, "-o", spec_file]
        code = subprocess.run(capture).returncode
        if code not in (0, 1):
            print(f"capture ended with {code}")
            return 1
        with open(spec_file) as file:
            spec = json.load(file)
        problems = check(spec, routines, refused, [int(t) for t in options.threads.split(",")])
        for problem in problems:
            print("problem:", problem)
        table = [f"{options.build}/replay_table", spec_file, "--target", options.target,
                 "--vectors", options.vectors, "--no-speed"]
        environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1",
                           BLIS_NUM_THREADS="1")
        code = subprocess.run(table, env=environment).returncode
        return 1 if problems or code != 0 else 0


def check(spec, routines, refused, threads):
    """What the spec lacks, as sentences."""
    problems = []
    for routine in routines:
        kind, type_name = routine[1:], {"s": "f32", "d": "f64"}[routine[0]]
        unit = [1, 1] if kind == "dot" else [1, 0]
        for count in threads:
            reached = max((entry["n_max"] for entry in spec["entries"]
                           if entry["routine"] == kind and entry["type"] == type_name
                           and unit in entry["guard"]["increments"]
                           and count in entry["guard"]["threads"]), default=0)
            if reached < 1000000:
                problems.append(f"{routine}, threads={count}: covered only to n = {reached}")
    for routine, reason in refused.items():
        reasons = {r["reason"] for r in spec["refusals"] if r["routine"] == routine}
        if reason not in reasons:
            problems.append(f"{routine}: refused for {reasons or 'nothing'}, expected {reason}")
    return problems


if __name__ == "__main__":
    sys.exit(main())
