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

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("spec", type=os.path.abspath)
    parser.add_argument("openblas", help="directory of the libblas.so.3 that is captured")
    parser.add_argument("--cases", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if subprocess.run([sys.executable, "-c", "import numpy"],
                      stderr=subprocess.DEVNULL).returncode != 0:
        print("skipped: Python has no module numpy")
        return 77
    backing = os.path.join(options.openblas, "libblas.so.3")
    for file in (backing, options.spec):
        if not os.path.exists(file):
            print(f"skipped: there is no {file}")
            return 77
    with tempfile.TemporaryDirectory() as folder:
        ours = {"REPROSUM_SPEC": options.spec, "REPROSUM_BACKING": backing,
                "REPROSUM_CACHE_DIR": ""}
        return compare(options, ours, folder)


def run(command, extra):
    """What the process said on stderr. Fails with it, unless it ended well."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", **extra}
    done = subprocess.run(command, env=environment, stderr=subprocess.PIPE, text=True,
                          stdout=subprocess.DEVNULL)
    if done.returncode != 0:
        raise SystemExit(f"{command[1:]} ended with {done.returncode}:\n{done.stderr[-4000:]}")
    return done.stderr


def counts(stderr):
    """routine -> (replayed, exact, forwarded, refused), from the summary of REPROSUM_VERBOSE."""
    rows = re.findall(r"^REPROSUM (\w+) +(\d+) +(\d+) +(\d+) +(\d+)$", stderr, re.M)
    return {name: tuple(int(number) for number in numbers) for name, *numbers in rows}


def is_replayable(name):
    return re.search(r"[sd](dot|gemv|gemm)", name) and "sdsdot" not in name and "dsdot" not in name


def host_isas(build, spec):
    said = subprocess.run([f"{build}/reprosum", "list", spec, "--json"], capture_output=True,
                          text=True, check=True).stdout
    return [isa for isa in ("avx2", "avx512") if f'"{isa}"' in said] or ["interpreter"]


def compare(options, ours, folder):
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "numpy_cases.py")

    def digests(name, extra):
        file = os.path.join(folder, f"{name}.json")
        start = time.monotonic()
        said = run([sys.executable, script, str(options.cases), str(options.seed), file], extra)
        with open(file) as text:
            return json.load(text), said, time.monotonic() - start

    wanted, _, seconds = digests("openblas", {"LD_LIBRARY_PATH": options.openblas})
    print(f"OpenBLAS: {len(wanted)} cases, {seconds:.1f} s")
    ways = [(isa, {"LD_PRELOAD": f"{options.build}/libreprosum_blas.so"})
            for isa in host_isas(options.build, options.spec)]
    ways.append((ways[-1][0], {"LD_LIBRARY_PATH": f"{options.build}/reprosum-blas"}))
    bad = 0
    for isa, loading in ways:
        extra = {**ours, **loading, "REPROSUM_ISA": isa, "REPROSUM_VERBOSE": "1",
                 "REPROSUM_ON_UNCOVERED": "forward"}
        got, said, seconds = digests(isa, extra)
        differ = [case for case, other in zip(wanted, got) if case != other]
        counted = counts(said)
        replayable = [row for name, row in counted.items() if is_replayable(name)]
        replayed, _, forwarded, refused = (sum(column) for column in zip(*replayable))
        others = {name: row[2] for name, row in counted.items() if not is_replayable(name)}
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
