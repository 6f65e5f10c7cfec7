#!/usr/bin/python3
"""What calls of the Python package cost, beside math.fsum, math.sumprod and the C call.

PYTHONPATH=build/release/python python3 bench/python_calls.py          prints a table

Each figure is the median of interleaved rounds in one process; C calls are timed by a compiled loop.
"""
import ctypes
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import reprosum
from reprosum._run import library

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROUNDS = 15
TIMED = """
#include <reprosum/exact.h>
#include <time.h>
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
double time_exact(long times, long n, const double* x) {
  double out = 0, begun = now();
  for (long k = 0; k < times; ++k) reprosum_exact_dsum(n, x, 1, &out);
  return (now() - begun) / (double)times;
}
double time_exact_dot(long times, long n, const double* x) {
  double out = 0, begun = now();
  for (long k = 0; k < times; ++k) reprosum_exact_ddot(n, x, 1, x, 1, &out);
  return (now() - begun) / (double)times;
}
static reprosum_handle* handle;
int open_spec(const char* path) { return reprosum_open_file(path, &handle); }
double time_spec(long times, long n, const double* x) {
  double out = 0, begun = now();
  for (long k = 0; k < times; ++k) reprosum_dsum(handle, n, x, 1, &out);
  return (now() - begun) / (double)times;
}
"""


def compiled(folder):
    source, made = os.path.join(folder, "timed.c"), os.path.join(folder, "timed.so")
    with open(source, "w", encoding="utf-8") as file:
        file.write(TIMED)
    loaded = library("libreprosum.so.0")
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", f"-I{ROOT}/include", source, loaded,
                    f"-Wl,-rpath,{os.path.dirname(loaded)}", "-o", made], check=True)
    timed = ctypes.CDLL(made)
    for name in ("time_exact", "time_exact_dot", "time_spec"):
        function = getattr(timed, name)
        function.restype = ctypes.c_double
        function.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p]
    return timed


def seconds(function, times):
    begun = time.perf_counter()
    for _ in range(times):
        function()
    return (time.perf_counter() - begun) / times


def race(ways, times):
    """Medians of ways that take turns: name -> seconds of a call."""
    found = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            found[name].append(way(times))
    return {name: statistics.median(all_of) for name, all_of in found.items()}


def main():
    folder = tempfile.mkdtemp()
    timed = compiled(folder)
    spec_path = os.path.join(ROOT, "spec/library/openblas-0.3.21-Haswell.json")
    spec = reprosum.Spec.open(spec_path)
    assert timed.open_spec(spec_path.encode()) == 0
    rng = np.random.default_rng(1)
    print("| n | call | time | beside |")
    print("|---|---|---|---|")
    for n in (1_000, 100_000, 10_000_000):
        x = rng.standard_normal(n)
        numbers = x.tolist()
        times = max(1, 200_000 // n)
        ways = {"exact.sum": lambda t: seconds(lambda: reprosum.exact.sum(x), t),
                "C exact": lambda t: timed.time_exact(t, n, x.ctypes.data),
                "math.fsum": lambda t: seconds(lambda: math.fsum(numbers), t),
                "exact.dot": lambda t: seconds(lambda: reprosum.exact.dot(x, x), t),
                "C exact dot": lambda t: timed.time_exact_dot(t, n, x.ctypes.data),
                "spec.sum": lambda t: seconds(lambda: spec.sum(x), t),
                "C spec": lambda t: timed.time_spec(t, n, x.ctypes.data)}
        if hasattr(math, "sumprod"):
            ways["math.sumprod"] = lambda t: seconds(lambda: math.sumprod(numbers, numbers), t)
        took = race(ways, times)
        rows = [("exact.sum", "math.fsum"), ("exact.sum", "C exact"), ("exact.dot", "C exact dot")]
        if "math.sumprod" in took:
            rows.append(("exact.dot", "math.sumprod"))
        for name, peer in rows:
            print(f"| {n:,} | `{name}` | {took[name] * 1e6:.2f} us | {took[name] / took[peer]:.3f} of "
                  f"{peer} ({took[peer] * 1e6:.2f} us) |")
        print(f"| {n:,} | `spec.sum` | {took['spec.sum'] * 1e6:.2f} us | "
              f"{(took['spec.sum'] - took['C spec']) * 1e9:+.0f} ns over C |")


if __name__ == "__main__":
    sys.exit(main())
