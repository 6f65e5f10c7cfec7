#!/usr/bin/env python3
"""A table of bench/results: bench_kernels in several processes, medians over the processes.

  python3 bench/kernel_table.py Haswell=FILE SkylakeX=FILE   orders of captured specs, by core
  python3 bench/kernel_table.py Haswell SkylakeX             orders written by hand, by core

Each cell is library time / our time; the least and the greatest process stand in brackets where
they are more than 0.1 apart.
"""
import argparse
import json
import statistics
import subprocess
import sys


def run(bench, arguments, results):
    """Adds the ratios of one process to results[name]."""
    done = subprocess.run([bench, *arguments, "--benchmark_format=json"],
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{bench} {' '.join(arguments)}: {done.stderr}")
    for row in json.loads(done.stdout)["benchmarks"]:
        name = row["name"].split("/iterations")[0]
        if row.get("error_occurred"):
            sys.exit(f"{name}: {row['error_message']}")
        results.setdefault(name, []).append(row["ratio"])


def cell(ratios):
    text = f"{statistics.median(ratios):.2f}"
    if max(ratios) - min(ratios) > 0.1:
        text += f" ({min(ratios):.2f}-{max(ratios):.2f})"
    return text


def print_rows(label, results):
    """One line per routine (`routine/isa/column` are the names), a column per size or batch."""
    lines = {}
    for name, ratios in results.items():
        routine, isa, _ = name.split("/", 2)
        lines.setdefault((routine, isa), []).append(cell(ratios))
    for (routine, isa), cells in lines.items():
        print(f"| {routine} | {label}{isa} | " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cores", nargs="+", metavar="CORE[=SPEC]")
    parser.add_argument("--bench", default="build/release/bench_kernels")
    parser.add_argument("--library", default="libopenblas.so.0")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    columns = ["10^3", "10^4", "10^5", "10^7"]
    print("| | core, kernels | n = " + " | ".join(columns) + " |")
    print("|---|---|" + "---|" * len(columns))
    batches = {}
    for item in options.cores:
        core, _, spec = item.partition("=")
        arguments = ["--library", options.library, "--core", core]
        if spec:
            arguments += ["--spec", spec]
        for isa in ("avx2", "avx512"):
            results = {}
            for _ in range(options.runs):
                run(options.bench, [*arguments, "--isa", isa, "--benchmark_filter=/n="], results)
            print_rows(f"{core}, ", results)
    for _ in range(options.runs):
        for core, isa in (("Haswell", "avx2"), ("SkylakeX", "avx512")):
            run(options.bench, ["--library", options.library, "--core", core, "--isa", isa,
                                "--benchmark_filter=4x1"], batches)
    for which in ("shared", "own"):
        chosen = {n: r for n, r in batches.items() if n.endswith(f"{which} y")}
        names = list(dict.fromkeys(n.split("lanes, ")[1] for n in chosen))
        print(f"\n| 4x1 lanes, {which} y | kernels | "
              + " | ".join(n.rsplit(",", 1)[0].replace(" of 512,", ",") for n in names) + " |")
        print("|---|---|" + "---|" * len(names))
        print_rows("", chosen)


if __name__ == "__main__":
    main()
