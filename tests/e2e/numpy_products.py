"""NumPy on libreprosum_blas.so has the bits that it has on the captured OpenBLAS.

numpy_products.py BUILD SPEC OPENBLAS_DIRECTORY [--cases N]

OPENBLAS_DIRECTORY holds the libblas.so.3 that SPEC was captured from, with one thread
(OPENBLAS_CORETYPE chooses the core). numpy_cases.py runs on it, and on ours, which replays SPEC:
preloaded and as libblas.so.3, with the kernels of every instruction set of the host. No digest may
differ, and no call of dot, gemv or gemm may be refused or forwarded; what NumPy asks beside these
(syrk) is forwarded and counted. Exit code 77 skips.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import kernels_listed
import on_ours


def main():
    parser = argparse.ArgumentParser()
    on_ours.add_arguments(parser)
    parser.add_argument("--cases", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    lacking = on_ours.lacking(options, ["numpy"])
    if lacking:
        print("skipped:", lacking)
        return 77
    with tempfile.TemporaryDirectory() as folder:
        return compare(options, folder)


def run(command, extra):
    """What the process said on stderr. Fails with it, unless it ended well."""
    done = subprocess.run(command, env={**os.environ, **extra}, stderr=subprocess.PIPE, text=True,
                          stdout=subprocess.DEVNULL)
    if done.returncode != 0:
        raise SystemExit(f"{command[1:]} ended with {done.returncode}:\n{done.stderr[-4000:]}")
    return done.stderr


def host_isas(build, spec):
    said = kernels_listed.report_of(build, spec)["host_isas"]
    return [isa for isa in said if isa != "interpreter"] or ["interpreter"]


def compare(options, folder):
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "numpy_cases.py")

    def digests(name, extra):
        file = os.path.join(folder, f"{name}.json")
        start = time.monotonic()
        said = run([sys.executable, script, str(options.cases), str(options.seed), file], extra)
        with open(file) as text:
            return json.load(text), said, time.monotonic() - start

    wanted, _, seconds = digests("openblas", on_ours.without_ours(options))
    print(f"OpenBLAS: {len(wanted)} cases, {seconds:.1f} s")
    ways = [(isa, on_ours.preloaded(options)) for isa in host_isas(options.build, options.spec)]
    ways.append((ways[-1][0], {"LD_LIBRARY_PATH": f"{options.build}/reprosum-blas"}))
    bad = 0
    for isa, loading in ways:
        extra = {**on_ours.replaying(options), **loading, "REPROSUM_ISA": isa,
                 "REPROSUM_ON_UNCOVERED": "forward"}
        got, said, seconds = digests(isa, extra)
        differ = [case for case, other in zip(wanted, got) if case != other]
        counted = on_ours.counts(said)
        replayed, _, forwarded, refused = on_ours.totals(
            row for name, row in counted if on_ours.is_replayable(name))
        others = {name: row[2] for name, row in counted if not on_ours.is_replayable(name)}
        print(f"{isa}, {next(iter(loading))}: {len(differ)} of {len(got)} cases differ; "
              f"{replayed} calls of dot, gemv and gemm replayed, {forwarded} forwarded, "
              f"{refused} refused; others forwarded: {others or 'none'}; {seconds:.1f} s")
        for case in differ[:5]:
            print("  differs:", case[0])
        # A call that was replayed names its kernel.
        if isa != "interpreter" and not re.search(rf"replayed .*_{isa}:? ", said):
            print(f"problem: no call was replayed by {isa}")
            bad += 1
        if forwarded + refused > 0 or replayed < len(wanted) / 2 or len(got) != len(wanted):
            print("problem: too little was replayed")
            bad += 1
        bad += len(differ)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
