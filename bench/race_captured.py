#!/usr/bin/env python3
"""Captures core types of a library and races every routine of each spec against it.

  python3 bench/race_captured.py build/release Haswell SkylakeX Cooperlake --specs /tmp/specs
  python3 bench/race_captured.py build/release BLIS reference --specs /tmp/specs

Specs that are in the folder already are raced as they are. bench/results/<core>.json gets one call a
row, and the table of medians and least rows is printed as Markdown: library time / ours, one thread,
the median of interleaved pairs of the thread's own time in one process. Haswell and BLIS (with its
kernels for Haswell) are raced by AVX2 kernels, the others by the best of the host. A core that the
host cannot run is left out.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

LIBRARY = "/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0"
OTHERS = {  # than core types of OpenBLAS
    "BLIS": "/usr/lib/x86_64-linux-gnu/blis-pthread/libblas.so.3",
    "reference": "/usr/lib/x86_64-linux-gnu/blas/libblas.so.3",
}
BY_AVX2 = ("Haswell", "BLIS")
INCREMENTS = "1:1,2:2,-1:1,1:-1,2:1,1:2"


def environment(core):
    return dict(os.environ, OPENBLAS_CORETYPE=core, BLIS_ARCH_TYPE="3", BLIS_NUM_THREADS="1")


def capture(options, core, spec):
    library = OTHERS.get(core, options.library)
    command = [f"{options.build}/reprosum", "capture", "-t", f"blas:{library}", "--seed", "2",
               f"--increments={INCREMENTS}", "-o", spec]
    done = subprocess.run(command, env=environment(core), capture_output=True, text=True)
    if done.returncode not in (0, 1):  # 1: something was refused, as an ssum that is no sum
        sys.exit(f"{core}: {done.stderr}")


def race(options, core, spec):
    """The rows of one core; each holds the median of its runs."""
    rows = {}
    for run in range(options.runs):
        out = os.path.join(options.specs, f"{core}.rows{run}.json")
        command = [f"{options.build}/race_spec", spec, "--library",
                   OTHERS.get(core, options.library), "--seconds", str(options.seconds), "--json", out]
        if core not in OTHERS:
            command += ["--core", core]
        if core in BY_AVX2:
            command += ["--isa", "avx2"]
        if subprocess.run(command, env=environment(core),
                          stdout=subprocess.DEVNULL).returncode != 0:
            sys.exit(f"{core}: race_spec failed")
        with open(out) as file:
            for row in json.load(file):
                rows.setdefault((row["table"], row["call"]), []).append(row)
    merged = []
    for runs in rows.values():
        row = dict(runs[0])
        row["ratio"] = round(statistics.median(r["ratio"] for r in runs), 3)
        row["microseconds"] = round(statistics.median(r["microseconds"] for r in runs), 3)
        row["differ"] = sum(r["differ"] for r in runs)
        merged.append(row)
    return merged


def summary(rows):
    """Per table: its median and its least row."""
    tables = {}
    for row in rows:
        tables.setdefault(row["table"], []).append(row)
    cells = {}
    for name, members in tables.items():
        least = min(members, key=lambda row: row["ratio"])
        median = statistics.median(row["ratio"] for row in members)
        cells[name] = f"{median:.2f} ({least['ratio']:.2f} at {least['call']})"
    return cells


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("cores", nargs="+")
    parser.add_argument("--specs", required=True, help="folder of the captured specs")
    parser.add_argument("--library", default=LIBRARY)
    parser.add_argument("--results", default="bench/results")
    parser.add_argument("--seconds", type=float, default=0.05, help="per row")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    os.makedirs(options.results, exist_ok=True)
    columns = {}
    for core in options.cores:
        spec = os.path.join(options.specs, f"{core}.json")
        if not os.path.exists(spec):
            capture(options, core, spec)
        rows = race(options, core, spec)
        with open(os.path.join(options.results, f"{core}.json"), "w") as file:
            file.write("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")
        columns[core] = summary(rows)
    print("| median (least) | " + " | ".join(columns) + " |")
    print("|---|" + "---|" * len(columns))
    for table in dict.fromkeys(name for cells in columns.values() for name in cells):
        print(f"| {table} | " + " | ".join(c.get(table, "") for c in columns.values()) + " |")


if __name__ == "__main__":
    main()
