"""NumPy's and SciPy's own tests have the outcomes on libreprosum_blas.so that they have without it.

python_suites.py BUILD SPEC OPENBLAS_DIRECTORY MODULE... [--without TEST]

MODULE is a key of SUITES. OPENBLAS_DIRECTORY holds the libblas.so.3 that SPEC was captured from with
one thread (OPENBLAS_CORETYPE chooses the core). Each suite runs on it, and then with ours preloaded,
which replays SPEC and refuses what that does not cover. Every test must end the same way, and no call
of dot, gemv or gemm may be refused; what was refused is named with its reason. Tests that ask for
more than MEMORY, or whose name has TEST in it, are left out on both sides. Exit code 77 skips: no
such module.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

import on_ours

MEMORY = "4 GB"  # of NumPy's tests of vectors with more than 2^30 elements
SUITES = {  # what of which tests
    "numpy.linalg": ("numpy.linalg.tests", ""),
    "numpy.matmul": ("numpy.core.tests.test_multiarray", "matmul or Dot or dot or MatmulCommon"),
    "numpy.einsum": ("numpy.core.tests.test_einsum", ""),
    "scipy.linalg": ("scipy.linalg", ""),
    "scipy.svd": ("scipy.linalg", "svd or crash_2609"),
}
LEAST_TESTS = 20  # of a suite that ran


def main():
    parser = argparse.ArgumentParser()
    on_ours.add_arguments(parser)
    parser.add_argument("modules", nargs="+", choices=SUITES)
    parser.add_argument("--without", action="append", default=[], help="part of a test's name")
    options = parser.parse_args()
    lacking = on_ours.lacking(options, sorted(
        {"pytest", "hypothesis", *(name.split(".")[0] for name in options.modules)}))
    if lacking:
        print("skipped:", lacking)
        return 77
    ours = {**on_ours.replaying(options), **on_ours.preloaded(options),
            "REPROSUM_ON_UNCOVERED": "error", "REPROSUM_ON_FORWARDED": "allow"}
    problems = [problem for module in options.modules
                for problem in compare(module, options, ours)]
    for problem in problems:
        print("problem:", problem)
    return 1 if problems else 0


def compare(module, options, ours):
    """What differs in one suite, as sentences. Prints its counts."""
    libraries = {**on_ours.without_ours(options), "NPY_AVAILABLE_MEM": MEMORY}
    wanted, _, without = run(module, options.without, libraries)
    got, said, seconds = run(module, options.without, {**libraries, **ours})
    replayed, _, forwarded, refused = on_ours.totals(
        row for name, row in on_ours.counts("".join(said)) if on_ours.is_replayable(name))
    print(f"{module}: {len(got)} tests, {tally(got)}; {replayed} calls of dot, gemv and gemm replayed, "
          f"{forwarded} forwarded, {refused} refused; {seconds:.0f} s, {without:.0f} s without us",
          flush=True)
    problems = []
    if len(wanted) < LEAST_TESTS or replayed == 0:
        problems.append(f"{module}: {len(wanted)} tests ran, {replayed} calls were replayed")
    for test in sorted(wanted.keys() | got.keys()):
        if wanted.get(test) != got.get(test):
            problems.append(f"{module}: {test}: {got.get(test)}, without us {wanted.get(test)}")
    if refused > 0:
        problems.append(f"{module}: {refused} calls were refused, such as\n"
                        + "\n".join(examples(said)))
    return problems


def run(module, without, extra):
    """test -> how it ended; what was said on stderr beside the line for each call; seconds."""
    start = time.monotonic()
    tests, chosen = SUITES[module]
    chosen = " and ".join([f"({chosen})"] * bool(chosen) + [f"not {test}" for test in without])
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "outcomes.xml")
        # The library's lines come by the descriptor, which must not be a test's.
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
                   "--capture=sys", f"--junitxml={file}", "--pyargs", tests, "-k", chosen]
        ran = subprocess.Popen(command, env={**os.environ, **extra}, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True, errors="backslashreplace")
        said = [line for line in ran.stderr
                if not line.startswith("REPROSUM ") or on_ours.SUMMARY.match(line)]
        if ran.wait() not in (0, 1):  # 1: a test failed
            raise SystemExit(f"{command[1:]} ended with {ran.returncode}:\n{''.join(said[-40:])}")
        return outcomes(file), said, time.monotonic() - start


def outcomes(file):
    """"class::name" -> such as ["passed"]; a name can come more than once."""
    found = {}
    for case in xml.etree.ElementTree.parse(file).iter("testcase"):
        ends = [f"{end.tag} {end.get('type') or end.get('message', '')[:200]}".strip()
                for end in case if end.tag in ("failure", "error", "skipped")]
        found.setdefault(f"{case.get('classname')}::{case.get('name')}",
                         []).append(" and ".join(ends) or "passed")
    return found


def tally(outcomes_of_all):
    ends = [end.split()[0] for all_ends in outcomes_of_all.values() for end in all_ends]
    return ", ".join(f"{ends.count(end)} {end}" for end in sorted(set(ends)))


def examples(said):
    """Refused calls, one of each reason."""
    found = {}
    for line in said:
        if "cannot be replayed" in line:
            found.setdefault(re.sub(r"\d+", "0", line), line.strip())
    return list(found.values())[:8]


if __name__ == "__main__":
    sys.exit(main())
