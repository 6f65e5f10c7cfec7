"""Python programs on libreprosum_blas.so beside the library that a spec was captured from: what the
tests that run them share."""
import os
import re
import subprocess
import sys

SUMMARY = re.compile(r"^REPROSUM (\w+) +(\d+) +(\d+) +(\d+) +(\d+)$", re.M)


def add_arguments(parser):
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("spec", type=os.path.abspath)
    parser.add_argument("openblas", help="directory of the libblas.so.3 that was captured")


def backing_of(options):
    return os.path.join(options.openblas, "libblas.so.3")


def lacking(options, modules):
    """What keeps the test from running, or None."""
    for module in modules:
        if subprocess.run([sys.executable, "-c", f"import {module}"],
                          stderr=subprocess.DEVNULL).returncode != 0:
            return f"{sys.executable} has no module {module}"
    for file in (backing_of(options), options.spec):
        if not os.path.exists(file):
            return f"there is no {file}"
    return None


def without_ours(options):
    """Variables with which a program runs on the captured library, on one thread."""
    return {"LD_LIBRARY_PATH": options.openblas, "OPENBLAS_NUM_THREADS": "1"}


def replaying(options):
    """Variables with which ours, however it is loaded, replays the spec and counts calls."""
    return {"OPENBLAS_NUM_THREADS": "1", "REPROSUM_SPEC": options.spec,
            "REPROSUM_BACKING": backing_of(options), "REPROSUM_VERBOSE": "1",
            "REPROSUM_CACHE_DIR": ""}


def preloaded(options):
    return {"LD_PRELOAD": f"{options.build}/libreprosum_blas.so"}


def counts(said):
    """[(routine, (replayed, exact, forwarded, refused))], from the summary of each process."""
    return [(name, tuple(map(int, numbers))) for name, *numbers in SUMMARY.findall(said)]


def is_replayable(name):
    return re.fullmatch(r"(?:cblas_)?[sd](dot|gemv|gemm)_?", name) is not None


def totals(rows):
    """(replayed, exact, forwarded, refused) of all rows."""
    return tuple(map(sum, zip((0, 0, 0, 0), *rows)))
